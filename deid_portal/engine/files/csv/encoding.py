"""The cells of CSV text as numbers of distinct texts, block after block.

Blocks are split into cells side by side, and columns are numbered side by side; every column sees
its cells in the order of the file, so the table is the same however many cores work on it.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.growing_array import GrowingArray
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv import kernels
from deid_portal.engine.files.csv.format import UTF_8, CsvFormat
from deid_portal.engine.files.csv.kernels import WORD
from deid_portal.engine.table.packed_column import PackedColumn, kind_for
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.text_values import infer_type_of
from deid_portal.engine.table.texts import NO_GAP, Texts

Block = bytes | memoryview

FIRST_SLOTS = 16
LARGE_TABLE = 1 << 16
ROWS_TO_SPARE = 1 << 12
MOST_BYTES = (1 << 32) - 1  # offsets have four bytes
BLOCKS_AT_ONCE = 4
PARTS = 16  # the columns are numbered in so many parts, for the cores to share
OPEN_QUOTE = "opens a quote that is never closed; mend the file or choose another quote sign."
NOT_UTF_8 = "holds a character that is not UTF-8; choose Windows-1252 or Latin-1."


class BrokenRecord(Exception):  # noqa: N818
    """A record that cannot be read, and its number relative to where counting started."""

    def __init__(self, records_before: int, what: str) -> None:
        super().__init__(what)
        self.records_before = records_before
        self._what = what

    def after(self, records: int) -> "BrokenRecord":
        """Return the same error with a number relative to so many records earlier."""
        return BrokenRecord(records + self.records_before, self._what)

    def sentence(self, first_row: int) -> str:
        """Say what is wrong; `first_row` is the row the counting starts at."""
        return f"Row {first_row + self.records_before} {self._what}"


def ragged(found: int, expected: int) -> str:
    cells = "1 cell" if found == 1 else f"{found} cells"
    return f"has {cells} where {expected} {'is' if expected == 1 else 'are'} expected."


class SplitBlock:
    """Room for one block of whole records and where its cells are; filled again and again."""

    def __init__(self, columns: int, form: CsvFormat) -> None:
        self.rows = self.length = 0
        self.text = np.empty(0, np.uint8)
        self._columns = columns
        self._signs = (ord(form.delimiter), ord(form.quote))
        # Files in other encodings were decoded before, so their UTF-8 is valid.
        self._may_be_broken = form.encoding.lower() in UTF_8
        self._starts = self._sizes = np.empty((columns, 0), np.int32)
        self._hashes = np.empty((columns, 0), np.uint32)

    def fill(self, block: Block) -> None:
        """Find the cells of whole records; only the last may lack its line break."""
        self.length = length = len(block)
        if len(self.text) < 2 * (length + 2 * WORD):
            # The second half is room for cells copied without their quotes.
            self.text = np.empty(2 * (length + 2 * WORD), np.uint8)
        is_ascii, lines = kernels.load_block(np.frombuffer(block, np.uint8), self.text)
        if lines > self._starts.shape[1]:
            self._make_room(lines)
        broken = None if is_ascii else self._find_broken_character(length)
        reason, self.rows, found = kernels.split_records(
            self.text, length, *self._signs, self._starts, self._sizes, self._hashes
        )
        if broken is not None and broken.records_before <= self.rows:
            raise broken
        if reason == kernels.OPEN_QUOTE:
            raise BrokenRecord(self.rows, OPEN_QUOTE)
        if reason == kernels.RAGGED:
            raise BrokenRecord(self.rows, ragged(found, self._columns))

    def cells_of(self, column: int) -> tuple[Codes, Codes, NDArray[np.uint32]]:
        """Return where the cells of a column begin, their sizes and their hashes."""
        return self._starts[column], self._sizes[column], self._hashes[column]

    def _make_room(self, lines: int) -> None:
        """Make room for so many records, but not for many more, which would waste memory."""
        shape = (self._columns, lines + lines // 8)
        self._starts, self._sizes = np.empty(shape, np.int32), np.empty(shape, np.int32)
        self._hashes = np.empty(shape, np.uint32)

    def _find_broken_character(self, length: int) -> BrokenRecord | None:
        if not self._may_be_broken:
            return None
        at = kernels.find_broken_utf8(self.text, length)
        if at == length:
            return None
        count_blank = self._columns == 1
        records, _, _ = kernels.scan_records(self.text[:at], *self._signs, count_blank)
        return BrokenRecord(records, NOT_UTF_8)


class ColumnBuilder:
    """One column while it is being read: the texts it has had so far, and a code per row."""

    def __init__(self, place: int, form: CsvFormat, file_bytes: int = 0) -> None:
        self._place = place
        self._file_bytes, self._bytes_seen = file_bytes, 0  # the first is 0 if unknown
        self._decimal = form.decimal
        words = [word.encode() for word in dict.fromkeys(("", *form.missing))]
        self._words = len(words)
        written = np.frombuffer(b"".join(words), np.uint8)
        self._store = GrowingArray(np.uint8, len(written) + WORD)
        self._store.array[: len(written)] = written
        self._offsets = GrowingArray(np.uint32, self._words + 1)
        np.cumsum([len(word) for word in words], out=self._offsets.array[1 : self._words + 1])
        self._used = np.array([self._words, len(written), NO_GAP], np.int64)
        self._slots = GrowingArray(np.uint64, max(FIRST_SLOTS, 2 * self._words))
        kernels.enter_texts(self._slots.array, self._offsets.array, self._store.array, self._words)
        self._rows = 0
        self._kind = kind_for(0)
        self._codes = GrowingArray(self._kind, 0)

    def __len__(self) -> int:
        """Return how many different values there are."""
        return int(self._used[kernels.TEXTS]) - self._words

    def add(self, blocks: Sequence[SplitBlock]) -> None:
        """Number the cells of blocks that come after those added so far."""
        for block in blocks:
            codes = self._number(block)
            if self._kind != kind_for(len(self)):
                self._widen(kind_for(len(self)))
            end = self._rows + block.rows
            if end > len(self._codes):
                self._codes.resize(end + max(end // 8, ROWS_TO_SPARE))
            self._codes.array[self._rows : end] = codes
            self._rows = end
            self._bytes_seen += block.length

    def build(self, name: str) -> Column:
        """Return the column; nothing can be added to it any more."""
        texts, size, gap = self._used.tolist()
        self._slots = GrowingArray(np.uint64, 0)
        first = int(self._offsets.array[self._words])
        offsets = self._offsets.taken(self._words, texts + 1)
        offsets -= np.uint32(first)
        store = self._store.taken(first, size)
        found = Texts(store, offsets, gap if gap == NO_GAP else gap - self._words)
        kind = infer_type_of(found, self._decimal)
        return PackedColumn(name, kind, self._codes.taken(0, self._rows), found, self._decimal)

    def _widen(self, kind: np.dtype[np.integer[Any]]) -> None:
        """Keep codes in more bytes from now on."""
        wider = GrowingArray(kind, len(self._codes))
        wider.array[: self._rows] = self._codes.array[: self._rows]
        self._kind, self._codes = kind, wider

    def _number(self, block: SplitBlock) -> Codes:
        starts, sizes, hashes = block.cells_of(self._place)
        codes = np.empty(block.rows, np.int32)
        row = 0
        while True:
            row = kernels.number_cells(
                block.text,
                starts,
                sizes,
                hashes,
                row,
                block.rows,
                self._slots.array,
                self._offsets.array,
                self._store.array,
                self._words,
                self._used,
                codes,
            )
            if row == block.rows:
                return codes
            self._make_room(int(sizes[row]))

    def _make_room(self, size: int) -> None:
        """Make room for at least one more text of this size, wherever there is none."""
        texts, used, _ = self._used.tolist()
        if used + size + WORD > MOST_BYTES:
            raise InvalidTable(
                f"The different values of column {self._place + 1} have more than 4 GB. Leave the "
                f"column out, or split the file."
            )
        if texts >= kernels.most_texts(len(self._slots)):
            self._grow_table(texts)
        if texts + 1 >= len(self._offsets):
            self._offsets.resize(len(self._offsets) + max(texts // 2, 1))
        if used + size + WORD > len(self._store):
            self._store.resize(len(self._store) + max(used // 2, size + WORD))

    def _grow_table(self, texts: int) -> None:
        """Make the hash table larger; a large one as large as the rest of the file may need.

        At most four times as large at once, since later rows may have no new texts at all.
        """
        slots = len(self._slots)
        larger = 4 * slots
        if slots >= LARGE_TABLE:
            expected = texts * self._file_bytes // max(self._bytes_seen, 1)
            larger = min(max(expected + expected // 2, slots + slots // 2), larger)
        table = GrowingArray(np.uint64, larger)
        kernels.move_entries(self._slots.array, table.array)
        self._slots = table


def encode_blocks(
    blocks: Iterator[Block], columns: Sequence[ColumnBuilder], form: CsvFormat, pool: Executor
) -> Iterator[int]:
    """Add the records of all blocks to the columns; yield how many rows have been found so far.

    Reading, splitting and numbering overlap: they work on successive blocks at the same time.
    """
    here, there = ([SplitBlock(len(columns), form) for _ in range(BLOCKS_AT_ONCE)] for _ in "12")
    numbering: list[Future[None]] = []
    rows = 0
    failure: Exception | None = None
    while failure is None:
        some, failure = _take(blocks, BLOCKS_AT_ONCE)
        rooms = here[: len(some)]
        splitting = [pool.submit(room.fill, block) for room, block in zip(rooms, some, strict=True)]
        _wait_for(numbering)
        for room, done in zip(rooms, splitting, strict=True):
            try:
                done.result()
            except BrokenRecord as broken:
                wait(splitting)
                raise broken.after(rows) from None
            rows += room.rows
        # The longest first, so that no core waits for it at the end.
        by_length = sorted(columns, key=len, reverse=True)
        numbering = [
            pool.submit(_add, by_length[first :: min(PARTS, len(columns))], rooms)
            for first in range(min(PARTS, len(columns)))
        ]
        yield rows
        here, there = there, here
    _wait_for(numbering)
    if not isinstance(failure, StopIteration):
        raise failure.after(rows) if isinstance(failure, BrokenRecord) else failure


def _take(blocks: Iterator[Block], count: int) -> tuple[list[Block], Exception | None]:
    """Return the next blocks, and the exception that ended them, if any."""
    some: list[Block] = []
    try:
        while len(some) < count:
            some.append(next(blocks))
    except (StopIteration, BrokenRecord, InvalidTable) as error:
        # Its traceback would keep it, and the blocks, in memory.
        return some, error.with_traceback(None)
    return some, None


def _add(columns: Sequence[ColumnBuilder], blocks: Sequence[SplitBlock]) -> None:
    for column in columns:
        column.add(blocks)


def _wait_for(work: Sequence[Future[None]]) -> None:
    for part in work:
        part.result()
