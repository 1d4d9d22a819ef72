"""Arrays that grow while a file is read, each in a memory mapping of its own.

Arrays that grow on the common heap fragment it, which wastes as much memory again as a large table
takes. A mapping grows in place and is returned to the system at once.
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
    """An array of zeros that can become longer, unless a view of it is still in use."""

    def __init__(self, kind: type[N] | np.dtype[N], size: int) -> None:
        self._kind: np.dtype[N] = np.dtype(kind)
        # Private: a mapping shared with other processes cannot grow.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        with _saying_memory_error():
            self._memory = mmap.mmap(-1, self._bytes(size), flags=flags)
        self._ask_for_huge_pages()
        self.array = self._view()

    def __len__(self) -> int:
        return len(self.array)

    def resize(self, size: int) -> None:
        """Make the array so long, or a little longer, and keep its content."""
        self._set_bytes(self._bytes(size))

    def taken(self, start: int, stop: int) -> NDArray[N]:
        """Return a part of the array for good, and release the memory after it."""
        if stop * self._kind.itemsize <= SMALL_BYTES:
            return self.array[start:stop].copy()
        self._set_bytes(_whole_pages(stop * self._kind.itemsize, mmap.PAGESIZE))
        return self.array[start:stop]

    def _bytes(self, size: int) -> int:
        """Return how many bytes to map for so many numbers: whole pages, at least one.

        Large mappings are whole huge pages, since only those are aligned so that huge pages can be
        used.
        """
        needed = size * self._kind.itemsize
        return _whole_pages(needed, mmap.PAGESIZE if needed < HUGE_PAGE else HUGE_PAGE)

    def _set_bytes(self, count: int) -> None:
        self.array = np.zeros(0, self._kind)  # releases the view, so that the memory may move
        with _saying_memory_error():
            self._memory.resize(count)
        self._ask_for_huge_pages()
        self.array = self._view()

    def _ask_for_huge_pages(self) -> None:
        """Ask for huge pages, since every first use of a page interrupts the work."""
        if len(self._memory) >= HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)

    def _view(self) -> NDArray[N]:
        return np.frombuffer(self._memory, self._kind)


@contextmanager
def _saying_memory_error() -> Iterator[None]:
    """Raise MemoryError if a mapping is refused."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError from None


def _whole_pages(count: int, page: int) -> int:
    return max(-(-count // page), 1) * page
