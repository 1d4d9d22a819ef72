"""A disk without room: whoever only looks is answered, whoever writes is told in one sentence.

A full disk speaks in several tongues: the vault's own refusal, an error of the system, one of the
database. They are told from other faults here, and nowhere else.
"""

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

NO_ROOM = 507
# What the system says when there is no room for a file.
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)
POSTGRESQL_IS_FULL = "53100"  # the SQLSTATE named disk_full
SENTENCE = (
    "The disk of the server is full; nothing was changed, and everything from before is safe. "
    "Tell the administrator, and try again when there is room."
)


def is_full_disk(error: BaseException | None) -> bool:
    """Say whether an error, or what it was made of, is that there is no room left."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in DISK_IS_FULL:
            return True
        if isinstance(error, sqlite3.Error) and _is_full_sqlite(error):
            return True
        if getattr(error, "sqlstate", None) == POSTGRESQL_IS_FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_full_sqlite(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    # Some of its files SQLite makes by ways on which it learns only that it did not work.
    return code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _has_no_room())


def _has_no_room() -> bool:
    return os.statvfs(settings.DATA_DIR).f_bavail == 0


@contextmanager
def left_undone_when_full() -> Iterator[None]:
    """For what a page notes down in passing, which nobody asked for: then it is not noted."""
    try:
        with transaction.atomic():
            yield
    except (DatabaseError, OSError) as error:
        if not is_full_disk(error):
            raise


def no_room_page() -> HttpResponse:
    """Without the frame of other pages, like that of a fault: the database may be away as well."""
    return HttpResponse(render_to_string("507.html", {"reason": SENTENCE}), status=NO_ROOM)


def answer_fault(request: HttpRequest) -> HttpResponse:
    """The last word on a request: called by Django while the error it is about is handled."""
    if is_full_disk(sys.exc_info()[1]):
        return no_room_page()
    return server_error(request)
