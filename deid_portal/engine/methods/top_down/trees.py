"""The trees that are cut: those of given taxonomies, and those that numbers grow as they are cut.

The leaves of a tree stand in an order in which everything beneath a node is side by side, so a node
is a stretch of places and a specialization a list of bounds.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import NUMERIC
from deid_portal.engine.taxonomies import FlatTaxonomy, Recipe, Taxonomy
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

Mask = NDArray[np.bool_]
# Finds where the second part of a stretch of places should begin, but at no refused place; its
# start for nowhere.
FindSplit = Callable[[int, int, Mask], int]


@dataclass(frozen=True, slots=True)
class LabelNode:
    """A label of a tree with the places of the leaves beneath it."""

    label: str | None
    start: int
    stop: int
    number: int  # as in `Taxonomy.nodes`, where there is a taxonomy
    level: int = 0


class Tree(ABC):
    """All ways a column can be shown, from the roots down."""

    places: Codes  # code of a value -> its place among the leaves

    @property
    @abstractmethod
    def leaf_count(self) -> int: ...

    @abstractmethod
    def roots(self) -> list[LabelNode]:
        """Return the topmost cut."""

    @abstractmethod
    def children(self, node: LabelNode) -> list[LabelNode]:
        """Return what a node is specialized into, by place; nothing for a leaf."""

    def refuse(self, children: Sequence[LabelNode]) -> bool:
        """Take note that a specialization was refused; say whether the node may have another."""
        return False


def plant(column: Column, taxonomy: Taxonomy, recipe: Recipe | None, find_split: FindSplit) -> Tree:
    """Return the tree of a column: numbers without a taxonomy of their own grow one."""
    if column.type in NUMERIC and isinstance(recipe, FlatTaxonomy):
        return GrownTree(column, find_split, sum(map(len, taxonomy.labels)))
    return GivenTree(taxonomy, len(column.values))


class GivenTree(Tree):
    """A taxonomy; a label that is repeated on the level below is one node."""

    def __init__(self, taxonomy: Taxonomy, values: int) -> None:
        self._taxonomy = taxonomy
        # Ordered by label, so that the order of the file decides nothing.
        ranks = [
            _ranks(labels)[codes]
            for codes, labels in zip(taxonomy.codes, taxonomy.labels, strict=True)
        ]
        order = np.lexsort(ranks)
        self._codes = taxonomy.codes[:, order]  # level × place
        self._starts = np.cumsum([0, *(len(labels) for labels in taxonomy.labels)])
        self._firsts = _first_places(self._codes)
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        self.places = places[:values]

    @property
    def leaf_count(self) -> int:
        return int(self._codes.shape[1])

    def roots(self) -> list[LabelNode]:
        return self._nodes(self._taxonomy.height, 0, self.leaf_count)

    def children(self, node: LabelNode) -> list[LabelNode]:
        return self._nodes(node.level - 1, node.start, node.stop) if node.level else []

    def _nodes(self, level: int, start: int, stop: int) -> list[LabelNode]:
        """Return the nodes of a level over a stretch of places."""
        firsts = self._firsts[level]
        low, high = np.searchsorted(firsts, (start, stop))
        begins = firsts[low:high].tolist()
        return [
            self._lowest(level, begin, end)
            for begin, end in zip(begins, [*begins[1:], stop], strict=True)
        ]

    def _lowest(self, level: int, start: int, stop: int) -> LabelNode:
        """Return the node at the lowest level at which it has the same label and leaves."""
        label = self._label(level, start)
        while level and self._label(level - 1, start) == label:
            if np.diff(self._firsts[level - 1].searchsorted((start, stop)))[0] > 1:
                break
            level -= 1
        number = int(self._starts[level] + self._codes[level, start])
        return LabelNode(label, start, stop, number, level)

    def _label(self, level: int, place: int) -> str | None:
        return self._taxonomy.labels[level][int(self._codes[level, place])]


class GrownTree(Tree):
    """Numbers: every node is cut in two where that is best, a gap stands apart from the first cut.

    Where the best cut is refused the next best is tried. A place refused once is refused for good,
    also for what lies beneath the node: any cut there makes finer classes than it would have made.

    The outermost ranges are open, `<37` and `≥61`: the lowest and the highest number of a table
    would tell of one person. A stretch of a single number is shown as that number.
    """

    def __init__(self, column: Column, find_split: FindSplit, first_number: int) -> None:
        """Grow from nothing; nodes are numbered from the first number on, after other labels."""
        self._column = column
        self._find_split = find_split
        used = column.counts > 0
        numbers = np.where(used, numbers_of(column), np.nan)
        self._numbers = np.unique(numbers[~np.isnan(numbers)])
        places = np.searchsorted(self._numbers, numbers).astype(np.int32)
        gaps = used & np.isnan(numbers)
        self.places = np.where(gaps, len(self._numbers), np.where(used, places, 0)).astype(np.int32)
        self._gaps = int(gaps.any())
        self._texts = self._write_numbers(used)
        self._refused = np.zeros(len(self._numbers) + 1, np.bool_)
        self._next_number = first_number

    @property
    def leaf_count(self) -> int:
        return len(self._numbers) + self._gaps

    def roots(self) -> list[LabelNode]:
        return [self._grow(ROOT_LABEL, 0, self.leaf_count)]

    def children(self, node: LabelNode) -> list[LabelNode]:
        stop = min(node.stop, len(self._numbers))  # of the numbers
        if node.start >= stop or (node.label != ROOT_LABEL and stop - node.start < 2):
            return []
        bounds = self._bounds(node.start, stop)
        if not bounds:
            return []
        below = [self._grow(self._label(*pair), *pair) for pair in bounds]
        if node.stop > stop:
            below.append(self._grow(None, stop, node.stop))
        return below

    def refuse(self, children: Sequence[LabelNode]) -> bool:
        middle = children[0].stop
        self._refused[middle] = True
        return middle < len(self._numbers)

    def _bounds(self, start: int, stop: int) -> list[tuple[int, int]]:
        if stop - start == 1:
            return [(start, stop)]
        middle = self._find_split(start, stop, self._refused)
        return [(start, middle), (middle, stop)] if middle > start else []

    def _grow(self, label: str | None, start: int, stop: int) -> LabelNode:
        self._next_number += 1
        return LabelNode(label, start, stop, self._next_number - 1)

    def _label(self, start: int, stop: int) -> str:
        if stop - start == 1:
            return self._texts[start]
        if start == 0:
            return f"<{write_bound(self._numbers[stop])}"
        if stop == len(self._numbers):
            return f"≥{write_bound(self._numbers[start])}"
        return f"[{write_bound(self._numbers[start])}, {write_bound(self._numbers[stop])})"

    def _write_numbers(self, used: NDArray[np.bool_]) -> list[str]:
        """Return each number as the table writes it, the shortest way if it has several."""
        texts = [""] * len(self._numbers)
        for code in np.flatnonzero(used).tolist():
            text, place = self._column.values[code], int(self.places[code])
            if text is not None and place < len(texts):
                before = texts[place]
                texts[place] = (
                    min(before, text, key=lambda own: (len(own), own)) if before else text
                )
        return texts


def write_bound(number: float) -> str:
    """Return a bound of a range as labels are read: plain digits, a point before decimals."""
    return f"{int(number)}" if number == int(number) else np.format_float_positional(number)


def _ranks(labels: Sequence[str | None]) -> Codes:
    order = sorted(range(len(labels)), key=lambda code: (labels[code] is not None, labels[code]))
    ranks = np.empty(len(labels), np.int32)
    ranks[order] = np.arange(len(labels), dtype=np.int32)
    return ranks


def _first_places(codes: Codes) -> list[NDArray[np.intp]]:
    """Return, per level, the places at which another label begins, there or on a level above."""
    begins = np.zeros(codes.shape[1], np.bool_)
    begins[:1] = True
    firsts: list[NDArray[np.intp]] = []
    for level in codes[::-1]:
        begins[1:] |= level[1:] != level[:-1]
        firsts.append(np.flatnonzero(begins))
    return firsts[::-1]
