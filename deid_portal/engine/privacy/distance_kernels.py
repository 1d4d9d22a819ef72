"""The compiled loop that counts people near what a release shows."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled

# What kind of label a class shows in a column; `distances` says what each means.
TREE, NUMBERS, GAP, BOTH, NOWHERE = 0, 1, 2, 3, 4
ROUNDING = 1e-9


@compiled
def further_than_must_be(
    kind: int,
    half: float,
    center: float,
    level: int,
    leaf: int,
    code: int,
    position: float,
    above: NDArray[np.int32],  # label of each value, level by level
    start: int,  # where those of this column begin
    values: int,
    height: int,
    top: int,
) -> float:
    """Return by how much a value is further from a label than the values under the label."""
    if kind == TREE:
        common = level
        while common <= height:
            below = start + common * values
            if above[below + leaf] == above[below + code]:
                break
            common += 1
        return 0.0 if common == level else common / top - 2 * half
    if kind == BOTH:
        return 0.0
    if kind == NOWHERE:
        return 1.0
    if kind == GAP:
        return 0.0 if np.isnan(position) else 1.0
    if np.isnan(position):
        return 1.0 - 2 * half
    return max(abs(position - center) - half, 0.0)


@compiled
def find_shared(people: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Prepare sorted patterns for skipping.

    Return how many leading columns each pattern shares with the one before it, and, per pattern and
    column, the next pattern that differs from it up to and including that column.
    """
    patterns, columns = people.shape
    shared = np.zeros(patterns, np.int32)
    skip = np.full((patterns, columns), patterns, np.int32)
    for pattern in range(patterns - 1, -1, -1):
        if pattern:
            while (
                shared[pattern] < columns
                and people[pattern, shared[pattern]] == people[pattern - 1, shared[pattern]]
            ):
                shared[pattern] += 1
        if pattern + 1 < patterns:
            for column in range(columns):
                same = column < shared[pattern + 1]
                skip[pattern, column] = skip[pattern + 1, column] if same else pattern + 1
    return shared, skip


@compiled
def count_near(
    people: NDArray[np.int32],  # pattern × column: codes, sorted
    counts: NDArray[np.int64],  # people per pattern
    shared: NDArray[np.int32],
    skip: NDArray[np.int32],
    above: NDArray[np.int32],
    positions: NDArray[np.float64],
    starts: NDArray[np.int64],  # column × (above, positions)
    sizes: NDArray[np.int64],  # column × (values, height, top)
    kinds: NDArray[np.int8],  # class × column, as the next four
    halves: NDArray[np.float64],
    centers: NDArray[np.float64],
    levels: NDArray[np.int32],
    leaves: NDArray[np.int32],
    stretch: float,
    enough: int,
    only_fewest: bool,
) -> NDArray[np.int64]:
    """Count, per class, the people up to `stretch` times as far as the nearest one.

    Counting stops at `enough`; with `only_fewest` also once another class has fewer. Patterns are
    visited in order; if their leading columns are too far away already, all with the same leading
    columns are skipped.
    """
    classes, columns = kinds.shape
    patterns = len(counts)
    near = np.zeros(classes, np.int64)
    excess = np.zeros(columns + 1)  # over the leading columns
    for number in range(classes):
        must_be = halves[number].sum()
        further = 0.0  # excess distance of the nearest person
        while True:
            room = stretch * (must_be + further) - must_be + ROUNDING
            nearest = np.inf
            found = 0
            pattern = 0
            column = 0
            while pattern < patterns and found < enough:
                limit = max(room, nearest)  # people beyond it do not matter
                while column < columns and excess[column] <= limit:
                    code = people[pattern, column]
                    excess[column + 1] = excess[column] + further_than_must_be(
                        kinds[number, column],
                        halves[number, column],
                        centers[number, column],
                        levels[number, column],
                        leaves[number, column],
                        code,
                        positions[starts[column, 1] + code],
                        above,
                        starts[column, 0],
                        sizes[column, 0],
                        sizes[column, 1],
                        sizes[column, 2],
                    )
                    column += 1
                if excess[column] > limit:
                    pattern = skip[pattern, column - 1]
                else:
                    if excess[columns] < nearest:
                        nearest = float(excess[columns])
                    if excess[columns] <= room:
                        found += counts[pattern]
                    pattern += 1
                if pattern < patterns:
                    column = min(column, shared[pattern])
            if found >= enough or nearest <= further + ROUNDING:
                break
            further = nearest
        near[number] = min(found, enough)
        if only_fewest:
            enough = min(enough, near[number])
    return near
