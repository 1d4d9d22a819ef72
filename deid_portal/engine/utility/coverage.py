"""Which original values a released label may stand for.

By the taxonomy of the column or, without one, by reading the label as a person would
(`label_reader`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.taxonomies.label_reader import LabelReader

NOTHING = -1
MOST_DENSE = 1 << 20


@dataclass(frozen=True, eq=False)
class LabelCoverage:
    """Per label of a released column, the codes of the original values it may stand for."""

    name: str
    values: int  # how many the original dictionary has
    covered: tuple[Codes, ...]  # one array of original codes per released code

    @cached_property
    def sizes(self) -> Numbers:
        """Return how many values each label stands for, at least 1."""
        return np.array([max(len(codes), 1) for codes in self.covered], np.float64)

    @property
    def is_cut(self) -> bool:
        """Say whether every value is covered exactly once: the labels are a cut of the taxonomy."""
        times = np.bincount(np.concatenate([np.zeros(0, np.int32), *self.covered]))
        return len(times) == self.values and bool((times == 1).all())

    @cached_property
    def layers(self) -> tuple[Codes, Codes]:
        """Sort the labels into layers, so that within one layer no value is covered twice.

        Returns the layer of each label, and per layer and value the label covering it or NOTHING.
        A column with one level of detail has one layer.
        """
        layer_of = np.zeros(len(self.covered), np.int32)
        layers: list[Codes] = []
        for label, codes in enumerate(self.covered):
            free = next((n for n, layer in enumerate(layers) if (layer[codes] < 0).all()), None)
            if free is None:
                free = len(layers)
                layers.append(np.full(self.values, NOTHING, np.int32))
            layers[free][codes] = label
            layer_of[label] = free
        return layer_of, np.array(layers, np.int32).reshape(-1, self.values)

    @cached_property
    def spread(self) -> Any:
        """Return label × value: the chance of each value if those of a label are equally likely.

        A large matrix is sparse; products work the same way.
        """
        if len(self.covered) * self.values <= MOST_DENSE:
            return self.dense_spread
        from scipy.sparse import csr_array  # heavy, and rarely needed

        lengths = [len(codes) for codes in self.covered]
        chances = np.repeat(1 / self.sizes, lengths)
        values = np.concatenate([np.zeros(0, np.int32), *self.covered])
        shape = (len(self.covered), self.values)
        return csr_array((chances, values, np.cumsum([0, *lengths])), shape=shape)

    @property
    def dense_spread(self) -> Numbers:
        """Return the same as a plain array, whatever its size."""
        spread = np.zeros((len(self.covered), self.values))
        for label, codes in enumerate(self.covered):
            spread[label, codes] = 1 / self.sizes[label]
        return spread


def cover(original: Column, released: Column, taxonomy: Taxonomy | None = None) -> LabelCoverage:
    """Find what every label of a released column stands for in the original one.

    The original may be any column of exact values: also that of an outside table.
    """
    own = {text: code for code, text in enumerate(original.values)}
    known = _labels(taxonomy, own) if taxonomy is not None else {}
    reader = LabelReader(original)
    covered = []
    for label in released.values:
        under = known.get(label)
        covered.append(reader.read(label) if under is None else under)
    return LabelCoverage(original.name, len(original.values), tuple(covered))


def cover_all(
    original: Table, released: Table, names: tuple[str, ...], taxonomies: Mapping[str, Taxonomy]
) -> tuple[LabelCoverage, ...]:
    """Find the coverage of several columns."""
    return tuple(cover(original[name], released[name], taxonomies.get(name)) for name in names)


def _labels(taxonomy: Taxonomy, own: Mapping[str | None, int]) -> dict[str | None, Codes]:
    """Return the codes of the values under each label; one on several levels has all of them."""
    leaves = np.array([own.get(text, NOTHING) for text in taxonomy.labels[0]], np.int32)
    found: dict[str | None, Codes] = {}
    for codes, labels in zip(taxonomy.codes, taxonomy.labels, strict=True):
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(len(labels) + 1))
        for code, label in enumerate(labels):
            under = leaves[order[ends[code] : ends[code + 1]]]
            under, before = under[under >= 0], found.get(label)
            found[label] = under if before is None else np.union1d(before, under).astype(np.int32)
    return found
