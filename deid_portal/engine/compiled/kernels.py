"""Compiled loops for searches and models, on plain arrays. Nothing is compiled at import.

All kernels release the GIL and are cached on disk beside this file.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

EMPTY = np.int32(-1)
# 2^64 divided by the golden ratio: spreads neighboring keys over the table (Knuth, 6.4).
SPREAD = np.uint64(0x9E3779B97F4A7C15)
# For work per cell, which would take no longer than a function call.
inlined = numba.njit(forceinline=True)


def compiled(function: Function) -> Function:
    """Compile with a cache on disk and without the GIL."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


@compiled
def raise_keys(
    keys: NDArray[np.uint64],
    shifts: NDArray[np.uint64],  # where each column to raise stands in a key
    masks: NDArray[np.uint64],  # as many bits as it takes
    starts: NDArray[np.uint64],  # where it finds its new level in the lookup
    lookup: NDArray[np.uint64],  # leaf -> shifted leaf that stands for its label
) -> NDArray[np.uint64]:
    raised = keys.copy()
    for column in range(len(shifts)):
        shift, mask, start = shifts[column], masks[column], starts[column]
        others = ~(mask << shift)
        for index in range(len(raised)):
            key = raised[index]
            raised[index] = (key & others) | lookup[start + ((key >> shift) & mask)]
    return raised


