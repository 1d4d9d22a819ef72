"""Drawing rows in secret: by random bytes of the operating system that nobody can repeat."""

from collections.abc import Callable
from secrets import token_bytes

import numpy as np
from numpy.typing import NDArray

ROWS_PER_CHUNK = 1 << 20


def draw_in_secret(
    rows: int, share: float, report: Callable[[int], None] = lambda done: None
) -> NDArray[np.bool_]:
    """Draw each row with the chance `share`, independently.

    A float of this size is a whole multiple of 2⁻⁶⁴, so the chance is the share exactly.
    """
    if share >= 1:
        return np.ones(rows, np.bool_)
    threshold = np.uint64(int(share * 2**64))
    drawn = np.empty(rows, np.bool_)
    for start in range(0, rows, ROWS_PER_CHUNK):
        report(start)
        count = min(ROWS_PER_CHUNK, rows - start)
        numbers = np.frombuffer(token_bytes(8 * count), np.uint64)
        drawn[start : start + count] = numbers < threshold
    return drawn
