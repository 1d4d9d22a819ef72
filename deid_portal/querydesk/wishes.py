"""Asking for more budget, and the approver's decision."""

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.selectors import people_with_role
from deid_portal.audit.services import record_event
from deid_portal.notices.services import tell
from deid_portal.querydesk.amounts import MICRO, MOST_EPSILON, shown
from deid_portal.querydesk.ledger import Balance, balance_of, grant, lock
from deid_portal.querydesk.models import Desk, Wish
from deid_portal.querydesk.permissions import check_may_ask_questions, check_may_grant
from deid_portal.querydesk.policies import check_answers, check_is_waiting
from deid_portal.web.refusals import Refused


def _check_amount(micro: int) -> None:
    if not 0 < micro <= MOST_EPSILON * MICRO:
        raise Refused(f"Ask for an ε above 0 and up to {MOST_EPSILON}.")


@transaction.atomic
def ask_for_more(*, desk: Desk, asked_by: User, micro: int, reason: str) -> Wish:
    """Ask the approvers for more budget; one open wish per person."""
    check_may_ask_questions(asked_by, desk)
    locked = lock(desk)
    check_answers(locked)
    _check_amount(micro)
    if not reason.strip():
        raise Refused("Say what you need it for; the approver decides on that.")
    if locked.wishes.filter(asked_by=asked_by, status=Wish.Status.WAITING).exists():
        raise Refused("You have asked already. The approver has not decided yet.")
    wish = Wish.objects.create(desk=locked, asked_by=asked_by, micro=micro, reason=reason.strip())
    _record("budget.asked_for", wish, asked_by)
    dataset = locked.current.dataset
    tell(
        people_with_role(desk.team, Role.APPROVER),
        f"{asked_by.display_name} asks for ε {shown(micro)} more for questions about {dataset}.",
        kind="budget.asked_for",
        url=reverse("querydesk:wish", args=[wish.id]),
        team=desk.team,
        asks=True,
        but=asked_by,
    )
    return wish


def raises(balance: Balance, micro: int) -> tuple[int, int]:
    """Return by how much the common and the dataset's budget must be raised for a grant.

    Otherwise nothing of the grant could be spent.
    """
    account = max(balance.account, 0) + micro
    pool = 0 if balance.pool is None else max(account - max(balance.pool, 0), 0)
    return pool, max(account - max(balance.total, 0), 0)


@transaction.atomic
def decide_wish(*, wish: Wish, decided_by: User, micro: int, answer: str) -> Wish:
    """Grant (some of) a wish, or decline it with `micro` 0. Both need a reason."""
    check_may_grant(decided_by, wish)
    desk = lock(wish.desk)
    wish = Wish.objects.select_related("asked_by").get(id=wish.id)
    check_is_waiting(wish)
    if not answer.strip():
        raise Refused("Write a reason; the person who asked reads it.")
    if micro:
        check_answers(desk)
        _check_amount(micro)
        grant(wish, micro, *raises(balance_of(desk, wish.asked_by), micro))
    wish.status = Wish.Status.GRANTED if micro else Wish.Status.DECLINED
    wish.granted_micro = micro
    wish.decided_by, wish.decided_at, wish.answer = decided_by, timezone.now(), answer.strip()
    wish.save()
    _record("budget.granted" if micro else "budget.declined", wish, decided_by)
    what = f"granted you ε {shown(micro)}" if micro else "declined your wish for more"
    tell(
        [wish.asked_by],
        f"{decided_by.display_name} {what} for questions about {desk.current.dataset}.",
        kind="budget.granted" if micro else "budget.declined",
        url=desk.get_absolute_url(),
        team=desk.team,
    )
    return wish


def _record(action: str, wish: Wish, actor: User) -> None:
    record_event(
        action,
        actor=actor,
        team=wish.desk.team,
        subject=wish.desk,
        facts={
            "person": wish.asked_by.username,
            "micro": wish.micro,
            "granted_micro": wish.granted_micro,
        },
    )
