"""A disk without room: what the vault writes goes to a device that answers as a full disk does."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from deid_portal.vault import growing_files, vault


class _FullDisk:
    """The `os` the vault sees: files come into being, and then not a single byte fits into them."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Path, flags: int, mode: int) -> int:
        os.close(os.open(path, flags, mode))
        return os.open("/dev/full", os.O_WRONLY)


class _DiskThatFillsUp:
    """The `os` a growing file sees: half of what is written still fits, and then nothing does."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def write(self, descriptor: int, content: memoryview) -> int:
        half = len(content) // 2
        return os.write(descriptor, content[:half] if half else _refused())


def _refused() -> bytes:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault, "os", _FullDisk())
    monkeypatch.setattr(growing_files, "os", _DiskThatFillsUp())
