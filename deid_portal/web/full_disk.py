"""A full disk: pages can still be read, and writing gives a clear message.

A full disk causes several kinds of errors: the vault's DiskFull, an error of the system, one of the
database. They are recognized here and nowhere else.
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
# Error numbers of the system for a full disk or quota.
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)
POSTGRESQL_IS_FULL = "53100"  # the SQLSTATE named disk_full
SENTENCE = (
    "The disk of the server is full; nothing was changed, and everything from before is safe. "
    "Tell the administrator, and try again when there is room."
)


def is_full_disk(error: BaseException | None) -> bool:
    """Say whether an error, or a cause of it, is a full disk."""
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
    # For some of its files SQLite only reports that creating them failed.
    return code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _has_no_room())


def _has_no_room() -> bool:
    return os.statvfs(settings.DATA_DIR).f_bavail == 0


@contextmanager
def left_undone_when_full() -> Iterator[None]:
    """Context for incidental writes of a page, which are skipped if the disk is full."""
    try:
        with transaction.atomic():
            yield
    except (DatabaseError, OSError) as error:
        if not is_full_disk(error):
            raise


def no_room_page() -> HttpResponse:
    """The page for a full disk, without the usual layout, since the database may fail as well."""
    return HttpResponse(render_to_string("507.html", {"reason": SENTENCE}), status=NO_ROOM)


def answer_fault(request: HttpRequest) -> HttpResponse:
    """Handler of status 500, which Django calls while the exception is handled."""
    if is_full_disk(sys.exc_info()[1]):
        return no_room_page()
    return server_error(request)
