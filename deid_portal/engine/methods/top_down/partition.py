"""The classes of a table while its cuts move down; a split changes only the classes concerned."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.methods.top_down import cut_kernels
from deid_portal.engine.methods.top_down.scores import Entries
from deid_portal.engine.table.table import Codes, Counts

FIRST_CAPACITY = 1024
NOWHERE = -1  # the position of a node nobody is under
NO_COLUMN = -1
Number = TypeVar("Number", np.int32, np.int64)


@dataclass(frozen=True, eq=False)
class Cells:
    """How a specialization would divide the classes it touches.

    A cell is the part of one class that goes to one child of the node.
    """

    column: int
    patterns: Codes  # of the touched classes, those of a cell side by side
    starts: Counts  # where each cell starts there, and where the last one stops
    classes: Counts  # the class each cell is part of
    children: Codes  # one per cell
    sizes: Counts  # records per cell
    records: Counts  # per child

    def tally(self, entries: Entries) -> Entries:
        """Add up what is counted per pattern: how often each value occurs in each cell."""
        return Entries(
            *cut_kernels.tally_cells(
                self.patterns,
                self.starts,
                entries.starts,
                entries.values,
                entries.counts,
                entries.different,
            ),
            entries.different,
        )


class ClassPartition:
    """Patterns grouped into classes by what each column shows.

    A column shows one position per node of its cut that has records; positions are numbered from 0
    without holes. Patterns of a class stand side by side in one long order.
    """

    def __init__(self, places: Codes, weights: Counts) -> None:
        columns, patterns = places.shape
        self.weights = weights
        self.count = 1 if patterns else 0  # classes
        self.shown = [1] * columns  # positions in use, per column
        self._places = np.ascontiguousarray(places)  # column × pattern
        self._order = np.arange(patterns, dtype=np.int32)
        self._starts: Counts = np.zeros(FIRST_CAPACITY, np.int64)
        self._stops: Counts = np.zeros(FIRST_CAPACITY, np.int64)
        self._sizes: Counts = np.zeros(FIRST_CAPACITY, np.int64)
        self._positions: Codes = np.zeros((columns, FIRST_CAPACITY), np.int32)
        self._squares: Counts = np.zeros((columns, FIRST_CAPACITY), np.int64)
        self._stops[0] = patterns
        self._sizes[0] = weights.sum()
        self._squares[:, 0] = self._sizes[0] ** 2

    @property
    def positions(self) -> Codes:
        """Return what each class shows: column × class."""
        return self._positions[:, : self.count]

    @property
    def sizes(self) -> Counts:
        return self._sizes[: self.count]

    def squares(self, column: int, position: int) -> int:
        """Return the sum of the squared sizes of the classes that show a node."""
        return int(self._squares[column, position])

    def split(
        self, column: int, position: int, first: int, child_of: Codes, children: int
    ) -> Cells:
        """Return how distinguishing the children of a node would divide its classes.

        `child_of` holds the child of each leaf from the place `first` on.
        """
        touched = np.flatnonzero(self.positions[column] == position)
        patterns, starts, classes, own, sizes = cut_kernels.split_classes(
            touched,
            self._starts,
            self._stops,
            self._order,
            self._places[column],
            first,
            child_of,
            children,
            self.weights,
        )
        records = np.bincount(own, sizes, children).astype(np.int64)
        return Cells(column, patterns, starts, classes, own, sizes, records)

    def everything(self) -> Cells:
        """Return all classes as the cells of a specialization of no column."""
        order = np.argsort(self._starts[: self.count])
        return Cells(
            column=NO_COLUMN,
            patterns=self._order,
            starts=np.append(self._starts[order], len(self._order)),
            classes=order,
            children=np.zeros(self.count, np.int32),
            sizes=self.sizes[order],
            records=self.sizes.sum(keepdims=True),
        )

    def apply(self, cells: Cells, position: int) -> NDArray[np.int32]:
        """Make the cells classes; return the position of each child, NOWHERE without records."""
        column = cells.column
        present = np.flatnonzero(cells.records)
        position_of = np.full(len(cells.records), NOWHERE, np.int32)
        fresh = self.shown[column] + np.arange(len(present) - 1)
        position_of[present] = np.concatenate([[position], fresh])
        self._make_room(self.count + len(cells.sizes), self.shown[column] + len(present))
        self._squares[column, position] = 0
        self.shown[column] += len(present) - 1
        self.count = cut_kernels.apply_cells(
            column,
            cells.patterns,
            cells.starts,
            cells.classes,
            cells.children,
            cells.sizes,
            position_of,
            self._order,
            self._starts,
            self._stops,
            self._sizes,
            self._positions,
            self._squares,
            self.count,
        )
        return position_of

    def _make_room(self, classes: int, positions: int) -> None:
        if classes > len(self._starts):
            capacity = 2 * classes
            self._starts = _lengthen(self._starts, capacity)
            self._stops = _lengthen(self._stops, capacity)
            self._sizes = _lengthen(self._sizes, capacity)
            self._positions = _lengthen(self._positions, capacity)
        if positions > self._squares.shape[1]:
            self._squares = _lengthen(self._squares, 2 * positions)


def _lengthen(array: NDArray[Number], length: int) -> NDArray[Number]:
    longer = np.zeros((*array.shape[:-1], length), array.dtype)
    longer[..., : array.shape[-1]] = array
    return longer
