"""A file to be packed."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from deid_portal.vault import vault

PIECE_BYTES = 256 * 1024
NOT_APPROVED = "The stored rows are not the approved ones."


@dataclass(frozen=True)
class PackageMember:
    """A file to be packed; `expected` is its approved hash, if any."""

    name: str
    purpose: str
    open: Callable[[], BinaryIO]
    expected: str = ""

    def pieces(self) -> Iterator[bytes]:
        with self.open() as stream:
            while piece := stream.read(PIECE_BYTES):
                yield piece

    def check(self, sha256: str) -> None:
        if self.expected and sha256 != self.expected:
            raise vault.DamagedFile(NOT_APPROVED)


def to_json(document: Any) -> Callable[[], BinaryIO]:
    return held(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def held(content: str | bytes) -> Callable[[], BinaryIO]:
    data = content.encode() if isinstance(content, str) else content
    return lambda: io.BytesIO(data)
