"""Weighted distinct patterns of quasi-identifiers, and the classes they make.

A table is reduced once to its distinct patterns with counts; classes of every coarser view are
made from those, so the cost follows the number of patterns and not the number of rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled import kernels
from deid_portal.engine.progress import Progress
from deid_portal.engine.table import row_kernels
from deid_portal.engine.table.table import Codes, Column, Counts, Table

Keys = NDArray[np.uint64]
WORD_BITS = 64
# Few enough that their keys stay in the processor's cache.
ROWS_PER_CHUNK = 1 << 18


@dataclass(frozen=True, eq=False)
class Pairs:
    """How often each sensitive value occurs in each group: one entry per pair that occurs."""

    groups: Codes  # number of the pattern or class, one per pair
    codes: Codes  # code of the sensitive value, one per pair
    counts: Counts  # records, one per pair

    def regroup(self, numbers: Codes) -> "Pairs":
        """Return the pairs after groups were joined; `numbers` holds the new numbers of groups."""
        return Pairs(*kernels.join_pairs(self.groups, self.codes, self.counts, numbers))

    def relabel(self, labels: Codes) -> "Pairs":
        """Return the pairs after values were joined; `labels` holds the new code of each value."""
        codes, groups, counts = kernels.join_pairs(self.codes, self.groups, self.counts, labels)
        return Pairs(groups, codes, counts)


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct combinations of quasi-identifiers in a table, with counts.

    `codes` are the columns' own codes. `sensitive` holds, per column asked for, the values that
    occur with each pattern.
    """

    names: tuple[str, ...]
    codes: Codes  # column × pattern
    counts: Counts  # records per pattern
    pattern_of_row: Codes
    sensitive: Mapping[str, Pairs]

    @cached_property
    def rows(self) -> int:
        return int(self.counts.sum())

    def pairs_with(self, column: Column) -> Pairs:
        """Return the values of a column of the table that occur with each pattern."""
        if column.name in self.sensitive:
            return self.sensitive[column.name]
        return _pair_up(self.pattern_of_row, column, _Steps(len(column.codes), 1, Progress(None)))


@dataclass(frozen=True, eq=False)
class View:
    """What a release shows of patterns: per column, the number of a label (`Taxonomy.nodes`).

    Labels that the taxonomy does not have, ranges and made-up values, have the numbers after its
    own, in the order of `strangers`.
    """

    codes: Codes  # column × pattern
    nodes: Sequence[Codes]  # per column: code -> number of its label
    strangers: Sequence[Sequence[str | None]] = ()  # per column

    def of(self, patterns: Codes) -> Codes:
        """Return the labels of these patterns: column × pattern."""
        shown = [
            nodes[codes[patterns]] for nodes, codes in zip(self.nodes, self.codes, strict=True)
        ]
        return np.array(shown, np.int32).reshape(len(shown), len(patterns))


@dataclass(frozen=True, eq=False)
class Classes:
    """Records grouped by identical quasi-identifiers.

    `members` names one pattern of each class, enough to look up its labels in `view`.
    """

    members: Codes  # one pattern per class
    sizes: Counts  # records per class
    sensitive: Mapping[str, Pairs]
    view: View | None = None

    @property
    def labels(self) -> Codes:
        """Return what each class shows: column × class."""
        if self.view is None:
            return np.zeros((0, len(self.sizes)), np.int32)
        return self.view.of(self.members)

    def only(self, kept: NDArray[np.bool_]) -> "Classes":
        """Return the kept classes, renumbered."""
        numbers = np.cumsum(kept, dtype=np.int32) - np.int32(1)
        return Classes(
            self.members[kept],
            self.sizes[kept],
            {name: _only(pairs, kept, numbers) for name, pairs in self.sensitive.items()},
            self.view,
        )


def reduce_table(
    table: Table, quasi_identifiers: Sequence[str], sensitive: Sequence[str], progress: Progress
) -> Patterns:
    """Find the distinct patterns of a table, a chunk of rows at a time.

    Without quasi-identifiers all rows are alike and there is one pattern.
    """
    columns = [table[name] for name in quasi_identifiers]
    steps = _Steps(table.rows, 1 + len(sensitive), progress)
    pattern_of_row = _number_rows(columns, steps)
    count = int(pattern_of_row.max()) + 1 if table.rows else 0
    first, counts = row_kernels.count_rows(pattern_of_row, count)
    codes = np.array([column.codes[first] for column in columns], dtype=np.int32)
    pairs = {name: _pair_up(pattern_of_row, table[name], steps) for name in sensitive}
    progress.report(1, 1, "patterns")
    return Patterns(
        names=tuple(quasi_identifiers),
        codes=codes.reshape(len(columns), count),
        counts=counts,
        pattern_of_row=pattern_of_row,
        sensitive=pairs,
    )


