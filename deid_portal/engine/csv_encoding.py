"""The cells of CSV text as numbers of distinct texts, block after block.

Several encoders may work side by side, each on blocks of its own: every one keeps the texts it has
met, and `TableBuilder` joins what they found in the order of the file, so the table is the same
however many there are.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from deid_portal.engine import csv_kernels
from deid_portal.engine.csv_format import CsvFormat
from deid_portal.engine.csv_kernels import (
    COLUMN,
    ENTRIES,
    FIRST_SLOT,
    LENGTH,
    OFFSET,
    SLOT_BITS,
    WORD,
)
from deid_portal.engine.kernels import EMPTY
from deid_portal.engine.table import Codes, Column
from deid_portal.engine.values import infer_type

Block = bytes | memoryview

# Small, so that tables of every size take the way through growing.
FIRST_BITS = 2
FIRST_ENTRIES = 64
FIRST_BYTES = 1 << 10
FIRST_NUMBERS = 1 << 10
ROWS_TO_SPARE = 1 << 16
OPEN_QUOTE = "opens a quote that is never closed; mend the file or choose another quote sign."
NOT_UTF_8 = "holds a character that is not UTF-8; choose Windows-1252 or Latin-1."


class BrokenRecord(Exception):  # noqa: N818
    """A record that cannot be read: where it stands, counted from the last block that could."""

    def __init__(self, records_before: int, what: str) -> None:
        super().__init__(what)
        self._records_before = records_before
        self._what = what

    def sentence(self, first_row: int) -> str:
        """Say what is wrong; `first_row` is the row the counting starts at."""
        return f"Row {first_row + self._records_before} {self._what}"


@dataclass(frozen=True)
class EncodedBlock:
    """The records of a block; an entry is the number of a text among those of its encoder."""

    cells: Codes  # column × row: entries
    first_new: int  # entries from here on were not there before this block
    new_texts: list[str]
    new_columns: list[int]  # the column of each


class Encoder:
    """Reads blocks of whole records; keeps a dictionary for every column."""

    def __init__(self, columns: int, form: CsvFormat) -> None:
        self._signs = (ord(form.delimiter), ord(form.quote))
        self._text = np.empty(0, np.uint8)
        size = 1 << FIRST_BITS
        self._tables = np.zeros((columns, 3), np.int64)
        self._tables[:, FIRST_SLOT] = np.arange(columns) * size
        self._tables[:, SLOT_BITS] = FIRST_BITS
        self._slots = np.full(columns * size, EMPTY, np.int32)
        self._slots_used = len(self._slots)
        self._entries = np.empty((FIRST_ENTRIES, 3), np.int64)
        self._hashes = np.empty(FIRST_ENTRIES, np.uint64)
        self._store = np.empty(FIRST_BYTES, np.uint8)
        self._used = np.zeros(2, np.int64)

    def encode(self, block: Block) -> EncodedBlock:
        """Number the cells of whole records; only the last may lack its line break."""
        self._load(block)
        columns, length = len(self._tables), len(block)
        # A record has a delimiter or line break per cell; the last may lack one.
        cells = np.empty((columns, length // columns + 1), np.int32)
        first_new, first_byte = self._used.tolist()
        reason, at, rows, detail = csv_kernels.NO_ROOM, 0, 0, 0
        while reason != csv_kernels.DONE:
            reason, at, rows, detail = csv_kernels.encode_records(
                self._text,
                length,
                at,
                rows,
                *self._signs,
                self._tables,
                self._slots,
                self._entries,
                self._hashes,
                self._store,
                self._used,
                cells,
            )
            if reason == csv_kernels.OPEN_QUOTE:
                raise BrokenRecord(rows, OPEN_QUOTE)
            if reason == csv_kernels.RAGGED:
                raise BrokenRecord(rows, ragged(detail, columns))
            if reason == csv_kernels.NO_SLOT:
                self._add_slots(detail)
            elif reason == csv_kernels.NO_ROOM:
                self._add_room(detail)
        cells = cells[:, :rows]
        new_columns = self._entries[first_new : self._used[ENTRIES], COLUMN].tolist()
        new_texts = self._new_texts(first_new, first_byte, cells)
        return EncodedBlock(cells, first_new, new_texts, new_columns)

    def _load(self, block: Block) -> None:
        """Copy a block to where it is followed by line feeds and room for its longest cell."""
        length = len(block)
        if len(self._text) < 2 * (length + WORD):
            self._text = np.empty(2 * (length + WORD), np.uint8)
        self._text[:length] = np.frombuffer(block, np.uint8)
        self._text[length : length + WORD] = csv_kernels.LINE_FEED

    def _add_slots(self, column: int) -> None:
        """Give a column a table four times as large; the slots it leaves stay unused."""
        old, bits = self._tables[column, FIRST_SLOT], self._tables[column, SLOT_BITS]
        new, new_bits = self._slots_used, bits + 2
        self._slots_used += 1 << int(new_bits)
        if self._slots_used > len(self._slots):
            slots = np.full(2 * self._slots_used, EMPTY, np.int32)
            slots[:new] = self._slots[:new]
            self._slots = slots
        csv_kernels.move_slots(self._slots, self._hashes, old, 1 << int(bits), new, new_bits)
        self._tables[column, FIRST_SLOT] = new
        self._tables[column, SLOT_BITS] = new_bits

    def _add_room(self, size: int) -> None:
        """Make room for at least one more text of this size."""
        entries, used = self._used.tolist()
        if entries == len(self._entries):
            self._entries = np.concatenate([self._entries, np.empty_like(self._entries)])
            self._hashes = np.concatenate([self._hashes, np.empty_like(self._hashes)])
        if used + size + WORD > len(self._store):
            more = np.empty(max(len(self._store), size + WORD), np.uint8)
            self._store = np.concatenate([self._store, more])

    def _new_texts(self, first: int, first_byte: int, cells: Codes) -> list[str]:
        last, end = self._used.tolist()
        new = self._entries[first:last]
        starts = (new[:, OFFSET] - first_byte).tolist()
        ends = (new[:, OFFSET] + new[:, LENGTH] - first_byte).tolist()
        written = self._store[first_byte:end].tobytes()
        if written.isascii():
            text = written.decode()
            return [text[start:end] for start, end in zip(starts, ends, strict=True)]
        texts = []
        for entry, (start, end) in enumerate(zip(starts, ends, strict=True), start=first):
            try:
                texts.append(written[start:end].decode())
            except UnicodeDecodeError:
                row = int(np.argmax((cells == entry).any(axis=0)))
                raise BrokenRecord(row, NOT_UTF_8) from None
        return texts


def encode_in_turn(
    blocks: Iterator[Block], encoders: Sequence[Encoder]
) -> Iterator[tuple[int, EncodedBlock]]:
    """Hand out blocks to the encoders in turn; give back what they made of them, in order.

    More than one encoder work in threads of their own while the next blocks are read.
    """
    if len(encoders) == 1:
        yield from ((0, encoders[0].encode(block)) for block in blocks)
        return
    with ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in encoders]
        waiting: deque[tuple[int, Future[EncodedBlock]]] = deque()
        turns = cycle(range(len(encoders)))
        failure: Exception | None = None
        while True:
            try:
                block = next(blocks)
            except StopIteration:
                break
            except Exception as error:
                # What is wrong with an earlier block must be told first.
                failure = error
                break
            turn = next(turns)
            waiting.append((turn, pools[turn].submit(encoders[turn].encode, block)))
            if len(waiting) > len(encoders):
                turn, done = waiting.popleft()
                yield turn, done.result()
        for turn, done in waiting:
            yield turn, done.result()
        if failure:
            raise failure


def ragged(found: int, expected: int) -> str:
    return f"has {found} cells where {expected} are expected."


class TableBuilder:
    """The columns of a table while it is being read."""

    def __init__(self, names: Sequence[str], form: CsvFormat, encoders: int) -> None:
        self.rows = 0
        self._names = names
        self._decimal = form.decimal
        self._gaps = {"", *form.missing}
        self._dictionaries: list[dict[str | None, int]] = [{} for _ in names]
        self._codes: list[Codes] = [np.empty(0, np.int32) for _ in names]
        # Per encoder: entry -> code in its column.
        self._numbers = [np.empty(FIRST_NUMBERS, np.int32) for _ in range(encoders)]

    def add(self, encoder: int, block: EncodedBlock) -> None:
        """Add the records of a block that comes after those added so far."""
        self._add_texts(encoder, block)
        rows = slice(self.rows, self.rows + block.cells.shape[1])
        if rows.stop > len(self._codes[0]):
            self._resize(rows.stop + max(rows.stop // 8, ROWS_TO_SPARE))
        for codes, cells in zip(self._codes, block.cells, strict=True):
            codes[rows] = self._numbers[encoder][cells]
        self.rows = rows.stop

    def build(self) -> tuple[Column, ...]:
        self._resize(self.rows)
        return tuple(self._build_column(index) for index in range(len(self._names)))

    def _resize(self, rows: int) -> None:
        """Make every column so long, in place: a second copy of the table would not fit."""
        for codes in self._codes:
            codes.resize(rows, refcheck=False)

    def _add_texts(self, encoder: int, block: EncodedBlock) -> None:
        """Number the texts that are new to an encoder; another may have met them already."""
        last = block.first_new + len(block.new_texts)
        if last > len(self._numbers[encoder]):
            self._numbers[encoder] = np.resize(self._numbers[encoder], 2 * last)
        known, gaps = self._dictionaries, self._gaps
        self._numbers[encoder][block.first_new : last] = [
            known[column].setdefault(None if text in gaps else text, len(known[column]))
            for text, column in zip(block.new_texts, block.new_columns, strict=True)
        ]

    def _build_column(self, index: int) -> Column:
        values = tuple(self._dictionaries[index])
        kind = infer_type(values, self._decimal)
        return Column(self._names[index], kind, self._codes[index], values, self._decimal)
