"""The compiled loops of top-down specialization. Nothing here knows what the numbers mean."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import EMPTY, compiled, number_keys

# Up to so many possible keys per cell an array is faster than hashing.
KEYS_PER_CELL = 16
LARGEST_TALLY = 1 << 22


@compiled
def split_classes(
    touched: NDArray[np.int64],  # the classes to split
    starts: NDArray[np.int64],  # where the patterns of each class start in the order
    stops: NDArray[np.int64],
    order: NDArray[np.int32],  # patterns, those of a class side by side
    places: NDArray[np.int32],  # place of each pattern's value among the leaves of the column
    first: int,  # the first place under the node that is split
    child_of: NDArray[np.int32],  # child of each place from there on
    children: int,
    weights: NDArray[np.int64],  # records per pattern
) -> tuple[
    NDArray[np.int32],  # the patterns of the touched classes in order of cells
    NDArray[np.int64],  # where each cell starts there, and where the last one stops
    NDArray[np.int64],  # class of each cell
    NDArray[np.int32],  # child of each cell
    NDArray[np.int64],  # records per cell
]:
    """Split classes by child; a cell is the part of one class that goes to one child."""
    total = 0
    for index in range(len(touched)):
        total += stops[touched[index]] - starts[touched[index]]
    sorted_patterns = np.empty(total, np.int32)
    own_child = np.empty(total, np.int32)
    cell_starts = np.empty(total + 1, np.int64)
    cell_classes = np.empty(total, np.int64)
    cell_children = np.empty(total, np.int32)
    room = np.zeros(children, np.int64)
    seen = np.empty(children, np.int32)
    begin = 0
    cells = 0
    for index in range(len(touched)):
        start, stop = starts[touched[index]], stops[touched[index]]
        different = 0
        for at in range(start, stop):
            child = child_of[places[order[at]] - first]
            own_child[begin + at - start] = child
            if room[child] == 0:
                seen[different] = child
                different += 1
            room[child] += 1
        end = begin
        for number in range(different):
            child = seen[number]
            cell_starts[cells] = end
            cell_classes[cells] = touched[index]
            cell_children[cells] = child
            cells += 1
            end += room[child]
            room[child] = end - room[child]
        for at in range(start, stop):
            child = own_child[begin + at - start]
            sorted_patterns[room[child]] = order[at]
            room[child] += 1
        for number in range(different):
            room[seen[number]] = 0
        begin = end
    cell_starts[cells] = begin
    sizes = np.zeros(cells, np.int64)
    for cell in range(cells):
        for at in range(cell_starts[cell], cell_starts[cell + 1]):
            sizes[cell] += weights[sorted_patterns[at]]
    return (
        sorted_patterns,
        cell_starts[: cells + 1].copy(),
        cell_classes[:cells].copy(),
        cell_children[:cells].copy(),
        sizes,
    )


@compiled
def apply_cells(
    column: int,
    sorted_patterns: NDArray[np.int32],
    cell_starts: NDArray[np.int64],
    cell_classes: NDArray[np.int64],
    cell_children: NDArray[np.int32],
    cell_sizes: NDArray[np.int64],
    position_of: NDArray[np.int32],  # new position of each child in the cut of the column
    order: NDArray[np.int32],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    sizes: NDArray[np.int64],
    positions: NDArray[np.int32],  # column × class: what each class shows
    squares: NDArray[np.int64],  # column × position: sum of squared class sizes there
    count: int,  # classes so far
) -> int:
    """Make the cells classes; the first of each class keeps its number. Return how many there are.

    Only what is in a touched class is written.
    """
    columns = len(positions)
    cell = 0
    while cell < len(cell_classes):
        split = cell_classes[cell]
        begin = starts[split]
        before = sizes[split]
        offset = cell_starts[cell]
        lost = before * before
        is_first = True
        while cell < len(cell_classes) and cell_classes[cell] == split:
            target = split
            if not is_first:
                target = count
                count += 1
                for other in range(columns):
                    positions[other, target] = positions[other, split]
            is_first = False
            starts[target] = begin + cell_starts[cell] - offset
            stops[target] = begin + cell_starts[cell + 1] - offset
            for at in range(cell_starts[cell], cell_starts[cell + 1]):
                order[begin + at - offset] = sorted_patterns[at]
            sizes[target] = cell_sizes[cell]
            positions[column, target] = position_of[cell_children[cell]]
            square = cell_sizes[cell] * cell_sizes[cell]
            squares[column, position_of[cell_children[cell]]] += square
            lost -= square
            cell += 1
        if lost:
            for other in range(columns):
                if other != column:
                    squares[other, positions[other, split]] -= lost
    return count


@compiled
def tally_cells(
    sorted_patterns: NDArray[np.int32],
    cell_starts: NDArray[np.int64],
    entry_starts: NDArray[np.int64],  # where the entries of each pattern start
    entry_values: NDArray[np.int32],
    entry_counts: NDArray[np.int64],
    values: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Add up the entries of the patterns of each cell: where they start, values, counts."""
    cells = len(cell_starts) - 1
    total = 0
    for at in range(len(sorted_patterns)):
        pattern = sorted_patterns[at]
        total += entry_starts[pattern + 1] - entry_starts[pattern]
    starts = np.empty(cells + 1, np.int64)
    found_values = np.empty(total, np.int32)
    found_counts = np.empty(total, np.int64)
    place_of = np.full(values, -1, np.int64)
    end = 0
    for cell in range(cells):
        start = end
        starts[cell] = start
        for at in range(cell_starts[cell], cell_starts[cell + 1]):
            pattern = sorted_patterns[at]
            for entry in range(entry_starts[pattern], entry_starts[pattern + 1]):
                value = entry_values[entry]
                if place_of[value] < start:
                    place_of[value] = end
                    found_values[end] = value
                    found_counts[end] = 0
                    end += 1
                found_counts[place_of[value]] += entry_counts[entry]
    starts[cells] = end
    return starts, found_values[:end].copy(), found_counts[:end].copy()


