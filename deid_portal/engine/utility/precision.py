"""Precision: how low the released values are in their taxonomies."""

from typing import ClassVar

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.metric import LabelledColumn, SeparableMetric


class Precision(SeparableMetric):
    """1 - mean of level / height (Sweeney, 2002); each column has its own height."""

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "Precision"
    axis_title: ClassVar[str] = "Detail kept"
    lost_title: ClassVar[str] = "1 − precision"
    at_original: ClassVar[float | None] = 1.0
    cites: ClassVar[str] = (
        "L. Sweeney, Achieving k-anonymity privacy protection using generalization and "
        "suppression, IJUFKS 10(5), 2002."
    )
    higher_is_better: ClassVar[bool] = True

    def costs(self, taxonomy: Taxonomy, counts: Counts) -> Numbers:
        levels = np.arange(taxonomy.height + 1) / max(taxonomy.height, 1)
        return np.repeat(np.append(levels, 1.0)[:, None], len(counts), axis=1)

    def label_costs(self, column: LabelledColumn) -> Numbers:
        return column.labels.levels[column.shown] / max(column.taxonomy.height, 1)

    def factors(self, weights: Numbers) -> Numbers:
        return np.full(len(weights), 1 / max(len(weights), 1))

    def value_of_cost(self, cost: float) -> float:
        return 1 - cost

    def explain(self) -> str:
        return "How little the values were raised in their taxonomies: 1 is exact, 0 is hidden."
