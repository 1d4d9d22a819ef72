"""Files that libraries of others read are read apart, in a process that may die of them.

A damaged file can crash such a library together with its process, keep it busy for ever or have it
fill the memory. In a process of its own that costs one sentence. It is a wall against accidents of
that kind, not against code: the process has the rights of the one that asked for it.

Starting Python takes seconds, so each process that asks keeps one *nursery* beside it, or shares
one with what it forks: it has loaded the libraries, has no threads and forks a reader for every
file. The reader gets no file but one end of a socket. Over that it asks for pieces of the file,
says how far it is, and hands back the table.
"""

import atexit
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from deid_portal.engine import tether
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.arrow import read_arrow
from deid_portal.engine.files.file_format import FileFormat, FileKind, Settings
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import Detected, Sample
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Table

HEAD = struct.Struct("!cQ")  # what a message is about, and how many bytes follow
PLACE = struct.Struct("!QQ")  # of a piece of the file: where it begins, how long it is
HERE, PIECE, PROGRESS, DETECTED, NOTES, CELLS, END, REFUSAL, MEMORY, FAULT = (
    bytes([sign]) for sign in b"HRPDNCESMF"
)
NURSERY = "deid_portal.engine.files.reader_nursery"
SECONDS_PER_MINUTE = 60
LOOK_SECONDS = 60  # of CPU time, for the first rows: somebody waits for the page
QUIET_SECONDS = 0.5  # so often it is asked whether anybody said stop
BROKE_OFF = (
    "The program for files of this kind broke off at this one: it is damaged, or larger than can "
    "be read here. Save it again or as CSV, and upload that."
)
# The memory of a reader is limited to the byte, and it has one core.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
}


class ReaderFault(Exception):  # noqa: N818
    """A fault of ours in a reader; names where it happened and what it was, never a cell."""


@dataclass(frozen=True)
class ReadApart:
    """The module of a kind of file, at work in another process."""

    kind: FileKind

    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> Detected:
        asked = {"kind": self.kind.value, "sheet": sheet}
        found = _have_read("detect", asked, stream, limits, None).detected
        form = FileFormat.from_document(found["format"])
        return Detected(form.settings, found["evidence"], tuple(found["sheets"]))

    def read_sample(self, stream: BinaryIO, settings: Settings, limits: ReadingLimits) -> Sample:
        asked = {"format": FileFormat(self.kind, settings).to_document()}
        answer = _have_read("sample", asked, stream, limits, None)
        return Sample(answer.table, tuple(answer.notes))

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table:
        asked = {"format": FileFormat(self.kind, settings).to_document()}
        return _have_read("read", asked, stream, limits, progress).table


class _Answer:
    """What has come back so far."""

    def __init__(self) -> None:
        self.detected: dict[str, Any] = {}
        self.notes: list[str] = []
        self.cells = bytearray()

    @property
    def table(self) -> Table:
        return read_arrow(cast(BinaryIO, io.BytesIO(self.cells)))


