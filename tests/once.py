"""What tests need and take long to make is made once, for all processes that test side by side."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

# The folder where processes that test side by side find it (conftest.py).
SHARED_FOLDER = "DEID_PORTAL_TESTS_SHARED"


@contextmanager
def only_one_at(name: str) -> Iterator[Path]:
    """Let one process at a time make this; hand over the folder that all of them share."""
    shared = Path(os.environ[SHARED_FOLDER])
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield shared


@contextmanager
def migrated_once(database: Path) -> Iterator[bool]:
    """Put an empty SQLite database there, if anybody has made one, and say so.

    If not, whoever asks makes it inside; walking through all migrations takes seconds.
    """
    with only_one_at("migrated") as shared:
        made = shared / "migrated.sqlite3"
        is_there = made.exists()
        if is_there:
            shutil.copy(made, database)
        yield is_there
        if not is_there:
            _copy_whole(database, made)


def _copy_whole(database: Path, there: Path) -> None:
    """Copy with what other connections have not yet written into the file itself."""
    unfinished = there.with_suffix(".unfinished")
    with closing(sqlite3.connect(database)) as now, closing(sqlite3.connect(unfinished)) as copy:
        now.backup(copy)
    unfinished.rename(there)
