"""Each thing that happens tells the people it concerns, and nobody else."""

from deid_portal.notices.models import Notice
from deid_portal.reviews.models import Decision
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.services import (
    RequestTerms,
    ask_for_review,
    decide,
    withdraw_request,
    write_comment,
)
from deid_portal.runs.execution import give_up_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run, stop_run
from deid_portal.runs.sweeps import SweepGrid, start_sweep
from deid_portal.work.leases import claim
from tests import factories
from tests.conftest import Cast


def _told(kind: str) -> dict[str, str]:
    """Return who was told, and what."""
    found = Notice.objects.filter(kind=kind).select_related("person")
    return {notice.person.username: notice.words for notice in found}


def _start(cast: Cast) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    return start_run(dataset=dataset, started_by=cast.steward)


def test_a_run_that_finished(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    assert _told("run.finished") == {"steward": "Run 1 of Patients has finished."}
    assert Notice.objects.get(kind="run.finished").url == f"/runs/{run.id}/report/"
    assert list(_told("dataset.read")) == ["steward"]


def test_a_run_that_its_workers_did_not_survive(cast: Cast) -> None:
    run = _start(cast)
    claim(Run, str(run.id))
    Run.objects.filter(id=run.id).update(heartbeat_at="2020-01-01T00:00Z")
    give_up_run(Run.objects.get(id=run.id))
    assert _told("run.failed") == {"steward": "Run 1 of Patients failed."}


def test_a_run_that_a_colleague_stopped(cast: Cast) -> None:
    stop_run(run=_start(cast), stopped_by=cast.teammate)
    assert _told("run.stopped") == {"steward": "Run 1 of Patients was stopped by Teammate."}


def test_a_sweep_tells_once_when_its_last_run_has_ended(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    sweep = start_sweep(
        dataset=dataset, grid=SweepGrid(look_alikes=(2, 3)), started_by=cast.steward
    )
    first, second = sweep.runs.order_by("number")
    factories.finish_run(first)
    assert _told("sweep.ended") == {}
    factories.finish_run(second)
    words = "Sweep 1 of Patients has ended: 2 of 2 runs have an answer."
    assert _told("sweep.ended") == {"steward": words}
    assert _told("run.finished") == {}


def test_a_request_from_asking_to_release(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator)
    request = ask_for_review(
        run=run, asked_by=cast.steward, terms=RequestTerms("13053 is in the purpose")
    )
    asked = _told("review.asked")
    assert list(asked) == ["approver"]
    assert asked["approver"].startswith(
        "Request 1 for Patients waits for a decision; Steward asks."
    )
    write_comment(request=request, written_by=cast.reviewer, text="13053 is in the comment")
    assert list(_told("review.commented")) == ["steward"]
    write_comment(request=request, written_by=cast.steward, text="answered")
    assert set(_told("review.commented")) == {"steward", "reviewer"}
    release = factories.approve(request, cast.approver)
    approved = _told("review.approved")
    assert list(approved) == ["steward"]
    assert approved["steward"].startswith("Request 1 for Patients was approved.")
    assert _told("release.created") == {}, "there is nothing to download until it is packed"
    factories.pack(release)
    words = f"{release} can be downloaded."
    assert _told("release.created") == {"steward": words, "analyst": words}
    assert not Notice.objects.filter(words__contains="13053").exists()


def test_a_request_that_is_sent_back_asks_its_author(cast: Cast) -> None:
    request = factories.make_request(cast.steward, cast.team)
    decide(
        request=request,
        decided_by=cast.approver,
        verdict=Decision.Verdict.ASK_FOR_CHANGES,
        reason="too coarse",
        seen=fingerprints_of(request),
    )
    (notice,) = Notice.objects.filter(kind="review.changes_requested")
    assert (notice.person, notice.asks) == (cast.steward, True)


def test_a_request_that_is_taken_back(cast: Cast) -> None:
    request = factories.make_request(cast.steward, cast.team)
    withdraw_request(request=request, withdrawn_by=cast.steward)
    assert list(_told("review.withdrawn")) == ["approver"]