class ReaderSocket:
    """One end of the socket between a reader and who asked for it."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, sign: bytes, content: bytes | memoryview = b"") -> None:
        self._end.sendall(HEAD.pack(sign, len(content)))
        # Whoever has read that nothing follows may have answered and ended; nobody is left to send
        # nothing to then.
        if len(content):
            self._end.sendall(content)

    def receive(self, quiet: Callable[[], None] = lambda: None) -> tuple[bytes, bytearray]:
        """Return the next message; raises EOFError where the other end is gone."""
        sign, count = HEAD.unpack(self._take(HEAD.size, quiet))
        return sign, self._take(count, quiet)

    def _take(self, count: int, quiet: Callable[[], None]) -> bytearray:
        content = bytearray(count)
        rest = memoryview(content)
        while rest:
            try:
                taken = self._end.recv_into(rest)
            except TimeoutError:
                quiet()
                continue
            except ConnectionError:
                taken = 0
            if not taken:
                raise EOFError
            rest = rest[taken:]
        return content


class _ReaderProcess:
    """A reader as seen by who asked for it."""

    def __init__(self, end: socket.socket, limits: ReadingLimits) -> None:
        self._line = ReaderSocket(end)
        self._limits = limits
        self._handle = -1

    def begin(self, asked: dict[str, Any]) -> None:
        """Say what to do, once it is there."""
        _, number = self._line.receive()
        # It waits for us, so the number is still its own.
        self._handle = os.pidfd_open(int(number))
        self._line.send(HERE, json.dumps(asked).encode())

    def end(self) -> None:
        """Whatever became of it, nothing is left running."""
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            os.close(self._handle)

    def serve(self, stream: BinaryIO, progress: ProgressCallback | None) -> _Answer:
        """Give the reader what it asks for until it is done."""
        answer = _Answer()
        reached: list[Any] = [0, 0, "read", {}]

        def say() -> None:
            if progress is not None:
                done, total, phase, figures = reached
                progress(done, total, phase, **figures)

        while True:
            sign, content = self._line.receive(say)
            if sign == END:
                return answer
            if sign == PIECE:
                start, count = PLACE.unpack(content)
                stream.seek(start)
                self._line.send(PIECE, stream.read(count))
            elif sign == PROGRESS:
                reached[:] = json.loads(content)
                say()
            elif sign == CELLS:
                answer.cells += content
            elif sign == NOTES:
                answer.notes = json.loads(content)
            elif sign == DETECTED:
                answer.detected = json.loads(content)
            else:
                self._refuse(sign, content.decode())

    def _refuse(self, sign: bytes, words: str) -> NoReturn:
        if sign == REFUSAL:
            raise InvalidTable(words)
        if sign == MEMORY:
            raise InvalidTable(
                f"Reading the file needs more than {self._limits.memory_mb:,} MB of memory, the "
                f"limit here. Leave out columns nobody needs, split it, or save it as CSV."
            )
        raise ReaderFault(words)


def _have_read(
    task: str,
    asked: dict[str, Any],
    stream: BinaryIO,
    limits: ReadingLimits,
    progress: ProgressCallback | None,
) -> _Answer:
    """Have a reader do one task with one file; raises InvalidTable where it dies of it."""
    seconds = SECONDS_PER_MINUTE * limits.minutes if task == "read" else LOOK_SECONDS
    bounds = {**asdict(limits), "seconds": seconds}
    size = stream.seek(0, io.SEEK_END)
    with _begin({"do": task, "size": size, "limits": bounds, **asked}, limits) as reader:
        try:
            return reader.serve(stream, progress)
        except (EOFError, ConnectionError):
            raise InvalidTable(BROKE_OFF) from None


@contextmanager
def _begin(asked: dict[str, Any], limits: ReadingLimits) -> Iterator[_ReaderProcess]:
    """Have a reader begin; one that was never born has nothing to say about the file."""
    for is_last in (False, True):
        with _nursery.ask() as end:
            end.settimeout(QUIET_SECONDS)
            reader = _ReaderProcess(end, limits)
            try:
                reader.begin(asked)
            except (EOFError, ConnectionError):  # the nursery was killed before it could fork
                reader.end()
                if is_last:
                    raise InvalidTable(BROKE_OFF) from None
                continue
            try:
                yield reader
            finally:
                reader.end()
            return


class _Nursery:
    """The process beside this one that forks readers; started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0  # this process; one that was forked from it needs a nursery of its own…
        self._is_shared = False  # … unless the same may serve both
        self._door: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self) -> socket.socket:
        """Return one end of a socket; at the other a reader is being born."""
        with self._lock:
            own, others = socket.socketpair()
            with others:
                try:
                    socket.send_fds(self._open_door(), [b"."], [others.fileno()])
                except OSError:  # it was killed; another takes its place
                    self._owner = 0
                    socket.send_fds(self._open_door(), [b"."], [others.fileno()])
            return own

    def start(self, *, is_shared: bool) -> None:
        with self._lock:
            self._open_door()
            self._is_shared = is_shared

    def _open_door(self) -> socket.socket:
        if self._door is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._door, door = socket.socketpair()
            with door:
                self._process = subprocess.Popen(  # noqa: S603 - of our own making
                    [*tether.command(), sys.executable, "-m", NURSERY, str(door.fileno())],
                    pass_fds=[door.fileno()],
                    stdin=subprocess.DEVNULL,
                    cwd=Path(__file__).parents[3],
                    env={**os.environ, **ENVIRONMENT},
                )
        return self._door

    def forget_after_fork(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid() if self._is_shared else 0

    def close(self) -> None:
        """Shut the door: a nursery ends when nobody can ask it any more."""
        if self._door is not None and self._owner == os.getpid():
            self._door.close()


_nursery = _Nursery()


def start_nursery(*, is_shared: bool = False) -> None:
    """Have the libraries loaded before the first file comes; does not wait for it.

    What this process forks later uses a nursery that is shared, and needs none of its own.
    """
    _nursery.start(is_shared=is_shared)


os.register_at_fork(after_in_child=_nursery.forget_after_fork)
atexit.register(_nursery.close)
