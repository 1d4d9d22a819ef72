"""Distinct patterns seen through some of their columns, without the rows."""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.grouping import Numbering, Patterns, combine
from deid_portal.engine.table import Codes, Counts

WORD_BITS = 64


def number_patterns(codes: Codes) -> Codes:
    """Number the distinct columns of a code matrix (column of the table × pattern).

    As many columns as fit are packed into one word, so most tables need a single pass.
    """
    numbers = np.zeros(codes.shape[1], np.int32)
    for word in _words(codes):
        own = Numbering().number(_pack(codes[word]))
        numbers = Numbering().number(combine(numbers, own)) if numbers.any() else own
    return numbers


def refine(numbers: Codes, codes: Codes) -> Codes:
    """Split numbered groups further by one more column."""
    return Numbering().number(combine(numbers, codes))


def sizes_of(numbers: Codes, counts: Counts) -> Counts:
    """Return the records per number."""
    if not len(numbers):
        return np.zeros(0, np.int64)
    return np.bincount(numbers, weights=counts).astype(np.int64)


def sizes_by(patterns: Patterns, names: Sequence[str]) -> Counts:
    """Return the class sizes the table has on some of its quasi-identifiers."""
    chosen = [patterns.names.index(name) for name in names]
    return sizes_of(number_patterns(patterns.codes[chosen]), patterns.counts)


def _words(codes: Codes) -> list[list[int]]:
    words: list[list[int]] = []
    used = WORD_BITS + 1
    for index, column in enumerate(codes):
        bits = max(int(column.max(initial=0)).bit_length(), 1)
        if used + bits > WORD_BITS:
            words.append([])
            used = 0
        words[-1].append(index)
        used += bits
    return words


def _pack(codes: Codes) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    keys = np.zeros(codes.shape[1], np.uint64)
    for column in codes:
        bits = max(int(column.max(initial=0)).bit_length(), 1)
        keys = (keys << np.uint64(min(bits, WORD_BITS - 1))) | column.astype(np.uint64)
    return keys
