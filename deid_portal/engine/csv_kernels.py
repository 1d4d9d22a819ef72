"""The compiled loops that read CSV, bytes in, numbers of distinct cells out, and write it.

Eight bytes are looked at together wherever that is possible, as one word with the first byte
lowest; so text needs eight bytes to spare behind its end.

A cell is quoted only if it begins with the quote sign; a doubled sign in it stands for one, and
what follows the closing sign up to the delimiter belongs to the cell. Elsewhere the sign is plain.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from deid_portal.engine.kernels import EMPTY, SPREAD, compiled

Bytes = NDArray[np.uint8]

WORD = 8
LINE_FEED = 10
CARRIAGE_RETURN = 13
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
# Times 256^n, this has n as its highest byte.
PLACES = np.uint64(0x0001020304050607)

# Why `encode_records` stops; entries are 0 and more, so these can stand in their place.
DONE = 0
NO_SLOT = -1
NO_ROOM = -2
RAGGED = -3
OPEN_QUOTE = -4

# What `tables`, `entries` and `used` hold, by position.
FIRST_SLOT, SLOT_BITS, TEXTS = 0, 1, 2
OFFSET, LENGTH, COLUMN = 0, 1, 2
ENTRIES, BYTES = 0, 1

# A call for every cell would take as long as the work.
inlined = njit(forceinline=True)


@compiled
def encode_records(
    text: Bytes,  # whole records, eight line feeds, and room for the longest cell
    length: int,  # of the text without those
    at: int,  # where the next record begins
    rows: int,  # how many are done
    delimiter: int,
    quote: int,
    tables: NDArray[np.int64],  # column × (first slot, slots as a power of 2, texts)
    slots: NDArray[np.int32],  # the hash tables of all columns: entry or EMPTY
    entries: NDArray[np.int64],  # distinct text × (offset in the store, length, column)
    hashes: NDArray[np.uint64],  # one per entry
    store: Bytes,  # the distinct texts one after the other
    used: NDArray[np.int64],  # how many entries, and bytes of the store, are in use
    cells: NDArray[np.int32],  # column × row: the entry of each cell, to be filled
) -> tuple[int, int, int, int]:
    """Find or enter every cell; return why it stops, where, the rows done and a detail.

    Without a slot or room for a text its record is not done; the caller makes room and goes on
    with it. The detail is the column that has no slot, the bytes there is no room for, or how
    many cells a ragged record has.
    """
    columns = len(cells)
    while at < length:
        if columns > 1 and (text[at] == LINE_FEED or text[at] == CARRIAGE_RETURN):
            at += 1
            continue
        record = at
        for column in range(columns):
            first = at
            if text[at] != quote:
                at, spread = _scan_plain(text, first, delimiter)
                size = at - first
            else:
                first += 1
                at, spread = _scan_quoted(text, length, first, quote)
                if at >= length:
                    return OPEN_QUOTE, record, rows, 0
                size = at - first
                at += 1
                if not _ends_cell(text[at], delimiter):
                    at, size = _join_pieces(text, length, first, delimiter, quote)
                    first = length + WORD
                    spread = _hash(text, first, size)
            entry, slot = _find(
                text, first, size, spread, column, tables, slots, entries, hashes, store
            )
            if entry == EMPTY:
                if 2 * tables[column, TEXTS] >= 1 << tables[column, SLOT_BITS]:
                    return NO_SLOT, record, rows, column
                entry, offset = used[ENTRIES], used[BYTES]
                if entry >= len(entries) or offset + size + WORD > len(store):
                    return NO_ROOM, record, rows, size
                slots[slot] = entry
                hashes[entry] = spread
                entries[entry, OFFSET] = offset
                entries[entry, LENGTH] = size
                entries[entry, COLUMN] = column
                for index in range(size):
                    store[offset + index] = text[first + index]
                tables[column, TEXTS] += 1
                used[ENTRIES] += 1
                used[BYTES] += size
            cells[column, rows] = entry
            is_followed = text[at] == delimiter
            if is_followed == (column == columns - 1):
                return RAGGED, record, rows, _count_cells(text, length, record, delimiter, quote)
            at += 1
        if text[at - 1] == CARRIAGE_RETURN and text[at] == LINE_FEED:
            at += 1
        rows += 1
    return DONE, at, rows, 0


@compiled
def join_cells(
    cells: NDArray[np.int32],  # column × row: codes
    first_entries: NDArray[np.int64],  # of each column
    offsets: NDArray[np.int64],  # where the text of each entry starts, and the last ends
    texts: Bytes,  # one after the other, with what follows them in a record
) -> Bytes:
    """Write records: the texts of their cells one after the other."""
    columns, rows = cells.shape
    size = 0
    for column in range(columns):
        for row in range(rows):
            entry = first_entries[column] + cells[column, row]
            size += offsets[entry + 1] - offsets[entry]
    written = np.empty(size, np.uint8)
    at = 0
    for row in range(rows):
        for column in range(columns):
            entry = first_entries[column] + cells[column, row]
            for place in range(offsets[entry], offsets[entry + 1]):
                written[at] = texts[place]
                at += 1
    return written


@compiled
def move_slots(
    slots: NDArray[np.int32],
    hashes: NDArray[np.uint64],
    old: int,
    old_size: int,
    new: int,
    new_bits: int,
) -> None:
    """Enter what the slots from `old` on hold into an empty table from `new` on."""
    mask = (1 << new_bits) - 1
    for place in range(old, old + old_size):
        entry = slots[place]
        if entry != EMPTY:
            slot = np.int64(hashes[entry] >> np.uint64(64 - new_bits))
            while slots[new + slot] != EMPTY:
                slot = (slot + 1) & mask
            slots[new + slot] = entry


@compiled
def scan_records(
    text: Bytes, delimiter: int, quote: int, count_blank: bool
) -> tuple[int, int, bool]:
    """Walk through CSV from the start of a record.

    Return how many records end in the text, where the last of them ends, and whether the text ends
    inside quotes. Blank lines are records only if the caller says so. A carriage return as the very
    last byte may belong to a line break that goes on in the next block, so it ends nothing yet.
    """
    records = 0
    end = 0
    at = 0
    is_cell_start = True
    has_content = count_blank
    while at < len(text):
        sign = text[at]
        if sign == quote and is_cell_start:
            at = _closing_quote(text, len(text), at + 1, quote)
            if at == len(text):
                return records, end, True
            has_content = True
            is_cell_start = False
        elif sign == LINE_FEED or (sign == CARRIAGE_RETURN and at + 1 < len(text)):
            if sign == CARRIAGE_RETURN and text[at + 1] == LINE_FEED:
                at += 1
            records += has_content
            end = at + 1
            has_content = count_blank
            is_cell_start = True
        else:
            has_content = True
            is_cell_start = sign == delimiter
        at += 1
    return records, end, False


@inlined
def _scan_plain(text: Bytes, start: int, delimiter: int) -> tuple[int, np.uint64]:
    """Return where a cell without quotes ends, and the hash of its bytes."""
    at = start
    spread = SPREAD
    word = _word(text, at)
    hit = _find_end(word, delimiter)
    while hit == 0:
        spread = _mix(spread, word)
        at += WORD
        word = _word(text, at)
        hit = _find_end(word, delimiter)
    kept, before = _cut(word, hit)
    at += before
    return at, _finish(spread, kept, at - start)


@inlined
def _scan_quoted(text: Bytes, length: int, start: int, quote: int) -> tuple[int, np.uint64]:
    """Return where the next quote sign stands, if it does, and the hash of the bytes before it."""
    at = start
    spread = SPREAD
    word = _word(text, at)
    hit = _find_sign(word, quote)
    while hit == 0 and at < length:
        spread = _mix(spread, word)
        at += WORD
        word = _word(text, min(at, length))
        hit = _find_sign(word, quote)
    kept, before = _cut(word, hit)
    at += before
    return at, _finish(spread, kept, at - start)


@inlined
def _find(
    source: Bytes,
    first: int,
    size: int,
    spread: np.uint64,
    column: int,
    tables: NDArray[np.int64],
    slots: NDArray[np.int32],
    entries: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    store: Bytes,
) -> tuple[int, int]:
    """Return the entry of a text and its slot, or EMPTY and the slot it would get."""
    table = tables[column, FIRST_SLOT]
    bits = tables[column, SLOT_BITS]
    mask = (1 << bits) - 1
    slot = np.int64(spread >> np.uint64(64 - bits))
    entry = np.int64(slots[table + slot])
    while entry != EMPTY and not (
        hashes[entry] == spread
        and entries[entry, LENGTH] == size
        and _is_same(source, first, store, entries[entry, OFFSET], size)
    ):
        slot = (slot + 1) & mask
        entry = np.int64(slots[table + slot])
    return entry, table + slot  # type: ignore[return-value]


@compiled
def _join_pieces(text: Bytes, length: int, at: int, delimiter: int, quote: int) -> tuple[int, int]:
    """Write a cell whose quotes open before `at` without them behind the line feeds that follow
    the text; return where the cell ends and the size of what was written.
    """
    to = length + WORD
    in_quotes = True
    while at < length and (in_quotes or not _ends_cell(text[at], delimiter)):
        if in_quotes and text[at] == quote:
            at += 1
            if text[at] != quote:
                in_quotes = False
                continue
        text[to] = text[at]
        to += 1
        at += 1
    return at, to - length - WORD


@compiled
def _count_cells(text: Bytes, length: int, at: int, delimiter: int, quote: int) -> int:
    """Count the cells of the record that starts here."""
    cells = 1
    while at < length:
        if text[at] == quote:
            at = _closing_quote(text, length, at + 1, quote) + 1
        while not _ends_cell(text[at], delimiter):
            at += 1
        if text[at] != delimiter:
            break
        cells += 1
        at += 1
    return cells


@compiled
def _closing_quote(text: Bytes, length: int, at: int, quote: int) -> int:
    """Return where the quotes opened before `at` close: at a sign not followed by another."""
    while at < length:
        if text[at] == quote:
            if at + 1 == length or text[at + 1] != quote:
                return at
            at += 1
        at += 1
    return length


@inlined
def _ends_cell(sign: int, delimiter: int) -> bool:
    return sign in (delimiter, LINE_FEED, CARRIAGE_RETURN)


def _load_word(_: Any, text: Any, at: Any) -> Any:
    """Return eight bytes, wherever they stand; numba would expect them on a multiple of eight."""

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return types.uint64(text, at), load


_word = cast(Callable[[Bytes, int], np.uint64], intrinsic(_load_word))


@inlined
def _find_sign(word: np.uint64, sign: int) -> np.uint64:
    """Return the high bit of the first byte that is this sign, and maybe of later ones.

    Mycroft's test for a zero byte; only what is above a true match can be wrong.
    """
    difference = word ^ (np.uint64(sign) * ONES)
    return (difference - ONES) & ~difference & HIGH_BITS


@inlined
def _find_end(word: np.uint64, delimiter: int) -> np.uint64:
    """Return the high bit of the first byte that ends a cell, and maybe of later ones."""
    breaks = _find_sign(word, LINE_FEED) | _find_sign(word, CARRIAGE_RETURN)
    return _find_sign(word, delimiter) | breaks


@inlined
def _cut(word: np.uint64, hit: np.uint64) -> tuple[np.uint64, int]:
    """Return the bytes before the first hit, and how many there are."""
    power = (hit & (~hit + np.uint64(1))) >> np.uint64(7)
    before = np.int64((power * PLACES) >> np.uint64(56))
    return word & (power - np.uint64(1)), before  # type: ignore[return-value]


@inlined
def _mix(spread: np.uint64, word: np.uint64) -> np.uint64:
    product = (spread ^ word) * SPREAD
    return product ^ (product >> np.uint64(32))


@inlined
def _finish(spread: np.uint64, word: np.uint64, size: int) -> np.uint64:
    return _mix(_mix(spread, word), np.uint64(size)) * SPREAD


@compiled
def _hash(text: Bytes, at: int, size: int) -> np.uint64:
    """Return the hash that scanning a cell of these bytes makes on the way."""
    spread = SPREAD
    end = at + size
    while end - at >= WORD:
        spread = _mix(spread, _word(text, at))
        at += WORD
    return _finish(spread, _word(text, at) & _low_bytes(end - at), size)


@inlined
def _is_same(one: Bytes, first: int, two: Bytes, second: int, size: int) -> bool:
    while size >= WORD and _word(one, first) == _word(two, second):
        first += WORD
        second += WORD
        size -= WORD
    different = _word(one, first) ^ _word(two, second)
    return size < WORD and (different & _low_bytes(size)) == 0


@inlined
def _low_bytes(count: int) -> np.uint64:
    """Return ones in so many bytes, of seven at most."""
    return (np.uint64(1) << np.uint64(8 * count)) - np.uint64(1)
