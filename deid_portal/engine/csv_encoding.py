"""The cells of CSV text as numbers of distinct texts, block after block.

Blocks are split into cells side by side, and columns are numbered side by side; every column sees
its cells in the order of the file, so the table is the same however many cores work on it.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, wait

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine import csv_kernels
from deid_portal.engine.csv_format import UTF_8, CsvFormat
from deid_portal.engine.csv_kernels import WORD
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.packed_column import PackedColumn, kind_for
from deid_portal.engine.table import Codes, Column, PackedCodes
from deid_portal.engine.text_values import infer_type_of
from deid_portal.engine.texts import NO_GAP, Texts

Block = bytes | memoryview

# Small, so that tables of every size take the way through growing.
FIRST_BITS = 4
FIRST_TEXTS = 64
LARGE_BITS = 16
MOST_BYTES = (1 << 32) - 1  # offsets have four bytes
BLOCKS_AT_ONCE = 4
PARTS = 16  # the columns are numbered in so many parts, for the cores to share
OPEN_QUOTE = "opens a quote that is never closed; mend the file or choose another quote sign."
NOT_UTF_8 = "holds a character that is not UTF-8; choose Windows-1252 or Latin-1."


class BrokenRecord(Exception):  # noqa: N818
    """A record that cannot be read: where it stands, counted from where the counter stood."""

    def __init__(self, records_before: int, what: str) -> None:
        super().__init__(what)
        self.records_before = records_before
        self._what = what

    def after(self, records: int) -> "BrokenRecord":
        """Return the same, counted from so many records earlier."""
        return BrokenRecord(records + self.records_before, self._what)

    def sentence(self, first_row: int) -> str:
        """Say what is wrong; `first_row` is the row the counting starts at."""
        return f"Row {first_row + self.records_before} {self._what}"


def ragged(found: int, expected: int) -> str:
    return f"has {found} cells where {expected} are expected."


class SplitBlock:
    """Room for one block of whole records and where its cells are; filled again and again."""

    def __init__(self, columns: int, form: CsvFormat) -> None:
        self.rows = 0
        self.text = np.empty(0, np.uint8)
        self._columns = columns
        self._signs = (ord(form.delimiter), ord(form.quote))
        # Other encodings were decoded, so what was made of them is sound.
        self._may_be_broken = form.encoding.lower() in UTF_8
        self._starts = self._sizes = np.empty((columns, 0), np.int32)
        self._hashes = np.empty((columns, 0), np.uint64)

    def fill(self, block: Block) -> None:
        """Find the cells of whole records; only the last may lack its line break."""
        length = len(block)
        if len(self.text) < 2 * (length + 2 * WORD):
            # As much again is for cells that are written without their quotes.
            self.text = np.empty(2 * (length + 2 * WORD), np.uint8)
        is_ascii, lines = csv_kernels.load_block(np.frombuffer(block, np.uint8), self.text)
        if lines > self._starts.shape[1]:
            self._make_room(lines)
        broken = None if is_ascii else self._find_broken_character(length)
        reason, self.rows, found = csv_kernels.split_records(
            self.text, length, *self._signs, self._starts, self._sizes, self._hashes
        )
        if broken is not None and broken.records_before <= self.rows:
            raise broken
        if reason == csv_kernels.OPEN_QUOTE:
            raise BrokenRecord(self.rows, OPEN_QUOTE)
        if reason == csv_kernels.RAGGED:
            raise BrokenRecord(self.rows, ragged(found, self._columns))

    def cells_of(self, column: int) -> tuple[Codes, Codes, NDArray[np.uint64]]:
        """Return where the cells of a column begin, their sizes and their hashes."""
        return self._starts[column], self._sizes[column], self._hashes[column]

    def _make_room(self, lines: int) -> None:
        """Make room for so many records, and not for many more: untouched memory is not free."""
        shape = (self._columns, lines + lines // 8)
        self._starts, self._sizes = np.empty(shape, np.int32), np.empty(shape, np.int32)
        self._hashes = np.empty(shape, np.uint64)

    def _find_broken_character(self, length: int) -> BrokenRecord | None:
        if not self._may_be_broken:
            return None
        at = csv_kernels.find_broken_utf8(self.text, length)
        if at == length:
            return None
        count_blank = self._columns == 1
        records, _, _ = csv_kernels.scan_records(self.text[:at], *self._signs, count_blank)
        return BrokenRecord(records, NOT_UTF_8)


class ColumnBuilder:
    """One column while it is being read: the texts it has had so far, and a code per row."""

    def __init__(self, place: int, form: CsvFormat) -> None:
        self._place = place
        self._decimal = form.decimal
        words = [word.encode() for word in dict.fromkeys(("", *form.missing))]
        self._words = len(words)
        self._store = np.frombuffer(bytearray(b"".join(words) + bytes(WORD)), np.uint8).copy()
        self._offsets = np.zeros(FIRST_TEXTS + self._words, np.uint32)
        np.cumsum([len(word) for word in words], out=self._offsets[1 : self._words + 1])
        self._used = np.array([self._words, len(self._store) - WORD, NO_GAP], np.int64)
        self._slots = np.zeros(0, np.uint32)
        self._bits = FIRST_BITS
        self._add_slots()
        self._codes: list[PackedCodes] = []

    def __len__(self) -> int:
        """Return how many different values there are."""
        return int(self._used[csv_kernels.TEXTS]) - self._words

    def add(self, blocks: Sequence[SplitBlock]) -> None:
        """Number the cells of blocks that come after those added so far."""
        for block in blocks:
            codes = self._number(block)
            self._codes.append(codes.astype(kind_for(len(self)), copy=False))

    def build(self, name: str) -> Column:
        """Return the column; nothing can be added to it any more."""
        texts, size, gap = self._used.tolist()
        self._slots = np.zeros(0, np.uint32)
        first = int(self._offsets[self._words])
        self._store.resize(size, refcheck=False)
        offsets = self._offsets[self._words : texts + 1] - np.uint32(first)
        self._offsets = np.zeros(0, np.uint32)
        found = Texts(self._store[first:], offsets, gap if gap == NO_GAP else gap - self._words)
        codes: PackedCodes = np.concatenate(self._codes, dtype=kind_for(len(found)))
        self._codes.clear()
        kind = infer_type_of(found, self._decimal)
        return PackedColumn(name, kind, codes, found, self._decimal)

    def _number(self, block: SplitBlock) -> Codes:
        cells = block.cells_of(self._place)
        codes = np.empty(block.rows, np.int32)
        row = 0
        while True:
            row = csv_kernels.number_cells(
                block.text,
                *cells,
                row,
                block.rows,
                self._slots,
                self._bits,
                self._offsets,
                self._store,
                self._words,
                self._used,
                codes,
            )
            if row == block.rows:
                return codes
            self._make_room(int(cells[1][row]))

    def _make_room(self, size: int) -> None:
        """Make room for at least one more text of this size, wherever there is none."""
        texts, used, _ = self._used.tolist()
        if used + size + WORD > MOST_BYTES:
            raise InvalidTable(
                f"The different values of column {self._place + 1} have more than 4 GB. Leave the "
                f"column out, or split the file."
            )
        if texts >= csv_kernels.most_texts(self._bits):
            self._add_slots()
        if texts + 1 >= len(self._offsets):
            self._offsets.resize(2 * len(self._offsets), refcheck=False)
        if used + size + WORD > len(self._store):
            self._store.resize(2 * len(self._store) + size + WORD, refcheck=False)

    def _add_slots(self) -> None:
        """Make a table twice as large or more, for the texts there are and as many again."""
        while csv_kernels.most_texts(self._bits) <= self._used[csv_kernels.TEXTS]:
            self._bits += 1 if self._bits >= LARGE_BITS else 2
        self._slots = np.zeros(1 << self._bits, np.uint32)
        csv_kernels.enter_texts(self._slots, self._bits, self._offsets, self._store, self._used)


def encode_blocks(
    blocks: Iterator[Block], columns: Sequence[ColumnBuilder], form: CsvFormat, pool: Executor
) -> Iterator[int]:
    """Add the records of all blocks to the columns; yield how many rows have been found so far.

    While some blocks are read, those before them are split, and the ones before those numbered.
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
        # The longest first: then no core is left waiting for it at the end.
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
    """Return the next blocks, and why there are no more: what is wrong earlier is told first."""
    some: list[Block] = []
    try:
        while len(some) < count:
            some.append(next(blocks))
    except (StopIteration, BrokenRecord, InvalidTable) as error:
        # With its traceback it would keep itself, and the blocks, alive.
        return some, error.with_traceback(None)
    return some, None


def _add(columns: Sequence[ColumnBuilder], blocks: Sequence[SplitBlock]) -> None:
    for column in columns:
        column.add(blocks)


def _wait_for(work: Sequence[Future[None]]) -> None:
    for part in work:
        part.result()
