"""The page "Attack my release": results of attacks, and remedies. A part of step 6."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.attacks.choices import HELD_OUT, parameters_of
from deid_portal.attacks.figures import attack_chart
from deid_portal.attacks.forms import OutsideForm, TuningForm
from deid_portal.attacks.kinds import kind_of
from deid_portal.attacks.limits import limits_of_team
from deid_portal.attacks.models import OutsideTable
from deid_portal.attacks.next_bars import bar_of_attacks
from deid_portal.attacks.outside import bring_table, discard_table, waiting_table
from deid_portal.attacks.permissions import check_may_attack
from deid_portal.attacks.rows import AttackRow
from deid_portal.attacks.selectors import attack_rows, summarize_attacks
from deid_portal.attacks.services import (
    check_can_attack,
    start_attacks,
    start_outside_linkage,
    start_with_control,
    stop_attack,
)
from deid_portal.attacks.subjects import AttackedSubject, standard_attacks
from deid_portal.datasets.kinds import OfOtherKind
from deid_portal.datasets.preview import accepted_endings
from deid_portal.datasets.sealed_upload import SealedUpload, why_refused
from deid_portal.engine import EngineError
from deid_portal.reports.templatetags.comments import request_talked_about
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import get_light_run_or_404
from deid_portal.web.http import STOP_POLLING
from deid_portal.web.refusals import Refused, refusal
from deid_portal.work.queue import is_queue_reachable

NO_FILE = "Choose the file of an outside table first."


@require_GET
def show(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_light_run_or_404(person_of(request), run_id)
    if not run.solution:
        return redirect("runs:show", run.id)
    return _page(request, run)


@require_GET
def progress(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The part that is polled while attacks are running; status 286 ends polling."""
    run = _run_with_release(request, run_id)
    context = _context(request, run)
    shown = request.GET.get("seen", "")
    selected: AttackRow = context["selected"]
    context["panel_changed"] = selected.is_open or _token(selected) != shown
    status = 200 if context["summary"].at_work else STOP_POLLING
    return render(request, "attacks/_progress.html", context, status=status)


