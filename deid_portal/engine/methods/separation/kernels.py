"""The compiled loops: sorting by number, dealing out of the largest buckets, cutting a line."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled

Rows = NDArray[np.int32]
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]


@compiled
def sort_rows(rows: Rows, numbers: Rows, ends: Counts) -> Rows:
    """Sort rows by their numbers, keeping the order of equal ones.

    `ends` holds where the rows of each number start in the answer, and then where they end.
    """
    ordered = np.empty(len(rows), np.int32)
    for index in range(len(rows)):
        number = numbers[rows[index]]
        ordered[ends[number]] = rows[index]
        ends[number] += 1
    return ordered


@compiled
def sink(heap: Rows, size: int, counts: Counts, place: int) -> None:
    """Move a bucket down until none below it is larger; of equal ones the first is on top."""
    bucket = heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_count_before(counts, heap[child + 1], heap[child]):
            child += 1
        if not is_count_before(counts, heap[child], bucket):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = bucket


@compiled
def is_count_before(counts: Counts, one: int, other: int) -> bool:
    if counts[one] != counts[other]:
        return bool(counts[one] > counts[other])
    return one < other


@compiled
def rise(heap: Rows, counts: Counts, place: int) -> None:
    """Move a bucket up as long as it is larger than the one above it."""
    bucket = heap[place]
    while place > 0:
        above = (place - 1) // 2
        if not is_count_before(counts, bucket, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = bucket


@compiled
def deal(
    heap: Rows,  # the buckets, the largest on top
    size: int,  # how many of them hold anything
    counts: Counts,  # what each bucket still holds
    nexts: Counts,  # where each bucket's next record stands
    each: int,  # records per group, of as many buckets
    group: int,  # the first group to deal to
    groups: int,  # how many to deal to, at most
    group_of: Rows,  # per record in the order of the buckets, to be filled
) -> tuple[int, int]:
    """Give each group one record of each of the largest buckets; return buckets and groups."""
    drawn = np.empty(each, np.int32)
    last = group + groups
    while size >= each and group < last:
        for place in range(each):
            drawn[place] = heap[0]
            size -= 1
            heap[0] = heap[size]
            sink(heap, size, counts, 0)
        for place in range(each):
            bucket = drawn[place]
            group_of[nexts[bucket]] = group
            nexts[bucket] += 1
            counts[bucket] -= 1
            if counts[bucket] > 0:
                heap[size] = bucket
                size += 1
                rise(heap, counts, size - 1)
        group += 1
    return size, group


@compiled
def cut_line(numbers: Numbers, least: int, width: float) -> Rows:
    """Cut different numbers in rising order into groups; return where each group starts.

    Every group has enough numbers and is wide enough, and the widths add up to the least possible
    sum: that is, the distances between neighboring groups to the most. The answer is empty if even
    all numbers together are too few or too near.
    """
    count = len(numbers)
    best = np.full(count + 1, -np.inf)  # sum of distances if a group ends before this place
    before = np.full(count + 1, -1, np.int32)  # where that group starts
    best[0] = 0.0
    start, top, top_sum = 0, -1, -np.inf
    for stop in range(least, count + 1):
        # A group may start at all places up to here; the best of them is known.
        while start <= stop - least and numbers[stop - 1] - numbers[start] >= width:
            distance = numbers[start] - numbers[start - 1] if start > 0 else 0.0
            if best[start] + distance >= top_sum and best[start] > -np.inf:
                top, top_sum = start, best[start] + distance
            start += 1
        if top >= 0:
            best[stop], before[stop] = top_sum, top
    starts = np.empty(count, np.int32)
    groups, stop = 0, count
    while stop > 0 and before[stop] >= 0:
        stop = before[stop]
        starts[groups] = stop
        groups += 1
    return starts[:groups][::-1].copy()
