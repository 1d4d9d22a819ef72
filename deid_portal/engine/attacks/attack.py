"""What every attack is: something an outsider does with a release, judged by the original.

Results hold numbers and names of columns, never a cell of either table.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from deid_portal.engine.attacks.confidence import Interval
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.grouping import Patterns, reduce_table
from deid_portal.engine.parameters import Declared
from deid_portal.engine.progress import Progress
from deid_portal.engine.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy


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
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Setting:
    """A release, the truth behind it, and what the attacker has.

    `rows` holds the original row of each released record. `outside` is a table of exact values the
    attacker knows, with the original row of each person in it (-1 for somebody else); without it
    the attacker knows everyone's quasi-identifiers, the worst case. `control` holds people of the
    same kind who are not in the original. `others` are further releases of the same original.
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
    others: tuple["Setting", ...] = ()

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
    def true_codes(self) -> Codes:
        """Return per released record the code its original sensitive value has in the release.

        -1 if the release does not show that value at all.
        """
        original = self.original[self.sensitive_name]
        return recode(original, self.released[self.sensitive_name])[original.codes[self.rows]]


class Attack(ABC):
    """One way to learn something from a release; subclasses are frozen dataclasses."""

    name: ClassVar[str]
    cites: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()  # parts of the setting beyond original and release
    parameters: ClassVar[tuple[Declared, ...]] = ()  # fields a plan may set

    @abstractmethod
    def run(self, setting: Setting, generator: np.random.Generator) -> AttackResult:
        """Attack the release; the generator makes whatever is random repeatable."""

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown beside the result."""


def recode(column: Column, other: Column) -> Codes:
    """Return per code of a column the code the same text has in another one, or -1."""
    known = {text: code for code, text in enumerate(other.values)}
    return np.array([known.get(text, -1) for text in column.values], np.int32)


def share_of(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
