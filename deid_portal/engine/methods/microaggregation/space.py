"""Columns as coordinates: the distance of two records, for cells of any kind.

Numbers and dates count by their difference. Categories with an order count by the steps between
them, all others by the level of the first label they have in common in their taxonomy; without a
taxonomy they are the same or not. If all columns are numbers, each is divided by its standard
deviation, unless they share a unit; if not, each distance is brought to the range from 0 to 1
(Gower, 1971).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.methods.microaggregation.kernels import (
    GAP,
    NUMBER,
    ORDERED,
    TREE,
    Numbers,
    Space,
)
from deid_portal.engine.table.numbers import check_squares, days_of, numbers_of, positions_of
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Recipe, Taxonomy

WITH_DIGITS = (ColumnType.INTEGER, ColumnType.NUMBER)


@dataclass(frozen=True, eq=False)
class Attribute:
    """One column with the place of each of its values."""

    column: Column
    kind: int
    places: Numbers  # per code: a number, a rank, or a leaf in the order of the tree
    levels: Codes | None = None  # of a taxonomy: level × leaf -> label
    weight: float = 1.0

    @property
    def height(self) -> int:
        return 0 if self.levels is None else len(self.levels)

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Return which records have a gap."""
        gaps = self.places == GAP
        if self.column.gap is not None:
            gaps[self.column.gap] = True  # a leaf like any other in a taxonomy
        return np.asarray(gaps[self.column.codes])


def describe(
    column: Column, recipe: Recipe | None, *, is_ordered: bool = False, weight: float = 1.0
) -> Attribute:
    """Define the distances between the values of a column.

    Values whose digits are masked one by one are not numbers: a mean of postal codes has no
    meaning.
    """
    if is_ordered:
        return Attribute(column, ORDERED, _ranks(column, recipe), weight=weight)
    is_masked = recipe is not None and recipe.kind == "mask"
    if column.type in WITH_DIGITS and not is_masked:
        numbers = numbers_of(column)
        check_squares(column, numbers)
        return Attribute(column, NUMBER, _without_gap(numbers), weight=weight)
    if column.type == ColumnType.DATE:
        return Attribute(column, NUMBER, _without_gap(days_of(column)), weight=weight)
    levels = _levels(column, recipe)
    order = np.lexsort(levels)
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    return Attribute(column, TREE, places, np.ascontiguousarray(levels[:-1, order]), weight)


def lay_out_records(
    attributes: Sequence[Attribute], *, scaled: bool = True
) -> tuple[Space, Numbers]:
    """Return the space of these columns, and the coordinates of each record: column × record.

    Numbers that are not to be scaled stay what they are, unless there are categories beside them.
    """
    all_numbers = all(attribute.kind == NUMBER for attribute in attributes)
    rows = len(attributes[0].column.codes)
    points = np.empty((len(attributes), rows))
    weights, caps = np.ones(len(attributes)), np.full(len(attributes), np.inf)
    for index, attribute in enumerate(attributes):
        places, most = attribute.places, 1.0
        weights[index] = attribute.weight**2
        if attribute.kind == NUMBER:
            places, most = _scaled(attribute, all_numbers, scaled)
        elif attribute.kind == ORDERED:
            most = max(float(attribute.places.max(initial=0, where=attribute.places < GAP)), 1.0)
            weights[index] /= most**2
        if attribute.kind != TREE and attribute.column.missing:
            caps[index] = most**2 * weights[index]
        points[index] = places[attribute.column.codes]
    sizes = [0 if attribute.kind == NUMBER else len(attribute.places) for attribute in attributes]
    tables = [
        _ancestors(attribute, size) for attribute, size in zip(attributes, sizes, strict=True)
    ]
    space = Space(
        np.array([attribute.kind for attribute in attributes], np.int64),
        weights,
        caps,
        np.array(sizes, np.int64),
        np.array([attribute.height for attribute in attributes], np.int64),
        np.cumsum([0, *(len(table) for table in tables)], dtype=np.int64)[:-1],
        np.concatenate(tables),
    )
    return space, points


def _scaled(attribute: Attribute, all_numbers: bool, scaled: bool) -> tuple[Numbers, float]:
    """Return numbers in standard deviations or shares of their range, and how far they reach."""
    numbers = attribute.places[attribute.column.codes]
    numbers = numbers[numbers < GAP]
    if not len(numbers):
        return attribute.places, 1.0
    reach = float(np.ptp(numbers))
    if all_numbers and not scaled:
        return attribute.places, reach or 1.0
    unit = float(numbers.std()) if all_numbers else reach
    if not unit > 0:
        unit = 1.0
    return (attribute.places - numbers.mean()) / unit, reach / unit or 1.0


def _ancestors(attribute: Attribute, size: int) -> Codes:
    """Return the label of each leaf, level after level; for ranks, unused entries."""
    if attribute.levels is None:
        return np.zeros(size, np.int32)
    return attribute.levels.reshape(-1)


def _levels(column: Column, recipe: Recipe | None) -> Codes:
    """Return level × value, the root last; labels of a level are numbered from 0."""
    taxonomy = _taxonomy(column, recipe)
    if taxonomy is None or taxonomy.height == 0:
        count = len(column.values)
        return np.array([np.arange(count), np.zeros(count)], np.int32)
    own = taxonomy.codes[:, : len(column.values)]
    return np.array([np.unique(level, return_inverse=True)[1] for level in own], np.int32)


def _taxonomy(column: Column, recipe: Recipe | None) -> Taxonomy | None:
    """Return the taxonomy if it covers the cells, which an earlier method may have changed."""
    if recipe is None or recipe.uncovered(column):
        return None
    return recipe.build(column)


def _ranks(column: Column, recipe: Recipe | None) -> Numbers:
    """Return the place of each value in the order its taxonomy lists them, else in its own."""
    if recipe is not None and column.type == ColumnType.TEXT and not recipe.uncovered(column):
        listed = {text: place for place, text in enumerate(recipe.paths(column))}
        positions = np.array(
            [np.nan if text is None else listed[text] for text in column.values], np.float64
        )
    else:
        positions = positions_of(column)
    ranks = np.full(len(positions), GAP)
    known = np.flatnonzero(~np.isnan(positions))
    ranks[known] = np.unique(positions[known], return_inverse=True)[1]
    return ranks


def _without_gap(numbers: Numbers) -> Numbers:
    return np.where(np.isnan(numbers), GAP, numbers)
