"""Many runs asked for at once: each its own run, none twice, all stopped together."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.engine import InvalidPlan
from deid_portal.runs import sweep_views
from deid_portal.runs.models import Priority, Run, Sweep
from deid_portal.runs.selectors import sweeps_of
from deid_portal.runs.services import start_run
from deid_portal.runs.sweeps import SweepGrid, plan_members, start_sweep, stop_sweep
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def test_every_combination_is_a_run_that_waits_behind_single_ones(
    cast: Cast, dataset: Dataset
) -> None:
    grid = SweepGrid(look_alikes=(2, 3), limits=(0.0, 0.25))
    sweep = start_sweep(dataset=dataset, grid=grid, started_by=cast.steward)
    runs = list(sweep.runs.order_by("number"))
    asked = [(run.summary.asked.k, run.summary.asked.limit) for run in runs]
    assert asked == [(2, 0.0), (3, 0.0), (2, 0.25), (3, 0.25)]
    assert {run.priority for run in runs} == {Priority.SWEEP}
    assert runs[3].change_words == (
        "hides among 3 instead of 4, may leave out 25\u00a0% instead of 0\u00a0%"
    )
    assert dataset.protection.rules == factories.RULES


def test_plans_that_were_run_before_belong_to_the_sweep_and_are_not_repeated(
    cast: Cast, dataset: Dataset
) -> None:
    before = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    grid = SweepGrid(look_alikes=(3, 4))
    sweep = start_sweep(dataset=dataset, grid=grid, started_by=cast.steward)
    again = start_sweep(dataset=dataset, grid=grid, started_by=cast.steward)
    assert before in sweep.runs.all()
    assert list(again.runs.all()) == list(sweep.runs.all())
    assert Run.objects.count() == 2


def test_progress_counts_what_ended(cast: Cast, dataset: Dataset) -> None:
    sweep = start_sweep(
        dataset=dataset, grid=SweepGrid(look_alikes=(2, 3, 4)), started_by=cast.steward
    )
    factories.finish_run(sweep.runs.first())
    counted = sweeps_of(dataset).get()
    assert (counted.total, counted.finished, counted.open) == (3, 1, 2)


def test_stopping_a_sweep_stops_what_it_started_and_nothing_else(
    cast: Cast, dataset: Dataset
) -> None:
    single = start_run(dataset=dataset, started_by=cast.steward)
    sweep = start_sweep(
        dataset=dataset, grid=SweepGrid(look_alikes=(2, 3, 4)), started_by=cast.steward
    )
    assert stop_sweep(sweep=sweep, stopped_by=cast.teammate) == 2
    single.refresh_from_db()
    assert single.status == Run.Status.QUEUED
    assert Run.objects.filter(status=Run.Status.STOPPED).count() == 2
    assert Event.objects.get(action="sweep.stopped").facts == {"runs": 2}
    with pytest.raises(Refused, match="already ended"):
        stop_sweep(sweep=sweep, stopped_by=cast.steward)


def test_methods_without_a_limit_run_once_per_k(cast: Cast, dataset: Dataset) -> None:
    grid = SweepGrid((2, 3), (0.0, 0.25), ("full-domain", "mondrian"))
    _, members = plan_members(dataset, grid)
    methods = [member.plan.methods[0].name for member in members]
    assert methods == ["full-domain"] * 4 + ["mondrian"] * 2


@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        (SweepGrid(), "at least two"),
        (SweepGrid(look_alikes=(5,)), "at least two"),
        (
            SweepGrid(tuple(range(2, 12)), (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
            "That would be 70 runs",
        ),
    ],
)
def test_too_few_and_too_many_are_refused(
    cast: Cast, dataset: Dataset, grid: SweepGrid, sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        start_sweep(dataset=dataset, grid=grid, started_by=cast.steward)


def test_one_plan_that_makes_no_sense_starts_nothing(cast: Cast, dataset: Dataset) -> None:
    with pytest.raises(InvalidPlan):
        start_sweep(dataset=dataset, grid=SweepGrid(look_alikes=(3, 99)), started_by=cast.steward)
    assert not Sweep.objects.exists()
    assert not Run.objects.exists()


def test_the_form_starts_a_sweep_and_leads_to_the_board(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    page = client.get(reverse("runs:sweep", args=[dataset.id])).content.decode()
    assert 'value="2, 3, 4, 5"' in page
    assert "16 runs" in page
    answer = client.post(
        reverse("runs:sweep", args=[dataset.id]),
        {"look_alikes": "2-4", "limits": "0, 10%", "methods": []},
        follow=True,
    )
    assert Sweep.objects.get().runs.count() == 6
    assert "6 of 6 still running" in answer.content.decode()
    assert Event.objects.get(action="sweep.started").facts["runs"] == 6
    client.post(reverse("runs:stop-sweep", args=[Sweep.objects.get().id]))
    assert Run.objects.filter(status=Run.Status.STOPPED).count() == 6


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"look_alikes": "2, many"}, "“many” is not a whole number."),
        ({"look_alikes": "1, 2"}, "“1” is not between 2 and 12."),
        ({"look_alikes": "2.5"}, "“2.5” is not a whole number."),
        ({"look_alikes": "2-999"}, "is more than 60 numbers."),
        ({"limits": "200"}, "“200” is not between 0 and 100."),
        ({"look_alikes": "4"}, "A sweep compares: give at least two"),
        ({"look_alikes": "2-12", "limits": "0 1 2 3 4 5"}, "That would be 66 runs; a sweep has"),
    ],
)
def test_bad_numbers_are_answered_with_a_sentence(
    cast: Cast, dataset: Dataset, signed_in: SignIn, given: dict[str, str], sentence: str
) -> None:
    client = signed_in(cast.steward)
    answer = client.post(reverse("runs:sweep", args=[dataset.id]), given)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    size = client.post(reverse("runs:sweep-size", args=[dataset.id]), given)
    assert sentence in size.content.decode()
    assert not Sweep.objects.exists()


def test_the_page_says_how_long_a_sweep_takes(
    cast: Cast, dataset: Dataset, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_views, "usual_run_seconds", lambda: 10.0)
    monkeypatch.setattr(sweep_views, "count_workers", lambda: 2)
    page = signed_in(cast.steward).get(reverse("runs:sweep", args=[dataset.id])).content.decode()
    assert re.search(r"<p class=\"quiet\"> About \d+ (seconds|minutes) if nobody else", page)
    # A class of the boxes would also make the list of them as narrow as a box.
    assert '<div id="id_methods">' in page


def test_a_reviewer_looks_and_starts_nothing(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.reviewer)
    answer = client.post(reverse("runs:sweep", args=[dataset.id]), {"look_alikes": "2, 3"})
    assert answer.status_code == 422
    assert not Sweep.objects.exists()
