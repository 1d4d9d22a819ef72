from django.db.models import QuerySet

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import DATASET_ROLES, check_has_role, has_role, roles_of
from deid_portal.accounts.selectors import has_second_factor, people_with_role
from deid_portal.policies.selectors import policy_in_force
from deid_portal.reviews.models import Decision, ReviewRequest, Waiver
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused


def team_of_request(request: ReviewRequest) -> Team:
    return request.run.dataset.team


def check_may_ask_for_review(user: User, run: Run) -> None:
    check_has_role(user, run.dataset.team, Role.STEWARD, "ask for a review")


def check_is_author(user: User, request: ReviewRequest) -> None:
    if user.pk != request.asked_by_id:
        raise Refused("Only the person who asked can do this.")
    check_has_role(user, team_of_request(request), Role.STEWARD, "ask for a review")


def check_may_decide(user: User, request: ReviewRequest) -> None:
    """The author never decides, whatever other roles they hold."""
    if user.pk in authors_of(request):
        raise Refused("You prepared this release, so you cannot vote on it.")
    check_has_role(user, team_of_request(request), Role.APPROVER, "decide on a release")
    check_can_confirm(user, request)


def check_can_confirm(user: User, request: ReviewRequest) -> None:
    """Refuse people without a second factor if the policy requires it for votes."""
    if asks_for_second_factor(request) and not has_second_factor(user):
        raise Refused(
            "Your policy has votes confirmed with a second factor. "
            "Set one up under Sign-in and devices, then vote."
        )


def asks_for_second_factor(request: ReviewRequest) -> bool:
    return policy_in_force(team_of_request(request)).rules.confirm_votes


def authors_of(request: ReviewRequest) -> set[int]:
    """Return who prepared the release: who planned it, who ran it, who asked for it."""
    run = request.run
    return {run.planned_by_id, run.started_by_id, request.asked_by_id}


def standing_approvals(request: ReviewRequest) -> QuerySet[Decision]:
    """Return the approvals of this round that count.

    Those of authors, and of people who are no longer approvers, do not count.
    """
    votes = request.decisions.filter(round=request.round, verdict=Decision.Verdict.APPROVE)
    approvers = people_with_role(team_of_request(request), Role.APPROVER)
    return votes.filter(decided_by__in=approvers).exclude(decided_by__in=authors_of(request))


def check_may_comment(user: User, request: ReviewRequest) -> None:
    if not roles_of(user, team_of_request(request)) & DATASET_ROLES:
        raise Refused("Only people who work on the dataset can comment.")


def check_may_ask_for_waiver(user: User, request: ReviewRequest) -> None:
    team = team_of_request(request)
    if not any(has_role(user, team, role) for role in (Role.STEWARD, Role.APPROVER)):
        raise Refused("Stewards and approvers of this team can ask for a waiver.")


def check_may_agree(user: User, waiver: Waiver) -> None:
    """The second person: an approver who neither asked for the waiver nor made the release."""
    if user.pk == waiver.asked_by_id:
        raise Refused("You asked for this waiver; a second person has to agree.")
    if user.pk in authors_of(waiver.request):
        raise Refused("You prepared this release, so somebody else has to agree.")
    check_has_role(user, team_of_request(waiver.request), Role.APPROVER, "agree to a waiver")
    check_can_confirm(user, waiver.request)
