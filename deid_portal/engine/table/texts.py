"""The distinct texts of a column as one array of bytes instead of string objects.

A million e-mail addresses take 20 MB like this and 80 MB as strings. Compiled loops over the bytes
(`text_values.py`) parse all texts; strings are made only of the few that are shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.uint32]

NO_GAP = -1


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts one after the other as UTF-8, no two alike; one may be the gap, which has no bytes."""

    store: Bytes
    offsets: Offsets  # where each text begins, and where the last one ends
    gap: int = NO_GAP  # which of them is the gap

    def __post_init__(self) -> None:
        # Never writable, so that a loop is compiled for one kind of array only.
        for array in (self.store, self.offsets):
            array.setflags(write=False)

    @classmethod
    def from_values(cls, values: Sequence[str | None]) -> "Texts":
        encoded = [b"" if text is None else text.encode() for text in values]
        offsets = np.zeros(len(encoded) + 1, np.uint32)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        gap = next((code for code, text in enumerate(values) if text is None), NO_GAP)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets, gap)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, code: int) -> str | None:
        if code == self.gap:
            return None
        return self.store[self.offsets[code] : self.offsets[code + 1]].tobytes().decode()

    def pick(self, codes: Iterable[int]) -> list[str]:
        """Return some texts, of which none is the gap."""
        return [text for code in codes if (text := self[code]) is not None]

    def first(self, count: int) -> list[str]:
        """Return the first texts, without the gap."""
        codes = (code for code in range(len(self)) if code != self.gap)
        return self.pick(islice(codes, count))

    def longer_than(self, size: int) -> list[int]:
        """Return the codes of the texts that have more bytes than this."""
        return np.flatnonzero(np.diff(self.offsets) > size).tolist()

    def to_values(self) -> tuple[str | None, ...]:
        """Return every text as a string."""
        bounds = self.offsets.tolist()
        written = self.store[: bounds[-1]].tobytes()
        pairs = pairwise(bounds)
        texts: list[str | None]
        if written.isascii():
            whole = written.decode()
            texts = [whole[start:end] for start, end in pairs]
        else:
            texts = [written[start:end].decode() for start, end in pairs]
        if self.gap != NO_GAP:
            texts[self.gap] = None
        return tuple(texts)
