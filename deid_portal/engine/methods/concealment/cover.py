"""Finding labels under which everybody may be behind k records (Tassa, Mazza & Gionis, 2012).

Every record is shown under labels of its own that fit it, so matching each with itself is one way
to match all people with all records. A person can be behind another record in some such matching if
the graph with an arrow from each record to the people it fits has a cycle through both. So:

1. Each record is made coarser until it fits k people, those first that cost least. 2. For each
person whom fewer than k records fit, more records are made to fit. 3. For each person who can be
behind fewer than k of the records that fit, the person's own record is made to fit the people of
those records as well: that closes the cycle.

No step takes a fit away, so what earlier steps reached stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Codes
from deid_portal.engine.taxonomies import Taxonomy

RECORDS_AT_ONCE = 16
Fits = NDArray[np.bool_]  # record × person
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LevelLabels:
    """The label of each value on each level, for all columns."""

    leaves: Codes  # column × record
    heights: Codes  # per column
    codes: Codes  # column × level × value; lower columns repeat their last level
    costs: Numbers  # likewise: the share of detail lost

    @classmethod
    def of(
        cls, taxonomies: Sequence[Taxonomy], leaves: Sequence[Codes], weights: Sequence[float]
    ) -> "LevelLabels":
        shape = (
            len(taxonomies),
            max(taxonomy.height for taxonomy in taxonomies) + 1,
            max(taxonomy.leaf_count for taxonomy in taxonomies),
        )
        codes, costs = np.zeros(shape, np.int32), np.zeros(shape)
        for column, (taxonomy, weight) in enumerate(zip(taxonomies, weights, strict=True)):
            for level in range(taxonomy.height + 1):
                codes[column, level, : taxonomy.leaf_count] = taxonomy.codes[level]
                costs[column, level, : taxonomy.leaf_count] = weight * taxonomy.lost_share(level)
        heights = np.array([taxonomy.height for taxonomy in taxonomies], np.int32)
        return cls(np.array(leaves, np.int32), heights, codes, costs)


def conceal(labels: LevelLabels, k: int, progress: Progress) -> Codes | None:
    """Return the level of each cell, column × record; None if not even the roots are enough."""
    records = labels.leaves.shape[1]
    levels = np.zeros(labels.leaves.shape, np.int32)
    fits = np.zeros((records, records), np.bool_)
    parts = labels.leaves, labels.heights, labels.codes, labels.costs, levels, fits
    for first in range(0, records, RECORDS_AT_ONCE):
        progress.report(first, 3 * records, "protect")
        if not cover_people(*parts, k, first, min(first + RECORDS_AT_ONCE, records)):
            return None
    for first in range(0, records, RECORDS_AT_ONCE):
        progress.report(records + first, 3 * records, "protect")
        cover_by_records(*parts, k, first, min(first + RECORDS_AT_ONCE, records))
    while True:
        progress.report(2 * records, 3 * records, "protect")
        circles = _circles(fits)
        links = count_possible_records(fits, circles)
        if links.min() >= k:
            return levels
        for person in np.flatnonzero(links < k).tolist():
            progress.report(2 * records + person, 3 * records, "protect")
            close_circles(*parts, k, circles, person)


def warm_up_concealment() -> None:
    """Compile every loop; a small table rarely needs a cycle to be closed."""
    taxonomy = Taxonomy.from_paths([("a", "*"), ("b", "*")])
    codes = np.array([0, 1], np.int32)
    labels = LevelLabels.of([taxonomy], [codes], [1.0])
    conceal(labels, 2, Progress(None))
    levels, fits = np.zeros((1, 2), np.int32), np.eye(2, dtype=np.bool_)
    parts = labels.leaves, labels.heights, labels.codes, labels.costs, levels, fits
    close_circles(*parts, 1, codes, 0)


def _circles(fits: Fits) -> Codes:
    """Return the strongly connected component of each record: its members lie on common cycles."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return np.asarray(
        connected_components(csr_array(fits), directed=True, connection="strong")[1], np.int32
    )


