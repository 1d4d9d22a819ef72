"""The compiled loops of Mondrian: measure a box, propose a cut, divide.

A box is a stretch of the tuples. Dividing a box sorts its stretch by part, so that the tuples of a
box always stand side by side and what is small enough stays in the processor's cache.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled

NOT_TO_CUT = -1.0
Places = NDArray[np.int32]
Scores = NDArray[np.float64]


class Tuples(NamedTuple):
    """What is divided: tuples of the quasi-identifiers in the order of the boxes."""

    places: Places  # column × tuple: the place on the column's axis
    weights: Places  # records per tuple
    secrets: Places  # code of one sensitive value per tuple; empty if none is looked at
    order: Places  # the number each tuple came with
    part_of: Places  # room for the part of its box each tuple would go to
    # Room for the tuples of a box in the order of these parts; unsigned, so that indexing need not
    # handle negative numbers.
    by_part: NDArray[np.uint32]
    room: Places  # room for moving tuples
    tally: NDArray[np.int64]  # room for a number per place of the longest axis


class AxisArrays(NamedTuple):
    """The axes of all columns, concatenated into one array per property.

    Kernels take plain arrays only, not one object per column.
    """

    lengths: NDArray[np.int64]  # places per column
    gaps: NDArray[np.bool_]  # whether place 0 is the gap, beside ordered values
    heights: NDArray[np.int64]  # levels above the values; 0 where values are ordered
    starts: NDArray[np.int64]  # where each column starts in the arrays below
    spots: Scores  # place of an ordered column -> 0..1; level × place: share of detail lost
    nodes: Places  # level × place of a tree -> number of the label
    weights: Scores  # how much a column matters


class OpenBoxes(NamedTuple):
    """Boxes that are still to be looked at."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    weights: NDArray[np.int64]  # records per box
    low: Places  # box × column: no tuple of the box stands below
    high: Places  # box × column: none stands above


@compiled
def narrow(places: Places, start: int, stop: int, low: Places, high: Places) -> None:
    """Move the bounds of a box to the tuples in it."""
    for column in range(len(places)):
        if low[column] == high[column]:
            continue
        row = places[column, start:stop]
        least, most = row[0], row[0]
        for index in range(len(row)):
            least = min(least, row[index])
            most = max(most, row[index])
        low[column], high[column] = least, most


@compiled
def level_of(form: AxisArrays, column: int, low: int, high: int) -> int:
    """Return the lowest level of a tree at which both places have one label."""
    length, start = form.lengths[column], form.starts[column]
    level = 0
    while form.nodes[start + level * length + low] != form.nodes[start + level * length + high]:
        level += 1
    return level


@compiled
def width_of_box(form: AxisArrays, column: int, low: int, high: int) -> float:
    """Return how wide a box is in a column, from 0 to 1."""
    start = form.starts[column]
    if form.heights[column] > 0:
        level = level_of(form, column, low, high)
        return float(form.spots[start + level * form.lengths[column] + low])
    if form.gaps[column] and low == 0:
        return 1.0
    return float(form.spots[start + high] - form.spots[start + low])


@compiled
def list_attempts(
    form: AxisArrays, low: Places, high: Places, attempts: Places, scores: Scores
) -> int:
    """List the cuts to try, the widest column first; return how many.

    An attempt is twice the column, one more for the cut between the gap and everything else, which
    is tried first where both stand in one box. `scores` is room for a number per column.
    """
    count = 0
    for column in range(len(low)):
        scores[column] = NOT_TO_CUT
        if low[column] < high[column]:
            scores[column] = form.weights[column] * width_of_box(
                form, column, low[column], high[column]
            )
    while True:
        best = 0
        for column in range(1, len(scores)):
            if scores[column] > scores[best]:
                best = column
        if len(scores) == 0 or scores[best] == NOT_TO_CUT:
            return count
        scores[best] = NOT_TO_CUT
        if form.heights[best] == 0 and form.gaps[best] and low[best] == 0:
            attempts[count] = 2 * best + 1
            count += 1
        attempts[count] = 2 * best
        count += 1


