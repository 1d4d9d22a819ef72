"""Numbers of a column as integers, so that intervals are found by array arithmetic."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.table import Codes, Column

ABOVE = np.iinfo(np.int64).max
BELOW = -ABOVE
GAP = BELOW - 1
PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,9})?\Z")
LARGEST = 2**62


@dataclass(frozen=True)
class Scale:
    """The numbers of a column as integers, all with the same number of implied decimals."""

    numbers: NDArray[np.int64]  # one per value; meaningless for a gap
    gap: int | None
    decimals: int

    @classmethod
    def of(cls, column: Column, others: Sequence[Decimal]) -> "Scale | None":
        """Read plainly written numbers; None if a value is not one, or too long to be exact."""
        texts = [text or "0" for text in column.values]
        if column.decimal == ",":
            texts = [text.replace(",", ".") for text in texts]
        if not any(column.values) or not all(map(PLAIN.match, texts)):
            return None
        parts = [text.partition(".") for text in texts]
        written = max(len(fraction) for _, _, fraction in parts)
        decimals = max(written, *(-int(number.as_tuple().exponent) for number in others), 0)
        numbers = [int(f"{whole}{fraction:0<{decimals}}") for whole, _, fraction in parts]
        largest = max(*map(abs, numbers), *(int(abs(o) * 10**decimals) for o in others))
        if largest >= LARGEST:
            return None
        return cls(np.array(numbers, dtype=np.int64), column.gap, decimals)

    def of_number(self, number: Decimal) -> int:
        return int(number * 10**self.decimals)

    def group(self, keys: NDArray[np.int64]) -> tuple[Codes, list[int]]:
        """Number equal keys in the order they appear; return codes and a place of each."""
        if self.gap is not None:
            keys[self.gap] = GAP
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank[inverse], first[order].tolist()
