"""Reading from a PostgreSQL server.

What must never happen: data is changed there, a query runs for ever, a second statement is injected
after the first, the rights of the portal's own account are used instead of the given password, or a
value or the password ends up in a message. So every session and transaction is read-only and has a
time limit; a query is prepared first, which the server refuses for anything but exactly one
statement, and only then put in parentheses; password files, client certificates and tickets of the
portal's account are not used; and of an error only its code is used, never its text.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from threading import Event, Thread
from typing import Any, Protocol

import psycopg
from psycopg import pq

from deid_portal.engine import InvalidTable
from deid_portal.engine.files.cells import check_column_count, check_names
from deid_portal.web.refusals import Refused

CONNECT_SECONDS = 5
WAIT_FOR_LOCKS = "10s"
LOOK_FOR_STOP_SECONDS = 0.25
BLOCK_BYTES = 256 * 1024
MOST_TABLES = 1000

BOOLEAN, BYTES, PADDED_TEXT, MONEY = 16, 17, 1042, 790
MOMENT, MOMENT_WITH_ZONE = 1114, 1184
FLOATS, EXACT_NUMBER = (700, 701), 1700
WHOLE_NUMBERS, DAY = (20, 21, 23), 1082
# SQL that writes a column so that its type can be inferred: NaN as a gap, timestamps to the second
# and in UTC.
WRITTEN = {
    BOOLEAN: "CASE WHEN {0} THEN 'true' WHEN NOT {0} THEN 'false' END",
    PADDED_TEXT: "{0}::text",
    MONEY: "{0}::numeric",
    MOMENT: "date_trunc('second', {0})",
    MOMENT_WITH_ZONE: "date_trunc('second', {0} AT TIME ZONE 'UTC')",
    EXACT_NUMBER: "NULLIF({0}, 'NaN')",
    **dict.fromkeys(FLOATS, "NULLIF({0}, 'NaN')"),
}
TYPED = {*WHOLE_NUMBERS, *FLOATS, EXACT_NUMBER, MONEY, BOOLEAN, DAY, MOMENT, MOMENT_WITH_ZONE}
LISTS_AND_RECORDS = "AC"  # PostgreSQL's categories of arrays and composite types


class SourceProblem(Refused):
    """The database cannot be read; the message is a sentence for the person who asked."""


class Encryption(StrEnum):
    CHECKED = "verify-full"
    ENCRYPTED = "require"
    NONE = "disable"


@dataclass(frozen=True, repr=False)  # a password must not be printed by accident
class Address:
    host: str
    port: int
    database: str
    user: str
    password: str
    encryption: Encryption


@dataclass(frozen=True, repr=False)  # nor a query, which can name a person
class TableOrQuery:
    """A table, or a query; a table is written as SQL writes it: schema."Name"."""

    table: str = ""
    query: str = ""


@dataclass(frozen=True)
class TableName:
    written: str
    rows: int | None  # the server's estimate; None if it has none


@dataclass(frozen=True)
class CopyResult:
    """The result of a copy: number of rows, and positions of text columns."""

    rows: int
    text_columns: tuple[int, ...]


class Target(Protocol):
    def write(self, clear: bytes, /) -> int: ...


class CopyWatch(Protocol):
    """Receives the progress of a copy; raises to stop it. `check` is called while waiting."""

    def check(self) -> None: ...

    def copied(self, rows: int, size: int) -> None: ...


def list_tables(address: Address) -> list[TableName]:
    """Return the tables and views this user may read, as SQL writes their names."""
    with _session(address, CONNECT_SECONDS) as session:
        found = session.execute(
            """
            SELECT format('%%I.%%I', n.nspname, c.relname), c.reltuples::bigint
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
              AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
              AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
            ORDER BY 1 LIMIT %s
            """,
            [MOST_TABLES],
        ).fetchall()
    return [TableName(name, rows if rows > 0 else None) for name, rows in found]


def copy_answer(
    address: Address, question: TableOrQuery, target: Target, watch: CopyWatch, limit_seconds: int
) -> CopyResult:
    """Write the rows of a table or query as CSV, one by one; never all in memory."""
    with _session(address, limit_seconds) as session, _stopping_with(watch, session):
        query = _query_of(session, question)
        columns = _describe(session, query)
        rows = _copy(session, _copy_statement(session, query, columns), target, watch)
    if not rows:
        raise SourceProblem("The database answered without a single row; there is nothing to read.")
    text = tuple(place for place, (_, kind) in enumerate(columns) if kind not in TYPED)
    return CopyResult(rows, text)


@contextmanager
def _session(address: Address, limit_seconds: int) -> Iterator[psycopg.Connection[Any]]:
    """Open a read-only transaction with a time limit, and turn errors into SourceProblem."""
    try:
        with _connect(address) as connection:
            _set_up(connection, limit_seconds)
            with connection.transaction():
                yield connection
    except psycopg.Error as error:
        if not (error.sqlstate or isinstance(error, psycopg.OperationalError)):
            raise  # an error of the portal, not of the server or the query
        raise SourceProblem(_sentence(error)) from None


def _connect(address: Address) -> psycopg.Connection[Any]:
    # All parameters are set, so that none are taken from environment or home directory.
    return psycopg.connect(
        host=address.host,
        port=address.port,
        dbname=address.database,
        user=address.user,
        password=address.password,
        sslmode=address.encryption.value,
        sslrootcert="system" if address.encryption == Encryption.CHECKED else "",
        sslcertmode="disable",
        gssencmode="disable",
        passfile="/dev/null",
        options="",
        connect_timeout=CONNECT_SECONDS,
        keepalives_idle=60,
        client_encoding="UTF8",
        application_name="deid-portal",
        autocommit=True,
    )


def _set_up(connection: psycopg.Connection[Any], limit_seconds: int) -> None:
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": f"{limit_seconds}s",
        "lock_timeout": WAIT_FOR_LOCKS,
        "datestyle": "ISO",
        "timezone": "UTC",
        "extra_float_digits": "1",
    }
    for name, setting in settings.items():
        connection.execute("SELECT set_config(%s, %s, false)", [name, setting])
    connection.read_only = True
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.autocommit = False


def _query_of(session: psycopg.Connection[Any], question: TableOrQuery) -> str:
    """Return one SELECT; the name of a table is looked up and quoted by the server."""
    if question.query:
        return question.query.strip().rstrip(";").rstrip()
    found = session.execute(
        """
        SELECT format('%%I.%%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = to_regclass(%s) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        """,
        [question.table],
    ).fetchone()
    if found is None:
        raise SourceProblem(NO_TABLE)
    return f"SELECT * FROM {found[0]}"  # noqa: S608 -- quoted by the server