@compiled
def count_possible_records(fits: Fits, circles: Codes) -> NDArray[np.int64]:
    """Count, per person, the records the person may be behind."""
    links = np.zeros(len(fits), np.int64)
    for record in range(len(fits)):
        for person in range(len(fits)):
            if fits[record, person] and circles[record] == circles[person]:
                links[person] += 1
    return links


@compiled
def extra_cost(
    leaves: Codes,
    heights: Codes,
    codes: Codes,
    costs: Numbers,
    levels: Codes,
    record: int,
    person: int,
) -> float:
    """Return what it costs to make a record fit a person; infinite if no label fits both."""
    total = 0.0
    for column in range(len(heights)):
        own, other = leaves[column, record], leaves[column, person]
        level = levels[column, record]
        before = costs[column, level, own]
        while codes[column, level, own] != codes[column, level, other]:
            level += 1
            if level > heights[column]:
                return float(np.inf)
        total += costs[column, level, own] - before
    return total


@compiled
def extend(
    leaves: Codes,
    heights: Codes,
    codes: Codes,
    levels: Codes,
    fits: Fits,
    record: int,
    person: int,
) -> None:
    """Make a record fit a person, and note which other people it fits then."""
    for column in range(len(heights)):
        own, other = leaves[column, record], leaves[column, person]
        while (
            codes[column, levels[column, record], own]
            != codes[column, levels[column, record], other]
        ):
            levels[column, record] += 1
    for somebody in range(leaves.shape[1]):
        if not fits[record, somebody]:
            is_fitting = True
            for column in range(len(heights)):
                own = codes[column, levels[column, record]]
                if own[leaves[column, record]] != own[leaves[column, somebody]]:
                    is_fitting = False
                    break
            fits[record, somebody] = is_fitting


@compiled
def cover_people(
    leaves: Codes,
    heights: Codes,
    codes: Codes,
    costs: Numbers,
    levels: Codes,
    fits: Fits,
    k: int,
    first: int,
    last: int,
) -> bool:
    """Make records fit k people each; return False if not even the roots do."""
    for record in range(first, last):
        extend(leaves, heights, codes, levels, fits, record, record)
        while fits[record].sum() < k:
            least, nearest = np.inf, -1
            for person in range(len(fits)):
                if not fits[record, person]:
                    cost = extra_cost(leaves, heights, codes, costs, levels, record, person)
                    if cost < least:
                        least, nearest = cost, person
            if nearest < 0:
                return False
            extend(leaves, heights, codes, levels, fits, record, nearest)
    return True


@compiled
def cover_by_records(
    leaves: Codes,
    heights: Codes,
    codes: Codes,
    costs: Numbers,
    levels: Codes,
    fits: Fits,
    k: int,
    first: int,
    last: int,
) -> None:
    """Make k records fit each of these people, choosing those of least extra cost."""
    for person in range(first, last):
        while fits[:, person].sum() < k:
            least, nearest = np.inf, -1
            for record in range(len(fits)):
                if not fits[record, person]:
                    cost = extra_cost(leaves, heights, codes, costs, levels, record, person)
                    if cost < least:
                        least, nearest = cost, record
            extend(leaves, heights, codes, levels, fits, nearest, person)


@compiled
def count_linked(fits: Fits, circles: Codes, person: int) -> int:
    """Count the records a person may be behind, by a known cycle or by a new cycle of two."""
    linked = 0
    for record in range(len(fits)):
        if fits[record, person] and (circles[record] == circles[person] or fits[person, record]):
            linked += 1
    return linked


@compiled
def close_circles(
    leaves: Codes,
    heights: Codes,
    codes: Codes,
    costs: Numbers,
    levels: Codes,
    fits: Fits,
    k: int,
    circles: Codes,
    person: int,
) -> None:
    """Make the record of a person fit people whose records fit the person, until k do."""
    while count_linked(fits, circles, person) < k:
        least, nearest = np.inf, -1
        for record in range(len(fits)):
            if fits[record, person] and not fits[person, record]:
                cost = extra_cost(leaves, heights, codes, costs, levels, person, record)
                if cost < least and circles[record] != circles[person]:
                    least, nearest = cost, record
        extend(leaves, heights, codes, levels, fits, person, nearest)
