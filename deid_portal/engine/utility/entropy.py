"""Entropy: how uncertain the original value has become."""

from typing import ClassVar

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.metric import LabelledColumn, SeparableMetric, weighted_mean


class Entropy(SeparableMetric):
    """Non-uniform entropy loss (Gionis and Tassa, 2009), each column divided by its most.

    A value v shown as label g costs log2(records with g / records with v), counted in the input;
    hidden or suppressed it costs log2(all records / records with v). A column of one value carries
    no information: keeping it costs 0, suppressing it 1.
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "Non-uniform entropy"
    axis_title: ClassVar[str] = "Detail lost (entropy)"
    lost_title: ClassVar[str] = "entropy"
    at_original: ClassVar[float | None] = 0.0
    cites: ClassVar[str] = (
        "A. Gionis and T. Tassa, k-anonymization with minimal loss of information, TKDE 21(2), "
        "2009."
    )

    def costs(self, taxonomy: Taxonomy, counts: Counts) -> Numbers:
        own = len(counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = [
                np.log2(np.bincount(codes[:own], weights=counts)[codes[:own]] / counts)
                for codes in taxonomy.codes
            ]
        bits = np.nan_to_num(np.array([*rows, _hidden(counts)]), posinf=0.0)
        most = _most(counts)
        if most == 0:
            return np.append(np.zeros((len(rows), own)), np.ones((1, own)), axis=0)
        answer: Numbers = bits / most
        return answer

    def label_costs(self, column: LabelledColumn) -> Numbers:
        most = _most(column.counts)
        if most == 0:
            return np.zeros(len(column.shown))
        # A changed value may be rarer than the true one; then the cost is 0, not negative.
        records = np.maximum(column.labels.records[column.shown], column.counts[column.values])
        answer: Numbers = np.log2(records / column.counts[column.values]) / most
        return answer

    def factors(self, weights: Numbers) -> Numbers:
        return weighted_mean(weights)

    def explain(self) -> str:
        return (
            "How much harder the original value is to guess, from 0, certain, to 1, no hint left."
        )


def _hidden(counts: Counts) -> Numbers:
    """Return the bits that hiding each value costs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bits: Numbers = np.nan_to_num(np.log2(counts.sum() / counts), posinf=0.0)
    return bits


def _most(counts: Counts) -> float:
    """Return the mean bits a column can lose: the entropy of its values."""
    return float(_hidden(counts) @ counts) / max(int(counts.sum()), 1)
