"""Distributions of columns before and after, told by groups of values of at least five people."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part
from deid_portal.engine.report.transformation import LabelCount


@dataclass(frozen=True)
class GroupedColumn(Part):
    """A column in groups; `level_name` says what they are where they are not the values.

    `merged` groups are told together in the last one; None among the values is the gap.
    """

    column: str
    level_name: str | None
    merged: int
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class ColumnDistribution(GroupedColumn):
    """Records per group; `kept` are the people of the release as they were."""

    before: tuple[int, ...]
    after: tuple[float, ...]
    kept: tuple[int, ...] | None = None


@dataclass(frozen=True)
class CrossedPair(Part):
    """Records per group of one column and group of another; `columns` are places in `crossed`."""

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
    """How many records of the release show each label; `others` have labels of few people."""

    column: str
    labels: tuple[LabelCount, ...]
    others: int


@dataclass(frozen=True)
class ChangedValue(Part):
    """An example: a value, and what it became for so many people."""

    before: str | None
    after: str | None
    people: int
