"""Compiled loops over the degrees of neighbors."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.kernels import mix_bits


@compiled
def sort_neighbors(offsets: NDArray[np.int64], rows: NDArray[np.int32]) -> None:
    for node in range(len(offsets) - 1):
        rows[offsets[node] : offsets[node + 1]].sort()


@compiled
def fold_rows(
    offsets: NDArray[np.int64], rows: NDArray[np.int32], salt: np.uint64
) -> NDArray[np.uint64]:
    """Return one number per row; equal rows have equal numbers."""
    codes = np.empty(len(offsets) - 1, np.uint64)
    for node in range(len(codes)):
        code = mix_bits(salt + np.uint64(offsets[node + 1] - offsets[node]))
        for place in range(offsets[node], offsets[node + 1]):
            code = mix_bits(code ^ np.uint64(rows[place]))
        codes[node] = code
    return codes


@compiled
def rows_agree(
    offsets: NDArray[np.int64], rows: NDArray[np.int32], class_of: NDArray[np.int32]
) -> bool:
    """Say whether all rows of a class are equal, comparing each with the first of its class."""
    first = np.full(class_of.max() + 1 if len(class_of) else 0, -1, np.int64)
    for node in range(len(class_of)):
        known = first[class_of[node]]
        if known < 0:
            first[class_of[node]] = node
            continue
        length = offsets[node + 1] - offsets[node]
        if length != offsets[known + 1] - offsets[known]:
            return False
        for step in range(length):
            if rows[offsets[node] + step] != rows[offsets[known] + step]:
                return False
    return True
