"""The process that forks readers; `isolated_reader.py` says why.

It is started with one end of a socket, and ends when the other end is closed. A reader does one
task with one file and ends.
"""

import io
import json
import os
import resource
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import openpyxl  # noqa: F401 - loaded here, once for all readers
import pandas  # noqa: F401 - Arrow asks for it when values become Python's
import pyarrow.parquet  # noqa: F401
import pyreadstat  # noqa: F401

from deid_portal.engine.errors import EngineError
from deid_portal.engine.files.arrow import write_arrow
from deid_portal.engine.files.file_format import FileFormat, FileKind
from deid_portal.engine.files.isolated_reader import (
    CELLS,
    DETECTED,
    END,
    FAULT,
    HERE,
    MEMORY,
    NOTES,
    PIECE,
    PLACE,
    PROGRESS,
    REFUSAL,
    ReaderSocket,
)
from deid_portal.engine.files.limits import MEGABYTE, ReadingLimits
from deid_portal.engine.files.table_reader import MODULES
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.tether import tie_to_parent

BLOCK_BYTES = 1 << 20
DATA_PAGES = 5  # the place of this figure in /proc/self/statm


def serve(door: socket.socket) -> None:
    """Fork a reader for each request."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for readers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent
    # The parent may run under limits of its own; readers get theirs with their task.
    for limit in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        resource.setrlimit(limit, (resource.getrlimit(limit)[1],) * 2)
    _load_what_all_need()
    while True:
        message, ends, _, _ = socket.recv_fds(door, 1, 1)
        if not message:
            return
        if os.fork() == 0:
            tie_to_parent()
            door.close()
            _be_a_reader(socket.socket(fileno=ends[0]))
        os.close(ends[0])


def _load_what_all_need() -> None:
    """Do what every reader would have to do again, such as loading compiled loops."""
    write_arrow(Table((Column.from_cells("text", ["1", "x", None]),)), io.BytesIO())


def _be_a_reader(end: socket.socket) -> NoReturn:
    try:
        line = ReaderSocket(end)
        line.send(HERE, str(os.getpid()).encode())
        _work(line)
    except (EOFError, ConnectionError):
        pass  # the client is gone
    finally:
        os._exit(0)


def _work(line: ReaderSocket) -> None:
    asked = json.loads(line.receive()[1])
    try:
        _limit(asked["limits"])
        _do(line, asked)
        line.send(END)
    except (EOFError, ConnectionError):
        raise
    except EngineError as refusal:
        line.send(REFUSAL, str(refusal).encode())
    except MemoryError:
        line.send(MEMORY)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        line.send(FAULT, f"{type(error).__name__} at {where}".encode())


def _limit(limits: dict[str, int]) -> None:
    """Limit the memory and the CPU time of this process."""
    if limits["memory_mb"]:
        pages = int(Path("/proc/self/statm").read_text().split()[DATA_PAGES])
        most = pages * resource.getpagesize() + limits["memory_mb"] * MEGABYTE
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    if limits["seconds"]:
        resource.setrlimit(resource.RLIMIT_CPU, (limits["seconds"], limits["seconds"] + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dump: cells must not reach a disk


def _do(line: ReaderSocket, asked: dict[str, Any]) -> None:
    elsewhere = _FileElsewhere(line, asked["size"])
    stream = cast(BinaryIO, io.BufferedReader(elsewhere, BLOCK_BYTES))
    own = {name: asked["limits"][name] for name in ("unpacked_mb", "memory_mb", "minutes")}
    limits = ReadingLimits(**own)
    if asked["do"] == "detect":
        kind = FileKind(asked["kind"])
        found = MODULES[kind].detect(stream, limits, asked["sheet"])
        detected = {
            "format": FileFormat(kind, found.settings).to_document(),
            "evidence": found.evidence,
            "sheets": found.sheets,
        }
        line.send(DETECTED, json.dumps(detected).encode())
        return
    form = FileFormat.from_document(asked["format"])
    if asked["do"] == "sample":
        sample = MODULES[form.kind].read_sample(stream, form.settings, limits)
        line.send(NOTES, json.dumps(sample.notes).encode())
        table = sample.table
    else:
        table = MODULES[form.kind].read(stream, form.settings, limits, _Progress(line))
    write_arrow(table, cast(BinaryIO, _Cells(line)))


class _Progress:
    def __init__(self, line: ReaderSocket) -> None:
        self._line = line

    def __call__(self, done: int, total: int, phase: str, **figures: Any) -> None:
        self._line.send(PROGRESS, json.dumps([done, total, phase, figures]).encode())


class _Cells(io.RawIOBase):
    """A writable file that sends the table to the client piece by piece."""

    def __init__(self, line: ReaderSocket) -> None:
        self._line = line

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        piece = memoryview(content).cast("B")
        self._line.send(CELLS, piece)
        return len(piece)


class _FileElsewhere(io.RawIOBase):
    """The file as a reader sees it: pieces are fetched over the socket."""

    def __init__(self, line: ReaderSocket, size: int) -> None:
        self._line = line
        self._size = size
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("There is nothing before the beginning of a file.")
        self._place = start + offset
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._line.send(PIECE, PLACE.pack(self._place, min(len(buffer), BLOCK_BYTES)))
        piece = self._line.receive()[1]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
