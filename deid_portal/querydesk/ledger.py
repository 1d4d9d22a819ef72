"""The ledger of budgets; all its entries are written here.

What must never happen: more is spent than the budget. So every entry is written while the row of
the desk is locked (PostgreSQL locks the row, SQLite lets one transaction write at a time), what is
left is summed up under that lock, and entries are only ever appended.
"""

from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import Max, Q, QuerySet, Sum
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.querydesk.amounts import shown
from deid_portal.querydesk.models import Desk, Entry, Question, Terms, Wish
from deid_portal.querydesk.periods import began_at
from deid_portal.web.refusals import Refused


@dataclass(frozen=True)
class Balance:
    """What a person may still spend at a desk, by account. In millionths of ε."""

    account: int  # the person's own
    account_limit: int
    total: int  # of the dataset, for all and for good
    total_limit: int
    pool: int | None  # of all together until the next refill
    delta_atto: int

    @property
    def left(self) -> int:
        """What can be spent now: the smallest of the accounts, at least 0."""
        pools = [] if self.pool is None else [self.pool]
        return max(min(self.account, self.total, *pools), 0)

    @property
    def is_short_of(self) -> str:
        """The account with the smallest balance."""
        if self.pool is not None and self.pool < min(self.account, self.total):
            return "pool"
        return "total" if self.total < self.account else "account"

    def words_of_shortage(self) -> str:
        return {
            "account": "your account",
            "pool": "what all together may spend until the next refill",
            "total": "what is left of the whole dataset",
        }[self.is_short_of]


def lock(desk: Desk) -> Desk:
    """Lock the desk until the end of the transaction."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("A lock belongs into a transaction.")
    return Desk.objects.select_for_update().get(id=desk.id)


def balance_of(desk: Desk, person: User, terms: Terms | None = None) -> Balance:
    """Compute the balance, in one query; only under `lock` it is safe to pay by it."""
    terms = terms or desk.current
    now = Q(counts_at__gte=began_at(desk))
    granted, own = Q(kind=Entry.Kind.GRANTED), Q(person=person)
    sums = desk.entries.aggregate(
        account=Sum("person_micro", filter=own & now, default=0),
        raised=Sum("person_micro", filter=own & now & granted, default=0),
        pool=Sum("pool_micro", filter=now, default=0),
        total=Sum("total_micro", default=0),
        raised_total=Sum("total_micro", filter=granted, default=0),
        delta=Sum("delta_atto", default=0),
    )
    return Balance(
        account=terms.analyst_micro + sums["account"],
        account_limit=terms.analyst_micro + sums["raised"],
        total=terms.total_micro + sums["total"],
        total_limit=terms.total_micro + sums["raised_total"],
        pool=None if terms.pool_micro is None else terms.pool_micro + sums["pool"],
        delta_atto=terms.delta_total_atto + sums["delta"],
    )


def check_can_pay(balance: Balance, micro: int, delta_atto: int = 0) -> None:
    if micro > balance.left:
        raise Refused(
            f"This costs ε {shown(micro)} and there is ε {shown(balance.left)} left, "
            f"limited by {balance.words_of_shortage()}. Nothing was spent."
        )
    if delta_atto > balance.delta_atto:
        raise Refused(
            "What this question needs of δ is more than the steward allowed for all questions "
            "together. Nothing was spent."
        )


def pay(question: Question) -> Entry:
    """Charge the price before anything is computed; refuses if the balance is too small."""
    balance = balance_of(question.desk, question.asked_by, question.terms)
    check_can_pay(balance, question.price_micro, question.delta_atto)
    price = -question.price_micro
    return _append(
        question.desk,
        Entry.Kind.PAID,
        question.asked_by,
        question=question,
        person_micro=price,
        pool_micro=price,
        total_micro=price,
        delta_atto=-question.delta_atto,
    )


def note_free(question: Question) -> Entry:
    return _append(question.desk, Entry.Kind.FREE, question.asked_by, question=question)


def give_back(question: Question) -> Entry | None:
    """Refund a price, only if no noise can have been drawn; None if it was refunded before.

    The caller holds the row of the question and knows that `drawing_at` is empty.
    """
    desk = lock(question.desk)
    fresh = Question.objects.get(id=question.id)
    paid = fresh.entries.filter(kind=Entry.Kind.PAID).first()
    is_returned = fresh.entries.filter(kind=Entry.Kind.RETURNED).exists()
    if fresh.drawing_at is not None or paid is None or is_returned:
        return None
    return _append(
        desk,
        Entry.Kind.RETURNED,
        question.asked_by,
        question=question,
        counts_at=paid.counts_at,
        person_micro=-paid.person_micro,
        pool_micro=-paid.pool_micro,
        total_micro=-paid.total_micro,
        delta_atto=-paid.delta_atto,
    )


def grant(wish: Wish, micro: int, raise_pool: int, raise_total: int) -> Entry:
    return _append(
        wish.desk,
        Entry.Kind.GRANTED,
        wish.asked_by,
        wish=wish,
        person_micro=micro,
        pool_micro=raise_pool,
        total_micro=raise_total,
    )


def entries_of(desk: Desk, person: User) -> QuerySet[Entry]:
    mine = desk.entries.filter(person=person).select_related("question__repeat_of", "wish")
    return mine.order_by("-number")


def _append(desk: Desk, kind: Entry.Kind, person: User, **values: object) -> Entry:
    """Write the next entry; the caller holds `lock`, so numbers are consecutive."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("An entry belongs into a transaction.")
    last = desk.entries.aggregate(last=Max("number"))["last"] or 0
    at = timezone.now()
    return Entry.objects.create(
        **{
            "desk": desk,
            "number": last + 1,
            "kind": kind,
            "person": person,
            "at": at,
            "counts_at": at,
            **values,
        }
    )
