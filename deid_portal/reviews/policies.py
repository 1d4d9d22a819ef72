"""The allowed moves between states of a request: one table for guards, pages and help."""

from django.db.models import Q
from django.utils import timezone

from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.runs.chance import drew_from_a_seed
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promoted_run
from deid_portal.web.refusals import Refused

Status = ReviewRequest.Status

ALLOWED_MOVES: dict[str, tuple[str, ...]] = {
    Status.DRAFT: (Status.SUBMITTED, Status.WITHDRAWN),
    Status.SUBMITTED: (
        Status.CHANGES_REQUESTED,
        Status.APPROVED,
        Status.REJECTED,
        Status.WITHDRAWN,
        Status.EXPIRED,
    ),
    Status.CHANGES_REQUESTED: (Status.SUBMITTED, Status.WITHDRAWN, Status.EXPIRED),
    Status.APPROVED: (Status.RELEASED, Status.SUBMITTED, Status.WITHDRAWN),
    Status.REJECTED: (),
    Status.RELEASED: (Status.WITHDRAWN, Status.EXPIRED),
    Status.WITHDRAWN: (),
    Status.EXPIRED: (Status.RELEASED,),
}
# Conditions of a move, described for the help; they are checked in services and permissions.
MOVES_IN_WORDS = {
    (Status.DRAFT, Status.SUBMITTED): "the author submits",
    (Status.DRAFT, Status.WITHDRAWN): "the author withdraws it",
    (Status.SUBMITTED, Status.CHANGES_REQUESTED): "an approver asks for changes",
    (Status.SUBMITTED, Status.APPROVED): "enough approvers agree and no gate fails",
    (Status.SUBMITTED, Status.REJECTED): "an approver rejects",
    (Status.SUBMITTED, Status.WITHDRAWN): "the author withdraws it",
    (Status.SUBMITTED, Status.EXPIRED): "nobody decided in time",
    (Status.CHANGES_REQUESTED, Status.SUBMITTED): "the author submits a better run",
    (Status.CHANGES_REQUESTED, Status.WITHDRAWN): "the author withdraws it",
    (Status.CHANGES_REQUESTED, Status.EXPIRED): "nobody answered in time",
    (Status.APPROVED, Status.RELEASED): "the package is made",
    (Status.APPROVED, Status.SUBMITTED): "what was approved has changed; votes are void",
    (Status.APPROVED, Status.WITHDRAWN): "the author withdraws it",
    (Status.RELEASED, Status.WITHDRAWN): "a steward or approver withdraws the release",
    (Status.RELEASED, Status.EXPIRED): "the last download period is over",
    (Status.EXPIRED, Status.RELEASED): "somebody gets a new period",
}
OPEN = (Status.DRAFT, Status.SUBMITTED, Status.CHANGES_REQUESTED, Status.APPROVED)
TARGET_OF_VERDICT = {
    Decision.Verdict.APPROVE: Status.APPROVED,
    Decision.Verdict.ASK_FOR_CHANGES: Status.CHANGES_REQUESTED,
    Decision.Verdict.REJECT: Status.REJECTED,
}


def tell_moves() -> str:
    """Return the table of moves for the help, as Markdown."""
    lines = ["| from | to | when |", "|---|---|---|"]
    for (state, target), when in MOVES_IN_WORDS.items():
        lines.append(f"| {Status(state).label} | {Status(target).label} | {when} |")
    return "\n".join(lines)


def check_can_move(request: ReviewRequest, target: str) -> None:
    if target not in ALLOWED_MOVES[request.status]:
        state = request.get_status_display().lower()
        if not ALLOWED_MOVES[request.status]:
            raise Refused(f"This request is closed: {state}.")
        raise Refused(f"This is not possible now; the request is: {state}.")


def move_request(request: ReviewRequest, target: Status) -> None:
    """Set the state of a locked request; the caller saves it."""
    check_can_move(request, target)
    request.status = target


