"""Why answers need noise and a budget: attacks that can be run here."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.selectors import datasets_of_team, find_dataset
from deid_portal.engine.errors import EngineError
from deid_portal.querydesk.lessons import EXERCISES, check_may_try_on_own, try_on_own
from deid_portal.querydesk.permissions import check_may_open
from deid_portal.web.refusals import Refused, refusal


@require_http_methods(["GET", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """The lessons; a POST runs one of them, on the decks' people or on a table of the team."""
    team = team_of_or_404(request)
    person = person_of(request)
    context: dict[str, Any] = {
        "exercises": list(EXERCISES.values()),
        "datasets": [],
        "help_slug": "query-desk",
    }
    if not refusal(check_may_open, person, team):
        ready = datasets_of_team(person, team).filter(state=Dataset.State.READY)
        context["datasets"] = [
            (dataset, list(dataset.columns.defer("profile"))) for dataset in ready
        ]
    if request.method == "POST":
        context |= _run(request)
    status = 422 if context.get("problem") else 200
    return render(request, "querydesk/lessons.html", context, status=status)


def _run(request: HttpRequest) -> dict[str, Any]:
    exercise = EXERCISES.get(request.POST.get("lesson", ""))
    if exercise is None:
        raise Http404
    if request.POST.get("on") != "own":
        return {"ran": exercise.name, "lesson": exercise.carry_out()}
    column = _column_of(request)
    own = {"ran": exercise.name, "is_own": True}
    value = request.POST.get("value", "").strip()
    if not value:
        return {**own, "problem": "Type a value of the column; people who have it are looked for."}
    try:
        lesson = try_on_own(
            exercise=exercise, column=column, value=value, tried_by=person_of(request)
        )
    except (Refused, EngineError) as reason:
        return {**own, "problem": str(reason)}
    return {**own, "lesson": lesson, "of": f"{column.name}, {column.dataset.name}"}


def _column_of(request: HttpRequest) -> DatasetColumn:
    text, _, position = request.POST.get("column", "").partition(":")
    try:
        dataset = find_dataset(person_of(request), str(UUID(text)))
    except ValueError:
        raise Http404 from None
    if dataset is None or not position.isdigit():
        raise Http404
    check_may_try_on_own(person_of(request), dataset)
    column = dataset.columns.filter(position=int(position)).first()
    if column is None:
        raise Http404
    return column
