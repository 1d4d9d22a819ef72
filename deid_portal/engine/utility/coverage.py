"""Which original values a released label may stand for.

A taxonomy answers where there is one. Without it the label is read as people read it: `476**`
stands for every text with these first characters, `[20, 30)`, `20-29`, `<30`, `≥40` for numbers.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL
from deid_portal.engine.values import is_number

Numbers = NDArray[np.float64]
NUMBER = r"[+-]?\d+(?:\.\d+)?"
INTERVAL = re.compile(
    rf"(?P<open>[\[(\]])?\s*(?P<low>{NUMBER})\s*(?:,|;|-|–|\.\.)\s*(?P<high>{NUMBER})\s*(?P<close>[\])\[])?\Z"
)
COMPARISON = re.compile(rf"(?P<sign><=|>=|<|>|≤|≥)\s*(?P<bound>{NUMBER})\Z")
COMPARE: Mapping[str, Callable[[Numbers, float], NDArray[np.bool_]]] = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    "≤": np.less_equal,
    ">=": np.greater_equal,
    "≥": np.greater_equal,
}
NOTHING = -1


@dataclass(frozen=True, eq=False)
class Coverage:
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
        """Say whether every value is covered exactly once: the labels cut across the taxonomy."""
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
        """Return label × value, sparse: each value's chance if all a label covers are alike."""
        from scipy.sparse import csr_array

        lengths = [len(codes) for codes in self.covered]
        chances = np.repeat(1 / self.sizes, lengths)
        values = np.concatenate([np.zeros(0, np.int32), *self.covered])
        shape = (len(self.covered), self.values)
        return csr_array((chances, values, np.cumsum([0, *lengths])), shape=shape)


def cover(original: Column, released: Column, taxonomy: Taxonomy | None = None) -> Coverage:
    """Find what every label of a released column stands for in the original one.

    The original may be any column of exact values: also that of an outside table.
    """
    own = {text: code for code, text in enumerate(original.values)}
    known = _labels(taxonomy, own) if taxonomy is not None else {}
    numbers, masks = read_numbers(original), _Masks(original)
    covered = []
    for label in released.values:
        under = known.get(label)
        codes = _read_label(label, original, own, numbers, masks) if under is None else under
        covered.append(np.asarray(codes, dtype=np.int32))
    return Coverage(original.name, len(original.values), tuple(covered))


def cover_all(
    original: Table, released: Table, names: tuple[str, ...], taxonomies: Mapping[str, Taxonomy]
) -> tuple[Coverage, ...]:
    """Find the coverage of several columns."""
    return tuple(cover(original[name], released[name], taxonomies.get(name)) for name in names)


def read_numbers(column: Column) -> Numbers:
    """Return the number of each value of a column, NaN where it is none."""
    return np.array(
        [
            float(text.replace(",", ".")) if text and is_number(text, column.decimal) else np.nan
            for text in column.values
        ],
        np.float64,
    )


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


def _read_label(
    label: str | None,
    original: Column,
    own: Mapping[str | None, int],
    numbers: Numbers,
    masks: "_Masks",
) -> list[int] | Codes:
    if label in own:
        return [own[label]]
    if label is None:
        return []
    if label == ROOT_LABEL:
        return np.arange(len(original.values), dtype=np.int32)
    inside = _read_interval(label, numbers)
    if inside is not None:
        return np.flatnonzero(inside).astype(np.int32)
    return masks.find(label)


def _read_interval(label: str, numbers: Numbers) -> NDArray[np.bool_] | None:
    comparison = COMPARISON.match(label)
    if comparison:
        return COMPARE[comparison["sign"]](numbers, float(comparison["bound"]))
    interval = INTERVAL.match(label)
    if not interval:
        return None
    low, high = float(interval["low"]), float(interval["high"])
    above = numbers > low if interval["open"] in ("(", "]") else numbers >= low
    below = numbers < high if interval["close"] in (")", "[") else numbers <= high
    return above & below


class _Masks:
    """Finds the texts behind a mask; texts are hidden once per place of the stars."""

    def __init__(self, column: Column) -> None:
        self._values = column.values
        self._by_shape: dict[tuple[int, ...], dict[str, list[int]]] = {}

    def find(self, label: str) -> list[int]:
        """Read stars as one hidden character each; a text without any stands only for itself."""
        stars = tuple(place for place, sign in enumerate(label) if sign == "*")
        if not stars:
            return []
        shape = (len(label), *stars)
        if shape not in self._by_shape:
            self._by_shape[shape] = self._hide(len(label), stars)
        return self._by_shape[shape].get(label, [])

    def _hide(self, length: int, stars: tuple[int, ...]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for code, text in enumerate(self._values):
            if text is not None and len(text) == length:
                signs = list(text)
                for place in stars:
                    signs[place] = "*"
                found.setdefault("".join(signs), []).append(code)
        return found
