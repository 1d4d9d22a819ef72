"""One check of one combination of levels: which records must go, and what the rest costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled import kernels
from deid_portal.engine.privacy import PrivacyModel, WholeTable
from deid_portal.engine.privacy.k_anonymity import asked_k
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.search.rollup import Grouper, RolledUpClasses
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.patterns import Classes, Patterns
from deid_portal.engine.table.table import Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import ClassMetric, Metric, SeparableMetric

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Check:
    """The result of checking one combination of levels.

    `lost`: at least so many records of each class are suppressed at every finer combination, too.
    """

    checker: "Checker"
    grouped: RolledUpClasses
    suppressed_classes: Mask
    lost: Counts  # records per class
    suppressed: int  # records

    @property
    def levels(self) -> Levels:
        return self.grouped.levels

    @property
    def classes(self) -> Classes:
        return self.grouped.classes

    @cached_property
    def cost(self) -> float:
        """Return the cost: infinite if nobody is left or the release is not accepted."""
        return self.checker.cost_of(self)


class Checker:
    """Checks combinations of levels of one reduced table against one set of models."""

    def __init__(
        self,
        patterns: Patterns,
        taxonomies: Sequence[Taxonomy],
        models: Sequence[PrivacyModel],
        metric: Metric,
        weights: Sequence[float],
        whole: WholeTable,
    ) -> None:
        self.patterns = patterns
        self.taxonomies = taxonomies
        self.models = models
        self.judges = [model for model in models if model.judges_release]
        self.metric = metric
        self.rows = patterns.rows
        self.whole = whole
        self.grouper = Grouper(patterns, taxonomies)
        self.k = asked_k(models)
        self.costs = (
            CostTables(metric, self.grouper, taxonomies, weights)
            if isinstance(metric, SeparableMetric)
            else None
        )

    def check(self, levels: Levels) -> Check:
        """Check a combination of levels."""
        return self.check_grouped(self.grouper.roll_up(levels))

    def check_grouped(self, grouped: RolledUpClasses) -> Check:
        classes = grouped.classes
        if not self.models:
            nobody = np.zeros(len(classes.sizes), np.int64)
            return Check(self, grouped, nobody > 0, nobody, 0)
        passes, lost = self.models[0].judge(classes, self.whole)
        for model in self.models[1:]:
            passes_too, lost_too = model.judge(classes, self.whole)
            passes, lost = passes & passes_too, np.maximum(lost, lost_too)
        if self.k > 1 and len(self.models) > 1:
            # Fewer than k records left of a class violate k-anonymity, so then all of them are
            # lost.
            lost = np.where(classes.sizes - lost < self.k, classes.sizes, lost)
        suppressed = self.rows - kernels.add_chosen(classes.sizes, passes)
        return Check(self, grouped, ~passes, lost, suppressed)

    def cost_of(self, check: Check) -> float:
        classes, gone = check.classes, check.suppressed_classes
        if check.suppressed == self.rows or not self._accepts(classes, gone):
            return float("inf")
        if isinstance(self.metric, ClassMetric):
            return self.metric.cost(classes.sizes[~gone], check.suppressed, self.k)
        assert self.costs is not None  # noqa: S101 - made for every separable metric
        least = self.costs.least(check.levels)
        if check.suppressed == 0:
            return least
        return least + self.costs.penalty(check, classes.sizes * gone)

    def _accepts(self, classes: Classes, gone: Mask) -> bool:
        if not self.judges:
            return True
        kept = classes.only(~gone)
        return all(model.accepts(kept, self.whole) for model in self.judges)


class CostTables:
    """A separable metric prepared for a search: all costs divided by rows and weighted.

    `kept` is the cost of a column at a level with nothing suppressed; `penalties` what suppressing
    one record adds to that, per column, level and value.
    """

    def __init__(
        self,
        metric: SeparableMetric,
        grouper: Grouper,
        taxonomies: Sequence[Taxonomy],
        weights: Sequence[float],
    ) -> None:
        patterns = grouper.patterns
        rows = max(patterns.rows, 1)
        factors = metric.factors(np.array(weights, dtype=np.float64))
        self.grouper = grouper
        self.kept: list[Numbers] = []  # per column and level
        self.penalties: list[Numbers] = []
        self.nothing_kept = 0.0  # the cost if everything is suppressed
        for index, taxonomy in enumerate(taxonomies):
            values = grouper.value_counts[index]
            counts = kernels.sum_by_number(patterns.codes[index], patterns.counts, values)
            costs = metric.costs(taxonomy, counts) * factors[index] / rows
            self.kept.append(costs[:-1] @ counts)
            self.nothing_kept += float(costs[-1] @ counts)
            penalties = costs[-1] - costs[:-1]
            self.penalties.append(_penalties_per_label(penalties, taxonomy, counts))
        self._kept: list[list[float]] = [kept.tolist() for kept in self.kept]
        self.flat_penalties = np.concatenate(
            [np.zeros(0), *(table.reshape(-1) for table in self.penalties)]
        )
        self.offsets: list[int] = np.cumsum([0, *grouper.value_counts]).tolist()
        self._starts = np.array(self.offsets[:-1], np.int64)

    def least(self, levels: Levels) -> float:
        """Return the cost with nothing suppressed, which no suppression can lower."""
        return sum([kept[level] for kept, level in zip(self._kept, levels, strict=True)])

    def penalty(self, check: Check, records: Counts) -> float:
        """Return what suppressing so many records of each class adds to the cost."""
        keys = self.grouper.keys
        return sum(
            kernels.penalty_of(
                word, *keys.places(columns, check.levels), self.flat_penalties, records
            )
            for word, columns in zip(check.grouped.words, keys.columns_of_word, strict=True)
        )

    def added(self, chosen: Mask) -> list[Numbers]:
        """Return, per column and level, what suppressing the chosen patterns adds."""
        patterns = self.grouper.patterns
        counts = kernels.leaf_counts(
            patterns.codes, self._starts, self.offsets[-1], patterns.counts, chosen
        )
        parts = zip(self.penalties, self.offsets[:-1], self.offsets[1:], strict=True)
        return [table @ counts[start:stop] for table, start, stop in parts]


def _penalties_per_label(penalties: Numbers, taxonomy: Taxonomy, counts: Counts) -> Numbers:
    """Give every value the penalty of the most frequent value with the same label.

    A class stores its label as one of the label's values, which may not occur in the table; a
    metric need not define a penalty for such a value.
    """
    by_count = np.argsort(counts, kind="stable")
    answer = np.empty(penalties.shape)
    for level, own in enumerate(penalties):
        labels = taxonomy.codes[level][: len(counts)]
        most_frequent = np.zeros(len(taxonomy.labels[level]), np.intp)
        most_frequent[labels[by_count]] = by_count  # the last one written stays
        answer[level] = own[most_frequent[labels]]
    return answer
