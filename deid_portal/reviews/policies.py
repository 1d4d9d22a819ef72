"""In what state a request may move where. The guard, the page and the help read this one table."""

from deid_portal.common.refusals import Refused
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promoted_run

Status = ReviewRequest.Status

ALLOWED_MOVES: dict[str, tuple[str, ...]] = {
    Status.SUBMITTED: (Status.APPROVED, Status.CHANGES_REQUESTED, Status.WITHDRAWN),
    Status.CHANGES_REQUESTED: (),
    Status.APPROVED: (),
    Status.WITHDRAWN: (),
}


def check_can_move(request: ReviewRequest, target: str) -> None:
    if target not in ALLOWED_MOVES[request.status]:
        raise Refused(f"This request is closed: {request.get_status_display().lower()}.")


def check_can_be_reviewed(run: Run) -> None:
    if run.is_open:
        raise Refused("The run is still at work.")
    if run.rows_deleted_at is not None:
        raise Refused("The rows of this run were deleted with its table.")
    if not run.has_release:
        raise Refused("This run released nothing, so there is nothing to review.")
    promoted = promoted_run(run.dataset)
    if promoted is not None and promoted.id != run.id:
        raise Refused(
            f"Run {promoted.number} is promoted, so it is the one to review. "
            f"Promote run {run.number} on the scenario board to have it reviewed instead."
        )
    if run.requests.filter(status=Status.SUBMITTED).exists():
        raise Refused("A review of this run was already asked for.")
    if run.requests.filter(status=Status.APPROVED).exists():
        raise Refused("This run was already approved and released.")


def check_unchanged(request: ReviewRequest, seen: dict[str, str]) -> None:
    """Refuse a decision on anything but exactly what the person was shown."""
    if seen != fingerprints_of(request):
        raise Refused("What you looked at has changed since. Look again before you decide.")


def fingerprints_of(request: ReviewRequest) -> dict[str, str]:
    return {
        "input": request.input_sha256,
        "plan": request.plan_sha256,
        "engine": request.engine_version,
        "output": request.output_sha256,
    }
