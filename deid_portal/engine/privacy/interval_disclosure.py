"""Interval disclosure: few numbers can be guessed closely."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import ColumnName, Declared, Parameter
from deid_portal.engine.privacy.kinds import ATTRIBUTE_MEASURED, AttackModel, Disclosure
from deid_portal.engine.privacy.model import (
    ROUNDING,
    Answers,
    PrivacyModel,
    WholeTable,
    check_numeric,
)
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class IntervalDisclosure(PrivacyModel):
    """At most a share of the released records has its number within a width of the best guess.

    The guess is what the release tells about a person whose class is known: the mean number of the
    class. Its interval reaches `width` to both sides, in the unit of the column. A gap is a record
    whose number nobody can guess. A rule about the release as a whole: it suppresses nothing. The
    mean of joined classes may lie nearer to many of their numbers, so it is not monotone.
    """

    width: float
    limit: float
    column: str

    name: ClassVar[str] = "interval-disclosure"
    cites: ClassVar[str] = (
        "J. Domingo-Ferrer, V. Torra, A quantitative comparison of disclosure control methods for "
        "microdata, in Confidentiality, disclosure, and data access, 2001; V. Torra, Guide to data "
        "privacy, 2022."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.ATTRIBUTE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = ATTRIBUTE_MEASURED
    speaks_of_sensitive: ClassVar[bool] = True
    needs_besides: ClassVar[str] = "it compares with the numbers of the original"
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("width", start=5, minimum=0),
        Parameter(
            "limit",
            start=0.2,
            minimum=0,
            maximum=1,
            unusual_above=0.5,
            caution="A share of {value} lets every other amount or more be guessed nearly.",
        ),
        ColumnName(),
    )
    is_monotone = False
    is_monotone_per_record = False
    judges_release: ClassVar[bool] = True
    judges_classes: ClassVar[bool] = False

    @property
    def sensitive_column(self) -> str:
        return self.column

    @property
    def needs_numbers(self) -> bool:
        return True

    def check_table(self, place: Place, table: Table) -> None:
        check_numeric(place["column"], table, self.column)

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return np.ones(len(classes.sizes), np.bool_)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        return self._share(kept, whole) <= self.limit + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"width": self.width, "limit": self._share(kept, whole)}

    def explain(self) -> str:
        return (
            f"Whoever knows the group of a person and guesses {self.column} is off by "
            f"{self.width:g} or less for at most {100 * self.limit:.3g} in 100 people."
        )

    def _share(self, classes: Classes, whole: WholeTable) -> float:
        """Return the share of records whose number is near the mean of their class."""
        pairs = classes.sensitive[self.column]
        numbers = whole.sensitive[self.column].numbers[pairs.codes]
        known = np.isfinite(numbers)
        groups, counts, numbers = pairs.groups[known], pairs.counts[known], numbers[known]
        totals = np.bincount(groups, counts, len(classes.sizes))
        means = np.bincount(groups, counts * numbers, len(classes.sizes)) / np.maximum(totals, 1)
        scale = np.maximum(np.abs(numbers), 1.0)
        near = np.abs(numbers - means[groups]) <= self.width + ROUNDING * scale
        return float(counts[near].sum() / max(int(classes.sizes.sum()), 1))
