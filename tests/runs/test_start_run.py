from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.services import tag_columns
from deid_portal.engine.report.table import RowCounts
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def test_a_run_finishes_and_keeps_the_answer(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    assert run.status == Run.Status.FINISHED
    assert run.solution is True
    assert run.report.classes.smallest >= 4
    assert run.report.rows == RowCounts(released=12, suppressed=0)
    assert len(run.output_sha256) == 64
    events = Event.objects.filter(subject_kind="run").order_by("number")
    assert [event.action for event in events] == ["run.started", "run.finished"]


def test_runs_are_numbered_and_freeze_their_plan(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_finished_run(cast.steward, cast.team)
    client = signed_in(cast.teammate)
    client.post(reverse("runs:start", args=[first.dataset_id]))
    second = Run.objects.get(number=2)
    assert second.plan_sha256 == first.plan_sha256
    assert second.started_by == cast.teammate
    assert client.get(reverse("runs:show", args=[second.id])).status_code == 200


def test_the_same_plan_gives_the_same_bytes(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_finished_run(cast.steward, cast.team)
    signed_in(cast.steward).post(reverse("runs:start", args=[first.dataset_id]))
    second = factories.finish_run(Run.objects.get(number=2))
    assert second.output_sha256 == first.output_sha256


def test_no_transformation_is_an_answer(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    choice = {"k": "12", "l_4": "3", "suppression_percent": "0", "metric": "loss"}
    client.post(reverse("plans:protection", args=[dataset.id]), choice)
    dataset.refresh_from_db()
    protection = dataset.protection
    protection.rules = [{"model": "k-anonymity", "k": 5}]
    protection.method = {**protection.method, "name": "levels", "levels": {"Zip": 0, "Age": 0}}
    del protection.method["metric"]
    protection.save()
    client.post(reverse("runs:start", args=[dataset.id]))
    run = factories.finish_run(Run.objects.get())
    assert run.status == Run.Status.FINISHED
    assert run.solution is False
    page = client.get(reverse("reports:report", args=[run.id])).content.decode()
    assert "No level of detail satisfies this plan. Nothing was released." in page
    assert client.get(reverse("reviews:ask", args=[run.id])).context["ask_refusal"]


def test_a_rule_about_a_column_that_changed_its_role_is_refused(
    cast: Cast, signed_in: SignIn
) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    choice = {"k": "4", "l_4": "2", "suppression_percent": "0", "metric": "loss"}
    client.post(reverse("plans:protection", args=[dataset.id]), choice)
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={4: "insensitive"})
    answer = client.post(reverse("runs:start", args=[dataset.id]), follow=True)
    assert "A rule is about Condition, which is no longer sensitive." in answer.content.decode()
    assert not Run.objects.exists()


def test_a_reviewer_starts_nothing(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    signed_in(cast.reviewer).post(reverse("runs:start", args=[dataset.id]))
    assert not Run.objects.exists()


def test_the_queue_being_away_is_said_on_the_page(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    answer = client.post(reverse("runs:start", args=[dataset.id]), follow=True)
    assert "The queue is not reachable." in answer.content.decode()


def test_a_double_click_starts_one_run(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    first, second = (client.post(reverse("runs:start", args=[dataset.id])) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Run.objects.count() == 1


def test_stopping_a_waiting_run_is_recorded(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    client.post(reverse("runs:start", args=[dataset.id]))
    client.post(reverse("runs:stop", args=[Run.objects.get().id]))
    assert Run.objects.get().status == Run.Status.STOPPED
    assert Event.objects.filter(action="run.stopped").count() == 1
