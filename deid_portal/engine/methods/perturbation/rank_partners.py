"""Who changes places with whom in rank swapping: somebody near in the order of values.

R. A. Moore, Controlled data-swapping techniques for masking public use microdata sets, US Bureau of
the Census, 1996.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import Numbers

Ranks = NDArray[np.int64]
RANKS_PER_CHUNK = 1 << 20
TRIES = 32
NOT_SWAPPED = -1


def swap_ranks(
    positions: Numbers, window: int, generator: np.random.Generator, progress: Progress
) -> Ranks:
    """Return for every row the row whose value it gets; rows with NaN keep their own.

    From the lowest rank up, a value that has not been swapped changes places with one drawn from
    those not swapped among the next `window` ranks. Ties are put in random order first, so that
    the order of the table plays no part.
    """
    present = generator.permutation(np.flatnonzero(~np.isnan(positions)))
    order = present[np.argsort(positions[present], kind="stable")]
    partners = np.full(len(order), NOT_SWAPPED, np.int64)
    for start in range(0, len(order), RANKS_PER_CHUNK):
        progress.report(start, len(order), "protect")
        stop = min(start + RANKS_PER_CHUNK, len(order))
        _pair_up(partners, start, stop, window, generator)
    giver = np.arange(len(positions), dtype=np.int64)
    giver[order] = order[partners]
    return giver


@compiled
def _pair_up(
    partners: Ranks, start: int, stop: int, window: int, generator: np.random.Generator
) -> None:
    """Give every rank from start to stop a partner; one that finds none is its own."""
    for rank in range(start, stop):
        if partners[rank] != NOT_SWAPPED:
            continue
        end = min(rank + window + 1, len(partners))
        partner = _draw_free(partners, rank + 1, end, generator)
        if partner == NOT_SWAPPED:
            partner = rank
        partners[rank] = partner
        partners[partner] = rank


@compiled
def _draw_free(partners: Ranks, start: int, end: int, generator: np.random.Generator) -> int:
    """Draw one of the ranks from start to end that has no partner yet, each equally likely.

    Half of the ranks ahead are free while the window moves on, so a few tries are enough; near the
    end, where hardly any is left, the free ones are counted.
    """
    if start >= end:
        return NOT_SWAPPED
    for _ in range(TRIES):
        candidate = int(generator.integers(start, end))
        if partners[candidate] == NOT_SWAPPED:
            return candidate
    free = 0
    for candidate in range(start, end):
        free += partners[candidate] == NOT_SWAPPED
    if not free:
        return NOT_SWAPPED
    skipped = int(generator.integers(0, free))
    for candidate in range(start, end):
        if partners[candidate] == NOT_SWAPPED:
            if skipped == 0:
                return candidate
            skipped -= 1
    return NOT_SWAPPED
