"""What makes one specialization better than another."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled import kernels
from deid_portal.engine.methods.top_down import cut_kernels
from deid_portal.engine.table.table import Codes, Column, Counts

Bounds = NDArray[np.int64]
Mask = NDArray[np.bool_]
TOLERANCE = 1e-10  # gains nearer to each other than this are a tie
LARGEST_MATRIX = 1 << 24


@dataclass(frozen=True, eq=False)
class Entries:
    """Counts of values per leaf or pattern, those of one side by side."""

    starts: Counts  # one per leaf and one more
    values: Codes
    counts: Counts
    different: int  # values there can be

    @classmethod
    def of_pairs(
        cls, groups: Codes, values: Codes, counts: Counts, size: int, different: int
    ) -> "Entries":
        """Sort pairs of group and value into entries; no pair stands twice."""
        order = np.lexsort((values, groups))
        starts = np.zeros(size + 1, np.int64)
        np.cumsum(np.bincount(groups, minlength=size), out=starts[1:])
        return cls(starts, values[order], counts[order], different)


class Score(ABC):
    """Ranks candidates: higher is better."""

    # Whether the score of a candidate can fall while others are specialized.
    falls: bool

    @abstractmethod
    def find_split(self, column: int, start: int, stop: int, least: int, refused: Mask) -> int:
        """Return where to cut a stretch of numbers in two; its start if it cannot be.

        Both parts have at least so many records, and the second begins at no refused place.
        """

    @abstractmethod
    def score(self, column: int, bounds: Bounds, squares: int) -> float:
        """Return the score of cutting a node at these bounds.

        `squares` is the sum of the squared sizes of the classes that show the node now.
        """


class GainScore(Score):
    """Information gain about a class column; it depends on nothing but the node itself.

    N. Mohammed, B. Fung, P. Hung and C. Lee, Anonymizing healthcare data, KDD 2009.
    """

    falls = False

    def __init__(self, columns: Sequence[tuple[Column, Codes, int]], target: Column) -> None:
        """Count classes per leaf; `columns` holds each column, its places and how many leaves."""
        used = np.flatnonzero(target.counts)
        ranks = np.zeros(len(target.values), np.int32)
        ranks[sorted(used.tolist(), key=target.sort_key)] = np.arange(len(used), dtype=np.int32)
        classes = ranks[target.codes]
        self._entries = [
            _cross(places[column.codes], leaves, classes, len(used))
            for column, places, leaves in columns
        ]

    def find_split(self, column: int, start: int, stop: int, least: int, refused: Mask) -> int:
        own = self._entries[column]
        return cut_kernels.best_gain_split(
            start,
            stop,
            least,
            refused,
            TOLERANCE,
            own.starts,
            own.values,
            own.counts,
            own.different,
        )

    def score(self, column: int, bounds: Bounds, squares: int) -> float:
        own = self._entries[column]
        return cut_kernels.gain_of_parts(bounds, own.starts, own.values, own.counts, own.different)


class SquareScore(Score):
    """Discernibility: the most is won where the largest classes are taken apart.

    The score of a node is the sum of the squared sizes of the classes that show it. Numbers are cut
    so that both halves are most alike in size.
    """

    falls = True

    def __init__(self, columns: Sequence[tuple[Column, Codes, int]]) -> None:
        self._counts = [
            kernels.sum_by_number(places, column.counts, leaves)
            for column, places, leaves in columns
        ]

    def find_split(self, column: int, start: int, stop: int, least: int, refused: Mask) -> int:
        return cut_kernels.most_even_split(start, stop, least, refused, self._counts[column])

    def score(self, column: int, bounds: Bounds, squares: int) -> float:
        return float(squares)


def _cross(leaf_of_row: Codes, leaves: int, class_of_row: Codes, classes: int) -> Entries:
    """Count the rows per leaf and class."""
    if leaves * classes <= LARGEST_MATRIX:
        keys = leaf_of_row.astype(np.int64) * classes + class_of_row
        counts = np.bincount(keys, minlength=leaves * classes)
        found = np.flatnonzero(counts)
        groups, values = np.divmod(found, max(classes, 1))
        return Entries.of_pairs(
            groups.astype(np.int32),
            values.astype(np.int32),
            counts[found].astype(np.int64),
            leaves,
            classes,
        )
    ones = np.ones(len(leaf_of_row), np.int64)
    same = np.arange(leaves, dtype=np.int32)
    pairs = kernels.join_pairs(leaf_of_row, class_of_row, ones, same)
    return Entries.of_pairs(*pairs, leaves, classes)
