"""Files that third-party libraries read are read in a separate process, which may crash.

A damaged file can crash such a library together with its process, keep it busy for ever or have it
fill the memory. In a separate process that only leads to a message. This protects against such
accidents, not against malicious code: the process has the rights of its parent.

Starting Python takes seconds, so each process keeps one *nursery*, or shares one with the processes
it forks: a child that has loaded the libraries, has no threads and forks a reader for every file.
The reader gets no file but one end of a socket, over which it asks for pieces of the file, reports
progress and returns the table.
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
from deid_portal.engine.files.file_format import FileFormat, FileKind, Settings
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import GuessedSettings, Sample
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Table

HEAD = struct.Struct("!cQ")  # the kind of a message, and how many bytes follow
PLACE = struct.Struct("!QQ")  # of a piece of the file: where it begins, how long it is
HERE, PIECE, PROGRESS, DETECTED, NOTES, CELLS, END, REFUSAL, MEMORY, FAULT = (
    bytes([sign]) for sign in b"HRPDNCESMF"
)
NURSERY = "deid_portal.engine.files.reader_nursery"
SECONDS_PER_MINUTE = 60
LOOK_SECONDS = 60  # CPU time for the first rows, which a page waits for
QUIET_SECONDS = 0.5  # interval of the checks whether to stop
BROKE_OFF = (
    "The program for files of this kind broke off at this one: it is damaged, or larger than can "
    "be read here. Save it again or as CSV, and upload that."
)
# A reader has limited memory and one core.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
}


class ReaderFault(Exception):  # noqa: N818
    """A programming error in a reader: where it happened and its type, never a cell."""


@dataclass(frozen=True)
class IsolatedReader:
    """The module of a kind of file, run in another process."""

    kind: FileKind

    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> GuessedSettings:
        asked = {"kind": self.kind.value, "sheet": sheet}
        found = _have_read("detect", asked, stream, limits, None).detected
        form = FileFormat.from_document(found["format"])
        return GuessedSettings(form.settings, found["evidence"], tuple(found["sheets"]))

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
    """The parts of the table received so far."""

    def __init__(self) -> None:
        self.detected: dict[str, Any] = {}
        self.notes: list[str] = []
        self.cells = bytearray()

    @property
    def table(self) -> Table:
        from deid_portal.engine.files.arrow import read_arrow  # CSV is read without pyarrow

        return read_arrow(cast(BinaryIO, io.BytesIO(self.cells)))


class ReaderSocket:
    """One end of the socket between a reader and its client."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, sign: bytes, content: bytes | memoryview = b"") -> None:
        self._end.sendall(HEAD.pack(sign, len(content)))
        # The other end may have exited after it read the end of the data; then sending fails.
        if len(content):
            self._end.sendall(content)

    def receive(self, quiet: Callable[[], None] = lambda: None) -> tuple[bytes, bytearray]:
        """Return the next message; raises EOFError if the other end is closed."""
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
    """A reader process, as its client sees it."""

    def __init__(self, end: socket.socket, limits: ReadingLimits) -> None:
        self._line = ReaderSocket(end)
        self._limits = limits
        self._handle = -1

    def begin(self, asked: dict[str, Any]) -> None:
        """Send the task, once the reader has started."""
        _, number = self._line.receive()
        # It waits for us, so its process id is still its own.
        self._handle = os.pidfd_open(int(number))
        self._line.send(HERE, json.dumps(asked).encode())

    def end(self) -> None:
        """Kill the process if it is still running."""
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            os.close(self._handle)

    def serve(self, stream: BinaryIO, progress: ProgressCallback | None) -> _Answer:
        """Answer the reader's requests for pieces of the file until it is done."""
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
    """Run one task of a reader on one file; raises InvalidTable if the reader dies."""
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
    """Start a reader; try again if it could not be forked, which is not the fault of the file."""
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
    """The child process that forks readers; started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0  # this process id; a forked process needs its own nursery,
        self._is_shared = False  # unless this one may serve both
        self._door: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self) -> socket.socket:
        """Return one end of a socket; a new reader gets the other."""
        with self._lock:
            own, others = socket.socketpair()
            with others:
                try:
                    socket.send_fds(self._open_door(), [b"."], [others.fileno()])
                except OSError:  # it was killed: start another
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
        """Close the socket, which ends the nursery."""
        if self._door is not None and self._owner == os.getpid():
            self._door.close()


_nursery = _Nursery()


def start_nursery(*, is_shared: bool = False) -> None:
    """Start loading the libraries before the first file; does not wait for it.

    Processes that this one forks later use a shared nursery and need none of their own.
    """
    _nursery.start(is_shared=is_shared)


os.register_at_fork(after_in_child=_nursery.forget_after_fork)
atexit.register(_nursery.close)
