"""Files of other programs are read in a process that may die of them."""

import io
import os
import select
import signal
import socket
from typing import Any

import pytest

from deid_portal.engine import Cancelled, InvalidTable
from deid_portal.engine.files import isolated_reader
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.table_reader import (
    KINDS_READ_APART,
    MODULES,
    detect_file,
    preview_file,
    read_table,
)
from tests.engine.files import files
from tests.patience import PATIENCE

NAMES, ROWS = ("name", "age"), [(f"secret {number}", number) for number in range(300)]


def test_everything_but_text_is_read_apart() -> None:
    ours = {FileKind.CSV, FileKind.CSV_GZIP, FileKind.DATABASE}
    assert set(MODULES) - KINDS_READ_APART == ours


@pytest.mark.parametrize("make", [files.xlsx, files.parquet, files.sav, files.dta, files.xpt])
def test_the_table_is_the_one_that_is_read_here(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    content = make(NAMES, ROWS)
    there = _everything(content)
    monkeypatch.setattr("deid_portal.engine.files.table_reader.KINDS_READ_APART", frozenset())
    assert there == _everything(content)


def _everything(content: bytes) -> tuple[Any, ...]:
    stream = io.BytesIO(content)
    detected = detect_file(stream)
    table = read_table(stream, detected.format)
    types = [(column.name, column.type, column.decimal) for column in table.columns]
    return detected, preview_file(stream, detected.format), types, table.head(300)


class DeadlyFile(io.BytesIO):
    """A file at which whoever reads it is killed, as a library that crashes is."""

    def __init__(self, content: bytes, readers: list[int]) -> None:
        super().__init__(content)
        self._readers = readers

    def read(self, size: int | None = -1) -> bytes:
        signal.pidfd_send_signal(self._readers[-1], signal.SIGSEGV)
        return super().read(size)


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Handles of the readers that are born, which outlive those of who asked for them."""
    born: list[int] = []
    begin = isolated_reader._ReaderProcess.begin

    def begin_and_note(self: Any, asked: Any) -> None:
        begin(self, asked)
        born.append(os.dup(self._handle))

    monkeypatch.setattr(isolated_reader._ReaderProcess, "begin", begin_and_note)
    return born


def test_a_reader_that_crashes_costs_a_sentence(readers: list[int]) -> None:
    content = files.sav(NAMES, ROWS)
    form = detect_file(io.BytesIO(content)).format
    with pytest.raises(InvalidTable, match="broke off at this one") as refusal:
        read_table(DeadlyFile(content, readers), form)
    assert "secret" not in str(refusal.value)
    assert read_table(io.BytesIO(content), form).rows == 300


def test_a_nursery_that_was_killed_is_replaced() -> None:
    content = files.parquet(NAMES, ROWS)
    form = detect_file(io.BytesIO(content)).format
    assert isolated_reader._nursery._process is not None
    isolated_reader._nursery._process.kill()
    isolated_reader._nursery._process.wait()
    assert read_table(io.BytesIO(content), form).rows == 300


def test_a_nursery_that_is_killed_while_it_is_asked_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before, the file was called damaged."""
    content = files.parquet(NAMES, ROWS)
    form = detect_file(io.BytesIO(content)).format
    nursery = isolated_reader._nursery._process
    assert nursery is not None
    nursery.send_signal(signal.SIGSTOP)
    send = socket.send_fds

    def send_and_kill(*given: Any) -> int:
        sent = send(*given)
        nursery.kill()
        return sent

    monkeypatch.setattr(socket, "send_fds", send_and_kill)
    assert read_table(io.BytesIO(content), form).rows == 300


def test_who_says_stop_leaves_no_reader_behind(readers: list[int]) -> None:
    content = files.sav(NAMES, ROWS)
    form = detect_file(io.BytesIO(content)).format

    def stop(*_: Any, **__: Any) -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        read_table(io.BytesIO(content), form, stop)
    # A handle can be read from once its process has ended.
    assert select.select(readers[-1:], [], [], PATIENCE)[0]


def test_a_reader_has_as_much_memory_as_it_is_given() -> None:
    content = files.parquet(("a",), [(f"{number:01000d}",) for number in range(60_000)])
    form = detect_file(io.BytesIO(content)).format
    with pytest.raises(InvalidTable, match="needs more than 30 MB of memory"):
        read_table(io.BytesIO(content), form, limits=ReadingLimits(memory_mb=30))
    assert read_table(io.BytesIO(content), form).rows == 60_000


def test_a_reader_that_finds_no_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much CPU time as it gets is used up before it has read anything."""
    content = files.xlsx(("a",), [(f"{number}",) for number in range(60_000)])
    form = detect_file(io.BytesIO(content)).format
    monkeypatch.setattr(isolated_reader, "SECONDS_PER_MINUTE", 1)
    with pytest.raises(InvalidTable, match="broke off at this one"):
        read_table(io.BytesIO(content), form, limits=ReadingLimits(minutes=1))


def test_who_has_heard_that_nothing_follows_may_be_gone() -> None:
    """A reader that is told the file is at its end may refuse and exit at once."""
    here, there = socket.socketpair()
    with here, there:

        class Gone:
            """The other end reads the first thing it is sent, and closes."""

            def sendall(self, content: bytes) -> None:
                here.sendall(content)
                there.recv(isolated_reader.HEAD.size)
                there.close()

        isolated_reader.ReaderSocket(Gone()).send(isolated_reader.PIECE, b"")  # type: ignore[arg-type]
