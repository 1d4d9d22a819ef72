"""New out- and in-degrees in which every pair of them occurs at least k times.

J. Casas-Roma, J. Salas, F. Malliaros and M. Vazirgiannis, k-degree anonymity on directed networks,
Knowledge and Information Systems 61, 2019: pairs of degrees are microaggregated in two dimensions.
No order of people puts the best groups side by side as it does for one number, so the least cost is
not found but bounded: whoever shares both degrees with k - 1 others shares each of them, and for
one number the least is known (`degree_sequences`).
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.changing import pair_kernels
from deid_portal.engine.networks.changing.degree_sequences import Degrees, find_optimal_degrees


@dataclass(frozen=True, eq=False)
class DegreePairs:
    """New degrees in the order of the nodes; the sums of both are equal, as links have two ends."""

    outs: Degrees
    ins: Degrees
    cost: int  # the sum of all differences to the old degrees


def find_degree_pairs(
    outs: NDArray[Any],
    ins: NDArray[Any],
    k: int,
    generator: np.random.Generator,
    *,
    may_remove: bool,
) -> DegreePairs:
    """Return pairs near the old ones; without `may_remove` no degree falls.

    The generator decides who of equal people is moved, which does not change the cost.
    """
    old = np.column_stack([outs, ins]).astype(np.int64)
    new = _balance(_gather(old, k, generator, may_remove), old, k, generator)
    if not may_remove and bool((new < old).any()):
        new = _all_equal(old)
    return DegreePairs(new[:, 0].copy(), new[:, 1].copy(), int(np.abs(new - old).sum()))


def least_pair_cost(outs: NDArray[Any], ins: NDArray[Any], k: int, *, may_remove: bool) -> int:
    """Return what no such pairs go below, by the least for either degree.

    If links are only added, both degrees rise by as much in all.
    """
    found = [find_optimal_degrees(own, k, may_remove=may_remove) for own in (outs, ins)]
    costs = [0 if own is None else own.cost for own in found]
    return sum(costs) if may_remove else 2 * max(costs)


def _gather(
    old: NDArray[np.int64], k: int, generator: np.random.Generator, may_remove: bool
) -> NDArray[np.int64]:
    """Return degrees in which every pair is shared by k people; their sums may differ."""
    cells, cell_of, counts = np.unique(old, axis=0, return_inverse=True, return_counts=True)
    falling = np.argsort(-cells.sum(axis=1), kind="stable")
    moves, made, group_outs, group_ins = pair_kernels.gather_cells(
        cells[falling, 0].copy(), cells[falling, 1].copy(), counts[falling], k, may_remove
    )
    if made < 0:
        return _all_equal(old)
    members = generator.permutation(len(old))
    place = np.empty(len(falling), np.int64)
    place[falling] = np.arange(len(falling))
    by_cell = members[np.argsort(place[cell_of.reshape(-1)[members]], kind="stable")]
    starts = np.append(0, np.cumsum(counts[falling]))
    new = old.copy()
    for cell, people, group in moves[:made].tolist():
        own = by_cell[starts[cell] : starts[cell] + people]
        new[own] = (group_outs[group], group_ins[group])
        starts[cell] += people
    return new


def _balance(
    new: NDArray[np.int64], old: NDArray[np.int64], k: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Raise degrees of the side whose sum is smaller until both sums are equal.

    Cells of people who were pulled down rise first, since that costs little; then people of large
    cells move on to the next one, and last whole cells of both sides rise.
    """
    new = _raise_pulled_down(new, old)
    while lacking := int(new[:, 0].sum() - new[:, 1].sum()):
        side = 1 if lacking > 0 else 0
        if not _move_on(new, old, side, abs(lacking), k, generator):
            break
    return _raise_cells(new)


