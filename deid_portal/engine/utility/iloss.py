"""ILoss: the share of a column's values a released value stands for."""

from typing import ClassVar

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.metric import LabelledColumn, SeparableMetric


class ILoss(SeparableMetric):
    """Mean of w · (leaves - 1) / all leaves (Xiao and Tao, 2006); hidden stays below 1."""

    name: ClassVar[str] = "iloss"
    title: ClassVar[str] = "ILoss"
    axis_title: ClassVar[str] = "Detail lost (iloss)"
    lost_title: ClassVar[str] = "iloss"
    at_original: ClassVar[float | None] = 0.0
    cites: ClassVar[str] = "X. Xiao and Y. Tao, Personalized privacy preservation, SIGMOD 2006."

    def costs(self, taxonomy: Taxonomy, counts: Counts) -> Numbers:
        own, leaves = len(counts), taxonomy.leaf_count
        rows = [
            (under[codes[:own]] - 1) / leaves
            for under, codes in zip(taxonomy.leaves, taxonomy.codes, strict=True)
        ]
        return np.array([*rows, np.full(own, (leaves - 1) / leaves)])

    def label_costs(self, column: LabelledColumn) -> Numbers:
        lost = (column.labels.leaves - 1) / column.taxonomy.leaf_count
        return np.asarray(lost[column.shown])

    def factors(self, weights: Numbers) -> Numbers:
        return weights / max(len(weights), 1)

    def explain(self) -> str:
        return "The share of all values that a released value could stand for, weighted by column."
