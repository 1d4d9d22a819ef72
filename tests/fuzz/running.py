"""Runs a reader on damaged files, in a separate process, since they may crash it.

A reader keeps its promise when every file becomes a table or one sentence (an `EngineError`): no
other exception, no crash, no endless loop, no gigabytes. Time is CPU time and memory is what the
process may take at all, so a busy machine finds nothing that a quiet one does not.
"""

import mmap
import os
import random
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deid_portal.engine import EngineError
from tests.fuzz.mutations import damaged
from tests.fuzz.readers import READERS, Reader

CPU_SECONDS = 20  # for one file; compiling a loop for the first time takes most of it
MEMORY_BYTES = 1 << 30  # beyond what the process has when it starts
LONGEST_SENTENCE = 600


@dataclass(frozen=True)
class Findings:
    faults: list["Fault"]
    broke_off: int = 0  # files at which a reader that works apart died, as it may


@dataclass(frozen=True)
class Fault:
    """What a reader did instead of keeping its promise, and with which file."""

    reader: str
    number: int
    what: str

    def __str__(self) -> str:
        return f"{self.reader} {self.number}: {self.what}"


def fuzz(name: str, numbers: range) -> Findings:
    """Give files of these numbers to a reader; where its process dies, another goes on."""
    faults: list[Fault] = []
    broke_off = 0
    start = numbers.start
    while start < numbers.stop:
        reached, died_of, told = _in_a_child(name, range(start, numbers.stop))
        faults += [Fault(name, number, what) for number, what in told]
        if not died_of:
            break
        if reached < start:
            raise RuntimeError(f"{name}: the fuzzer itself failed: {died_of}.")
        if READERS[name].is_apart:
            broke_off += 1
        else:
            faults.append(Fault(name, reached, died_of))
        start = reached + 1
    return Findings(faults, broke_off)


def _in_a_child(name: str, numbers: range) -> tuple[int, str, list[tuple[int, str]]]:
    """Return how far the child came, what it died of, and what it says went wrong before."""
    reached = mmap.mmap(-1, 8)
    reached[:] = (numbers.start - 1).to_bytes(8, "little", signed=True)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(READERS[name], numbers, reached, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = [line.partition(b" ") for line in pipe.read().split(b"\0") if line]
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    found = [(int(number), what.decode("utf-8", "replace")) for number, _, what in told]
    return int.from_bytes(reached[:], "little", signed=True), _cause(code), found


def _cause(code: int) -> str:
    if code == 0:
        return ""
    if code == -signal.SIGVTALRM:
        return f"no end after {CPU_SECONDS} seconds of CPU time"
    return f"the process died: {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _work(reader: Reader, numbers: range, reached: mmap.mmap, writing: int) -> None:
    """Read file after file; never returns."""
    code = 1
    try:
        seeds = reader.seeds()
        what_goes_wrong(reader, seeds[0], 0)  # libraries and compiled loops are not what is limited
        _limit_memory()
        for number in numbers:
            reached[:] = number.to_bytes(8, "little")
            with _limited_time():
                wrong = what_goes_wrong(reader, damaged(seeds, number), number)
            if wrong:
                os.write(writing, f"{number} {wrong}\0".encode("utf-8", "replace"))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def what_goes_wrong(reader: Reader, content: bytes, number: int) -> str:
    try:
        reader.read(content, random.Random(number))
    except EngineError as error:
        return _what_is_wrong_with(str(error))
    except Exception as error:
        if reader.is_apart and isinstance(error, MemoryError):
            return ""  # its process would say so
        return f"{type(error).__name__} at {_place_of(error)}"
    return ""


def _what_is_wrong_with(sentence: str) -> str:
    if not sentence.endswith(".") or "\n" in sentence or len(sentence) > LONGEST_SENTENCE:
        return f"no sentence: {sentence[:200]!r}"
    return ""


def _place_of(error: BaseException) -> str:
    """Name where in the engine it happened, and where in the end."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "deid_portal" in frame.filename] or frames
    places = dict.fromkeys(f"{Path(f.filename).name}:{f.lineno}" for f in (ours[-1], frames[-1]))
    return " < ".join(places)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    most = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


@contextmanager
def _limited_time() -> Iterator[None]:
    """Have the system end the process when one file takes too much CPU time."""
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
