"""Distances of people from the records of a release.

A column is a tree whose leaves are its values, 1 apart at most. Numbers and dates are as far apart
as their difference, divided by the range of the column; other values as the level of the lowest
label they share, divided by the height of the taxonomy. A gap is 1 away from everything else.

A label is equally far from all values under it: half the distance of the two that are furthest
apart. A cell that is hidden altogether is 0.5 away from everybody. A range is placed in the middle
of the values within it, an average or a number with noise at its own value, and a word that no
original record has is 1 away from everybody. The distance of a record is that of all its cells
together (J. Gower, A general coefficient of similarity and some of its properties, Biometrics
27(4), 1971, without dividing by the number of columns).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.privacy.distance_kernels import (
    BOTH,
    GAP,
    NOWHERE,
    NUMBERS,
    TREE,
    count_near,
    find_shared,
)
from deid_portal.engine.table.numbers import positions_of
from deid_portal.engine.table.patterns import Classes, Patterns
from deid_portal.engine.table.table import Codes, Column, Counts
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.taxonomies.label_reader import LabelReader

Numbers = NDArray[np.float64]
ORDERED = (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE)


@dataclass(frozen=True, eq=False)
class LabelPositions:
    """The position of every label of a column, by its number (`Taxonomy.nodes`)."""

    kinds: NDArray[np.int8]
    halves: Numbers  # how far it is from the values under it
    centers: Numbers  # of numbers
    levels: Codes
    leaves: Codes  # one value under it

    def followed_by(self, others: "LabelPositions") -> "LabelPositions":
        return LabelPositions(
            np.concatenate([self.kinds, others.kinds]),
            np.concatenate([self.halves, others.halves]),
            np.concatenate([self.centers, others.centers]),
            np.concatenate([self.levels, others.levels]),
            np.concatenate([self.leaves, others.leaves]),
        )


class Distances:
    """The people of a table, ready to be counted around any class of a release."""

    def __init__(
        self, columns: Sequence[Column], taxonomies: Sequence[Taxonomy], patterns: Patterns
    ) -> None:
        # Columns of few values first: then many people share leading columns and are skipped
        # together.
        self._order = sorted(range(len(columns)), key=lambda column: len(columns[column].values))
        columns = [columns[column] for column in self._order]
        taxonomies = [taxonomies[column] for column in self._order]
        codes = patterns.codes[self._order]
        by_codes = np.lexsort(codes[::-1])
        self._people = np.ascontiguousarray(codes[:, by_codes].T)
        self._counts = patterns.counts[by_codes]
        self._shared, self._skip = find_shared(self._people)
        pairs = list(zip(columns, taxonomies, strict=True))
        self._columns, self._taxonomies = columns, taxonomies
        positions = [_positions(column, column) for column in columns]
        self._labels = [
            _place_labels(taxonomy, places)
            for taxonomy, places in zip(taxonomies, positions, strict=True)
        ]
        above = [taxonomy.codes[:, : len(column.values)].reshape(-1) for column, taxonomy in pairs]
        self._above = np.concatenate([np.zeros(0, np.int32), *above])
        self._positions = np.concatenate([np.zeros(0), *positions])
        self._starts = np.array([_starts(above), _starts(positions)], np.int64).T.copy()
        self._sizes = np.array(
            [[len(column.values), own.height, _top(own)] for column, own in pairs], np.int64
        ).reshape(len(pairs), 3)

    def count_near(
        self, classes: Classes, stretch: float, enough: int, *, only_fewest: bool = False
    ) -> Counts:
        """Count, per class, the people up to `stretch` times as far as the nearest one.

        Counts stop at `enough`; with `only_fewest` only the smallest one is exact.
        """
        shown, strangers = classes.labels[self._order], classes.view and classes.view.strangers
        columns = [
            (self._labels_with(place, strangers[column] if strangers else ()), shown[place])
            for place, column in enumerate(self._order)
        ]
        return count_near(
            self._people,
            self._counts,
            self._shared,
            self._skip,
            self._above,
            self._positions,
            self._starts,
            self._sizes,
            np.stack([own.kinds[shown] for own, shown in columns], axis=1),
            np.stack([own.halves[shown] for own, shown in columns], axis=1),
            np.stack([own.centers[shown] for own, shown in columns], axis=1),
            np.stack([own.levels[shown] for own, shown in columns], axis=1),
            np.stack([own.leaves[shown] for own, shown in columns], axis=1),
            float(stretch),
            int(enough),
            only_fewest,
        )

    def _labels_with(self, place: int, strangers: Sequence[str | None]) -> LabelPositions:
        """Return the labels of a column, those that its taxonomy does not have at the end."""
        own = self._labels[place]
        if not strangers:
            return own
        column, taxonomy = self._columns[place], self._taxonomies[place]
        return own.followed_by(_place_strangers(column, taxonomy, strangers))


def _starts(parts: Sequence[NDArray[Any]]) -> list[int]:
    return [0, *accumulate(len(part) for part in parts)][:-1]


def _top(taxonomy: Taxonomy) -> int:
    """Return the level of the root; several tops are read as if they stood under one."""
    has_root = taxonomy.height and len(taxonomy.labels[-1]) == 1
    return taxonomy.height if has_root else taxonomy.height + 1


def _positions(column: Column, scale: Column) -> Numbers:
    """Return each value of an ordered column on a scale on which another's are from 0 to 1.

    NaN for the gap, and for all values of a column without order.
    """
    if scale.type not in ORDERED:
        return np.full(len(column.values), np.nan)
    places, known = positions_of(column), positions_of(scale)
    if np.isnan(known).all():
        return places
    lowest = float(np.nanmin(known))
    between: Numbers = (places - lowest) / ((float(np.nanmax(known)) - lowest) or 1.0)
    return between


def _place_labels(taxonomy: Taxonomy, positions: Numbers) -> LabelPositions:
    """Place every label over the values of the column that stand under it."""
    is_ordered = not np.isnan(positions).all()
    place = _place_over_numbers if is_ordered else _place_in_tree
    parts = [place(taxonomy, level, positions) for level in range(taxonomy.height + 1)]
    kinds, halves, centers = (np.concatenate(part) for part in zip(*parts, strict=True))
    counts = [len(labels) for labels in taxonomy.labels]
    leaves = np.zeros(sum(counts), np.int32)
    own = len(positions)
    for nodes in taxonomy.nodes:
        leaves[nodes[:own]] = np.arange(own, dtype=np.int32)
    levels = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return LabelPositions(kinds, halves, centers, levels, leaves)


def _place_over_numbers(
    taxonomy: Taxonomy, level: int, positions: Numbers
) -> tuple[NDArray[np.int8], Numbers, Numbers]:
    """Place the labels of a level in the middle of their smallest and largest number."""
    count = len(taxonomy.labels[level])
    codes = taxonomy.codes[level, : len(positions)]
    gaps = np.isnan(positions)
    lowest, highest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(lowest, codes[~gaps], positions[~gaps])
    np.maximum.at(highest, codes[~gaps], positions[~gaps])
    has_gap, has_number = np.zeros(count, np.bool_), lowest <= highest
    has_gap[codes[gaps]] = True
    kinds = np.where(has_gap, np.where(has_number, BOTH, GAP), NUMBERS).astype(np.int8)
    spread = np.where(has_number, highest - lowest, 0.0)
    halves = np.where(kinds == BOTH, 0.5, spread / 2)
    return kinds, halves, np.where(has_number, lowest, 0.0) + spread / 2


def _place_in_tree(
    taxonomy: Taxonomy, level: int, positions: Numbers
) -> tuple[NDArray[np.int8], Numbers, Numbers]:
    """Place the labels of a level at half the height at which their values first meet."""
    count = len(taxonomy.labels[level])
    own = len(positions)
    meets = np.full(count, level)
    for lower in range(level - 1, -1, -1):
        inside = np.unique(
            np.stack([taxonomy.codes[level, :own], taxonomy.codes[lower, :own]]), axis=1
        )
        parts = np.bincount(inside[0], minlength=count)
        meets = np.where(parts <= 1, lower, meets)
    return np.full(count, TREE, np.int8), meets / (2 * _top(taxonomy)), np.zeros(count)


def _place_strangers(
    column: Column, taxonomy: Taxonomy, strangers: Sequence[str | None]
) -> LabelPositions:
    """Place labels that the taxonomy does not have: over the values they may stand for."""
    reader = LabelReader(column)
    positions = _positions(column, column)
    nothing = np.zeros(0, np.int32)
    made_up = Column(column.name, column.type, nothing, tuple(strangers), column.decimal)
    own = _positions(made_up, column)
    count = len(strangers)
    placed = LabelPositions(
        np.full(count, NOWHERE, np.int8),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
    )
    for number, text in enumerate(strangers):
        values = reader.read(text)
        places = positions[values] if len(values) else own[[number]]
        if not np.isnan(places).any():
            placed.kinds[number] = NUMBERS
            placed.halves[number] = (places.max() - places.min()) / 2
            placed.centers[number] = (places.max() + places.min()) / 2
        elif len(values):
            meets = next(
                (level for level, codes in enumerate(taxonomy.codes) if not np.ptp(codes[values])),
                _top(taxonomy),
            )
            placed.kinds[number] = TREE
            placed.halves[number] = meets / (2 * _top(taxonomy))
            placed.levels[number] = meets
            placed.leaves[number] = values[0]
    return placed
