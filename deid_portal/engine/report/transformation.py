"""How a release was made: levels, notes of the methods, and the search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from deid_portal.engine.report.part import Part, null, rest

Notes = TypeVar("Notes", bound=Part)


@dataclass(frozen=True)
class LabelCount(Part):
    """A label in the release, and the number of records that have it."""

    label: str | None
    records: int


@dataclass(frozen=True)
class RecodingRound(Part):
    """The levels of one round of local recoding, and the number of records released at them."""

    levels: Mapping[str, int]
    records: int


@dataclass(frozen=True)
class MethodStep(Part):
    """What one method of the plan reports of its work; the keys of `notes` differ by method."""

    method: str
    notes: Mapping[str, Any] = rest()

    @classmethod
    def of(cls, noted: Mapping[str, Any]) -> Self:
        return cls(noted["method"], {key: own for key, own in noted.items() if key != "method"})

    @property
    def epsilon(self) -> float | None:
        """Return the ε of a differentially private method."""
        return self.notes.get("epsilon")

    @property
    def columns(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the figures of each column; empty if the method has none or only lists columns."""
        columns = self.notes.get("columns")
        return columns if isinstance(columns, Mapping) else {}

    def columns_as(self, kind: type[Notes]) -> dict[str, Notes]:
        """Return the figures of each column as the kind of notes its method makes."""
        return {name: kind.from_document(own) for name, own in self.columns.items()}

    @property
    def group_column(self) -> str:
        """Return the column that numbers groups within which values were permuted, or ""."""
        return str(self.notes.get("group_column", ""))


@dataclass(frozen=True, kw_only=True)
class RandomizedCells(Part):
    """How the cells of a column were randomized, and its true shares by what is shown.

    Of a column that a later method changed again only ε and that fact are told.
    """

    epsilon: float | None
    values: tuple[str | None, ...]
    values_declared: bool  # by the plan, so that they tell nothing about the original
    matrix: tuple[tuple[float, ...], ...] | None = null()
    rows: int
    counts: tuple[int, ...]
    estimated_shares: tuple[float, ...]
    standard_errors: tuple[float, ...]
    standard_errors_of_a_sample: tuple[float, ...]
    changed_again: bool | None = None

    @property
    def has_estimates(self) -> bool:
        return all(map(self.tells, ("values", "estimated_shares", "standard_errors")))

    @property
    def are_values_declared(self) -> bool:
        return self.tells("values_declared") and self.values_declared


@dataclass(frozen=True)
class Transformation(Part):
    """`levels` has the columns whose labels are all of one level."""

    levels: Mapping[str, int]
    cuts: Mapping[str, tuple[LabelCount, ...]] | None = None  # labels of columns with mixed levels
    steps: tuple[MethodStep, ...] | None = None
    rounds: tuple[RecodingRound, ...] | None = None


@dataclass(frozen=True)
class SearchSummary(Part):
    """The search; `bound` is the best value that any combination not searched could have."""

    nodes: int
    checked: int
    optimal: bool
    seconds: float
    metric: str
    bound: float | None = None
