"""The interface of every attack on a release, whose success is judged by the original.

Results hold numbers and names of columns, never a cell of either table.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.attacks.attack_figures import AttackFigures
from deid_portal.engine.attacks.confidence import (
    Interval,
    exactly,
    excess_interval,
    excess_over_control,
)
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.parameters import Declared
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy

USUAL_DISTANCE = 0.2  # from which on values of a group are spread unlike everybody's
MADE_UP = "Made-up records are nobody's, so no attack on them can be said to find the right person."


@dataclass(frozen=True)
class Bin:
    """One bar of a spread; `is_marked` says that it holds what the attack got."""

    label: str
    count: float
    is_marked: bool = False


@dataclass(frozen=True)
class AttackBins:
    """The counts of an attack in bins, for a chart."""

    of: str  # what is counted: "groups", "people", "percent"
    by: str  # what the bins are
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class AttackResult:
    """How well an attack went.

    `interval` is a 95 % confidence interval where people or guesses were sampled, and the value
    itself where everyone was attacked. `control` is how well the same guess does without the
    release. `records` is the number of records at stake, `figures` what else was counted.
    """

    name: str
    value: float
    interval: Interval
    control: float | None
    records: int
    sentence: str
    figures: AttackFigures = field(default_factory=AttackFigures)
    spread: AttackBins | None = None


@dataclass(frozen=True)
class Stake:
    """What of an attack is compared with a limit.

    `share` is the share of people, records or cells an intruder gets, or what was gained beyond the
    control where without the release somebody would be right as well. `baseline` is the share
    expected of any release that satisfies the plan; a share no better than it is no finding.
    """

    share: float
    interval: Interval
    records: int
    baseline: float
    is_found: bool  # better than the baseline, and not only by chance


@dataclass(frozen=True, eq=False)
class AttackSetting:
    """A release, its original, and what the attacker knows.

    `rows` holds the original row of each released record. `outside` is a table of exact values the
    attacker knows, with the original row of each person in it (-1 for somebody else); without it
    the attacker knows everyone's quasi-identifiers, the worst case. `control` holds people of the
    same kind who are not in the original. `others` are further releases of the same original,
    `versions` those of other versions of it, with other rows; `people` then numbers who is behind
    each row of the original, of those of the others and of the versions, in this order.
    `grouping` names the columns that show who shares sensitive values, where these are not the
    quasi-identifiers. `progress` is told how far long attacks are, and may stop them.
    """

    original: Table
    released: Table
    rows: Codes
    quasi_identifiers: tuple[str, ...]
    sensitive: str | None = None
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)
    outside: Table | None = None
    outside_rows: Codes | None = None
    control: Table | None = None
    others: tuple["AttackSetting", ...] = ()
    versions: tuple["AttackSetting", ...] = ()
    people: tuple[Codes, ...] = ()
    grouping: tuple[str, ...] = ()
    # Columns of the original as every row shows them, where values were rounded, coded or grouped.
    restated: Mapping[str, Column] = field(default_factory=dict)
    progress: Progress = field(default_factory=lambda: Progress(None))

    def __post_init__(self) -> None:
        if len(self.rows) != self.released.rows:
            raise InvalidTable("Every released record needs the number of its original row.")
        for name in self.quasi_identifiers:
            if name not in self.released or name not in self.original:
                raise InvalidTable(f'Column "{name}" must be in the original and in the release.')

    @property
    def sensitive_name(self) -> str:
        if self.sensitive is None:
            raise InvalidPlan("This attack needs a sensitive column.")
        return self.sensitive

    @property
    def control_table(self) -> Table:
        if self.control is None:
            raise InvalidPlan("This attack needs a control table of people outside the original.")
        return self.control

    @cached_property
    def classes(self) -> Patterns:
        """Return the released classes, with the released sensitive values of each."""
        wanted = [self.sensitive] if self.sensitive is not None else []
        return reduce_table(self.released, self.quasi_identifiers, wanted, Progress(None))

    @cached_property
    def groups(self) -> Patterns:
        """Return the records whose sensitive values cannot be told apart, group by group."""
        if not self.grouping:
            return self.classes
        return reduce_table(self.released, self.grouping, [self.sensitive_name], Progress(None))

    @cached_property
    def true_codes(self) -> Codes:
        """Return per released record the code its original sensitive value has in the release.

        Whoever concludes a rounded amount is right about somebody whose amount is rounded to it.
        -1 if the release does not show that value at all.
        """
        name = self.sensitive_name
        original = self.restated.get(name, self.original[name])
        return recode(original, self.released[self.sensitive_name])[original.codes[self.rows]]


class AnyAttack(ABC):
    """What is true of every attack, on a table or a network."""

    name: ClassVar[str]
    cites: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()  # parts of the setting beyond original and release
    parameters: ClassVar[tuple[Declared, ...]] = ()  # fields a plan may set
    usual_limit: ClassVar[float] = 0.05  # how much it may get where no policy says
    # Seconds it takes besides opening the release: anyway, and per 100,000 rows.
    usual_seconds: ClassVar[tuple[float, float]] = (0.2, 0.5)
    # Parameters where there is more time than for a report, so that intervals become narrow.
    with_time: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    # Whether it may find people by an exact value of any released column, however common it looks.
    finds_by_exact_values: ClassVar[bool] = False
    holds_out: ClassVar[bool] = False  # made on half of the table unless other people are brought
    look_alikes: ClassVar[str] = ""  # the parameter with how many everybody must hide among
    figures_kind: ClassVar[type[AttackFigures]] = AttackFigures  # what else it counts

    @classmethod
    def needs_outside_table(cls) -> bool:
        return "outside" in cls.needs

    @classmethod
    def crosses_releases(cls) -> bool:
        return "others" in cls.needs

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown beside the result."""


class Attack(AnyAttack):
    """One way to learn something from a release; subclasses are frozen dataclasses."""

    @property
    def different_values(self) -> int | None:
        """Return how many values a group needs to withstand it; None where that is no help."""
        return None

    @property
    def distance_needed(self) -> float | None:
        """Return how near everybody's the spread of values in a group must be to withstand it.

        None where that is no help.
        """
        return None

    @abstractmethod
    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        """Attack the release; the generator makes whatever is random repeatable."""

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Return what is compared with a limit.

        `promise` is the chance of a right match that the plan allows anyway, such as 1 in k. By
        default any success is a finding, since something became certain that was not.
        """
        return Stake(result.value, result.interval, result.records, 0.0, result.records > 0)


def weigh_gain(value: float, interval: Interval, control: float | None, attempts: float) -> Stake:
    """Weigh guesses that would sometimes be right without the release: only the gain counts."""
    known = control or 0.0
    gain = excess_interval(interval, exactly(known))
    share = excess_over_control(value, known)
    return Stake(share, gain, round(share * attempts), 0.0, gain[0] > 0)


def weigh_match(value: float, interval: Interval, promise: float, people: float) -> Stake:
    """Weigh guesses at who is who: of these the plan allows some to be right, such as one in k."""
    return Stake(value, interval, round(value * people), promise, interval[0] > promise)


def recode(column: Column, other: Column) -> Codes:
    """Return per code of a column the code the same text has in another one, or -1."""
    known = {text: code for code, text in enumerate(other.values)}
    return np.array([known.get(text, -1) for text in column.values], np.int32)


def share_of(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def fixed_percent(share: float) -> str:
    return f"{100 * share:.1f} %"
