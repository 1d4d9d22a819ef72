"""What a search may conclude about combinations it has not checked. Only what is proved."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from deid_portal.engine.search.check import Check, Checker
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.utility import SeparableMetric
from deid_portal.engine.utility.average_class_size import AverageClassSize
from deid_portal.engine.utility.discernibility import Discernibility


def rules_out_finer(check: Check, allowed: int) -> bool:
    """Say whether every finer combination is refused because this one is."""
    if int(check.lost.sum()) > allowed:
        return True
    # Where nothing is ever suppressed, coarser tables of a table that passes pass too.
    models = check.checker.models
    suppresses = allowed > 0 and any(model.judges_classes for model in models)
    return not suppresses and all(model.is_monotone for model in models)


class Bounds(ABC):
    """A lower bound of one metric's cost: a floor, raised by the checks of coarser combinations."""

    def __init__(self, checker: Checker, allowed: int) -> None:
        self.checker = checker
        self.allowed = allowed

    @abstractmethod
    def floor_terms(self) -> Sequence[Numbers]:
        """Return one term per column and level, to be added up over the columns."""

    def floor(self, sums: Numbers) -> Numbers:
        """Return the least cost of combinations from their added terms."""
        return sums

    @abstractmethod
    def below(self, check: Check) -> tuple[Sequence[Numbers], float]:
        """Return what a check adds to the cost of all finer combinations.

        One term per column and level up to that of the check, and an amount.
        """

    def above(self, check: Check) -> float:
        """Return a lower bound of the cost of all coarser combinations, suppression not counted."""
        return 0.0

    def records_to_exceed(self, floor: float, cost: float) -> float:
        """Estimate how many lost records raise the cost of a combination from floor to cost."""
        return float("inf")

    def least_between(self, finest: Levels, coarsest: Check) -> float:
        """Return a lower bound of the cost of all combinations from the finest to the coarsest."""
        terms, amount = self.below(coarsest)
        spans = [slice(low, high + 1) for low, high in zip(finest, coarsest.levels, strict=True)]
        sums = [floor[span] for floor, span in zip(self.floor_terms(), spans, strict=True)]
        if terms:
            added = zip(sums, terms, spans, strict=True)
            sums = [total + term[span] for total, term, span in added]
        best = np.array([sum(float(self._best(total)) for total in sums)])
        return float(self.floor(best)[0]) + amount

    def _best(self, terms: Numbers) -> float:
        """Return the term of the least cost."""
        return float(terms.min())


class SeparableBounds(Bounds):
    """The floor is the cost with nothing suppressed; lost records add their penalty.

    If all records of a class are lost, their values are known and the penalty is exact at every
    level. If only some are, just their number is known; finer levels never lower the penalty.
    """

    def __init__(self, checker: Checker, allowed: int) -> None:
        super().__init__(checker, allowed)
        assert checker.costs is not None  # noqa: S101 - made for every separable metric
        self.costs = checker.costs

    def floor_terms(self) -> Sequence[Numbers]:
        return self.costs.kept

    def records_to_exceed(self, floor: float, cost: float) -> float:
        """Assume that a lost record costs as much as an average one."""
        return self.checker.rows * (cost - floor) / max(self.costs.nothing_kept - floor, 1e-9)

    def below(self, check: Check) -> tuple[Sequence[Numbers], float]:
        whole = (check.lost == check.classes.sizes) & (check.lost > 0)
        terms = self.costs.added(check.grouped.spread(whole)) if whole.any() else ()
        partly = np.where(whole, 0, check.lost)
        return terms, self.costs.penalty(check, partly) if partly.any() else 0.0


class ClassBounds(Bounds):
    """There are at most as many classes as combinations of labels, their product.

    The terms are logarithms, because terms are added.
    """

    def floor_terms(self) -> Sequence[Numbers]:
        codes = (taxonomy.codes for taxonomy in self.checker.taxonomies)
        counts = zip(codes, self.checker.grouper.value_counts, strict=True)
        return [
            np.log([len(np.unique(labels[:values])) for labels in levels])
            for levels, values in counts
        ]

    def below(self, check: Check) -> tuple[Sequence[Numbers], float]:
        return (), 0.0

    def _best(self, terms: Numbers) -> float:
        return float(terms.max())  # most labels, most classes


class DiscernibilityBounds(ClassBounds):
    """Squares of few sizes are large, and a lost record costs the size of the table."""

    def floor(self, sums: Numbers) -> Numbers:
        # Equal sizes have the least sum of squares, n² / m for n records in m classes; rounded
        # down a little, for the product was made from logarithms.
        return (1 - 1e-9) * self.checker.rows**2 / np.exp(sums)

    def records_to_exceed(self, floor: float, cost: float) -> float:
        return (cost - floor) / max(self.checker.rows, 1)

    def above(self, check: Check) -> float:
        """Return the squares with nothing suppressed."""
        return float(check.classes.sizes @ check.classes.sizes)

    def below(self, check: Check) -> tuple[Sequence[Numbers], float]:
        """Return what is added if a lost record costs the table's size instead of its class's."""
        lost = int(check.lost.sum()) * self.checker.rows
        return (), float(lost - int(check.lost @ check.classes.sizes))


class AverageClassSizeBounds(ClassBounds):
    """Few classes are large on average."""

    def floor(self, sums: Numbers) -> Numbers:
        return (1 - 1e-9) * self._least(1) / np.exp(sums)

    def above(self, check: Check) -> float:
        return (1 - 1e-9) * self._least(len(check.classes.sizes))

    def _least(self, classes: int) -> float:
        """Return the cost of so many classes if as few records as allowed are left in them."""
        return (self.checker.rows - self.allowed) / classes / self.checker.k


def bounds_for(checker: Checker, allowed: int) -> Bounds:
    """Return the bounds that hold for the metric to minimize."""
    if isinstance(checker.metric, SeparableMetric):
        return SeparableBounds(checker, allowed)
    return CLASS_BOUNDS[checker.metric.name](checker, allowed)


CLASS_BOUNDS: dict[str, type[Bounds]] = {
    Discernibility.name: DiscernibilityBounds,
    AverageClassSize.name: AverageClassSizeBounds,
}
