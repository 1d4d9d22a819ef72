"""The sweep looks for forgotten work of every room, and one room does not hold up another."""

import pytest

from deid_portal.celery_app import app
from deid_portal.work import sweep as work_sweep
from deid_portal.work.leases import Work
from deid_portal.work.sweep import pick_up_all_work


def test_the_work_of_every_room_is_looked_for() -> None:
    app.loader.import_default_modules()  # what a worker loads
    rooms_with_work = sorted(kind.__module__.rpartition(".")[0] for kind in Work.__subclasses__())
    swept = sorted(pick_up.__module__.rpartition(".")[0] for pick_up in work_sweep._rooms)
    assert swept == rooms_with_work


def test_a_room_that_fails_does_not_hold_up_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fail() -> None:
        raise RuntimeError

    monkeypatch.setattr(work_sweep, "_rooms", [fail, lambda: done.append("next")])
    pick_up_all_work()
    assert done == ["next"]
