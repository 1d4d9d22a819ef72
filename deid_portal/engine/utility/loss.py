"""Loss: the share of detail that is gone."""

from typing import ClassVar

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.metric import LabelledColumn, SeparableMetric, weighted_mean


class Loss(SeparableMetric):
    """Mean of (leaves - 1) / (all leaves - 1), a suppressed cell counting 1 (Iyengar, 2002)."""

    name: ClassVar[str] = "loss"
    title: ClassVar[str] = "Detail lost (loss)"
    axis_title: ClassVar[str] = "Detail lost"
    lost_title: ClassVar[str] = "loss"
    at_original: ClassVar[float | None] = 0.0
    cites: ClassVar[str] = "V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002."

    def costs(self, taxonomy: Taxonomy, counts: Counts) -> Numbers:
        rows = [taxonomy.lost_share(level)[: len(counts)] for level in range(taxonomy.height + 1)]
        return np.array([*rows, np.ones(len(counts))])

    def label_costs(self, column: LabelledColumn) -> Numbers:
        lost = (column.labels.leaves - 1) / max(column.taxonomy.leaf_count - 1, 1)
        return np.asarray(lost[column.shown])

    def factors(self, weights: Numbers) -> Numbers:
        return weighted_mean(weights)

    def explain(self) -> str:
        return "The share of detail that is gone: 0 is the original table, 1 says nothing any more."