def check_can_be_reviewed(run: Run, but: ReviewRequest | None = None) -> None:
    """Refuse runs that released nothing or are in another open request."""
    if run.is_open:
        raise Refused("The run is still at work.")
    if not run.has_release:
        raise Refused("This run released nothing, so there is nothing to review.")
    check_drawn_in_secret(run)
    promoted = promoted_run(run.dataset)
    if promoted is not None and promoted.id != run.id:
        raise Refused(
            f"Run {promoted.number} is promoted, so it is the one to review. "
            f"Promote run {run.number} on the scenario board to have it reviewed instead."
        )
    others = run.requests.exclude(id=but.id) if but else run.requests.all()
    if others.filter(status__in=OPEN).exists():
        raise Refused("A review of this run was already asked for.")
    # A request that expired without a decision has no release.
    was_released = Q(status=Status.RELEASED) | Q(status=Status.EXPIRED, release__isnull=False)
    if others.filter(was_released).exists():
        raise Refused("This run was already approved and released.")


def check_drawn_in_secret(run: Run) -> None:
    """Refuse runs of earlier versions whose stored seed would allow undoing the protection."""
    if drew_from_a_seed(run.plan):
        raise Refused(
            "What protects people in this run was drawn from a seed, which can be guessed and "
            "undone. Start the plan again: chance is now drawn in secret."
        )


def check_takes_votes(request: ReviewRequest) -> None:
    check_is_open(request)
    if request.status != Status.SUBMITTED:
        check_can_move(request, Status.APPROVED)


def check_is_open(request: ReviewRequest) -> None:
    if request.status not in OPEN:
        raise Refused(f"This request is closed: {request.get_status_display().lower()}.")


def check_unchanged(request: ReviewRequest, seen: dict[str, str]) -> None:
    """Refuse a decision if the request has changed since the person opened the page.

    The round is compared as well: recipients and terms have no hash, but change only with a new
    round.
    """
    prints = {name: seen[name] for name in PRINTS if seen.get(name)}
    same_round = seen.get("round", str(request.round)) == str(request.round)
    if prints != fingerprints_of(request) or not same_round:
        raise Refused("What you looked at has changed since. Look again before you decide.")


PRINTS = {
    "input": "Original table",
    "plan": "Plan",
    "engine": "Engine",
    "output": "Release",
    "answers": "Noisy answers",
}


def fingerprints_of(request: ReviewRequest) -> dict[str, str]:
    """Return the hashes that a vote is bound to; that of answers only if there are any."""
    answers = {"answers": request.answers_sha256} if request.answers_sha256 else {}
    return {
        "input": request.input_sha256,
        "plan": request.plan_sha256,
        "engine": request.engine_version,
        "output": request.output_sha256,
        **answers,
    }


def is_about(request: ReviewRequest, run: Run) -> bool:
    return fingerprints_of_run(run).items() <= fingerprints_of(request).items()


def fingerprints_of_run(run: Run) -> dict[str, str]:
    return {
        "input": run.input_sha256,
        "plan": run.plan_sha256,
        "engine": run.engine_version,
        "output": run.output_sha256,
    }


def what_changed(request: ReviewRequest, seen: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return the hashes that changed since a person saw them: name, old and new value."""
    now = fingerprints_of(request)
    pairs = {name: (seen.get(name, ""), now.get(name, "")) for name in PRINTS}
    return [(PRINTS[name], was, own) for name, (was, own) in pairs.items() if was != own]


def begin_round(request: ReviewRequest, run: Run) -> None:
    """Bind the request to a run; votes and waivers of earlier rounds no longer count."""
    prints = fingerprints_of_run(run)
    request.run = run
    request.input_sha256, request.plan_sha256 = prints["input"], prints["plan"]
    request.engine_version, request.output_sha256 = prints["engine"], prints["output"]
    request.round += 1
    request.round_began_at = timezone.now()