@compiled
def find_middle(
    row: Places, weights: Places, low: int, high: int, total: int, tally: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Return the median: the lowest place that at least half of the records do not exceed.

    Also the records below that place, and those at it or below.
    """
    if high - low < 2 * len(row):
        return find_middle_by_counting(row, weights, low, high, total, tally)
    bottom, top = low, high
    while bottom < top:
        middle = (bottom + top) // 2
        if 2 * weight_up_to(row, weights, middle) >= total:
            top = middle
        else:
            bottom = middle + 1
    return bottom, weight_up_to(row, weights, bottom - 1), weight_up_to(row, weights, bottom)


@compiled
def find_middle_by_counting(
    row: Places, weights: Places, low: int, high: int, total: int, tally: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Do the same where there are few places for many tuples."""
    tally[: high - low + 1] = 0
    for index in range(len(row)):
        tally[row[index] - low] += weights[index]
    below, up_to = 0, tally[0]
    place = 0
    while 2 * up_to < total:
        place += 1
        below = up_to
        up_to += tally[place]
    return low + place, below, up_to


@compiled
def weight_up_to(row: Places, weights: Places, place: int) -> int:
    """Count the records at this place or below."""
    total = 0
    for index in range(len(row)):
        if row[index] <= place:
            total += weights[index]
    return total


@compiled
def find_border(
    row: Places,
    weights: Places,
    low: int,
    high: int,
    total: int,
    relaxed: bool,
    tally: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Find the cut nearest to the middle; return a place, how many of it go left, and the left.

    Records below the place go left, records above it right. Of those at the place a strict cut
    sends none left, a relaxed cut as many as the left half still lacks.
    """
    middle, below, up_to = find_middle(row, weights, low, high, total, tally)
    if relaxed:
        return middle, total // 2 - below, total // 2
    if min(up_to, total - up_to) >= min(below, total - below):
        return middle + 1, 0, up_to
    return middle, 0, below


@compiled
def cut_in_two(
    tuples: Tuples,
    start: int,
    stop: int,
    column: int,
    border: int,
    extra: int,
    sums: NDArray[np.int64],
) -> None:
    """Say of each tuple of a box whether it goes left or right."""
    row = tuples.places[column]
    right, total = 0, 0
    for index in range(start, stop):
        part = np.int32(row[index] >= border)
        weight = tuples.weights[index]
        tuples.part_of[index] = part
        total += weight
        right += weight * part
    index = start
    while extra > 0:
        if row[index] == border:
            tuples.part_of[index] = 0
            right -= 1
            extra -= 1
        index += 1
    sums[0], sums[1] = total - right, right


@compiled
def cut_by_children(
    tuples: Tuples,
    form: AxisArrays,
    start: int,
    stop: int,
    column: int,
    low: int,
    high: int,
    least: int,
    sums: NDArray[np.int64],
) -> int:
    """Say of each tuple of a box under which child of the box's label it stands.

    Returns how many children occur, 0 if one of them is too small.
    """
    row = tuples.places[column]
    level = level_of(form, column, low, high) - 1
    offset = form.starts[column] + level * form.lengths[column]
    first = form.nodes[offset + low]
    children = form.nodes[offset + high] - first + 1
    sums[:children] = 0
    for index in range(start, stop):
        child = form.nodes[offset + row[index]] - first
        tuples.part_of[index] = child
        sums[child] += tuples.weights[index]
    for child in range(children):
        if 0 < sums[child] < least:
            return 0
    numbers = np.empty(children, np.int32)
    parts = 0
    for child in range(children):
        numbers[child] = parts
        if sums[child] > 0:
            sums[parts] = sums[child]
            parts += 1
    if parts < children:
        for index in range(start, stop):
            tuples.part_of[index] = numbers[tuples.part_of[index]]
    return parts


@compiled
def try_cut(
    tuples: Tuples,
    form: AxisArrays,
    boxes: OpenBoxes,
    box: int,
    attempt: int,
    least: int,
    relaxed: bool,
    sums: NDArray[np.int64],
) -> int:
    """Try a cut without carrying it out; return how many parts it makes, 0 if one is too small."""
    column = attempt // 2
    start, stop = boxes.starts[box], boxes.stops[box]
    low, high, total = boxes.low[box, column], boxes.high[box, column], boxes.weights[box]
    if form.heights[column] > 0:
        return cut_by_children(tuples, form, start, stop, column, low, high, least, sums)
    border, extra = 1, 0
    if attempt % 2 == 0:
        row, weights = tuples.places[column, start:stop], tuples.weights[start:stop]
        border, extra, left = find_border(row, weights, low, high, total, relaxed, tuples.tally)
        if min(left, total - left) < least:
            return 0
    cut_in_two(tuples, start, stop, column, border, extra, sums)
    return 2 if min(sums[0], sums[1]) >= least else 0


@compiled
def sort_by_part(
    tuples: Tuples, start: int, stop: int, parts: int, ends: NDArray[np.int64]
) -> None:
    """List the tuples of a box part by part, in their order; `ends` says where each part ends."""
    if parts == 2:
        sort_in_two(tuples, start, stop, ends)
        return
    ends[:parts] = 0
    for index in range(start, stop):
        ends[tuples.part_of[index]] += 1
    place = start
    for part in range(parts):
        count = ends[part]
        ends[part] = place
        place += count
    for index in range(start, stop):
        part = tuples.part_of[index]
        tuples.by_part[ends[part]] = index
        ends[part] += 1


@compiled
def sort_in_two(tuples: Tuples, start: int, stop: int, ends: NDArray[np.int64]) -> None:
    """Do the same for two parts, without a branch per tuple."""
    left, right = start, start
    for index in range(start, stop):
        tuples.by_part[left] = index
        tuples.room[right] = index
        part = int(tuples.part_of[index])
        left += 1 - part
        right += part
    for offset in range(right - start):
        tuples.by_part[left + offset] = tuples.room[start + offset]
    ends[0], ends[1] = left, stop


@compiled
def move_tuples(tuples: Tuples, start: int, stop: int, low: Places, high: Places) -> None:
    """Bring the tuples of a box, given its bounds, into the listed order."""
    for column in range(len(tuples.places)):
        if low[column] < high[column]:
            move_row(tuples.places[column], tuples.by_part, tuples.room, start, stop)
    move_row(tuples.weights, tuples.by_part, tuples.room, start, stop)
    move_row(tuples.order, tuples.by_part, tuples.room, start, stop)
    if len(tuples.secrets):
        move_row(tuples.secrets, tuples.by_part, tuples.room, start, stop)


@compiled
def move_row(row: Places, by_part: NDArray[np.uint32], room: Places, start: int, stop: int) -> None:
    for index in range(start, stop):
        room[index] = row[by_part[index]]
    row[start:stop] = room[start:stop]


@compiled
def has_different(
    tuples: Tuples,
    start: int,
    parts: int,
    ends: NDArray[np.int64],
    least: int,
    seen: NDArray[np.int64],
    stamp: int,
) -> tuple[bool, int]:
    """Say whether every listed part has so many different secrets; return the next free stamp."""
    begin = start
    for part in range(parts):
        stamp += 1
        different = 0
        for index in range(begin, ends[part]):
            secret = tuples.secrets[tuples.by_part[index]]
            if seen[secret] != stamp:
                seen[secret] = stamp
                different += 1
                if different == least:
                    break
        if different < least:
            return False, stamp
        begin = ends[part]
    return True, stamp


@compiled
def add_parts(
    boxes: OpenBoxes,
    place: int,
    source: OpenBoxes,
    box: int,
    parts: int,
    ends: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Enter the parts of a box as boxes from this place on."""
    low, high = source.low[box].copy(), source.high[box].copy()
    start = source.starts[box]
    for part in range(parts):
        boxes.starts[place + part] = start
        boxes.stops[place + part] = ends[part]
        boxes.weights[place + part] = sums[part]
        boxes.low[place + part] = low
        boxes.high[place + part] = high
        start = ends[part]


@compiled
def divide_all(
    tuples: Tuples,
    form: AxisArrays,
    boxes: OpenBoxes,
    waiting: int,  # boxes on the pile; the last is looked at first
    least: int,  # records per box
    different: int,  # secrets per box; 0: any
    relaxed: bool,
    secrets: int,  # codes there are
    most_parts: int,
    is_first: NDArray[np.bool_],  # per tuple: whether a finished box starts here
    steps: int,
) -> tuple[int, int]:
    """Divide boxes until none can be divided, or for a while, or until there is no more room.

    Returns how many boxes wait and how many tuples are in finished ones.
    """
    attempts = np.empty(2 * len(form.lengths), np.int32)
    scores = np.empty(len(form.lengths))
    sums, ends = np.empty(most_parts, np.int64), np.empty(most_parts, np.int64)
    seen, stamp = np.zeros(secrets, np.int64), 0
    finished = 0
    while waiting > 0 and steps > 0 and waiting + most_parts <= len(boxes.starts):
        waiting -= 1
        start, stop = boxes.starts[waiting], boxes.stops[waiting]
        steps -= stop - start
        parts = 0
        if boxes.weights[waiting] >= 2 * least and stop - start > 1:
            narrow(tuples.places, start, stop, boxes.low[waiting], boxes.high[waiting])
            count = list_attempts(form, boxes.low[waiting], boxes.high[waiting], attempts, scores)
            for place in range(count):
                parts = try_cut(tuples, form, boxes, waiting, attempts[place], least, relaxed, sums)
                if parts == 0:
                    continue
                sort_by_part(tuples, start, stop, parts, ends)
                if different > 0:
                    enough, stamp = has_different(
                        tuples, start, parts, ends, different, seen, stamp
                    )
                    if not enough:
                        parts = 0
                        continue
                break
        if parts == 0:
            is_first[start] = True
            finished += stop - start
            continue
        move_tuples(tuples, start, stop, boxes.low[waiting], boxes.high[waiting])
        add_parts(boxes, waiting, boxes, waiting, parts, ends, sums)
        waiting += parts
    return waiting, finished


@compiled
def measure_boxes(
    tuples: Tuples, form: AxisArrays, boxes: OpenBoxes, attempts: Places, counts: NDArray[np.int64]
) -> None:
    """Narrow every box and list its attempts: box × attempt."""
    scores = np.empty(len(form.lengths))
    for box in range(len(boxes.starts)):
        start, stop = boxes.starts[box], boxes.stops[box]
        narrow(tuples.places, start, stop, boxes.low[box], boxes.high[box])
        counts[box] = list_attempts(form, boxes.low[box], boxes.high[box], attempts[box], scores)


@compiled
def propose_cuts(
    tuples: Tuples,
    form: AxisArrays,
    boxes: OpenBoxes,
    chosen: NDArray[np.int64],  # the boxes to cut
    attempts: Places,  # one per chosen box
    least: int,
    relaxed: bool,
    most_parts: int,
    parts: NDArray[np.int64],  # per chosen box, to be filled
    sizes: NDArray[np.int64],  # records per part, to be filled
    members: Places,  # one tuple per part, to be filled
    part_of_tuple: Places,  # by the number a tuple came with, to be filled
) -> int:
    """Propose a cut for several boxes and number their parts; return how many parts there are."""
    sums = np.empty(most_parts, np.int64)
    count = 0
    for place in range(len(chosen)):
        box = chosen[place]
        own = try_cut(tuples, form, boxes, box, attempts[place], least, relaxed, sums)
        parts[place] = own
        if own == 0:
            continue
        sizes[count : count + own] = sums[:own]
        for index in range(boxes.starts[box], boxes.stops[box]):
            number = tuples.order[index]
            part = count + tuples.part_of[index]
            part_of_tuple[number] = part
            members[part] = number
        count += own
    return count


@compiled
def tally_parts(
    groups: Places,  # tuple of each pair
    codes: Places,  # sensitive value of each pair
    counts: NDArray[np.int64],
    part_of_tuple: Places,  # below 0 for tuples that are not concerned
    parts: int,
    values: int,
) -> tuple[Places, Places, NDArray[np.int64]]:
    """Count sensitive values per part; return part, code and count of every pair that occurs.

    A number for every possible pair is kept, so there must not be too many.
    """
    tally = np.zeros(parts * values, np.int64)
    for index in range(len(groups)):
        part = part_of_tuple[groups[index]]
        if part >= 0:
            tally[np.int64(part) * values + codes[index]] += counts[index]
    found = np.flatnonzero(tally)
    part_of, code_of = np.empty(len(found), np.int32), np.empty(len(found), np.int32)
    for index in range(len(found)):
        part_of[index] = found[index] // values
        code_of[index] = found[index] % values
    return part_of, code_of, tally[found]


@compiled
def divide_boxes(
    tuples: Tuples,
    boxes: OpenBoxes,
    chosen: NDArray[np.int64],  # the boxes to divide as proposed
    parts: NDArray[np.int64],  # per chosen box
    most_parts: int,
    divided: OpenBoxes,  # to be filled from this place on
    place: int,
) -> None:
    sums, ends = np.empty(most_parts, np.int64), np.empty(most_parts, np.int64)
    for index in range(len(chosen)):
        box, own = chosen[index], parts[index]
        start, stop = boxes.starts[box], boxes.stops[box]
        sums[:own] = 0
        for position in range(start, stop):
            sums[tuples.part_of[position]] += tuples.weights[position]
        sort_by_part(tuples, start, stop, own, ends)
        move_tuples(tuples, start, stop, boxes.low[box], boxes.high[box])
        add_parts(divided, place, boxes, box, own, ends, sums)
        place += own


@compiled
def number_boxes(
    tuples: Tuples, is_first: NDArray[np.bool_], boxes: int
) -> tuple[Places, Places, Places]:
    """Return the box of each tuple by its own number, and the bounds of each: column × box."""
    columns = len(tuples.places)
    box_of = np.empty(len(tuples.order), np.int32)
    low, high = np.empty((columns, boxes), np.int32), np.empty((columns, boxes), np.int32)
    box = -1
    for index in range(len(tuples.order)):
        if is_first[index]:
            box += 1
        box_of[tuples.order[index]] = box
    for column in range(columns):
        row, box = tuples.places[column], -1
        for index in range(len(row)):
            if is_first[index]:
                box += 1
                low[column, box] = high[column, box] = row[index]
            else:
                low[column, box] = min(low[column, box], row[index])
                high[column, box] = max(high[column, box], row[index])
    return box_of, low, high
