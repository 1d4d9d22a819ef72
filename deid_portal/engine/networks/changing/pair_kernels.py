"""Compiled loops that gather people with directed links into groups of equal degrees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled

FAR = 1 << 60
NOT_RISING = -1
Cells = NDArray[np.int64]


@compiled
def gather_cells(
    outs: Cells, ins: Cells, counts: Cells, k: int, may_remove: bool
) -> tuple[NDArray[np.int64], int, Cells, Cells]:
    """Move the people of cells with fewer than k, so that every cell in use has k people.

    A cell is a pair of degrees with the people who have it; cells come by falling sum of both.
    From the highest on, a cell with too few gathers its cheapest neighbors until it has k, or
    joins a cell or a group that has them, whichever costs less. Returns rows of (cell, people,
    group), how many rows there are, or -1 if some could not be placed, and the degrees of groups.
    """
    cells = len(outs)
    left = counts.copy()
    joined = np.zeros(cells, np.int64)  # people of other cells who came to stay
    moves = np.zeros((3 * cells + 4, 3), np.int64)
    made, done = 0, 0
    group_outs = np.zeros(cells, np.int64)
    group_ins = np.zeros(cells, np.int64)
    group_people = np.zeros(cells, np.int64)
    taken = np.zeros((2 * k + 2, 2), np.int64)
    for cell in range(cells):
        if left[cell] == 0 or left[cell] + joined[cell] >= k:
            continue
        own = left[cell]
        size, high_out, high_in, found = own, outs[cell], ins[cell], 0
        left[cell] = 0
        while size < k:
            best = nearest_cell(
                outs, ins, left, joined, k, cell, high_out, high_in, size, may_remove
            )
            if best < 0:
                break
            some = left[best]
            if some + joined[best] >= k:
                some = min(some, some + joined[best] - k, k - size)
            left[best] -= some
            taken[found, 0], taken[found, 1] = best, some
            found += 1
            if not may_remove:
                high_out, high_in = max(high_out, outs[best]), max(high_in, ins[best])
            size += some
        if may_remove:
            high_out, high_in = middle_of(outs, ins, cell, own, taken, found)
        cost = own * (abs(high_out - outs[cell]) + abs(high_in - ins[cell]))
        for index in range(found):
            one = taken[index, 0]
            cost += taken[index, 1] * (abs(high_out - outs[one]) + abs(high_in - ins[one]))
        group, place, joining = -1, -1, FAR
        for other in range(made):
            price = price_of_joining(
                outs[cell], ins[cell], own, group_outs[other], group_ins[other],
                group_people[other], may_remove,
            )  # fmt: skip
            if price < joining:
                joining, group = price, other
        for other in range(cells):
            if left[other] + joined[other] >= k and left[other] > 0 and other != cell:
                is_above = outs[other] >= outs[cell] and ins[other] >= ins[cell]
                price = abs(outs[other] - outs[cell]) + abs(ins[other] - ins[cell])
                if (may_remove or is_above) and own * price < joining:
                    joining, place, group = own * price, other, -1
        if size >= k and cost < joining:
            group = made
            made += 1
            moves[done] = (cell, own, group)
            done += 1
            for index in range(found):
                moves[done] = (taken[index, 0], taken[index, 1], group)
                done += 1
            group_outs[group], group_ins[group] = high_out, high_in
            group_people[group] = size
            continue
        for index in range(found):
            left[taken[index, 0]] += taken[index, 1]
        if place >= 0:
            joined[place] += own
            group_outs[made], group_ins[made] = outs[place], ins[place]
            # Who joins a cell must not move on with a group, whose people rise together.
            group_people[made] = NOT_RISING
            moves[done] = (cell, own, made)
            made += 1
            done += 1
            continue
        people = own
        if group < 0:  # the first ones, between cells that can spare nobody: whole cells join
            group = made
            made += 1
            group_outs[group], group_ins[group] = outs[cell], ins[cell]
            while people < k:
                whole = nearest_whole(
                    outs, ins, left, joined, group_outs[group], group_ins[group], people
                )
                if whole < 0:
                    return moves, -1, group_outs, group_ins
                moves[done] = (whole, left[whole], group)
                done += 1
                people += left[whole]
                left[whole] = 0
                group_outs[group] = max(group_outs[group], outs[whole])
                group_ins[group] = max(group_ins[group], ins[whole])
        moves[done] = (cell, own, group)
        done += 1
        if not may_remove:
            group_outs[group] = max(group_outs[group], outs[cell])
            group_ins[group] = max(group_ins[group], ins[cell])
        group_people[group] += people
    return moves, done, group_outs, group_ins


@compiled
def price_of_joining(
    own_out: int,
    own_in: int,
    own: int,
    group_out: int,
    group_in: int,
    people: int,
    may_remove: bool,
) -> Any:
    """Return the changes of degree if so many join a group, which rises to meet them if it must."""
    if may_remove:
        if people == NOT_RISING:
            return FAR
        return own * (abs(group_out - own_out) + abs(group_in - own_in))
    high_out, high_in = max(own_out, group_out), max(own_in, group_in)
    rise = high_out - group_out + high_in - group_in
    if people == NOT_RISING:
        return FAR
    return people * rise + own * (high_out - own_out + high_in - own_in)


@compiled
def nearest_whole(
    outs: Cells, ins: Cells, left: Cells, joined: Cells, own_out: int, own_in: int, own: int
) -> Any:
    """Return the cell that makes a group with so many most cheaply, all its people; or -1."""
    best, least = -1, FAR
    for other in range(len(outs)):
        if left[other] == 0 or joined[other] > 0:
            continue
        high_out, high_in = max(outs[other], own_out), max(ins[other], own_in)
        price = left[other] * (high_out - outs[other] + high_in - ins[other])
        price += own * (high_out - own_out + high_in - own_in)
        if price < least:
            best, least = other, price
    return best


@compiled
def nearest_cell(
    outs: Cells,
    ins: Cells,
    left: Cells,
    joined: Cells,
    k: int,
    cell: int,
    high_out: int,
    high_in: int,
    size: int,
    may_remove: bool,
) -> Any:
    """Return the cell whose people join a group most cheaply, or -1.

    Sums of degrees differ by no more than the price, so the search ends where they differ more.
    """
    best, least = -1, FAR
    total = high_out + high_in
    for step in (1, -1):
        other = cell + step
        while 0 <= other < len(outs):
            apart = abs(outs[other] + ins[other] - total)
            if apart >= least and (step == 1 or apart > total - outs[cell] - ins[cell]):
                break
            is_spare = left[other] > 0 and (
                left[other] + joined[other] < k or left[other] + joined[other] > k
            )
            if is_spare:
                if may_remove:
                    price = abs(outs[other] - high_out) + abs(ins[other] - high_in)
                else:
                    new_out, new_in = max(high_out, outs[other]), max(high_in, ins[other])
                    price = size * (new_out - high_out + new_in - high_in)
                    price += new_out - outs[other] + new_in - ins[other]
                if price < least:
                    best, least = other, price
            other += step
    return best


@compiled
def middle_of(
    outs: Cells, ins: Cells, cell: int, own: int, taken: NDArray[np.int64], found: int
) -> tuple[Any, Any]:
    """Return the medians of both degrees in a group: the least sum of differences."""
    people = own
    for index in range(found):
        people += taken[index, 1]
    both = np.zeros((2, people), np.int64)
    both[0, :own], both[1, :own] = outs[cell], ins[cell]
    filled = own
    for index in range(found):
        end = filled + taken[index, 1]
        both[0, filled:end], both[1, filled:end] = outs[taken[index, 0]], ins[taken[index, 0]]
        filled = end
    return np.sort(both[0])[people // 2], np.sort(both[1])[people // 2]
