"""A quasi-identifier as an axis: the order of its values, possible cuts, and labels of parts.

Numbers and dates stand by size and may be cut anywhere. Values with a taxonomy stand in the order
of its tree, so that everything under a label stands side by side, and are cut into the children of
a label. A gap is a place of its own: the first of an ordered axis, or where the taxonomy has it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.numbers import Numbers, positions_of
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import FlatTaxonomy, MaskTaxonomy, Recipe, Taxonomy
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

QUANTITIES = (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE)
LONGEST_SET = 50  # values; a label that lists more is of no use to anybody


class Axis(ABC):
    """The values of one column that occur, each at a place."""

    places: Codes  # code -> place; meaningless for values that do not occur
    is_tree: ClassVar[bool]

    @property
    @abstractmethod
    def length(self) -> int:
        """Return how many places there are."""

    @property
    @abstractmethod
    def spots(self) -> Numbers:
        """Return where each place stands between 0 and 1; of a tree, what each label loses."""

    @property
    @abstractmethod
    def nodes(self) -> Codes:
        """Return the number of each place's label, level × place; none for an ordered axis."""

    @property
    def has_gap(self) -> bool:
        """Say whether the first place is a gap that no range may include."""
        return False

    @abstractmethod
    def label(self, low: int, high: int) -> str | None:
        """Return what a part between two places shows."""


@dataclass(frozen=True, eq=False)
class OrderedAxis(Axis):
    """Values in order, the gap before all.

    A part shows a range `[low, high]`, or the values themselves where they are words. A part with
    gaps and values shows neither: only the root may stand for a gap too.
    """

    places: Codes
    texts: tuple[str | None, ...]  # one per place
    distances: Numbers  # place -> 0..1
    has_range: bool  # or the values are listed

    is_tree: ClassVar[bool] = False

    @classmethod
    def of(cls, column: Column) -> "OrderedAxis | None":
        """Return the axis of a column, or None if its values have no order."""
        positions = positions_of(column)
        used = np.flatnonzero(column.counts)
        values = [code for code in used.tolist() if code != column.gap]
        if np.isnan(positions[values]).any():
            return None
        spots, inverse = np.unique(positions[values], return_inverse=True)
        with_gap = len(values) < len(used)
        places = np.zeros(len(column.values), np.int32)
        places[values] = inverse + with_gap
        range_of = max(float(spots[-1] - spots[0]), 1e-300) if len(spots) else 1.0
        distances = (spots - spots[:1]) / range_of
        texts = _shortest_texts([column.values[code] or "" for code in values], inverse)
        return cls(
            places,
            (None, *texts) if with_gap else tuple(texts),
            np.concatenate([np.zeros(int(with_gap)), distances]),
            column.type in QUANTITIES,
        )

    @property
    def length(self) -> int:
        return len(self.texts)

    @property
    def spots(self) -> Numbers:
        return self.distances

    @property
    def nodes(self) -> Codes:
        return np.zeros((0, self.length), np.int32)

    @property
    def has_gap(self) -> bool:
        return self.texts[:1] == (None,)

    def label(self, low: int, high: int) -> str | None:
        if low == high:
            return self.texts[low]
        if self.has_gap and low == 0:
            return ROOT_LABEL
        if self.has_range:
            return f"[{self.texts[low]}, {self.texts[high]}]"
        if low == int(self.has_gap) and high == self.length - 1:
            return ROOT_LABEL
        return f"{{{', '.join(str(text) for text in self.texts[low : high + 1])}}}"


@dataclass(frozen=True, eq=False)
class TreeAxis(Axis):
    """Values in the order of their taxonomy; a part shows the lowest label above all of it.

    A label is told from others by its whole way to the root. A taxonomy with several tops is read
    as if they stood under one root.
    """

    places: Codes
    paths: Codes  # level × place: the taxonomy's code there
    lost: Numbers  # level × place: share of detail lost
    numbers: Codes  # level × place: number of the label
    taxonomy: Taxonomy

    is_tree: ClassVar[bool] = True

    @classmethod
    def of(cls, column: Column, taxonomy: Taxonomy) -> "TreeAxis":
        used = np.flatnonzero(column.counts)
        order = used[np.lexsort(taxonomy.codes[:, used])]
        places = np.zeros(len(column.values), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        paths = np.ascontiguousarray(taxonomy.codes[:, order])
        lost = np.array([taxonomy.lost_share(level)[order] for level in range(len(paths))])
        if len(taxonomy.labels[-1]) > 1 or taxonomy.height == 0:
            paths = np.concatenate([paths, np.zeros((1, len(order)), np.int32)])
            lost = np.concatenate([lost, np.ones((1, len(order)))])
        return cls(places, paths, lost, _number_ways(paths), taxonomy)

    @property
    def length(self) -> int:
        return int(self.paths.shape[1])

    @property
    def spots(self) -> Numbers:
        return self.lost.reshape(-1)

    @property
    def nodes(self) -> Codes:
        return self.numbers

    def label(self, low: int, high: int) -> str | None:
        level = int(np.argmax(self.numbers[:, low] == self.numbers[:, high]))
        if level > self.taxonomy.height:
            return ROOT_LABEL
        return self.taxonomy.labels[level][int(self.paths[level, low])]


def axis_of(column: Column, taxonomy: Taxonomy, recipe: Recipe | None) -> Axis:
    """Choose how a column is cut.

    Numbers and dates are cut by size, unless their taxonomy hides digits: then they are codes and
    not quantities. Without a taxonomy words are cut by the alphabet, if they are few.
    """
    by_size = column.type in QUANTITIES and not isinstance(recipe, MaskTaxonomy)
    few = int((column.counts > 0).sum()) <= LONGEST_SET
    if by_size or (isinstance(recipe, FlatTaxonomy) and few):
        ordered = OrderedAxis.of(column)
        if ordered is not None:
            return ordered
    return TreeAxis.of(column, taxonomy)


def _shortest_texts(texts: Sequence[str], places: NDArray[np.intp]) -> list[str]:
    """Return one text per place; of several ways to write a number, the shortest."""
    chosen: dict[int, str] = {}
    for text, place in zip(texts, places.tolist(), strict=True):
        chosen[place] = min(chosen.get(place, text), text, key=lambda way: (len(way), way))
    return [chosen[place] for place in range(len(chosen))]


def _number_ways(paths: Codes) -> Codes:
    """Number the labels of each level from left to right by their ways to the root."""
    differs = np.zeros(paths.shape, np.bool_)
    differs[:, 1:] = np.diff(paths, axis=1) != 0
    from_here_up = np.logical_or.accumulate(differs[::-1], axis=0)[::-1]
    return np.cumsum(from_here_up, axis=1, dtype=np.int32)