def _raise_pulled_down(new: NDArray[np.int64], old: NDArray[np.int64]) -> NDArray[np.int64]:
    """Raise cells as long as that costs less than it adds: most of their people were higher."""
    new = new.copy()
    lacking = int(new[:, 0].sum() - new[:, 1].sum())
    side = 1 if lacking > 0 else 0
    cells, cell_of, counts = np.unique(new, axis=0, return_inverse=True, return_counts=True)
    cell_of, lacking = cell_of.reshape(-1), abs(lacking)
    by_cell = np.lexsort((old[:, side], cell_of))
    members = np.split(by_cell, np.cumsum(counts)[:-1])
    waiting = [
        entry
        for number, own in enumerate(members)
        if (entry := _price_of_rising(number, int(cells[number, side]), old[own, side]))
    ]
    heapify(waiting)
    while waiting and lacking:
        _, number, degree = heappop(waiting)
        if counts[number] > lacking:
            continue
        own = members[number]
        new[own, side] = degree + 1
        lacking -= int(counts[number])
        if entry := _price_of_rising(number, degree + 1, old[own, side]):
            heappush(waiting, entry)
    return new


def _price_of_rising(
    number: int, degree: int, falling: NDArray[np.int64]
) -> tuple[float, int, int] | None:
    """Return what each link costs by which a cell rises; None where it is no bargain."""
    higher = len(falling) - int(np.searchsorted(falling, degree, side="right"))
    if not higher:
        return None
    return 1 - 2 * higher / len(falling), number, degree


def _move_on(
    new: NDArray[np.int64],
    old: NDArray[np.int64],
    side: int,
    lacking: int,
    k: int,
    generator: np.random.Generator,
) -> bool:
    """Let people of the largest cell that can spare some take one link more; say whether any do.

    They join a cell there is, or are enough for a new one. Who had more links goes first.
    """
    cells, cell_of, counts = np.unique(new, axis=0, return_inverse=True, return_counts=True)
    numbers = {tuple(cell) for cell in cells.tolist()}
    spare = np.minimum(counts - k, lacking)
    for number in np.argsort(-spare, kind="stable").tolist():
        up = cells[number].copy()
        up[side] += 1
        if spare[number] <= 0 or up[side] >= len(new):
            continue
        if tuple(up.tolist()) in numbers or spare[number] >= k:
            own = generator.permutation(np.flatnonzero(cell_of.reshape(-1) == number))
            first = own[np.argsort(-old[own, side], kind="stable")]
            new[first[: spare[number]], side] += 1
            return True
    return False


def _raise_cells(new: NDArray[np.int64]) -> NDArray[np.int64]:
    """Raise whole cells of both sides, as cheaply as possible, until the sums are equal.

    The cheapest way from the present difference to none, where every cell is a step of its size.
    """
    lacking = int(new[:, 0].sum() - new[:, 1].sum())
    if not lacking:
        return new
    _, cell_of, counts = np.unique(new, axis=0, return_inverse=True, return_counts=True)
    number_of = {int(count): number for number, count in enumerate(counts.tolist())}
    way = _cheapest_way(abs(lacking), sorted(number_of))
    raised = new.copy()
    side = 1 if lacking > 0 else 0
    for step in way:
        own = cell_of.reshape(-1) == number_of[abs(step)]
        raised[own, side if step < 0 else 1 - side] += 1
    is_done = bool(way) and int(raised.max(initial=0)) < len(new)
    return raised if is_done else _all_equal(new)


def _cheapest_way(difference: int, sizes: list[int]) -> list[int]:
    """Return steps, down or up by one of the sizes, that lead to zero; empty if there are none."""
    furthest = difference + 2 * max(sizes)
    came_from: dict[int, int] = {}
    costs = {difference: 0}
    waiting = [(0, difference)]
    while waiting:
        cost, here = heappop(waiting)
        if here == 0:
            break
        if cost > costs[here]:
            continue
        for step in (own * sign for own in sizes for sign in (-1, 1)):
            there, price = here + step, cost + abs(step)
            if abs(there) <= furthest and price < costs.get(there, price + 1):
                costs[there], came_from[there] = price, step
                heappush(waiting, (price, there))
    way: list[int] = []
    here = 0
    while here in came_from and here != difference:
        way.append(came_from[here])
        here -= came_from[here]
    return way if 0 in costs else []


def _all_equal(old: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.full_like(old, old.max(initial=0))
