"""Account statements: the last lines first, each with the balance after it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, Sum

from deid_portal.accounts.models import Team, User
from deid_portal.querydesk.amounts import shown
from deid_portal.querydesk.ledger import Balance, balance_of, entries_of
from deid_portal.querydesk.models import Desk, Entry, Question
from deid_portal.querydesk.periods import FOR_EVER, began_at, refills_at
from deid_portal.querydesk.permissions import check_may_ask_questions
from deid_portal.querydesk.selectors import desks_of_team
from deid_portal.web.refusals import refusal
from deid_portal.work.leases import OPEN_STATUSES, WorkStatus

RUNNING_LOW = 0.4
BUDGETS_SHOWN = 3
LINES_BEFORE = 200


@dataclass(frozen=True)
class LedgerLine:
    """One line of a statement; `change` is empty if the balance did not change."""

    words: str
    note: str
    at: datetime
    change: str
    balance: str
    question: Question | None = None
    is_reserved: bool = False


@dataclass(frozen=True)
class LedgerStatement:
    lines: list[LedgerLine]
    balance: Balance
    refills: datetime | None
    more: int = 0

    @property
    def left(self) -> str:
        return shown(self.balance.left)

    @property
    def limit(self) -> str:
        return shown(self.balance.account_limit)

    @property
    def total_left(self) -> str:
        return shown(max(self.balance.total, 0))

    @property
    def total_limit(self) -> str:
        return shown(self.balance.total_limit)

    @property
    def is_low(self) -> bool:
        return self.balance.left < RUNNING_LOW * self.balance.account_limit

    @property
    def is_limited_by_others(self) -> str:
        """Why less can be spent than the balance of the person's own account."""
        if self.balance.left >= self.balance.account:
            return ""
        return (
            f"Your account holds ε {shown(self.balance.account)}, but no more than "
            f"ε {self.left} can be spent: {self.balance.words_of_shortage()}."
        )


def ledger_statement_of(desk: Desk, person: User, most: int = 0) -> LedgerStatement:
    """Return the statement of a person's account in this period, or its last `most` lines."""
    balance = balance_of(desk, person)
    since = began_at(desk)
    entries = list(entries_of(desk, person).filter(counts_at__gte=since))
    lines = list(_lines_of(entries, balance))
    opening = LedgerLine(
        "Opening balance" if since == FOR_EVER else "Filled",
        "",
        max(since, desk.opened_at),
        "",
        shown(desk.current.analyst_micro),
    )
    shown_lines = [*lines, opening]
    more = max(len(shown_lines) - most, 0) if most else 0
    return LedgerStatement(
        shown_lines[:most] if most else shown_lines,
        balance,
        refills_at(desk.current),
        more,
    )


def lines_before(desk: Desk, person: User) -> list[LedgerLine]:
    """Return the lines before the last refill, which count for the dataset only."""
    entries = entries_of(desk, person).filter(counts_at__lt=began_at(desk))[:LINES_BEFORE]
    return [
        LedgerLine(
            _words_of(entry), _note_of(entry), entry.at, _change_of(entry), "", entry.question
        )
        for entry in entries
    ]


def _lines_of(entries: Iterable[Entry], balance: Balance) -> Iterable[LedgerLine]:
    after = balance.account
    for entry in entries:
        yield LedgerLine(
            _words_of(entry),
            _note_of(entry),
            entry.at,
            _change_of(entry),
            shown(after),
            entry.question,
            entry.kind == Entry.Kind.PAID
            and entry.question is not None
            and entry.question.status in OPEN_STATUSES,
        )
        after -= entry.person_micro


def _words_of(entry: Entry) -> str:
    if entry.question is not None:
        return str(entry.question.words)
    return "Granted by the approver"


def _note_of(entry: Entry) -> str:
    if entry.kind == Entry.Kind.FREE:
        return "asked before, free"
    if entry.kind == Entry.Kind.RETURNED:
        return "no noise was drawn, given back"
    if entry.question is not None and entry.question.status in OPEN_STATUSES:
        return "reserved while it is answered"
    if entry.question is not None and entry.question.status != WorkStatus.FINISHED:
        return "ended without an answer"
    return ""


def _change_of(entry: Entry) -> str:
    if entry.kind == Entry.Kind.FREE:
        return "free"
    sign = "− " if entry.person_micro < 0 else "+ "
    return sign + shown(abs(entry.person_micro))


@dataclass(frozen=True)
class Account:
    """What one person asked and spent, for those who manage the dataset."""

    person: User
    balance: Balance
    questions: int
    free: int
    spent_ever: str

    @property
    def left(self) -> str:
        return shown(self.balance.left)

    @property
    def limit(self) -> str:
        return shown(self.balance.account_limit)

    @property
    def used_percent(self) -> int:
        limit = self.balance.account_limit
        return 0 if not limit else round(100 * (limit - max(self.balance.account, 0)) / limit)


def accounts_of(desk: Desk) -> list[Account]:
    """Return everybody who has asked, sorted by spending."""
    people = User.objects.filter(pk__in=desk.entries.values_list("person", flat=True)).order_by(
        "username"
    )
    spent = {
        row["person"]: -(row["spent"] or 0)
        for row in desk.entries.exclude(kind=Entry.Kind.GRANTED)
        .order_by()
        .values("person")
        .annotate(spent=Sum("person_micro"))
    }
    counts = {
        row["asked_by"]: (row["all"], row["free"])
        for row in desk.questions.order_by()
        .values("asked_by")
        .annotate(all=Count("pk"), free=Count("pk", filter=Q(repeat_of__isnull=False)))
    }
    accounts = [
        Account(
            person,
            balance_of(desk, person),
            *counts.get(person.pk, (0, 0)),
            shown(spent.get(person.pk, 0)),
        )
        for person in people
    ]
    return sorted(accounts, key=lambda account: -spent.get(account.person.pk, 0))


@dataclass(frozen=True)
class Budget:
    """The balances of a desk for the home page: of the person, and of the dataset."""

    desk: Desk
    statement: LedgerStatement
    may_ask: bool


def budgets_of_team(user: User, team: Team) -> list[Budget]:
    """Return a few open desks of a team; takes one query each."""
    desks = [desk for desk in desks_of_team(user, team) if desk.is_open][:BUDGETS_SHOWN]
    return [
        Budget(
            desk,
            LedgerStatement([], balance_of(desk, user), refills_at(desk.current)),
            not refusal(check_may_ask_questions, user, desk),
        )
        for desk in desks
    ]
