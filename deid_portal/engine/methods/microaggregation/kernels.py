"""The compiled loops of microaggregation: distances, blocks of records, and MDAV on top of them.

Records are the columns of `points` (column × record). They are kept in two sets of blocks. Blocks
of neighbours, each with a bounding box, show which of them may hold the nearest records. Shells,
blocks by distance from an earlier centre, show which may hold the farthest. Most records are never
compared; the result is the same as if all were, ties included.

This requires that along a column distances grow on either side of a value. They do for numbers and
ranks, and for the leaves of a taxonomy in the order of the tree; a gap comes after all values and
is as far from each as the two most distant values are from each other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled

NUMBER, ORDERED, TREE = 0, 1, 2  # kinds of columns: mean, median or plurality is the centre
GAP = np.inf
BOX, SHELL = 64, 256  # records of a block
MOST_UNEVEN = 64  # a cut takes off at least this part
SLACK = 1 + 1e-9  # what rounding may add to a sum of distances
LESS = 1 - 1e-9  # less than rounding makes of an equal sum
CLEARLY_NEAR = 0.3  # share of the squared search distance

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Space(NamedTuple):
    """How far values of each column are from each other; one entry per column."""

    kinds: Integers
    weights: Numbers  # of the square of a difference
    caps: Numbers  # the square of the distance to a gap
    sizes: Integers  # how many leaves or ranks; 0 for numbers
    heights: Integers  # levels of the taxonomy above the leaves; 0 for all others
    starts: Integers  # where the column starts in the ancestors
    ancestors: NDArray[np.int32]  # level × leaf -> label


class Blocks(NamedTuple):
    """Records in blocks that follow one another; a removed record leaves no hole in its block."""

    points: Numbers  # column × slot
    records: Integers  # slot -> record
    slots: Integers  # record -> slot
    blocks: Integers  # record -> block
    begins: Integers  # block -> its first slot
    counts: Integers  # block -> records that are still there, in its first slots
    squares: Numbers  # room for the distances of a block


class BlockBoxes(NamedTuple):
    """Blocks of neighbours with the bounding box of the remaining records."""

    blocks: Blocks
    low: Numbers  # column × block
    high: Numbers  # column × block
    firsts: Integers  # block -> least record
    bounds: Numbers  # block -> room for what a search computes


class Shells(NamedTuple):
    """Blocks by falling distance from a place."""

    blocks: Blocks
    place: Numbers  # per column
    reach: Numbers  # block -> largest distance
    firsts: Integers  # block -> least record there ever was


class Tally(NamedTuple):
    """Sums and counts from which the centre of the remaining records is computed."""

    sums: Numbers  # per column of numbers
    present: Integers  # records without a gap, per column
    counts: Integers  # as long as the ancestors: records per label


@compiled
def square_distance(space: Space, column: int, one: float, other: float) -> float:
    if space.kinds[column] == TREE:
        size, start = space.sizes[column], space.starts[column]
        height = space.heights[column]
        level = 0
        here, there = start + np.int64(one), start + np.int64(other)
        while level < height and space.ancestors[here] != space.ancestors[there]:
            here += size
            there += size
            level += 1
        return float((level / height) ** 2 * space.weights[column])
    if one == other:
        return 0.0
    square = (one - other) * (one - other) * space.weights[column]
    cap = space.caps[column]
    return float(square if square < cap else cap)


@compiled
def measure_block(space: Space, blocks: Blocks, block: int, place: Numbers) -> int:
    """Fill in the squared distances of a block from a place; return how many there are."""
    begin, count = blocks.begins[block], blocks.counts[block]
    squares = blocks.squares[:count]
    squares[:] = 0.0
    for column in range(len(place)):
        own = blocks.points[column, begin : begin + count]
        here = place[column]
        weight, cap = space.weights[column], space.caps[column]
        if space.kinds[column] == TREE or here == GAP:
            for slot in range(count):
                squares[slot] += square_distance(space, column, own[slot], here)
        elif cap == np.inf:
            for slot in range(count):
                squares[slot] += (own[slot] - here) * (own[slot] - here) * weight
        else:
            for slot in range(count):
                square = (own[slot] - here) * (own[slot] - here) * weight
                squares[slot] += square if square < cap else cap
    return int(count)


@compiled
def distance(space: Space, one: Numbers, other: Numbers) -> float:
    total = 0.0
    for column in range(len(one)):
        total += square_distance(space, column, one[column], other[column])
    return float(np.sqrt(total))


@compiled
def bound_from_below(space: Space, boxes: BlockBoxes, place: Numbers) -> None:
    """Fill in, per block, the squared distance none of its records can be nearer than."""
    bounds = boxes.bounds
    bounds[:] = 0.0
    for column in range(len(place)):
        low, high = boxes.low[column], boxes.high[column]
        here = place[column]
        if space.kinds[column] == TREE or here == GAP:
            for block in range(len(bounds)):
                inside = min(max(here, low[block]), high[block])
                bounds[block] += square_distance(space, column, inside, here)
        else:
            weight, cap = space.weights[column], space.caps[column]
            for block in range(len(bounds)):
                inside = low[block] if here < low[block] else here
                inside = high[block] if high[block] < inside else inside
                square = (inside - here) * (inside - here) * weight
                bounds[block] += square if square < cap else cap


@compiled
def put_in_order(values: Numbers, records: Integers, begin: int, end: int, nth: int) -> None:
    """Move records so that the nth stands where sorting by value, then number, would put it."""
    end -= 1
    while begin < end:
        pivot = records[(begin + end) // 2]
        left, right = begin, end
        while left <= right:
            while is_value_before(values, records[left], pivot):
                left += 1
            while is_value_before(values, pivot, records[right]):
                right -= 1
            if left <= right:
                records[left], records[right] = records[right], records[left]
                left += 1
                right -= 1
        if nth <= right:
            end = right
        elif nth >= left:
            begin = left
        else:
            return


@compiled
def is_value_before(values: Numbers, one: int, other: int) -> bool:
    if values[one] == values[other]:
        return one < other
    return bool(values[one] < values[other])


@compiled
def halve_records(
    space: Space, points: Numbers, records: Integers, largest: int
) -> tuple[Integers, Integers]:
    """Halve the records across their longest side until no block has more than the largest.

    Return where each block begins and how many records it has; the records are put in the order
    of the blocks, of which the first is never smaller than another.
    """
    begins = np.zeros(1, np.int64)
    counts = np.full(1, len(records), np.int64)
    while counts[0] > largest:
        halves = np.empty(2 * len(begins), np.int64)
        sizes = np.empty(2 * len(begins), np.int64)
        for block in range(len(begins)):
            begin, count = begins[block], counts[block]
            column, _ = longest_side(space, points, records[begin : begin + count])
            half = (count + 1) // 2
            put_in_order(points[column], records, begin, begin + count, begin + half)
            halves[2 * block], sizes[2 * block] = begin, half
            halves[2 * block + 1], sizes[2 * block + 1] = begin + half, count - half
        begins, counts = halves, sizes
    return begins, counts


@compiled
def cut_records(
    space: Space, points: Numbers, records: Integers, largest: int, smallest: int
) -> Integers:
    """Cut the records in the middle of their longest side until no block has more than the largest.

    Unlike halving, this keeps the few who are far from all others together; but no block gets
    fewer than the smallest, nor next to nothing of what is cut, which would take too many cuts.
    Return where each block begins, and the end of the last; the records are put in this order.
    """
    begins = np.empty(len(records) // smallest + 2, np.int64)
    found = 0
    waiting_from, waiting_to = np.empty(len(begins), np.int64), np.empty(len(begins), np.int64)
    waiting_from[0], waiting_to[0] = 0, len(records)
    waiting = 1
    while waiting:
        waiting -= 1
        begin, end = waiting_from[waiting], waiting_to[waiting]
        count = end - begin
        if count <= largest:
            begins[found] = begin
            found += 1
            continue
        column, middle = longest_side(space, points, records[begin:end])
        fewest = max(smallest, count // MOST_UNEVEN)
        under = 0
        for index in range(begin, end):
            under += points[column, records[index]] < middle
        under = min(max(under, fewest), count - fewest)
        put_in_order(points[column], records, begin, end, begin + under)
        waiting_from[waiting], waiting_to[waiting] = begin + under, end
        waiting_from[waiting + 1], waiting_to[waiting + 1] = begin, begin + under
        waiting += 2
    begins[found] = len(records)
    return begins[: found + 1].copy()


@compiled
def longest_side(space: Space, points: Numbers, records: Integers) -> tuple[int, float]:
    """Return the column in which the records differ most, and the middle between its ends."""
    longest, found, middle = -1.0, 0, 0.0
    for column in range(points.shape[0]):
        low, high = np.inf, -np.inf
        for record in records:
            low = min(low, points[column, record])
            high = max(high, points[column, record])
        side = square_distance(space, column, low, high)
        if side > longest:
            longest, found, middle = side, column, (low + high) / 2
    return found, middle


@compiled
def build_blocks(points: Numbers, members: Integers, begins: Integers, counts: Integers) -> Blocks:
    """Return the blocks of these records, which stand in the order of their slots."""
    own = np.empty((points.shape[0], len(members)))
    for column in range(points.shape[0]):
        for slot in range(len(members)):
            own[column, slot] = points[column, members[slot]]
    slots = np.empty(points.shape[1], np.int64)
    block_of = np.empty(points.shape[1], np.int64)
    for block in range(len(begins)):
        for slot in range(begins[block], begins[block] + counts[block]):
            slots[members[slot]] = slot
            block_of[members[slot]] = block
    return Blocks(own, members, slots, block_of, begins, counts, np.empty(counts.max()))


@compiled
def build_boxes(space: Space, points: Numbers, members: Integers) -> BlockBoxes:
    members = members.copy()
    begins, counts = halve_records(space, points, members, BOX)
    shape = (points.shape[0], len(begins))
    boxes = BlockBoxes(
        build_blocks(points, members, begins, counts),
        np.empty(shape),
        np.empty(shape),
        np.empty(len(begins), np.int64),
        np.empty(len(begins)),
    )
    for block in range(len(begins)):
        fit_box(boxes, block)
    return boxes


@compiled
def build_shells(space: Space, points: Numbers, members: Integers, place: Numbers) -> Shells:
    distances = np.empty(len(members))
    for index in range(len(members)):
        here = np.ascontiguousarray(points[:, members[index]])
        distances[index] = distance(space, here, place)
    order = np.argsort(-distances, kind="mergesort")
    begins = np.arange(0, len(members), SHELL)
    counts = np.minimum(SHELL, len(members) - begins)
    blocks = build_blocks(points, members[order], begins, counts)
    firsts = np.empty(len(begins), np.int64)
    for block in range(len(begins)):
        firsts[block] = blocks.records[begins[block] : begins[block] + counts[block]].min()
    return Shells(blocks, place.copy(), distances[order][begins], firsts)


@compiled
def fit_box(boxes: BlockBoxes, block: int) -> None:
    """Compute the bounding box of the remaining records."""
    blocks = boxes.blocks
    begin, count = blocks.begins[block], blocks.counts[block]
    first = np.int64(np.iinfo(np.int64).max)
    for slot in range(begin, begin + count):
        first = min(first, blocks.records[slot])
    boxes.firsts[block] = first
    for column in range(blocks.points.shape[0]):
        own = blocks.points[column, begin : begin + count]
        low, high = np.inf, -np.inf
        for slot in range(count):
            low = own[slot] if own[slot] < low else low
            high = own[slot] if own[slot] > high else high
        boxes.low[column, block], boxes.high[column, block] = low, high


@compiled
def remove_record(blocks: Blocks, record: int) -> None:
    """Take a record out of its block; the last of the block takes its slot."""
    block, slot = blocks.blocks[record], blocks.slots[record]
    blocks.counts[block] -= 1
    last = blocks.begins[block] + blocks.counts[block]
    moved = blocks.records[last]
    blocks.records[slot], blocks.records[last] = moved, record
    blocks.slots[moved], blocks.slots[record] = slot, last
    for column in range(blocks.points.shape[0]):
        blocks.points[column, slot] = blocks.points[column, last]


@compiled
def find_farthest(space: Space, shells: Shells, place: Numbers) -> int:
    """Return the record farthest from a place, the first of equals.

    By the triangle inequality its distance is at most that from the place of the shells plus the
    distance between the two places.
    """
    blocks = shells.blocks
    shift = distance(space, shells.place, place)
    best, found = -1.0, np.int64(-1)
    for block in range(len(shells.reach)):
        bound = ((shells.reach[block] + shift) * SLACK) ** 2
        if bound < best:
            break
        if bound == best and shells.firsts[block] > found:
            continue
        begin = blocks.begins[block]
        for slot in range(measure_block(space, blocks, block, place)):
            if blocks.squares[slot] >= best:
                record = blocks.records[begin + slot]
                if blocks.squares[slot] > best or record < found:
                    best, found = blocks.squares[slot], record
    return int(found)


@compiled
def sift_down(distances: Numbers, records: Integers, top: int, count: int) -> None:
    """Let the entry at the top of a heap sink below all that are farther."""
    while True:
        child = 2 * top + 1
        if child >= count:
            return
        if child + 1 < count and is_farther(distances, records, child + 1, child):
            child += 1
        if not is_farther(distances, records, child, top):
            return
        distances[top], distances[child] = distances[child], distances[top]
        records[top], records[child] = records[child], records[top]
        top = child


@compiled
def is_farther(distances: Numbers, records: Integers, one: int, other: int) -> bool:
    if distances[one] == distances[other]:
        return bool(records[one] > records[other])
    return bool(distances[one] > distances[other])


@compiled
def find_nearest(
    space: Space, boxes: BlockBoxes, centre: int, place: Numbers, how_many: int, nearest: Integers
) -> None:
    """Fill in the records nearest to a record at a place; of equals the first.

    Its own block is searched first, then the blocks that are clearly near, then the others.
    """
    bound_from_below(space, boxes, place)
    distances = np.full(how_many, np.inf)
    nearest[:how_many] = np.iinfo(np.int64).max
    own, counts = boxes.blocks.blocks[centre], boxes.blocks.counts
    search_block(space, boxes, own, place, distances, nearest)
    boxes.bounds[own] = np.nan  # compares as false with every bound: done
    near = distances[0] * CLEARLY_NEAR
    for block in range(len(boxes.bounds)):
        if counts[block] and boxes.bounds[block] <= near:
            search_block(space, boxes, block, place, distances, nearest)
            boxes.bounds[block] = np.nan
    for block in range(len(boxes.bounds)):
        if counts[block] and boxes.bounds[block] <= distances[0]:
            search_block(space, boxes, block, place, distances, nearest)


@compiled
def search_block(
    space: Space,
    boxes: BlockBoxes,
    block: int,
    place: Numbers,
    distances: Numbers,
    nearest: Integers,  # as a heap, the farthest on top
) -> None:
    """Let the records of a block take the places of farther ones."""
    if boxes.bounds[block] == distances[0] and boxes.firsts[block] > nearest[0]:
        return
    blocks = boxes.blocks
    begin = blocks.begins[block]
    for slot in range(measure_block(space, blocks, block, place)):
        if blocks.squares[slot] <= distances[0]:
            record = blocks.records[begin + slot]
            if blocks.squares[slot] < distances[0] or record < nearest[0]:
                distances[0], nearest[0] = blocks.squares[slot], record
                sift_down(distances, nearest, 0, len(distances))


@compiled
def count_in(space: Space, tally: Tally, points: Numbers, record: int, sign: int) -> None:
    """Add a record to the tally of the centre, or take it out."""
    for column in range(points.shape[0]):
        here = points[column, record]
        kind = space.kinds[column]
        if kind == TREE:
            leaf = space.starts[column] + np.int64(here)
            for level in range(space.heights[column]):
                start = space.starts[column] + level * space.sizes[column]
                tally.counts[start + space.ancestors[leaf]] += sign
                leaf += space.sizes[column]
        elif here != GAP:
            tally.present[column] += sign
            if kind == NUMBER:
                tally.sums[column] += sign * here
            else:
                tally.counts[space.starts[column] + np.int64(here)] += sign


@compiled
def find_centre(space: Space, tally: Tally, place: Numbers) -> None:
    for column in range(len(place)):
        kind = space.kinds[column]
        start = space.starts[column]
        if kind == TREE:
            place[column] = plurality(space, tally, column)
        elif tally.present[column] == 0:
            place[column] = GAP
        elif kind == NUMBER:
            place[column] = tally.sums[column] / tally.present[column]
        else:
            rank, below = -1, np.int64(0)
            while 2 * below < tally.present[column]:
                rank += 1
                below += tally.counts[start + rank]
            place[column] = rank


@compiled
def plurality(space: Space, tally: Tally, column: int) -> int:
    """Return the value present whose distances to all others sum up to the least.

    Two leaves are as far apart as the levels on which they differ are many, so the sum falls
    with the records that share a label with the value, level by level.
    """
    start, size = space.starts[column], space.sizes[column]
    most, found = np.int64(-1), 0
    for leaf in range(size):
        if tally.counts[start + space.ancestors[start + leaf]] == 0:
            continue
        shared = np.int64(0)
        for level in range(space.heights[column]):
            row = start + level * size
            shared += tally.counts[row + space.ancestors[row + leaf]]
        if shared > most:
            most, found = shared, leaf
    return found


@compiled
def settle_groups(
    space: Space, column: int, places: Numbers, order: Integers, sizes: Integers
) -> Numbers:
    """Return the median or the plurality of each group; its records stand together in the order.

    A gap counts only if a group holds nothing else.
    """
    settled = np.full(len(sizes), GAP)
    end = 0
    for group in range(len(sizes)):
        begin, end = end, end + sizes[group]
        own = np.sort(places[order[begin:end]])
        own = own[: np.searchsorted(own, GAP)]
        if len(own) == 0:
            continue
        if space.kinds[column] != TREE:
            settled[group] = own[(len(own) - 1) // 2]
            continue
        least = np.inf
        for index in range(len(own)):
            if index and own[index] == own[index - 1]:
                continue
            total = 0.0
            for other in own:
                total += np.sqrt(square_distance(space, column, own[index], other))
            if total < least * LESS:
                least, settled[group] = total, own[index]
    return settled


@compiled
def take_group(
    space: Space,
    points: Numbers,
    boxes: BlockBoxes,
    shells: Shells,
    tally: Tally,
    centre: int,  # a record
    nearest: Integers,  # room for k records
    groups: NDArray[np.int32],
    number: int,
) -> None:
    """Make the k records nearest to one a group and remove them."""
    place = np.ascontiguousarray(points[:, centre])
    find_nearest(space, boxes, centre, place, len(nearest), nearest)
    for record in nearest:
        groups[record] = number
        count_in(space, tally, points, record, -1)
        remove_record(shells.blocks, record)
        remove_record(boxes.blocks, record)
        fit_box(boxes, boxes.blocks.blocks[record])


@compiled
def take_rounds(
    space: Space,
    points: Numbers,
    boxes: BlockBoxes,
    shells: Shells,
    tally: Tally,
    k: int,
    left: int,  # records that are still there
    fewest: int,  # to stop below; at least 2k
    number: int,  # of the next group
    groups: NDArray[np.int32],
) -> int:
    """Go on with MDAV until few records are left; return the number of the next group.

    Each round makes a group around the record farthest from the centre and, if there are enough,
    one around the record farthest from that.
    """
    nearest = np.empty(k, np.int64)
    place = np.empty(points.shape[0])
    while left >= fewest:
        find_centre(space, tally, place)
        extreme = find_farthest(space, shells, place)
        take_group(space, points, boxes, shells, tally, extreme, nearest, groups, number)
        number += 1
        left -= k
        if left >= 2 * k:
            place[:] = points[:, extreme]
            opposite = find_farthest(space, shells, place)
            take_group(space, points, boxes, shells, tally, opposite, nearest, groups, number)
            number += 1
            left -= k
    return number


@compiled
def tally_up(space: Space, points: Numbers, members: Integers) -> Tally:
    columns = points.shape[0]
    tally = Tally(
        np.zeros(columns), np.zeros(columns, np.int64), np.zeros(len(space.ancestors), np.int64)
    )
    for record in members:
        count_in(space, tally, points, record, 1)
    return tally


@compiled
def take_blocks(
    space: Space,
    points: Numbers,
    members: Integers,  # in the order of the blocks
    begins: Integers,  # block -> its first member, and the end of the last
    first: int,  # block to begin with
    last: int,  # block to stop before
    k: int,
    number: int,
    groups: NDArray[np.int32],
) -> int:
    """Run MDAV on some blocks, each on its own; return the number of the next group."""
    columns = points.shape[0]
    place = np.empty(columns)
    for block in range(first, last):
        own = np.sort(members[begins[block] : begins[block + 1]])
        near = np.empty((columns, len(own)))
        for column in range(columns):
            for index in range(len(own)):
                near[column, index] = points[column, own[index]]
        everyone = np.arange(len(own))
        found = np.full(len(own), -1, np.int32)
        tally = tally_up(space, near, everyone)
        find_centre(space, tally, place)
        boxes = build_boxes(space, near, everyone)
        shells = build_shells(space, near, everyone, place)
        number = take_rounds(space, near, boxes, shells, tally, k, len(own), 2 * k, number, found)
        for index in range(len(own)):
            groups[own[index]] = found[index] if found[index] >= 0 else number
        number += 1
    return number


@compiled
def take_one_of_each(
    space: Space,
    points: Numbers,
    shells: Shells,
    tally: Tally,
    slices: Integers,  # record -> slice
    left: Integers,  # slice -> records that are still there
    leaving: int,  # how many may stay in each slice
    place: Numbers,
    groups: NDArray[np.int32],
    number: int,
) -> None:
    """Make a group of the nearest record of each slice that has more than may stay."""
    blocks = shells.blocks
    nearest = np.full(len(left), -1, np.int64)
    distances = np.full(len(left), np.inf)
    for block in range(len(shells.reach)):
        begin = blocks.begins[block]
        for slot in range(measure_block(space, blocks, block, place)):
            record = blocks.records[begin + slot]
            own, square = slices[record], blocks.squares[slot]
            if left[own] > leaving and (
                square < distances[own] or (square == distances[own] and record < nearest[own])
            ):
                distances[own], nearest[own] = square, record
    for own in range(len(nearest)):
        record = nearest[own]
        if record >= 0:
            groups[record] = number
            left[own] -= 1
            count_in(space, tally, points, record, -1)
            remove_record(blocks, record)


@compiled
def take_spread_rounds(
    space: Space,
    points: Numbers,
    shells: Shells,
    tally: Tally,
    slices: Integers,
    left: Integers,
    remaining: int,  # groups still to be made
    rounds: int,
    number: int,
    groups: NDArray[np.int32],
) -> int:
    """Make groups as MDAV does, but of one record of each slice; return those still to be made."""
    place = np.empty(points.shape[0])
    for _ in range(rounds):
        find_centre(space, tally, place)
        for _ in range(2):
            if remaining == 0:
                return 0
            place[:] = points[:, find_farthest(space, shells, place)]
            remaining -= 1
            # Slices need not be equally long; the first groups take what is over.
            while left.max() > remaining:
                take_one_of_each(
                    space, points, shells, tally, slices, left, remaining, place, groups, number
                )
            number += 1
    return remaining
