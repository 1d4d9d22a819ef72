"""The compiled loops that read CSV, bytes in, numbers of distinct cells out, and write it.

Reading takes two steps: records are split into cells, block by block, and the cells of a column are
numbered by the texts it has had so far. Blocks can be split side by side, and so can columns be
numbered, since neither step needs anything of its neighbors.

Eight bytes are looked at together wherever that is possible, as one word with the first byte
lowest; so text needs eight bytes to spare behind its end.

A cell is quoted only if it begins with the quote sign; a doubled sign in it stands for one, and
what follows the closing sign up to the delimiter belongs to the cell. Elsewhere the sign is plain.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import SPREAD, compiled, inlined

Bytes = NDArray[np.uint8]

WORD = 8
LINE_FEED = 10
CARRIAGE_RETURN = 13
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
# Times 256^n, this has n as its highest byte.
PLACES = np.uint64(0x0001020304050607)

# Why `split_records` stops.
DONE = 0
RAGGED = 1
OPEN_QUOTE = 2

# What `used` holds of a column, by position.
TEXTS, BYTES, GAP = 0, 1, 2

# A slot holds the hash of a text and, in its low bits, its number from 1 on; 0 is free. So slots
# distinguish nearly all texts, and a table can grow without reading the texts. A hash is a share of
# 2^32, and its slot lies at that share of the table (Lemire, Fast random integer generation in an
# interval, 2019): a table may have any size, and entries move to a larger one nearly in order.
HASH_BITS = np.uint64(32)
NUMBER = np.uint64(0xFFFFFFFF)
# How many cells ahead memory is prefetched if the table is larger than the cache: first the slot,
# then the offset of the text it names, then that text. Loading from main memory takes about as long
# as numbering so many cells.
SLOT_AHEAD, OFFSET_AHEAD, TEXT_AHEAD = 24, 16, 8
NEAR_SLOTS = 1 << 12


@compiled
def load_block(block: Bytes, text: Bytes) -> tuple[bool, int]:
    """Copy a block and put line feeds behind it; say whether it is ASCII, and count its lines."""
    seen = np.uint8(0)
    lines = 1
    for at in range(len(block)):
        sign = block[at]
        text[at] = sign
        seen |= sign
        lines += (sign == LINE_FEED) | (sign == CARRIAGE_RETURN)
    for at in range(len(block), len(block) + WORD):
        text[at] = LINE_FEED
    return bool(seen < 0x80), lines


@compiled
def split_records(
    text: Bytes,  # whole records, eight line feeds, and room for as much again
    length: int,  # of the text without those
    delimiter: int,
    quote: int,
    starts: NDArray[np.int32],  # column × row: where each cell begins, to be filled
    sizes: NDArray[np.int32],  # how long it is
    hashes: NDArray[np.uint32],  # of its bytes
) -> tuple[int, int, int]:
    """Find every cell; return why it stops, the rows done and how many cells a ragged one has.

    Cells with quotes inside are written without them behind the text, and begin there.
    """
    columns = len(starts)
    at, rows, free = 0, 0, length + WORD
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
                    return OPEN_QUOTE, rows, 0
                size = at - first
                at += 1
                if not _ends_cell(text[at], delimiter):
                    at, size = _join_pieces(text, length, first, free, delimiter, quote)
                    first = free
                    free += size
                    spread = _hash(text, first, size)
            starts[column, rows] = first
            sizes[column, rows] = size
            hashes[column, rows] = np.uint32(spread >> HASH_BITS)
            is_followed = text[at] == delimiter
            if is_followed == (column == columns - 1):
                return RAGGED, rows, _count_cells(text, length, record, delimiter, quote)
            at += 1
        if text[at - 1] == CARRIAGE_RETURN and text[at] == LINE_FEED:
            at += 1
        rows += 1
    return DONE, rows, 0


@compiled
def number_cells(
    text: Bytes,
    starts: NDArray[np.int32],  # of the cells of one column
    sizes: NDArray[np.int32],
    hashes: NDArray[np.uint32],
    row: int,  # the first cell to number
    rows: int,
    slots: NDArray[np.uint64],  # the hash table of the column
    offsets: NDArray[np.uint32],  # where each text begins in the store, and where the last ends
    store: Bytes,  # the texts one after the other; the first ones are the words for a gap
    words: int,  # how many of those there are
    used: NDArray[np.int64],  # texts and bytes there are, and which text is the gap, if any
    codes: NDArray[np.int32],  # one per cell, to be filled: texts after the words, from 0 on
) -> int:
    """Find or enter the text of every cell; return the first cell there was no room for."""
    places = np.uint64(len(slots))
    is_far = len(slots) > NEAR_SLOTS
    most = min(most_texts(len(slots)), len(offsets) - 1)
    texts, end, gap = used[TEXTS], used[BYTES], used[GAP]
    while row < rows:
        if is_far and row + SLOT_AHEAD < rows:
            _ask_for(slots, _slot_of(hashes[row + SLOT_AHEAD], places))
            _ask_for(offsets, _text_at(slots, _slot_of(hashes[row + OFFSET_AHEAD], places)))
            later = _text_at(slots, _slot_of(hashes[row + TEXT_AHEAD], places))
            _ask_for(store, np.uint64(offsets[later]))
        spread, first, size = np.uint64(hashes[row]), np.int64(starts[row]), np.int64(sizes[row])
        slot = _slot_of(spread, places)
        entry = slots[slot]
        number = np.int64(-1)
        while entry != 0:
            if entry >> HASH_BITS == spread:
                found = np.int64(entry & NUMBER) - 1
                offset = np.int64(offsets[found])
                # Not a function: passing arrays would change their reference counts for every cell.
                is_as_long = np.int64(offsets[found + 1]) - offset == size
                if is_as_long and _is_same(text, first, store, offset, size):  # type: ignore[arg-type]
                    number = found
                    break
            slot = _next_slot(slot, places)
            entry = slots[slot]
        if number < 0 or (number < words and gap < 0):
            if texts >= most or end + size + WORD > len(store):
                break
            if number < 0:
                slots[slot] = (spread << HASH_BITS) | np.uint64(texts + 1)
                # By whole words: both arrays have room for one after their end.
                for done in range(0, size, WORD):
                    _put_word(store, end + done, _word(text, first + done))  # type: ignore[arg-type]
                number = texts
                end += size
            else:
                gap = texts  # it has a code of its own, but no bytes and no slot
            texts += 1
            offsets[texts] = end
        codes[row] = (gap if number < words else number) - words
        row += 1
    used[TEXTS], used[BYTES], used[GAP] = texts, end, gap
    return row


@compiled
def enter_texts(
    slots: NDArray[np.uint64], offsets: NDArray[np.uint32], store: Bytes, texts: int
) -> None:
    """Enter the first texts into an empty table."""
    for number in range(texts):
        offset = np.int64(offsets[number])
        size = np.int64(offsets[number + 1]) - offset
        spread = _hash(store, offset, size) >> HASH_BITS  # type: ignore[arg-type]
        _enter(slots, (spread << HASH_BITS) | np.uint64(number + 1))


@compiled
def move_entries(slots: NDArray[np.uint64], larger: NDArray[np.uint64]) -> None:
    """Enter what a table holds into a larger one that is empty."""
    for entry in slots:
        if entry != 0:
            _enter(larger, entry)


@inlined
def _enter(slots: NDArray[np.uint64], entry: np.uint64) -> None:
    places = np.uint64(len(slots))
    slot = _slot_of(entry >> HASH_BITS, places)
    while slots[slot] != 0:
        slot = _next_slot(slot, places)
    slots[slot] = entry


@inlined
def _slot_of(spread: np.uint64, places: np.uint64) -> np.uint64:
    return (spread * places) >> HASH_BITS


@inlined
def _next_slot(slot: np.uint64, places: np.uint64) -> np.uint64:
    after = slot + np.uint64(1)
    return np.uint64(0) if after == places else after


@inlined
def _text_at(slots: NDArray[np.uint64], slot: np.uint64) -> np.uint64:
    """Return which text a slot most likely names: the first one if it is free."""
    number = np.uint64(slots[slot] & NUMBER)
    return np.uint64(number - np.uint64(number != 0))


@compiled
def most_texts(slots: int) -> int:
    """Return how many texts a table may hold before looking for one takes too long."""
    return 3 * slots // 4


@compiled
def find_broken_utf8(text: Bytes, length: int) -> int:
    """Return where the first byte stands that is not UTF-8, or the length if there is none.

    As the Unicode standard has it (table 3-7): no detours, no surrogates, nothing past U+10FFFF.
    """
    at = 0
    while at < length:
        lead = text[at]
        if lead < 0x80:
            at += 1
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= lead <= 0xDF:
            more = 1
        elif 0xE0 <= lead <= 0xEF:
            more = 2
            low = 0xA0 if lead == 0xE0 else low
            high = 0x9F if lead == 0xED else high
        elif 0xF0 <= lead <= 0xF4:
            more = 3
            low = 0x90 if lead == 0xF0 else low
            high = 0x8F if lead == 0xF4 else high
        else:
            return at
        for place in range(at + 1, at + 1 + more):
            if place >= length or not low <= text[place] <= high:
                return at
            low, high = 0x80, 0xBF
        at += 1 + more
    return length


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


@compiled
def _join_pieces(
    text: Bytes, length: int, at: int, to: int, delimiter: int, quote: int
) -> tuple[int, int]:
    """Write a cell whose quotes open before `at` without them from `to` on.

    Return where the cell ends and the size of what was written.
    """
    first = to
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
    return at, to - first


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


def _store_word(_: Any, text: Any, at: Any, word: Any) -> Any:
    """Write eight bytes, wherever they stand."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        stored = builder.store(arguments[2], builder.bitcast(place, ir.IntType(64).as_pointer()))
        stored.align = 1
        return context.get_dummy_value()

    return types.void(text, at, types.uint64), write


_put_word = cast(Callable[[Bytes, int, np.uint64], None], intrinsic(_store_word))


def _prefetch(_: Any, array: Any, place: Any) -> Any:
    """Prefetch a place of an array that will soon be read and written."""

    def ask(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        number, address = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
        insert: Any = cgutils.get_or_insert_function
        prefetch = insert(builder.module, kind, "llvm.prefetch.p0i8")
        to_write, keep, is_data = (ir.Constant(number, value) for value in (1, 3, 1))
        wanted = builder.bitcast(builder.gep(data, [arguments[1]]), address)
        builder.call(prefetch, [wanted, to_write, keep, is_data])
        return context.get_dummy_value()

    return types.void(array, place), ask


_ask_for = cast(Callable[[NDArray[Any], np.uint64], None], intrinsic(_prefetch))


@inlined
def _find_sign(word: np.uint64, sign: int) -> np.uint64:
    """Return the high bit of the first byte that is this sign, and maybe of later ones.

    Mycroft's test for a zero byte; only bytes above a true match can be reported wrongly.
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
