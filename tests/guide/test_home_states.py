"""The team home in its states: what runs, what failed, what waits, tabs, filter, and its cost."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import Role, User
from deid_portal.audit.models import Verification
from deid_portal.audit.verification import verify_chain
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.datasets.models import Dataset
from deid_portal.guide import jobs
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.runs.sweeps import SweepGrid, start_sweep
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.work.leases import claim
from tests import factories
from tests.audit.test_chain import edit
from tests.conftest import Cast

SignIn = Callable[[User], Client]
HOME = "/"
FAILED = "job-failed"


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "is_queue_reachable", lambda: True)


def _start(cast: Cast) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    return start_run(dataset=dataset, started_by=cast.steward)


def _page(client: Client, address: str = HOME) -> str:
    return client.get(address).content.decode()


@pytest.mark.usefixtures("queue")
def test_a_run_at_work_shows_how_far_it_is_and_can_be_stopped(
    cast: Cast, signed_in: SignIn
) -> None:
    run = _start(cast)
    assert claim(Run, str(run.id)) is not None
    figures = {"fraction": 0.31, "left": 120.0}
    Run.objects.filter(id=run.id).update(phase="search", done=1, total=10, figures=figures)
    factories.make_worker()
    client = signed_in(cast.steward)
    page = _page(client)
    assert "about 2 minutes left" in page
    assert reverse("runs:stop", args=[run.id]) in page
    assert "1 worker ready · nothing else in the queue" in page
    (line,) = client.get(HOME).context["lines"]
    assert (line.standing, line.next_act, line.turn) == (
        "Run at 31 %",
        "About 2 minutes left",
        "portal",
    )
    assert reverse("runs:stop", args=[run.id]) not in _page(signed_in(cast.reviewer))


@pytest.mark.usefixtures("queue")
def test_a_sweep_is_one_job(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    sweep = start_sweep(
        dataset=dataset, grid=SweepGrid(look_alikes=(2, 3, 4)), started_by=cast.steward
    )
    run = sweep.runs.order_by("number").first()
    assert run is not None
    factories.finish_run(run)
    answer = signed_in(cast.steward).get(HOME)
    (job,) = answer.context["jobs"].jobs
    assert (job.what, job.phase, job.percent) == ("sweep 1", "1 of 3 runs ended", 33)
    assert answer.context["lines"][0].standing == "Sweep, 1 of 3 runs"
    assert job.stop_url == reverse("runs:stop-sweep", args=[sweep.id])


def test_a_failed_run_can_be_looked_at_and_retried(cast: Cast, signed_in: SignIn) -> None:
    run = _start(cast)
    Run.objects.filter(id=run.id).update(status=Run.Status.FAILED, finished_at=timezone.now())
    page = _page(signed_in(cast.steward))
    assert FAILED in page
    assert reverse("runs:retry", args=[run.id]) in page
    reviewer = _page(signed_in(cast.reviewer))
    assert FAILED in reviewer
    assert reverse("runs:retry", args=[run.id]) not in reviewer
    signed_in(cast.steward).post(reverse("runs:retry", args=[run.id]))
    assert FAILED not in _page(signed_in(cast.steward))


def test_a_failure_of_long_ago_is_not_in_the_way(cast: Cast, signed_in: SignIn) -> None:
    run = _start(cast)
    last_week = timezone.now() - timedelta(days=7)
    Run.objects.filter(id=run.id).update(status=Run.Status.FAILED, finished_at=last_week)
    assert FAILED not in _page(signed_in(cast.steward))


def test_the_queue_being_away_is_said(cast: Cast, signed_in: SignIn) -> None:
    _start(cast)
    page = _page(signed_in(cast.steward))
    assert "Runs wait: the queue is not reachable. They start when it is back." in page


def test_polling_ends_and_renews_the_datasets(cast: Cast, signed_in: SignIn) -> None:
    answer = signed_in(cast.steward).get(reverse("guide:running"))
    assert answer.status_code == 286
    assert answer["HX-Trigger"] == "runs-ended"
    _start(cast)
    assert signed_in(cast.steward).get(reverse("guide:running")).status_code == 200


def test_your_turn_is_on_exactly_what_awaits_you(cast: Cast, signed_in: SignIn) -> None:
    uploaded = factories.make_upload(cast.steward, cast.team)
    incomplete = factories.make_planned_dataset(cast.steward, cast.team)
    ColumnTaxonomy.objects.filter(column__dataset=incomplete, column__name="Age").update(
        uncovered=3
    )
    factories.make_planned_dataset(cast.teammate, cast.team)
    answer = signed_in(cast.steward).get(HOME)
    assert answer.context["title"] == "Two things are waiting for you"
    mine = [line.dataset.id for line in answer.context["lines"] if line.turn == "you"]
    assert set(mine) == {line.dataset_id for line in answer.context["waiting"]}
    assert set(mine) == {uploaded.id, incomplete.id}
    page = answer.content.decode()
    assert "Patients — 3 values have no place in the tree" in page
    assert "Place 3 values of Age" in page
    title = signed_in(cast.teammate).get(HOME).context["title"]
    assert title == "One dataset is yours to go on with", "nobody asked for it"


def test_where_a_dataset_stands_is_counted(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    dataset.columns.filter(position=0).update(role="identifier")
    (line,) = signed_in(cast.steward).get(HOME).context["lines"]
    assert (line.standing, line.next_act) == ("Columns, 1 of 5", "Tag 4 columns")


def test_tabs_and_filter(cast: Cast, signed_in: SignIn) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    forgotten = factories.make_dataset(cast.steward, cast.team)
    forget_dataset(forgotten, cast.steward)
    active = factories.make_dataset(cast.steward, cast.team)
    Dataset.objects.filter(id=active.id).update(name="Households")
    client = signed_in(cast.steward)

    def shown(query: str) -> tuple[list[str], list[int]]:
        context = client.get(f"{HOME}?{query}").context
        names = [line.dataset.name for line in context["lines"]]
        return names, [count for _, _, count in context["tabs"]]

    assert shown("") == (["Households"], [1, 1, 1])
    assert shown("show=released") == (["Patients"], [1, 1, 1])
    assert shown("show=archived") == (["Patients"], [1, 1, 1])
    assert shown("q=house") == (["Households"], [1, 0, 0])
    assert shown("q=nothing&show=odd") == ([], [0, 0, 0])
    assert "No active dataset has “nothing” in its name." in _page(client, f"{HOME}?q=nothing")


def test_work_after_a_release_makes_a_dataset_active_again(cast: Cast, signed_in: SignIn) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    start_run(dataset=release.request.run.dataset, started_by=cast.steward)
    assert len(signed_in(cast.steward).get(HOME).context["lines"]) == 1


def test_the_audit_chain_is_said_to_be_intact_only_after_a_look(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert "Audit chain intact" not in _page(client)
    Verification.objects.create(pk=1, at=timezone.now(), records=5)  # by whoever can write there
    assert "Audit chain intact" not in _page(client)
    verify_chain()
    assert "Audit chain intact" in _page(client)
    edit(3)
    verify_chain()
    assert "The audit chain is broken at record 3" in _page(client)


def test_an_approver_sees_requests_first(cast: Cast, signed_in: SignIn) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    page = _page(signed_in(cast.approver))
    assert page.index('id="requests-title"') < page.index('id="datasets-title"')
    assert 'id="requests-title"' not in _page(signed_in(cast.steward))


def test_an_analyst_sees_releases_and_nothing_of_the_work(cast: Cast, signed_in: SignIn) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    page = _page(signed_in(cast.analyst))
    assert "Patients, release 1" in page
    for part in ('id="datasets"', 'id="running"', "Audit chain"):
        assert part not in page


@pytest.mark.usefixtures("queue")
def test_the_home_costs_the_same_for_few_and_for_many(
    cast: Cast, signed_in: SignIn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(factories.make_person("new steward", cast.team, Role.STEWARD))
    for _ in range(6):
        _start(cast)
    factories.make_release(cast.steward, cast.approver, cast.team)
    with django_assert_max_num_queries(28):
        assert len(client.get(HOME).context["lines"]) == 6
    with django_assert_max_num_queries(10):
        client.get(reverse("guide:running"))
