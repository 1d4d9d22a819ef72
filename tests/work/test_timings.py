"""What is expected of work, and what finished work teaches about the next."""

import pytest

from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.work import timings
from deid_portal.work.leases import WorkStatus, claim
from deid_portal.work.models import Timing
from deid_portal.work.timings import ExpectedTime, usual_pace
from tests import factories
from tests.conftest import Cast

pytestmark = pytest.mark.django_db


def _learn(modelled: float, *took: float, about: str = "", kind: str = "run k") -> None:
    for seconds in took:
        ExpectedTime(kind, modelled, about).learn(seconds)


def test_without_experience_the_model_is_believed() -> None:
    assert ExpectedTime("run k", 3.0).seconds == 3.0


def test_the_last_runs_correct_the_model_and_one_odd_one_does_not() -> None:
    _learn(1.0, 4.0, 4.0, 4.0, 400.0)
    assert ExpectedTime("run k", 2.0).seconds == pytest.approx(8.0)
    assert ExpectedTime("run other", 2.0).seconds == 2.0


def test_what_happened_long_ago_is_forgotten() -> None:
    _learn(1.0, *[20.0] * timings.LAST, *[2.0] * timings.LAST)
    assert usual_pace("run k") == pytest.approx(2.0)


def test_the_same_object_says_more_than_others() -> None:
    _learn(1.0, 9.0, about="this")
    _learn(1.0, 2.0, 2.0, 2.0, about="that")
    assert usual_pace("run k", "this") == pytest.approx(9.0)
    assert usual_pace("run k", "another") == pytest.approx(2.0)


def test_this_machine_says_more_than_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timings, "this_machine", lambda: "slow")
    _learn(1.0, 30.0)
    monkeypatch.setattr(timings, "this_machine", lambda: "fast")
    assert usual_pace("run k") == pytest.approx(30.0)
    _learn(1.0, 2.0)
    assert usual_pace("run k") == pytest.approx(2.0)


def test_only_the_last_timings_of_a_kind_are_kept() -> None:
    _learn(1.0, 1.0, kind="rare")
    _learn(1.0, *[1.0] * (timings.KEPT + 3))
    assert Timing.objects.filter(kind="run k").count() == timings.KEPT
    assert Timing.objects.filter(kind="rare").count() == 1


def test_work_teaches_only_when_it_finished(cast: Cast) -> None:
    for status, taught in ((WorkStatus.STOPPED, 0), (WorkStatus.FINISHED, 1)):
        dataset = factories.make_planned_dataset(cast.steward, cast.team)
        lease = claim(Run, str(start_run(dataset=dataset, started_by=cast.steward).id))
        assert lease is not None
        before = Timing.objects.count()
        lease.expect(ExpectedTime("run k", 12.0))
        lease.finish(status)
        assert Timing.objects.count() == before + taught