def _describe(session: psycopg.Connection[Any], query: str) -> list[tuple[str, int]]:
    """Return name and type of each column of a query without running it.

    The server prepares exactly one statement and refuses two, so the query can be put in
    parentheses safely.
    """
    for result in (
        session.pgconn.prepare(b"asked", query.encode()),
        described := session.pgconn.describe_prepared(b"asked"),
    ):
        if result.status != pq.ExecStatus.COMMAND_OK:
            error = psycopg.errors.error_from_result(result)
            raise SourceProblem(_sentence_with_place(error)) from None
    if not described.nfields:
        raise SourceProblem("This is no query that answers with rows. Write one SELECT.")
    columns = [
        ((described.fname(place) or b"").decode(), described.ftype(place))
        for place in range(described.nfields)
    ]
    _check_columns(session, columns)
    return columns


def _check_columns(session: psycopg.Connection[Any], columns: list[tuple[str, int]]) -> None:
    try:
        check_column_count(len(columns))
        check_names([name for name, _ in columns])
    except InvalidTable as error:
        raise SourceProblem(str(error).replace("in the file", "in the query")) from None
    kinds = [kind for _, kind in columns]
    found = session.execute("SELECT oid, typcategory FROM pg_type WHERE oid = ANY(%s)", [kinds])
    categories = dict(found.fetchall())
    for number, kind in enumerate(kinds, start=1):
        if kind == BYTES or categories.get(kind, "") in LISTS_AND_RECORDS:
            raise SourceProblem(
                f"Column {number} holds lists, records or bytes, which no table can show; "
                f"leave it out with a query that names the other columns."
            )


def _copy_statement(
    session: psycopg.Connection[Any], query: str, columns: list[tuple[str, int]]
) -> bytes:
    """Wrap the query so that every column is written in the way the engine reads it."""
    places = [f"c{place}" for place in range(len(columns))]
    cells = [
        WRITTEN.get(kind, "{0}").format(place)
        for place, (_, kind) in zip(places, columns, strict=True)
    ]
    if len(cells) == 1:
        # A single gap in a row would be an empty line, which is not a row.
        cells = [f"COALESCE(({cells[0]})::text, '')"]
    named = ", ".join(
        f"{cell} AS {_quoted(session, name)}"
        for cell, (name, _) in zip(cells, columns, strict=True)
    )
    return (
        f"COPY (SELECT {named} FROM (\n{query}\n) AS asked({', '.join(places)}))"  # noqa: S608
        " TO STDOUT (FORMAT csv, HEADER, ENCODING 'UTF8')"
    ).encode()