@compiled
def refine_groups(
    numbers: NDArray[np.int32],  # group of each cell
    count: int,
    codes: NDArray[np.int32],  # what each cell shows in one more column
    different: int,
    cell_sizes: NDArray[np.int64],
    slots: NDArray[np.int32],  # scratch
    refined: NDArray[np.int32],
    sizes: NDArray[np.int64],  # records per refined group
) -> int:
    """Number the groups again after one more column is known; return how many there are."""
    found = 0
    if count * different <= len(slots):
        slots[: count * different] = EMPTY
        for cell in range(len(numbers)):
            key = numbers[cell] * different + codes[cell]
            number = slots[key]
            if number == EMPTY:
                number = found
                slots[key] = number
                sizes[number] = 0
                found += 1
            refined[cell] = number
            sizes[number] += cell_sizes[cell]
        return found
    keys = np.empty(len(numbers), np.uint64)
    for cell in range(len(numbers)):
        keys[cell] = (np.uint64(numbers[cell]) << np.uint64(32)) | np.uint64(codes[cell])
    joined, first = number_keys(keys)
    sizes[: len(first)] = 0
    for cell in range(len(numbers)):
        refined[cell] = joined[cell]
        sizes[joined[cell]] += cell_sizes[cell]
    return len(first)


@compiled
def has_small_group(sizes: NDArray[np.int64], count: int, least: int) -> bool:
    for number in range(count):  # noqa: SIM110 - compiled
        if sizes[number] < least:
            return True
    return False


