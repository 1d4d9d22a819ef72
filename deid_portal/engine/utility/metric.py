"""The interface of every metric: how much information a release lost, and an explanation."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Counts
from deid_portal.engine.taxonomies import Taxonomy


@dataclass(frozen=True, eq=False)
class MeasuredColumn:
    """A quasi-identifier of a release, as a metric sees it."""

    taxonomy: Taxonomy
    counts: Counts  # records of the input per value
    cells: Numbers  # level × value: released records whose value is shown at that level
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class ShownLabels:
    """What the labels of a released column may stand for, one entry per label."""

    leaves: Counts  # leaves of the taxonomy
    levels: Codes  # the lowest level with one label above all of them
    records: Counts  # records of the input


@dataclass(frozen=True, eq=False)
class LabelledColumn:
    """A quasi-identifier of a release whose labels need not be those of its taxonomy.

    `shown`, `values` and `amounts` say how many records have a value and show a label.
    """

    taxonomy: Taxonomy
    counts: Counts  # records of the input per value
    labels: ShownLabels
    shown: Codes  # label, one per pair that occurs
    values: Codes  # value, one per pair
    amounts: Numbers  # records, one per pair
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class MeasuredRelease:
    """What a metric may look at. Suppressed records are in no class."""

    rows: int  # records of the input
    class_sizes: Counts
    columns: Sequence[MeasuredColumn | LabelledColumn]
    k: int = 1  # that of the plan's k-anonymity

    @property
    def released(self) -> int:
        return int(self.class_sizes.sum())

    @property
    def suppressed(self) -> int:
        return self.rows - self.released


class Metric(ABC):
    """A measure of lost detail. `cost` is what a search minimizes; `value` what a report states."""

    name: ClassVar[str]
    title: ClassVar[str]  # what a person chooses
    axis_title: ClassVar[str]  # of a chart of its values
    lost_title: ClassVar[str]  # of what it counts as lost, in brackets after "Detail lost"
    at_original: ClassVar[float | None] = None  # where nothing was made coarser, if always the same
    cites: ClassVar[str]
    higher_is_better: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0  # costs nearer to each other than this are a tie

    @abstractmethod
    def value(self, release: MeasuredRelease) -> float: ...

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown beside the number."""

    def value_of_cost(self, cost: float) -> float:
        """Return what the report states for a cost the search found."""
        return cost


class SeparableMetric(Metric):
    """A mean, over records and quasi-identifiers, of costs that depend on one cell each.

    The cost of a cell may depend on its value only through a part that is the same at every level,
    and never falls from level to level, so that a search can bound it column by column.
    """

    tolerance: ClassVar[float] = 1e-11  # sums of the same costs differ by rounding

    @abstractmethod
    def costs(self, taxonomy: Taxonomy, counts: Counts) -> Numbers:
        """Return the cost of a cell per level and value, and in a last row of a suppressed one."""

    @abstractmethod
    def label_costs(self, column: LabelledColumn) -> Numbers:
        """Return the cost of a cell per pair of label and value."""

    @abstractmethod
    def factors(self, weights: Numbers) -> Numbers:
        """Return what each column's mean cost is multiplied with."""

    def column_cost(self, column: MeasuredColumn | LabelledColumn, rows: int) -> float:
        """Return the mean cost of one column, between 0 and 1."""
        costs = self.costs(column.taxonomy, column.counts)
        if isinstance(column, LabelledColumn):
            kept = np.bincount(column.values, column.amounts, len(column.counts))
            total = float(self.label_costs(column) @ column.amounts)
        else:
            kept = column.cells.sum(axis=0)
            total = float((costs[:-1] * column.cells).sum())
        return float(total + costs[-1] @ (column.counts - kept)) / max(rows, 1)

    def value(self, release: MeasuredRelease) -> float:
        weights = np.array([column.weight for column in release.columns])
        costs = np.array([self.column_cost(column, release.rows) for column in release.columns])
        return self.value_of_cost(float(self.factors(weights) @ costs))


class ClassMetric(Metric):
    """A number made from class sizes alone."""

    @abstractmethod
    def cost(self, class_sizes: Counts, suppressed: int, k: int) -> float:
        """Return the number from the released classes and the count of suppressed records."""

    def value(self, release: MeasuredRelease) -> float:
        return self.cost(release.class_sizes, release.suppressed, release.k)


def weighted_mean(weights: Numbers) -> Numbers:
    """Return the factors of a weighted mean; none without columns."""
    return weights / weights.sum() if len(weights) else weights
