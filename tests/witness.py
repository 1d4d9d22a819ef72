"""Watches the database and says which changes left no audit record in their transaction.

Every POST of a signed-in person in every test is watched (conftest.py), so a door that forgets the
record fails the tests of its own room.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

WRITE = re.compile(r'\s*(?:INSERT(?: OR IGNORE)? INTO|UPDATE|DELETE FROM) "(\w+)"(.*)', re.DOTALL)
RECORD = "audit_event"
# What is nobody's decision about anything: sessions, notices about what is on record already, the
# record's own bookkeeping, and what was computed once and is kept for speed.
NO_CHANGE = re.compile(
    r"django_session|usersessions_|notices_|audit_|django_content_type|sqlite_sequence|"
    r"attacks_runcrossing"
)
# A matter of taste, or of having signed in; how much of a file has arrived, whose beginning and end
# are on record.
NO_DECISION = (
    'UPDATE "accounts_user" SET "theme"',
    'UPDATE "accounts_user" SET "last_login"',
    'UPDATE "datasets_arrivingupload" SET "arrived_bytes" = ',
)


class Witness:
    def __init__(self) -> None:
        self.base = len(connection.savepoint_ids)
        self.units: dict[str, list[str]] = {}

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        self._undo(sql)
        done = execute(sql, params, many, context)
        if match := WRITE.match(sql):
            self._note(match[1], sql)
        return done

    def _undo(self, sql: str) -> None:
        if sql.startswith("ROLLBACK TO SAVEPOINT"):
            self.units.pop(sql.split('"')[1], None)

    def _note(self, table: str, sql: str) -> None:
        is_change = not NO_CHANGE.match(table) and not sql.startswith(NO_DECISION)
        if is_change or table == RECORD:
            self.units.setdefault(self._unit(), []).append(table)

    def _unit(self) -> str:
        """Name the outermost transaction, as far as a test that is one itself has any."""
        inside = connection.savepoint_ids[self.base :]
        return (inside[0] or "inner") if inside else "no transaction"

    @property
    def silent(self) -> list[str]:
        """Return what was changed without a record of it in the same transaction."""
        return [
            f"{', '.join(sorted(set(tables)))} ({unit})"
            for unit, tables in self.units.items()
            if RECORD not in tables or unit == "no transaction"
        ]


@contextmanager
def witnessing(witness: Witness | None = None) -> Iterator[Witness]:
    witness = witness or Witness()
    with connection.execute_wrapper(witness):
        yield witness
