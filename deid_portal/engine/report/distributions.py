"""Distributions of columns before and after, over groups of values of at least five people."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part
from deid_portal.engine.report.transformation import LabelCount


@dataclass(frozen=True)
class GroupedColumn(Part):
    """A column whose values were grouped; `level_name` names the groups, None for single values.

    The last group joins `merged` groups that are too small or too many; None among `values` stands
    for missing values.
    """

    column: str
    level_name: str | None
    merged: int
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class ColumnDistribution(GroupedColumn):
    """Records per group; `kept`: counts of the original values of released records."""

    before: tuple[int, ...]
    after: tuple[float, ...]
    kept: tuple[int, ...] | None = None


@dataclass(frozen=True)
class CrossedPair(Part):
    """A cross tabulation of two columns; `columns` are their indexes in `crossed`."""

    columns: tuple[int, int]
    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[float, ...], ...]
    kept: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True)
class DistributionReport(Part):
    columns: tuple[ColumnDistribution, ...]
    crossed: tuple[GroupedColumn, ...]
    pairs: tuple[CrossedPair, ...]


@dataclass(frozen=True)
class ReleasedLabels(Part):
    """Released records per label; `others` counts those whose labels are not listed."""

    column: str
    labels: tuple[LabelCount, ...]
    others: int


@dataclass(frozen=True)
class ChangedValue(Part):
    """An example: an original value, its released label, and how many records show this change."""

    before: str | None
    after: str | None
    people: int
