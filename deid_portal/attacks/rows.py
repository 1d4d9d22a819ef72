"""The list of attacks on a run: one row each, the worst first.

Attacks are scored with the original, suppressed records included. Viewers without row access see
only the verdict and a range of the success, no figure from which data of suppressed people could be
computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from deid_portal.attacks.choices import OUTSIDE_LINKAGE
from deid_portal.attacks.kinds import traits_of
from deid_portal.attacks.limits import AttackLimits
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.results import AttackSummary
from deid_portal.attacks.subjects import standard_attacks
from deid_portal.attacks.vocabulary import Wording, share_with_interval, subtitle_of, wording_of
from deid_portal.engine.attack_cases.verdict import AttackVerdict
from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Parameter
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
    tries: int = 0  # how often it was made, with whatever settings
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
        if self.is_limit_of_policy and self.result.stake.share > self.limit:
            return (
                RowState.OVER_LIMIT
            )  # a policy is taken at its word, however few tries there were
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

    Which of several tests of an attack counts is decided by `counted_test`.

    Without figures, rows in the same state are in a fixed order, since an order by success would
    reveal figures.
    """
    same: dict[str, list[AttackTest]] = {}
    for test in tests:
        same.setdefault(_key_of(test), []).append(test)
    counted = {key: counted_test(own) for key, own in same.items()}
    names = standard_attacks(run)
    standard = [(name, name, counted.get(name)) for name in names]
    outside = [
        (str(test.id), OUTSIDE_LINKAGE, test)
        for test in counted.values()
        if traits_of(test.attack).needs_outside_table()
    ]
    rows = [
        AttackRow(
            key=key,
            attack=attack,
            test=test,
            limit=limits.of(attack),
            seconds=times.get(attack, 0.0),
            is_limit_of_policy=limits.is_from_policy(attack),
            tries=len(same[_key_of(test)]) if test is not None else 0,
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


def counted_test(tests: Sequence[AttackTest]) -> AttackTest:
    """Return which of several tests of an attack counts; they are given newest first.

    One at work counts, since its answer is awaited. Of those that ended, one that was made again in
    the same way and at least as thoroughly no longer counts; of the others the most successful
    does: an intruder who gets in does not get out again because a weaker one stays outside. A test
    that was stopped or failed counts only if no other ended.
    """
    if tests[0].is_open:
        return tests[0]
    ended = [test for test in tests if test.status == WorkStatus.FINISHED]
    standing = [
        test
        for place, test in enumerate(ended)
        if not any(_replaces(newer, test) for newer in ended[:place])
    ]
    return max(standing, key=_success, default=tests[0])


def _replaces(newer: AttackTest, older: AttackTest) -> bool:
    """Say whether a test repeats another in the same way, with no less effort."""
    own, theirs = settings_of(newer), settings_of(older)
    declared = traits_of(newer.attack).parameters
    effort = {one.name for one in declared if isinstance(one, Parameter) and one.is_effort}
    return all(
        own.get(name, 0) >= theirs.get(name, 0)
        if name in effort
        else own.get(name) == theirs.get(name)
        for name in {*own, *theirs}
    )


def settings_of(test: AttackTest) -> dict[str, Any]:
    """Return what the intruder of a test was given, with usual settings where none was chosen.

    Among how many everybody must hide is left out: the policy says it, not who attacks.
    """
    kind, chosen = traits_of(test.attack), dict(test.parameters)
    given = dict(chosen.pop("attack", {}))
    place = Place(given, test.attack)
    usual = {one.name: one.read(place) for one in kind.parameters if one.name not in given}
    settings = {**chosen, **usual, **given}
    settings.pop(kind.look_alikes, None)
    return settings


def _success(test: AttackTest) -> float:
    stake = (test.result or {}).get("stake")
    return -1.0 if stake is None else float(stake["share"])


def _how_bad(row: AttackRow) -> tuple[int, float]:
    place = list(LOOKS).index(row.state)
    share = row.result.stake.share if row.result is not None and row.sees_figures else 0.0
    # Avoids a division by zero: any success is far above a limit of zero.
    times_the_limit = share / max(row.limit, 1e-9)
    return (place, -times_the_limit)