@require_POST
def start(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Start one attack or, if none is named, all."""
    run = _run_with_release(request, run_id)
    wanted = [name for name in request.POST.getlist("attack") if name in standard_attacks(run)]
    chosen: dict[str, Any] = {}
    if len(wanted) == 1:
        tuning = TuningForm(request.POST, attack=wanted[0], chosen={})
        if not tuning.is_valid():
            messages.error(request, "Nothing was started. Enter numbers for what is tried.")
            return _back(run, wanted[0])
        chosen = tuning.to_parameters()
    try:
        start_attacks(run=run, asked_by=person_of(request), attacks=wanted, chosen=chosen)
    except (Refused, EngineError) as reason:
        messages.error(request, str(reason))
    return _back(run, wanted[0] if len(wanted) == 1 else "")


@require_POST
def stop(request: HttpRequest, run_id: UUID, key: str) -> HttpResponse:
    run = _run_with_release(request, run_id)
    row = _row_or_404(request, run, key)
    try:
        if row.test is None:
            raise Refused("This attack is not at work.")
        stop_attack(test=row.test, stopped_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(run, key)


@require_POST
def bring_outside(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Upload an outside table; its matching columns are asked for next."""
    run = _run_of_table(request, run_id)
    check_may_attack(person_of(request), run)
    problem = _bring(request, run, OutsideTable.Use.LINKAGE)
    if isinstance(problem, str):
        return _page(request, run, outside_problem=problem, status=422)
    return redirect(f"{reverse('attacks:show', args=[run.id])}#outside")


@require_POST
def start_outside(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = _run_of_table(request, run_id)
    check_may_attack(person_of(request), run)
    table = waiting_table(run)
    if table is None:
        return _page(request, run, outside_problem=NO_FILE, status=422)
    form = OutsideForm(request.POST, table=table)
    if not form.is_valid():
        return _page(request, run, outside_form=form, status=422)
    try:
        test = start_outside_linkage(
            table=table,
            asked_by=person_of(request),
            columns=form.to_columns(),
            person=form.to_person(),
            matching=form.cleaned_data["matching"],
        )
    except (Refused, EngineError) as reason:
        return _page(request, run, outside_problem=str(reason), status=422)
    return _back(run, str(test.id))


@require_POST
def discard_outside(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = _run_of_table(request, run_id)
    check_may_attack(person_of(request), run)
    table = waiting_table(run)
    if table is not None:
        discard_table(table=table, discarded_by=person_of(request))
        messages.success(request, "The outside table was deleted.")
    return _back(run, "")


@require_POST
def compare(request: HttpRequest, run_id: UUID, key: str) -> HttpResponse:
    """Start an attack with an uploaded control table instead of held-out people."""
    run = _run_of_table(request, run_id)
    check_may_attack(person_of(request), run)
    if key not in HELD_OUT:
        raise Http404
    brought = _bring(request, run, OutsideTable.Use.CONTROL)
    if isinstance(brought, str):
        return _page(request, run, control_problem=brought, selected_key=key, status=422)
    try:
        start_with_control(table=brought, asked_by=person_of(request), attack=key)
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(run, key)


def _bring(request: HttpRequest, run: Run, use: OutsideTable.Use) -> OutsideTable | str:
    """Store the uploaded table, or return the reason why not."""
    upload = request.FILES.get("file")
    if refused := why_refused(request):
        return refused
    if not isinstance(upload, SealedUpload):
        return NO_FILE
    if not upload.size:
        return "The file is empty. Choose a file with column names and rows."
    try:
        return bring_table(run=run, upload=upload, brought_by=person_of(request), use=use)
    except (Refused, EngineError) as reason:
        return str(reason)


def _run_with_release(request: HttpRequest, run_id: UUID) -> Run:
    run = get_light_run_or_404(person_of(request), run_id)
    if not run.solution:
        raise Http404
    return run


def _run_of_table(request: HttpRequest, run_id: UUID) -> Run:
    """Fetch a run of a table; outside tables cannot be used with networks."""
    run = _run_with_release(request, run_id)
    if not AttackedSubject.of(run.dataset).takes_outside_tables:
        raise OfOtherKind(run.dataset)
    return run


def _row_or_404(request: HttpRequest, run: Run, key: str) -> AttackRow:
    rows = attack_rows(person_of(request), run)
    row = next((row for row in rows if row.key == key), None)
    if row is None:
        raise Http404
    return row


def _back(run: Run, key: str) -> HttpResponse:
    address = reverse("attacks:show", args=[run.id])
    return redirect(f"{address}?attack={key}" if key else address)


def _page(request: HttpRequest, run: Run, *, status: int = 200, **more: Any) -> HttpResponse:
    return render(request, "attacks/show.html", _context(request, run, **more), status=status)


def _context(request: HttpRequest, run: Run, selected_key: str = "", **more: Any) -> dict[str, Any]:
    person = person_of(request)
    rows = attack_rows(person, run)
    summary = summarize_attacks(rows)
    closed = refusal(check_can_attack, person, run)
    chosen = selected_key or request.GET.get("attack", "")
    place = _place_of(rows, chosen)
    selected = rows[place]
    seconds = sum(row.seconds for row in rows if row.attack in standard_attacks(run))
    context = {
        "dataset": run.dataset,
        "run": run,
        "attacked": AttackedSubject.of(run.dataset),
        "current": "report",
        "help_slug": "attacks",
        "rows": rows,
        "selected": selected,
        "chosen": chosen if selected.key == chosen else "",
        "seen": _token(selected),
        "previous": rows[place - 1] if place else None,
        "next": rows[place + 1] if place + 1 < len(rows) else None,
        "chart": attack_chart(selected.result, selected.wording)
        if selected.result and selected.sees_figures
        else None,
        "talk_address": request_talked_about(run),
        "cites": kind_of(selected.attack).cites,
        "tuning": TuningForm(attack=selected.attack, chosen=_parameters_of(selected, run)),
        "can_compare": selected.attack in HELD_OUT,
        "summary": summary,
        "attack_refusal": closed,
        "may_attack": not refusal(check_may_attack, person, run),
        "queue_is_away": bool(summary.at_work) and not is_queue_reachable(),
        "accepted": ",".join(f".{ending}" for ending in accepted_endings()),
        "bar": bar_of_attacks(run, summary, refusal=closed, seconds=seconds),
        "all_seconds": seconds,
    }
    if not closed:
        table = waiting_table(run)
        context["outside"] = table
        context["outside_form"] = OutsideForm(table=table) if table is not None else None
    return {**context, **more}


def _parameters_of(row: AttackRow, run: Run) -> dict[str, Any]:
    """Return the parameters of the last test, else the defaults."""
    if row.test is not None:
        return dict(row.test.parameters["attack"])
    return parameters_of(row.attack, limits_of_team(run.dataset.team), {})


def _token(row: AttackRow) -> str:
    """Identify the content of the panel, which is reloaded when it changes."""
    return f"{row.test.id}-{row.test.status}" if row.test is not None else row.key


def _place_of(rows: list[AttackRow], chosen: str) -> int:
    """Return the row whose panel is open: the chosen one, else the worst with a result."""
    wanted = (place for place, row in enumerate(rows) if row.key == chosen)
    answered = (place for place, row in enumerate(rows) if row.result is not None)
    return next(wanted, next(answered, 0))
