from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import check_has_role
from deid_portal.common.refusals import Refused
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.models import Run


def check_may_ask(user: User, run: Run) -> None:
    check_has_role(user, run.dataset.team, Role.STEWARD, "ask for a review")


def check_may_decide(user: User, request: ReviewRequest) -> None:
    """The author never decides, whatever other roles they hold."""
    if user.pk in authors_of(request):
        raise Refused("You prepared this release, so you cannot decide on it.")
    check_has_role(user, request.run.dataset.team, Role.APPROVER, "decide on a release")


def authors_of(request: ReviewRequest) -> set[int]:
    """Return who prepared the release: who planned it, who ran it, who asked for it."""
    run = request.run
    return {run.planned_by_id, run.started_by_id, request.asked_by_id}


def check_may_withdraw(user: User, request: ReviewRequest) -> None:
    if user.pk != request.asked_by_id:
        raise Refused("Only the person who asked can take the request back.")