@compiled
def has_common_value(
    numbers: NDArray[np.int32],  # group of each cell
    count: int,
    sizes: NDArray[np.int64],  # records per group
    share: float,
    entry_starts: NDArray[np.int64],  # where the entries of each cell start
    entry_values: NDArray[np.int32],
    entry_counts: NDArray[np.int64],
    values: int,
) -> bool:
    """Say whether some value has more than a share of some group, a block of values at a time."""
    block = max(min(LARGEST_TALLY // count, values), 1)
    tally = np.empty(count * block, np.int64)
    for low in range(0, values, block):
        tally[:] = 0
        for cell in range(len(numbers)):
            number = numbers[cell]
            for entry in range(entry_starts[cell], entry_starts[cell + 1]):
                value = entry_values[entry] - low
                if 0 <= value < block:
                    tally[number * block + value] += entry_counts[entry]
                    if tally[number * block + value] > share * sizes[number]:
                        return True
    return False


@compiled
def every_projection_holds(
    first: NDArray[np.int32],  # what each cell shows in the column everybody knows
    first_count: int,
    codes: NDArray[np.int32],  # column × cell: what it shows in the others
    different: NDArray[np.int64],  # per column
    known: int,  # how many of these columns somebody knows
    from_column: int,  # look only at choices whose first column is one of these
    to_column: int,
    least: int,
    share: float,
    cell_sizes: NDArray[np.int64],
    entry_starts: NDArray[np.int64],  # where the entries of each cell start
    entry_values: NDArray[np.int32],
    entry_counts: NDArray[np.int64],
    values: int,
) -> bool:
    """Check the groups on every choice of columns: large enough, and no value too common.

    Walks the choices in lexicographic order and keeps the numbering of each beginning, so that a
    choice costs one refinement.
    """
    cells = len(first)
    columns = len(codes)
    slots = np.empty(max(KEYS_PER_CELL * cells, 1 << 12), np.int32)
    numbers = np.empty((known + 1, cells), np.int32)
    counts = np.zeros(known + 1, np.int64)
    sizes = np.empty(max(cells, 1), np.int64)
    chosen = np.zeros(known + 1, np.int64)
    nothing = np.zeros(cells, np.int32)
    counts[0] = refine_groups(nothing, 1, first, first_count, cell_sizes, slots, numbers[0], sizes)
    if has_small_group(sizes, counts[0], least):
        return False
    if known == 0:
        return values == 0 or not has_common_value(
            numbers[0], counts[0], sizes, share, entry_starts, entry_values, entry_counts, values
        )
    depth = 1
    chosen[1] = from_column
    while depth > 0:
        column = chosen[depth]
        end = to_column if depth == 1 else columns - (known - depth)
        if column >= min(end, columns - (known - depth)):
            depth -= 1
            chosen[depth] += 1
            continue
        counts[depth] = refine_groups(
            numbers[depth - 1],
            counts[depth - 1],
            codes[column],
            different[column],
            cell_sizes,
            slots,
            numbers[depth],
            sizes,
        )
        if has_small_group(sizes, counts[depth], least):
            return False
        if depth < known:
            depth += 1
            chosen[depth] = column + 1
            continue
        if values > 0 and has_common_value(
            numbers[depth],
            counts[depth],
            sizes,
            share,
            entry_starts,
            entry_values,
            entry_counts,
            values,
        ):
            return False
        chosen[depth] += 1
    return True


@compiled
def times_log(count: float) -> float:
    """Return n log2 n, 0 for 0."""
    return count * np.log2(count) if count > 0 else 0.0


@compiled
def gain_of_parts(
    bounds: NDArray[np.int64],  # where each part starts among the leaves, and the last one stops
    entry_starts: NDArray[np.int64],  # where the entries of each leaf start
    entry_values: NDArray[np.int32],  # class
    entry_counts: NDArray[np.int64],
    values: int,
) -> float:
    """Return the information gain in bits of telling these parts apart."""
    whole = np.zeros(values, np.int64)
    part = np.zeros(values, np.int64)
    total = 0
    rest = 0.0
    for index in range(len(bounds) - 1):
        size = 0
        start, stop = entry_starts[bounds[index]], entry_starts[bounds[index + 1]]
        for entry in range(start, stop):
            part[entry_values[entry]] += entry_counts[entry]
            size += entry_counts[entry]
        rest += times_log(size)
        for entry in range(start, stop):
            value = entry_values[entry]
            rest -= times_log(part[value])
            whole[value] += part[value]
            part[value] = 0
        total += size
    if total == 0:
        return 0.0
    entropy = times_log(total)
    for value in range(values):
        entropy -= times_log(whole[value])
    return max((entropy - rest) / total, 0.0)


@compiled
def best_gain_split(
    start: int,
    stop: int,
    least: int,  # records on either side
    refused: NDArray[np.bool_],  # places where none may begin
    tolerance: float,
    entry_starts: NDArray[np.int64],
    entry_values: NDArray[np.int32],
    entry_counts: NDArray[np.int64],
    values: int,
) -> int:
    """Return where the second of two parts begins so that most is learned; `start` for nowhere.

    Of equals the first.
    """
    left = np.zeros(values, np.int64)
    right = np.zeros(values, np.int64)
    above = 0
    for entry in range(entry_starts[start], entry_starts[stop]):
        right[entry_values[entry]] += entry_counts[entry]
        above += entry_counts[entry]
    total = above
    rest_left = 0.0
    rest_right = 0.0
    for value in range(values):
        rest_right += times_log(right[value])
    below = 0
    best = start
    lowest = np.inf
    for leaf in range(start, stop - 1):
        for entry in range(entry_starts[leaf], entry_starts[leaf + 1]):
            value, count = entry_values[entry], entry_counts[entry]
            rest_left += times_log(left[value] + count) - times_log(left[value])
            rest_right += times_log(right[value] - count) - times_log(right[value])
            left[value] += count
            right[value] -= count
            below += count
        above = total - below
        if below < least or above < least or refused[leaf + 1]:
            continue
        rest = (times_log(below) - rest_left + times_log(above) - rest_right) / total
        if rest < lowest - tolerance:
            lowest = rest
            best = leaf + 1
    return best


@compiled
def most_even_split(
    start: int,
    stop: int,
    least: int,  # records on either side
    refused: NDArray[np.bool_],  # places where none may begin
    counts: NDArray[np.int64],  # records per leaf
) -> int:
    """Return where the second of two parts begins so that both are most alike in size."""
    total = 0
    for leaf in range(start, stop):
        total += counts[leaf]
    below = 0
    best = start
    smallest = -1
    for leaf in range(start, stop - 1):
        below += counts[leaf]
        above = total - below
        if below < least or above < least or refused[leaf + 1]:
            continue
        squares = below * below + above * above
        if smallest < 0 or squares < smallest:
            smallest = squares
            best = leaf + 1
    return best
