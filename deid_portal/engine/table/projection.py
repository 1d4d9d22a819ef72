"""Distinct patterns projected onto some of their columns, without the rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.compiled import kernels
from deid_portal.engine.table import projection_kernels, row_kernels
from deid_portal.engine.table.patterns import Keys, Numbering, Patterns, combine
from deid_portal.engine.table.table import Codes, Counts

WORD_BITS = 64
Combination = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Projection:
    """Distinct patterns projected onto a combination of their columns."""

    columns: Combination
    numbers: Codes  # class of each pattern
    sizes: Counts  # records per class

    @classmethod
    def of_nothing(cls, patterns: Patterns) -> "Projection":
        """Return the projection onto no column, in which all records are alike."""
        everybody = patterns.counts.sum(keepdims=True)
        return cls((), np.zeros(len(patterns.counts), np.int32), everybody)

    def split(self, patterns: Patterns, column: int) -> "Projection":
        """Return the projection onto one more column."""
        codes = patterns.codes[column]
        values = int(codes.max(initial=0)) + 1
        numbers, sizes = projection_kernels.split_groups(
            self.numbers, len(self.sizes), codes, values, patterns.counts
        )
        return Projection((*self.columns, column), numbers, sizes)


def project_all(patterns: Patterns, most_columns: int) -> Iterator[Projection]:
    """Return every combination of up to so many columns, the small ones first.

    Those of the size before are kept to split them further.
    """
    kept = [Projection.of_nothing(patterns)]
    for size in range(1, most_columns + 1):
        made = (
            projection.split(patterns, column)
            for projection in kept
            for column in range(max(projection.columns, default=-1) + 1, len(patterns.names))
        )
        if size == most_columns:
            yield from made
        else:
            kept = list(made)
            yield from kept


def number_patterns(codes: Codes) -> Codes:
    """Number the distinct columns of a code matrix (column of the table × pattern).

    As many columns as fit are packed into one word, so most tables need a single pass.
    """
    numbers = np.zeros(codes.shape[1], np.int32)
    for word in _words(codes):
        own = Numbering().number(_pack(codes[word]))
        numbers = Numbering().number(combine(numbers, own)) if numbers.any() else own
    return numbers


def sizes_of(numbers: Codes, counts: Counts) -> Counts:
    """Return the records per number."""
    return kernels.sum_by_number(numbers, counts, int(numbers.max(initial=-1)) + 1)


def sizes_without(patterns: Patterns, combinations: Iterable[Combination]) -> Iterator[Counts]:
    """Return the class sizes the table has without each of these combinations of columns."""
    codes = patterns.codes
    if len(_words(codes)) != 1:
        for left_out in combinations:
            kept = np.delete(codes, left_out, axis=0)
            yield sizes_of(number_patterns(kept), patterns.counts)
        return
    keys = _pack(codes)
    everything = np.uint64(2**WORD_BITS - 1)
    above = np.cumsum([_bits(column) for column in codes])
    shifts = above[-1] - above
    own = [
        np.uint64(2 ** _bits(column) - 1) << np.uint64(shift)
        for column, shift in zip(codes, shifts, strict=True)
    ]
    for left_out in combinations:
        gone = np.bitwise_or.reduce([own[column] for column in left_out])
        yield projection_kernels.size_without(keys, everything ^ gone, patterns.counts)


def _words(codes: Codes) -> list[list[int]]:
    words: list[list[int]] = []
    used = WORD_BITS + 1
    for index, column in enumerate(codes):
        bits = _bits(column)
        if used + bits > WORD_BITS:
            words.append([])
            used = 0
        words[-1].append(index)
        used += bits
    return words


def _pack(codes: Codes) -> Keys:
    """Place the codes of a pattern side by side in one word, the last column lowest."""
    keys = np.zeros(codes.shape[1], np.uint64)
    shift = 0
    for column in codes[::-1]:
        row_kernels.place_codes(keys, np.ascontiguousarray(column, np.int32), shift)
        shift += _bits(column)
    return keys


def _bits(codes: Codes) -> int:
    return max(int(codes.max(initial=0)).bit_length(), 1)
