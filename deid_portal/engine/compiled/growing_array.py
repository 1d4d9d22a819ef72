"""Arrays that grow while a file is read, in memory of their own.

What grows among other things in the common memory leaves holes there, which add up to as much again
as a large table takes. Memory of its own grows where it is, and goes back to the system at once.
"""

import errno
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

SMALL_BYTES = 1 << 16
HUGE_PAGE = 1 << 21

N = TypeVar("N", bound=np.integer[Any])


class GrowingArray(Generic[N]):
    """An array of zeros that can become longer; whoever holds a part of it keeps it from that."""

    def __init__(self, kind: type[N] | np.dtype[N], size: int) -> None:
        self._kind: np.dtype[N] = np.dtype(kind)
        # Private: memory that could be shared with other processes cannot grow.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        with _saying_memory_error():
            self._memory = mmap.mmap(-1, self._bytes(size), flags=flags)
        self._ask_for_huge_pages()
        self.array = self._view()

    def __len__(self) -> int:
        return len(self.array)

    def resize(self, size: int) -> None:
        """Make the array so long, or a little longer; what is in it stays."""
        self._set_bytes(self._bytes(size))

    def taken(self, start: int, stop: int) -> NDArray[N]:
        """Return a part as the end of it all; the memory behind it is given back."""
        if stop * self._kind.itemsize <= SMALL_BYTES:
            return self.array[start:stop].copy()
        self._set_bytes(_whole_pages(stop * self._kind.itemsize, mmap.PAGESIZE))
        return self.array[start:stop]

    def _bytes(self, size: int) -> int:
        """Return how much memory to take for so many numbers, in whole pages and never none.

        Large memory is taken in huge pages: only such a piece is put where they fit.
        """
        needed = size * self._kind.itemsize
        return _whole_pages(needed, mmap.PAGESIZE if needed < HUGE_PAGE else HUGE_PAGE)

    def _set_bytes(self, count: int) -> None:
        self.array = np.zeros(0, self._kind)  # lets go of the memory, which may move
        with _saying_memory_error():
            self._memory.resize(count)
        self._ask_for_huge_pages()
        self.array = self._view()

    def _ask_for_huge_pages(self) -> None:
        """Have large memory come in few large pages: the system interrupts the work for each."""
        if len(self._memory) >= HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)

    def _view(self) -> NDArray[N]:
        return np.frombuffer(self._memory, self._kind)


@contextmanager
def _saying_memory_error() -> Iterator[None]:
    """Call by its name what memory of one's own is refused with."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError from None


def _whole_pages(count: int, page: int) -> int:
    return max(-(-count // page), 1) * page