def _quoted(session: psycopg.Connection[Any], name: str) -> str:
    return psycopg.sql.Identifier(name).as_string(session)


def _copy(
    session: psycopg.Connection[Any], statement: bytes, target: Target, watch: CopyWatch
) -> int:
    rows, size, waiting, held = -1, 0, [], 0  # the first line is the header
    with session.cursor() as cursor, cursor.copy(statement) as answer:
        for line in answer:
            rows += 1
            waiting.append(bytes(line))
            held += len(line)
            if held >= BLOCK_BYTES:
                size += target.write(b"".join(waiting))
                watch.copied(rows, size)
                waiting, held = [], 0
    size += target.write(b"".join(waiting))
    watch.copied(rows, size)
    return rows


@contextmanager
def _stopping_with(watch: CopyWatch, session: psycopg.Connection[Any]) -> Iterator[None]:
    """Cancel the query when the watch says stop, also before the server sends rows."""
    ended = Event()

    def look() -> None:
        while not ended.wait(LOOK_FOR_STOP_SECONDS):
            try:
                watch.check()
            except Exception:
                with suppress(psycopg.Error):
                    session.cancel_safe(timeout=CONNECT_SECONDS)
                return

    looking = Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    except psycopg.errors.QueryCanceled:
        watch.check()
        raise
    finally:
        ended.set()
        looking.join()


NO_TABLE = (
    "There is no such table, or this user may not see it. Choose one from the list, or write its "
    "schema in front: schema.table."
)
# By error code, or by its first two characters, the error class.
SENTENCES = {
    "28P01": "The database does not accept this user and password.",
    "28": "The database does not let this user in from here. Ask who runs it.",
    "3D000": "The server has no database of this name, or this user may not use it.",
    "42P01": NO_TABLE,
    "3F000": NO_TABLE,
    "42602": NO_TABLE,
    "42703": "The query names a column that does not exist.",
    "42501": "This user may not read all that the query asks for.",
    "42": "The database does not understand the query. Write one SELECT, without a semicolon.",
    "25006": "The query would change something in the database. The portal only reads.",
    "22": "The query failed on one of the values, in a conversion or a calculation.",
    "53": "The database server is short of memory, disk or connections. Try again later.",
    "55P03": "Somebody else has locked the table. Try again later.",
    "57014": "The query took too long and was ended. Ask for less, or have the time limit raised.",
    "08": "The connection to the database was cut. Nothing was kept; try again.",
    "57": "The connection to the database was cut. Nothing was kept; try again.",
}
NOT_REACHED = (
    "No PostgreSQL server answers there. Check that it runs and that this machine may reach it."
)
NOT_LET_IN = (
    "The server does not let this user into this database. Check database, user and password."
)
NOT_ENCRYPTED = (
    "The server does not offer an encrypted connection. Ask who runs it, or allow a connection "
    "without encryption if the network is closed."
)
NOT_TRUSTED = "The certificate of the server cannot be checked, or is of another server."
# Errors while connecting have no code, only a text, which is compared and never shown.
BY_WORDS = {
    "server does not support SSL": NOT_ENCRYPTED,
    "certificate": NOT_TRUSTED,
    "password authentication failed": SENTENCES["28P01"],
    "no pg_hba.conf entry": SENTENCES["28"],
    "does not exist": SENTENCES["3D000"],
    "permission denied for database": SENTENCES["3D000"],
    "server closed the connection": SENTENCES["08"],
    "connection is lost": SENTENCES["08"],
}


def _sentence(error: psycopg.Error) -> str:
    code = error.sqlstate or ""
    for known in (code, code[:2]):
        if known in SENTENCES:
            return SENTENCES[known]
    if code:
        return f"The database refused the query, with the code {code}."
    return next(
        (said for words, said in BY_WORDS.items() if words in str(error)), _not_let_in(error)
    )


def _not_let_in(error: psycopg.Error) -> str:
    """Say whether the server refused the connection, in any language, or did not answer."""
    was_asked = error.pgconn is not None and error.pgconn.used_password
    return NOT_LET_IN if was_asked else NOT_REACHED


def _sentence_with_place(error: psycopg.Error) -> str:
    """Add the position of the error in the query."""
    place = error.diag.statement_position
    return f"{_sentence(error)} It stumbled at character {place}." if place else _sentence(error)
