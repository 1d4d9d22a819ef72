"""The list of attacks on a run: one row each, the worst first.

Attacks are scored with the original, suppressed records included. Viewers without row access see
only the verdict and a range of the success, no figure from which data of suppressed people could be
computed.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from deid_portal.attacks.choices import OUTSIDE_LINKAGE
from deid_portal.attacks.estimates import usual_seconds
from deid_portal.attacks.kinds import traits_of
from deid_portal.attacks.limits import AttackLimits
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.results import AttackSummary
from deid_portal.attacks.subjects import standard_attacks
from deid_portal.attacks.vocabulary import Wording, share_with_interval, subtitle_of, wording_of
from deid_portal.engine.attack_cases.verdict import AttackVerdict
from deid_portal.engine.publication import band_of
from deid_portal.engine.wording.numbers import percent
from deid_portal.runs.models import Run
from deid_portal.work.leases import WorkStatus

# Start and share of each phase in percent; a resisted attack has no phase of remedies.
PHASES = {"read": (0, 20), "attack": (20, 40), "remedies": (60, 40)}
LINE_WIDTH = 94  # of the drawing of interval and limit, in pixels


class RowState(StrEnum):
    """The state of a row."""

    OVER_LIMIT = "Over limit"
    WEAK_SPOT = "Weak spot"
    FAILED = "Failed"
    RUNNING = "Running"
    WAITING = "Waiting"
    STOPPED = "Stopped"
    NOT_MADE = "Not made"
    RESISTED = "Resisted"
    NOT_POSSIBLE = "Not possible"


# Tone and icon of each state, in the order of the rows.
LOOKS = {
    RowState.OVER_LIMIT: ("bad", "shield-x"),
    RowState.FAILED: ("bad", "circle-x"),
    RowState.WEAK_SPOT: ("warn", "alert-triangle"),
    RowState.RUNNING: ("info", "loader"),
    RowState.WAITING: ("info", "clock"),
    RowState.STOPPED: ("neutral", "square"),
    RowState.NOT_MADE: ("neutral", "clock"),
    RowState.RESISTED: ("ok", "shield-check"),
    RowState.NOT_POSSIBLE: ("neutral", "circle-minus"),
}
WORD_STATES = {
    AttackVerdict.RESISTED: RowState.RESISTED,
    AttackVerdict.WEAK_SPOT: RowState.WEAK_SPOT,
    AttackVerdict.OVER_LIMIT: RowState.OVER_LIMIT,
}


@dataclass(frozen=True)
class LimitLine:
    """Positions of interval and limit on a line of LINE_WIDTH pixels."""

    start: float
    width: float
    limit: float


@dataclass(frozen=True)
class AttackRow:
    key: str  # in addresses: the name of the attack, or the id of a test with an outside table
    attack: str
    test: AttackTest | None
    limit: float
    seconds: float  # expected duration
    is_limit_of_policy: bool = False
    sees_figures: bool = True  # exact results, and names of columns and files

    @cached_property
    def result(self) -> AttackSummary | None:
        document = self.test.result if self.test is not None else None
        if not document or "stake" not in document:
            return None
        return AttackSummary.from_document(document, self.attack)

    @property
    def reason(self) -> str:
        """Why the attack is not possible, or failed."""
        if self.test is None:
            return ""
        return str((self.test.result or {}).get("reason", "")) or self.test.problem

    @cached_property
    def state(self) -> RowState:
        if self.test is None:
            return RowState.NOT_MADE
        if self.test.is_open:
            return RowState.WAITING if self.test.status == WorkStatus.QUEUED else RowState.RUNNING
        if self.test.status == WorkStatus.FAILED:
            return RowState.FAILED
        if self.test.status == WorkStatus.STOPPED:
            return RowState.STOPPED
        if self.result is None:
            return RowState.NOT_POSSIBLE
        return WORD_STATES[self.result.word(self.limit)]

    @property
    def tone(self) -> str:
        return LOOKS[self.state][0]

    @property
    def icon(self) -> str:
        return LOOKS[self.state][1]

    @property
    def wording(self) -> Wording:
        return wording_of(self.attack)

    @property
    def needs_outside_table(self) -> bool:
        return traits_of(self.attack).needs_outside_table()

    @property
    def title(self) -> str:
        return self.wording.title

    @property
    def subtitle(self) -> str:
        if not self.sees_figures:
            return self.question
        parameters = dict(self.test.parameters) if self.test is not None else {}
        return subtitle_of(self.attack, self.result, parameters)

    @property
    def question(self) -> str:
        """What was tried, without results."""
        return subtitle_of(self.attack, None, {"file_name": "an outside table"})

    @property
    def sentence(self) -> str:
        if self.result is None:
            return self.reason
        if not self.sees_figures:
            return f"{self.state.value}: success {self.share}, limit {percent(self.limit)}."
        return self.wording.sentence(self.result)

    @property
    def compared(self) -> str:
        return self.wording.compared(self.result) if self.result is not None else ""

    @property
    def share(self) -> str:
        if self.result is None:
            return ""
        if not self.sees_figures:
            return band_of(self.result.stake.share)
        return share_with_interval(self.result)

    @property
    def is_made(self) -> bool:
        """True if there is a result, also that the attack is not possible."""
        return self.test is not None and self.test.status == WorkStatus.FINISHED

    @property
    def is_open(self) -> bool:
        return self.test is not None and self.test.is_open

    @property
    def percent(self) -> int:
        if self.test is None or self.test.phase not in PHASES:
            return 0
        start, part = PHASES[self.test.phase]
        within = min(1.0, self.test.done / self.test.total) if self.test.total else 0.0
        return int(start + part * within)

    @property
    def phase_words(self) -> str:
        if self.state == RowState.WAITING:
            return "Waiting"
        words = {"read": "Opening", "attack": "Attacking", "remedies": "Trying what would help"}
        return words.get(self.test.phase if self.test is not None else "", "Starting")

    @property
    def line(self) -> LimitLine | None:
        if self.result is None:
            return None
        low, high = self.result.stake.interval
        end = max(1.6 * self.limit, 1.15 * high, 0.001)
        start, stop = (round(LINE_WIDTH * place / end, 1) for place in (low, high))
        width = max(stop - start, 5.0)
        start = max(0.0, min(start - (2.5 if stop - start < 5 else 0.0), LINE_WIDTH - width))
        limit = min(max(LINE_WIDTH * self.limit / end, 1.0), LINE_WIDTH - 1.0)
        return LimitLine(round(start, 1), round(width, 1), round(limit, 1))


def rows_of(
    run: Run,
    limits: AttackLimits,
    tests: list[AttackTest],
    times: dict[str, float],
    sees_figures: bool,
) -> list[AttackRow]:
    """Return a row per attack, and one per outside table; `tests` are newest first.

    Without figures, rows in the same state are in a fixed order, since an order by success would
    reveal figures.
    """
    newest: dict[str, AttackTest] = {}
    for test in tests:
        newest.setdefault(_key_of(test), test)
    names = standard_attacks(run)
    standard = [(name, name, newest.get(name)) for name in names]
    outside = [
        (str(test.id), OUTSIDE_LINKAGE, test)
        for test in newest.values()
        if traits_of(test.attack).needs_outside_table()
    ]
    rows = [
        AttackRow(
            key=key,
            attack=attack,
            test=test,
            limit=limits.of(attack),
            seconds=times.get(attack, usual_seconds(attack, run.dataset.rows)),
            is_limit_of_policy=limits.is_from_policy(attack),
            sees_figures=sees_figures,
        )
        for key, attack, test in [*outside, *standard]
    ]
    order = (OUTSIDE_LINKAGE, *names)
    return sorted(rows, key=lambda row: (*_how_bad(row), order.index(row.attack)))


def _key_of(test: AttackTest) -> str:
    """Return the key of equivalent tests, of which the newest counts."""
    if not traits_of(test.attack).needs_outside_table():
        return test.attack
    chosen = test.parameters
    return repr((chosen.get("file_name"), chosen.get("columns"), chosen.get("attack")))


def _how_bad(row: AttackRow) -> tuple[int, float]:
    place = list(LOOKS).index(row.state)
    share = row.result.stake.share if row.result is not None and row.sees_figures else 0.0
    # Avoids a division by zero: any success is far above a limit of zero.
    times_the_limit = share / max(row.limit, 1e-9)
    return (place, -times_the_limit)