@compiled
def number_at_most(
    keys: NDArray[np.uint64], most: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number distinct keys, of which there are at most so many, in order of appearance.

    Return numbers and first positions. The processor cannot predict whether a key is new, so the
    loop does not branch on it: each key is written as if it were new, and the entry stays only if
    the count is raised. Slots hold numbers from 1 on; numbers are unsigned, since signed indices
    are checked for negative values.
    """
    bits = 4
    while (1 << bits) < 4 * most:
        bits += 1
    slots = np.zeros(1 << bits, np.uint32)
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(64 - bits)
    one = np.uint64(1)
    numbers = np.empty(len(keys), np.int32)
    known = np.empty(most + 1, np.uint64)
    first = np.empty(most + 1, np.int32)
    count = np.uint64(0)
    for index in range(len(keys)):
        key = keys[index]
        known[count] = key
        first[count] = index
        slot = (key * SPREAD) >> shift
        entry = np.uint64(slots[slot])
        number = entry - one if entry else count
        while known[number] != key:
            slot = (slot + one) & mask
            entry = np.uint64(slots[slot])
            number = entry - one if entry else count
        slots[slot] = np.uint32(number + one)
        numbers[index] = np.int32(number)
        count += np.uint64(number == count)
    return numbers, first[:count].copy()


@compiled
def number_keys(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number distinct keys in order of appearance; return numbers and first positions."""
    return number_at_most(keys, len(keys))


@compiled
def pick_keys(keys: NDArray[np.uint64], places: NDArray[np.int32]) -> NDArray[np.uint64]:
    picked = np.empty(len(places), np.uint64)
    for index in range(len(places)):
        picked[index] = keys[np.uint64(places[index])]
    return picked


@compiled
def spread(answers: NDArray[np.bool_], places: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return the answer at each place."""
    found = np.empty(len(places), np.bool_)
    for index in range(len(places)):
        found[index] = answers[np.uint64(places[index])]
    return found


@compiled
def join_classes(
    keys: NDArray[np.uint64],  # one per finer class
    members: NDArray[np.int32],
    sizes: NDArray[np.int64],
    most: int,  # classes there can be
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Join classes of equal keys.

    Return the new class of each finer class; per new class its first finer class, member and size.
    """
    class_of, first = number_at_most(keys, most)
    joined = np.empty(len(first), np.int32)
    for index in range(len(first)):
        joined[index] = members[np.uint64(first[index])]
    return class_of, first, joined, sum_by_number(class_of, sizes, len(first))


@compiled
def raise_and_join(
    keys: NDArray[np.uint64],
    members: NDArray[np.int32],
    sizes: NDArray[np.int64],
    most: int,
    shifts: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    starts: NDArray[np.uint64],
    lookup: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64]]:
    """Raise some columns of keys of one word and join the classes; return their keys too."""
    raised = raise_keys(keys, shifts, masks, starts, lookup)
    class_of, first, joined, sums = join_classes(raised, members, sizes, most)
    return class_of, pick_keys(raised, first), joined, sums


@compiled
def join_pairs(
    groups: NDArray[np.int32],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    numbers: NDArray[np.int32],  # new number of each group
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Renumber groups and add up the counts of pairs that have become equal."""
    keys = np.empty(len(groups), np.uint64)
    for index in range(len(groups)):
        keys[index] = (np.uint64(numbers[groups[index]]) << np.uint64(32)) | np.uint64(codes[index])
    pair_of, first = number_keys(keys)
    joined = np.empty(len(first), np.int32)
    kept = np.empty(len(first), np.int32)
    for pair in range(len(first)):
        joined[pair] = numbers[groups[first[pair]]]
        kept[pair] = codes[first[pair]]
    return joined, kept, sum_by_number(pair_of, counts, len(first))


@compiled
def number_more_keys(
    keys: NDArray[np.uint64],
    slots: NDArray[np.int32],
    known: NDArray[np.uint64],
    count: int,
    numbers: NDArray[np.int32],
) -> tuple[int, int]:
    """Continue a numbering; return how many keys were done and how many are known now.

    Stops early when the table is half full; the caller grows it and calls again.
    """
    bits = 0
    while (1 << bits) < len(slots):
        bits += 1
    mask = np.uint64(len(slots) - 1)
    shift = np.uint64(64 - bits)
    room = len(slots) // 2
    for index in range(len(keys)):
        key = keys[index]
        slot = (key * SPREAD) >> shift
        while True:
            number = slots[slot]
            if number == EMPTY:
                if count >= room:
                    return index, count
                slots[slot] = count
                known[count] = key
                number = count
                count += 1
                break
            if known[number] == key:
                break
            slot = (slot + np.uint64(1)) & mask
        numbers[index] = number
    return len(keys), count


@compiled
def fill_slots(known: NDArray[np.uint64], count: int, slots: NDArray[np.int32]) -> None:
    """Enter known keys into a fresh, larger table."""
    bits = 0
    while (1 << bits) < len(slots):
        bits += 1
    mask = np.uint64(len(slots) - 1)
    shift = np.uint64(64 - bits)
    for number in range(count):
        slot = (known[number] * SPREAD) >> shift
        while slots[slot] != EMPTY:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = number


@compiled
def sum_by_number(
    numbers: NDArray[np.int32], amounts: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Sum the amounts of equal numbers."""
    sums = np.zeros(count, np.int64)
    for index in range(len(numbers)):
        sums[np.uint64(numbers[index])] += amounts[index]
    return sums


@compiled
def add_chosen(amounts: NDArray[np.int64], chosen: NDArray[np.bool_]) -> int:
    """Sum the chosen amounts."""
    total = 0
    for index in range(len(amounts)):
        total += amounts[index] if chosen[index] else 0
    return total


@compiled
def penalty_of(
    keys: NDArray[np.uint64],  # one per class
    shifts: NDArray[np.uint64],  # where each column stands in a key
    masks: NDArray[np.uint64],
    starts: NDArray[np.uint64],  # where each column finds its level in the penalties
    penalties: NDArray[np.float64],  # leaf at level -> extra cost of suppressing a record
    records: NDArray[np.int64],  # to be suppressed, per class
) -> float:
    """Sum the extra cost of suppressing these records instead of showing them at their level."""
    total = 0.0
    for index in range(len(keys)):
        if records[index]:
            extra = 0.0
            for column in range(len(starts)):
                leaf = (keys[index] >> shifts[column]) & masks[column]
                extra += penalties[starts[column] + leaf]
            total += extra * records[index]
    return total


@compiled
def leaf_counts(
    codes: NDArray[np.int32],  # column × pattern
    offsets: NDArray[np.int64],  # where each column's leaves start in the answer
    length: int,
    weights: NDArray[np.int64],  # records per pattern
    chosen: NDArray[np.bool_],  # one per pattern
) -> NDArray[np.int64]:
    """Count the records of the chosen patterns per leaf, all columns in one array."""
    counts = np.zeros(length, np.int64)
    for pattern in range(len(weights)):
        if chosen[pattern]:
            for column in range(len(offsets)):
                counts[offsets[column] + codes[column, pattern]] += weights[pattern]
    return counts


@compiled
def lift_finer(
    nodes: NDArray[np.int16],  # open node × column: its levels
    extra: NDArray[np.float64],  # per open node
    levels: NDArray[np.int16],  # bounds are raised for this node and all finer ones
    terms: NDArray[np.float64],  # what each column adds at each level
    starts: NDArray[np.int64],  # where each column starts in the terms
    base: float,
) -> None:
    """Raise the part of a bound that comes from a coarser node."""
    for node in range(len(nodes)):
        total = base
        for column in range(len(levels)):
            level = nodes[node, column]
            if level > levels[column]:
                total = -1.0
                break
            total += terms[starts[column] + level]
        if total > extra[node]:
            extra[node] = total


@compiled
def lift_coarser(
    nodes: NDArray[np.int16],  # open node × column: its levels
    floor: NDArray[np.float64],  # per open node
    levels: NDArray[np.int16],  # bounds are raised for this node and all coarser ones
    cost: float,
) -> None:
    """Raise the part of a bound that comes from a finer node."""
    for node in range(len(nodes)):
        if floor[node] >= cost:
            continue
        is_coarser = True
        for column in range(len(levels)):
            if nodes[node, column] < levels[column]:
                is_coarser = False
                break
        if is_coarser:
            floor[node] = cost


@compiled
def climb(
    nodes: NDArray[np.int16],  # open node × column: its levels
    every: int,  # every so many open nodes, one is looked at
    levels: NDArray[np.int16],  # where to start
    heights: NDArray[np.int16],
    drops: NDArray[np.float64],  # by how much each step up lowers what is expected
    starts: NDArray[np.int64],  # where each column starts in the drops
    expected: float,
    limit: float,
) -> NDArray[np.int16]:
    """Raise levels one by one as long as more than the limit is expected.

    Each step has the best ratio of open nodes added below to the drop of what is expected. A node
    that is still above in several columns counts less.
    """
    reached = levels.copy()
    gains = np.empty(len(levels))
    while True:
        gains[:] = 1e-3
        for node in range(0, len(nodes), every):
            weight = 5.0
            for column in range(len(levels)):
                if nodes[node, column] > reached[column]:
                    weight /= 5.0
            for column in range(len(levels)):
                if nodes[node, column] == reached[column] + 1:
                    gains[column] += weight
        best, best_column = 0.0, -1
        for column in range(len(levels)):
            if reached[column] < heights[column]:
                drop = max(drops[starts[column] + reached[column]], 0.02)
                if expected - drop > limit and gains[column] / drop > best:
                    best, best_column = gains[column] / drop, column
        if best_column < 0:
            return reached
        expected -= max(drops[starts[best_column] + reached[best_column]], 0.02)
        reached[best_column] += 1


@compiled
def place_of(ties: NDArray[np.int64], size: int, tie: int) -> int:
    """Return the place of a node among open nodes, by falling sum of levels, then by index."""
    low, high = 0, len(ties)
    rank = tie // size
    while low < high:
        middle = (low + high) // 2
        other = ties[middle] // size
        if other > rank or (other == rank and ties[middle] < tie):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def sift(
    nodes: NDArray[np.int16],
    floor: NDArray[np.float64],
    extra: NDArray[np.float64],
    ties: NDArray[np.int64],  # per node: decides between nodes of equal cost
    cost: float,
    tolerance: float,
    tie: int,
) -> int:
    """Move the nodes that may beat this cost to the front; return how many there are.

    A node of equal cost is kept if its tie number is smaller than `tie`.
    """
    count = 0
    for node in range(len(nodes)):
        bound = floor[node] + extra[node]
        if bound < cost - tolerance or (bound <= cost + tolerance and ties[node] < tie):
            if count < node:
                for column in range(nodes.shape[1]):
                    nodes[count, column] = nodes[node, column]
                floor[count] = floor[node]
                extra[count] = extra[node]
                ties[count] = ties[node]
            count += 1
    return count


@compiled
def excess_of_shares(
    groups: NDArray[np.int32],  # class of each pair
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],  # records per class
    shares: NDArray[np.float64],  # share of each code in the whole table
) -> NDArray[np.float64]:
    """Add up, per class, by how much shares of codes exceed those of the whole table."""
    total = np.zeros(len(sizes))
    for index in range(len(groups)):
        more = counts[index] / sizes[groups[index]] - shares[codes[index]]
        if more > 0:
            total[groups[index]] += more
    return total


@compiled
def most_kept(
    groups: NDArray[np.int32],  # class of each pair
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],  # records per class
    shares: NDArray[np.float64],  # share of each code in the whole table
    least: float,
) -> NDArray[np.float64]:
    """Bound how many records of each class can be picked so that codes are not too frequent.

    With m records picked, those up to the shares of the whole table, min(count, share · m) of each
    code, must be at least so large a part of m. The difference is concave in m, so Newton's steps
    from the whole class come down to the largest m and never go below.
    """
    most = sizes.astype(np.float64)
    for _ in range(20):
        fixed = np.zeros(len(sizes))
        growing = np.zeros(len(sizes))
        for index in range(len(groups)):
            group, share = groups[index], shares[codes[index]]
            if counts[index] < share * most[group]:
                fixed[group] += counts[index]
            else:
                growing[group] += share
        moved = False
        for group in range(len(sizes)):
            if growing[group] < least:
                lower = fixed[group] / (least - growing[group])
                if lower < most[group] - 1e-3:
                    most[group] = lower
                    moved = True
        if not moved:
            break
    return most