class Numbering:
    """Numbers distinct keys in order of appearance, chunk after chunk."""

    def __init__(self) -> None:
        self._slots = np.full(1 << 16, kernels.EMPTY, np.int32)
        self._known = np.empty(1 << 15, np.uint64)
        self._count = 0

    @property
    def count(self) -> int:
        """Return how many distinct keys there were so far."""
        return self._count

    def number(self, keys: Keys) -> Codes:
        numbers = np.empty(len(keys), np.int32)
        done = 0
        while done < len(keys):
            more, self._count = kernels.number_more_keys(
                keys[done:], self._slots, self._known, self._count, numbers[done:]
            )
            done += more
            if done < len(keys):
                self._grow()
        return numbers

    def _grow(self) -> None:
        self._slots = np.full(4 * len(self._slots), kernels.EMPTY, np.int32)
        self._known = np.resize(self._known, len(self._slots) // 2)
        kernels.fill_slots(self._known, self._count, self._slots)


def combine(left: Codes, right: Codes) -> Keys:
    """Join two numbers of up to 32 bits into one key."""
    return (left.astype(np.uint64) << np.uint64(32)) | right.astype(np.uint64)


class _Steps:
    """Goes over all rows in chunks, as often as needed, and reports progress."""

    def __init__(self, rows: int, times: int, progress: Progress) -> None:
        self.rows = rows
        self._total = max(rows * times, 1)
        self._done = 0
        self._progress = progress

    def chunks(self) -> Iterator[slice]:
        for start in range(0, self.rows, ROWS_PER_CHUNK):
            self._progress.report(self._done, self._total, "patterns")
            stop = min(start + ROWS_PER_CHUNK, self.rows)
            yield slice(start, stop)
            self._done += stop - start


def _number_rows(columns: Sequence[Column], steps: _Steps) -> Codes:
    """Number the distinct rows over these columns in order of appearance."""
    words = _share_words(columns)
    numberings = [Numbering() for _ in range(2 * len(words))]
    numbers = np.zeros(steps.rows, np.int32)
    for chunk in steps.chunks():
        for index, word in enumerate(words):
            own = numberings[2 * index].number(_pack_rows(word, chunk))
            if index:
                own = numberings[2 * index + 1].number(combine(numbers[chunk], own))
            numbers[chunk] = own
    return numbers


def _share_words(columns: Sequence[Column]) -> list[list[tuple[Column, int]]]:
    """Place columns side by side in words: each with the bits to shift it by."""
    words: list[list[tuple[Column, int]]] = []
    used = 0
    for column in columns:
        bits = (max(len(column.values), 1) - 1).bit_length()
        if not words or used + bits > WORD_BITS:
            words.append([])
            used = 0
        words[-1].append((column, used))
        used += bits
    return words


def _pack_rows(word: list[tuple[Column, int]], chunk: slice) -> Keys:
    keys = np.zeros(chunk.stop - chunk.start, np.uint64)
    for column, shift in word:
        # After a full word comes at most a column of one value, which has no bits to place.
        if shift < WORD_BITS:
            row_kernels.place_codes(keys, column.codes[chunk], shift)
    return keys


def _pair_up(pattern_of_row: Codes, column: Column, steps: _Steps) -> Pairs:
    """Count the values of a column per pattern."""
    numbering = Numbering()
    pair_of_row = np.empty(steps.rows, np.int32)
    for chunk in steps.chunks():
        pair_of_row[chunk] = numbering.number(combine(pattern_of_row[chunk], column.codes[chunk]))
    first, counts = row_kernels.count_rows(pair_of_row, numbering.count)
    return Pairs(pattern_of_row[first], column.codes[first], counts)


def _only(pairs: Pairs, kept: NDArray[np.bool_], numbers: Codes) -> Pairs:
    chosen = kept[pairs.groups]
    return Pairs(numbers[pairs.groups[chosen]], pairs.codes[chosen], pairs.counts[chosen])
