"""A run that needs too much, or finds no room: it ends with a sentence, and can be retried."""

import errno
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from deid_portal.audit.models import Event
from deid_portal.engine import Outcome
from deid_portal.runs import tables
from deid_portal.runs.execution import perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import retry_run, start_run
from deid_portal.vault import vault
from deid_portal.work.leases import claim
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def run(cast: Cast) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    return start_run(dataset=dataset, started_by=cast.steward)


def _perform(run: Run) -> Run:
    lease = claim(Run, str(run.id))
    assert lease is not None
    perform_run(lease)
    run.refresh_from_db()
    return run


def _stored_files() -> list[str]:
    """Return what runs have stored: releases, and which rows are behind them."""
    root = vault.path_of("")
    found = [*root.glob("runs/**/*"), *root.glob("datasets/*/origins/**/*")]
    return sorted(str(path.relative_to(root)) for path in found if path.is_file())


def _files_of(run: Run, attempt: int) -> list[str]:
    origins = f"datasets/{run.dataset_id}/origins/{run.id}-{attempt}"
    return [f"{origins}/rows", f"{origins}/table", f"runs/{run.id}/{attempt}/release.csv"]


def test_over_its_memory_a_run_fails_with_what_to_lower(
    run: Run, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RUN_MEMORY_MB = 2048

    def look(lease: Any) -> None:
        over = lease.limits.out_of_memory()
        raise over

    monkeypatch.setattr("deid_portal.work.leases.Lease.check", look)
    _perform(run)
    assert run.status == Run.Status.FAILED
    assert run.problem.startswith("This needed more than 2,048 MB of memory. Use fewer quasi-")
    assert [event.action for event in Event.objects.filter(subject_id=run.id)] == [
        "run.failed",
        "run.started",
    ]


def test_memory_that_the_system_refuses_is_said_in_the_same_words(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Outcome:
        raise MemoryError

    monkeypatch.setattr(tables, "protect", refuse)
    _perform(run)
    assert run.status == Run.Status.FAILED
    assert "MB of memory" in run.problem


class NoRoom(vault.VaultWriter):
    """A disk that is full after the first bytes."""

    def _seal_chunk(self, clear: bytes, *, is_last: bool) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_nothing_half_written_and_the_retry_works(
    cast: Cast, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(vault, "VaultWriter", NoRoom)
        _perform(run)
    assert run.status == Run.Status.FAILED
    assert "no room left" in run.problem
    assert (run.report, run.solution, run.output_sha256) == (None, None, "")
    assert _stored_files() == []
    again = _perform(retry_run(run=run, retried_by=cast.steward))
    assert again.status == Run.Status.FINISHED
    assert _stored_files() == _files_of(again, 1)


def test_what_a_dead_attempt_stored_goes_when_the_run_ends(
    run: Run, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    for name in _files_of(run, 1):
        with vault.VaultWriter(name) as writer:
            writer.write(b"of a worker that was killed before it could say so")
    Run.objects.filter(id=run.id).update(attempt=1, sent_at=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        _perform(run)
    assert run.attempt == 2
    assert _stored_files() == _files_of(run, 2)


def test_an_end_whose_answer_got_lost_keeps_its_result(run: Run) -> None:
    lease = claim(Run, str(run.id))
    assert lease is not None
    perform_run(lease)
    perform_run(lease)
    assert _stored_files() == _files_of(run, 1)
    assert Event.objects.filter(action="run.finished").count() == 1