@compiled
def ordered_distances(
    groups: NDArray[np.int32],  # class of each pair; pairs stand by class, then rank
    ranks: NDArray[np.int32],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],  # records per class
    shares_up_to: NDArray[np.float64],  # of the whole table, by rank
) -> NDArray[np.float64]:
    """Sum the differences of both running shares over all ranks, divided by the steps between.

    Between two ranks that occur in a class its running share is constant while that of the table
    rises, so the differences there follow from running sums.
    """
    last = len(shares_up_to) - 1
    sums = np.zeros(last + 2)
    for rank in range(last + 1):
        sums[rank + 1] = sums[rank] + shares_up_to[rank]
    total = np.zeros(len(sizes))
    index = 0
    while index < len(groups):
        group = groups[index]
        seen = 0
        start = 0
        while True:
            ends = index >= len(groups) or groups[index] != group
            stop = last if ends else ranks[index]
            share = seen / sizes[group]
            turn = start + np.searchsorted(shares_up_to[start:stop], share)
            total[group] += share * (turn - start) - (sums[turn] - sums[start])
            total[group] += sums[stop] - sums[turn] - share * (stop - turn)
            if ends:
                break
            seen += counts[index]
            start = ranks[index]
            index += 1
    return total / max(last, 1)


@compiled
def largest_counts(
    groups: NDArray[np.int32],  # class of each pair
    counts: NDArray[np.int64],
    classes: int,
    how_many: int,
) -> NDArray[np.int64]:
    """Return the largest counts of each class in falling order: class × how many."""
    largest = np.zeros((classes, how_many), np.int64)
    for index in range(len(groups)):
        row = largest[groups[index]]
        count = counts[index]
        for place in range(how_many):
            if count > row[place]:
                count, row[place] = row[place], count
    return largest
