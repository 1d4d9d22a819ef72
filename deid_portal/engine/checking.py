"""One check of one combination of levels: which records must go, and what the rest costs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine import kernels
from deid_portal.engine.grouping import Classes, Grouper, Patterns
from deid_portal.engine.lattice import Levels
from deid_portal.engine.privacy import KAnonymity, PrivacyModel, Whole
from deid_portal.engine.table import Codes, Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import ClassMetric, Metric, SeparableMetric
from deid_portal.engine.utility.metric import Numbers

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Check:
    """What one combination of levels would mean.

    `certain` marks the classes that break a rule which is monotone per record: their records are
    suppressed at every finer combination too. `cost` is infinite if every record would go or a
    rule about the release as a whole is broken.
    """

    levels: Levels
    classes: Classes
    class_of: Codes  # class of each class this check was grouped from
    suppressed_classes: Mask
    certain: Mask
    suppressed: int  # records
    cost: float

    @property
    def kept(self) -> Classes:
        return self.classes.only(~self.suppressed_classes)


class Checker:
    """Checks combinations of levels of one reduced table against one set of models."""

    def __init__(
        self,
        patterns: Patterns,
        taxonomies: Sequence[Taxonomy],
        models: Sequence[PrivacyModel],
        metric: Metric,
        weights: Sequence[float],
        whole: Whole,
    ) -> None:
        self.patterns = patterns
        self.taxonomies = taxonomies
        self.models = models
        self.metric = metric
        self.rows = patterns.rows
        self.whole = whole
        self.grouper = Grouper(patterns, taxonomies)
        self.k = next((model.k for model in models if isinstance(model, KAnonymity)), 1)
        self.costs = (
            CostTables(metric, self.grouper, taxonomies, weights)
            if isinstance(metric, SeparableMetric)
            else None
        )

    def check(self, levels: Levels, finer: Classes | None = None) -> Check:
        """Check a combination, from scratch or from the classes of a finer one."""
        classes, class_of = self.grouper.group(levels, finer)
        certain = np.zeros(len(classes.sizes), np.bool_)
        doubtful = np.zeros(len(classes.sizes), np.bool_)
        for model in self.models:
            broken = certain if model.is_monotone_per_record else doubtful
            broken |= ~model.passes(classes, self.whole)
        gone = certain | doubtful
        suppressed = int(classes.sizes[gone].sum())
        cost = self._cost(levels, classes, gone, suppressed)
        return Check(levels, classes, class_of, gone, certain, suppressed, cost)

    def _cost(self, levels: Levels, classes: Classes, gone: Mask, suppressed: int) -> float:
        if suppressed == self.rows or not self._accepts(classes, gone):
            return float("inf")
        if isinstance(self.metric, ClassMetric):
            return self.metric.cost(classes.sizes[~gone], suppressed, self.k)
        assert self.costs is not None  # noqa: S101 - made for every separable metric
        return self.costs.cost(levels, classes, gone)

    def _accepts(self, classes: Classes, gone: Mask) -> bool:
        judges = [model for model in self.models if model.judges_release]
        kept = classes.only(~gone) if judges else classes
        return all(model.accepts(kept, self.whole) for model in judges)


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
        self.kept: list[Numbers] = []
        self.penalties: list[Numbers] = []
        for index, taxonomy in enumerate(taxonomies):
            values = grouper.value_counts[index]
            counts = kernels.add_up(patterns.codes[index], patterns.counts, values)
            costs = metric.costs(taxonomy, counts) * factors[index] / rows
            self.kept.append(costs[:-1] @ counts)
            self.penalties.append(np.ascontiguousarray(costs[-1] - costs[:-1]))
        self.flat_penalties = np.concatenate(
            [np.zeros(0), *(table.reshape(-1) for table in self.penalties)]
        )
        self.offsets = np.cumsum([0, *grouper.value_counts])

    def least(self, levels: Levels) -> float:
        """Return the cost with nothing suppressed, which no suppression can lower."""
        return float(sum(kept[level] for kept, level in zip(self.kept, levels, strict=True)))

    def cost(self, levels: Levels, classes: Classes, gone: Mask) -> float:
        starts = self.grouper.keys.starts_of(levels)
        codes = self.grouper.patterns.codes
        return self.least(levels) + kernels.penalty_of(
            codes, starts, self.flat_penalties, classes.members, classes.sizes, gone
        )

    def added(self, members: Codes, weights: Counts, chosen: Mask) -> list[Numbers]:
        """Return, per column and level, what suppressing the chosen patterns adds at least."""
        counts = kernels.leaf_counts(
            self.grouper.patterns.codes,
            self.offsets[:-1],
            int(self.offsets[-1]),
            members,
            weights,
            chosen,
        )
        parts = np.split(counts, self.offsets[1:-1])
        return [table @ part for table, part in zip(self.penalties, parts, strict=True)]
