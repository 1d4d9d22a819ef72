"""What the server is asked, what comes back, and that nothing else is possible."""

import io
from dataclasses import dataclass, field
from threading import Event

import pytest

from deid_portal.engine import ColumnType, Table
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.file_format import DatabaseFormat, FileFormat, FileKind
from deid_portal.engine.files.table_reader import read_table
from deid_portal.sources.postgresql import (
    Address,
    Encryption,
    SourceProblem,
    TableOrQuery,
    copy_answer,
    list_tables,
)
from tests.patience import PATIENCE
from tests.sources.conftest import Server


class Stopped(Exception):  # noqa: N818
    pass


@dataclass
class Watching:
    """Lets the copying go on until it is told to stop."""

    stop: Event = field(default_factory=Event)
    seen: list[tuple[int, int]] = field(default_factory=list)

    def check(self) -> None:
        if self.stop.is_set():
            raise Stopped

    def copied(self, rows: int, size: int) -> None:
        self.seen.append((rows, size))


def ask(address: Address, *, seconds: int = PATIENCE, **question: str) -> Table:
    target = io.BytesIO()
    answered = copy_answer(address, TableOrQuery(**question), target, Watching(), seconds)
    types = dict.fromkeys(answered.text_columns, TypeChoice.TEXT)
    table = read_table(target, FileFormat(FileKind.DATABASE, DatabaseFormat(), types))
    assert table.rows == answered.rows
    return table


def why_not(address: Address, **question: str) -> str:
    with pytest.raises(SourceProblem, match=r"[.]$") as refusal:
        ask(address, **question)
    return str(refusal.value)


def test_only_what_the_user_may_read_is_listed(patients: Server) -> None:
    assert [table.written for table in list_tables(patients.address())] == ["ward.patients"]


def test_a_table_comes_with_its_types(patients: Server) -> None:
    table = ask(patients.address(), table="ward.patients")
    assert {column.name: column.type for column in table.columns} == {
        "person": ColumnType.TEXT,
        "zip": ColumnType.TEXT,
        "age": ColumnType.INTEGER,
        "smoker": ColumnType.BOOLEAN,
        "born": ColumnType.DATE,
        "seen": ColumnType.DATE,
        "weight": ColumnType.NUMBER,
        "cost": ColumnType.NUMBER,
    }
    assert table.head(3) == [
        ["Ann", "01234", "39", "true", "1987-03-01", "2026-01-05 09:30:00", "61.5", "12.30"],
        ["Bob", "52139", "50", "false", "1976-11-30", "2026-01-06 00:00:00", None, "0.10"],
        [None, "52139", *[None] * 6],
    ]


def test_text_that_looks_like_numbers_stays_text(patients: Server) -> None:
    table = ask(patients.address(), query="SELECT zip FROM ward.patients WHERE zip > '1'")
    assert table["zip"].type == ColumnType.TEXT


def test_whatever_a_cell_holds_comes_back(patients: Server) -> None:
    cells = ['a "quote"', "a,comma", "two\nlines", "\\.", " blanks ", "'", "naïve €", "=1+1", "\t"]
    values = ", ".join(
        f"(E'{cell.replace(chr(92), chr(92) * 2).replace(chr(39), chr(39) * 2)}')" for cell in cells
    )
    table = ask(patients.address(), query=f"SELECT * FROM (VALUES {values}, (NULL)) AS t(said)")
    assert [row[0] for row in table.head(20)] == [*cells, None]


def test_a_query_may_end_in_a_semicolon_or_a_remark(patients: Server) -> None:
    for query in ("SELECT 1 AS one;", "SELECT 1 AS one -- only", "SELECT 1 AS one /* 100% ) */ ; "):
        assert ask(patients.address(), query=query).head(1) == [["1"]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1; DROP TABLE ward.patients",
        "SELECT 1) TO STDOUT; DROP TABLE ward.patients; COPY (SELECT 1",
        "SELECT 1) AS a; DELETE FROM ward.patients; SELECT (1",
        "DELETE FROM ward.patients RETURNING person",
        "WITH gone AS (DELETE FROM ward.patients RETURNING 1) SELECT * FROM gone",
        "INSERT INTO ward.patients(person) VALUES ('Eve') RETURNING person",
        "SELECT person FROM ward.patients FOR UPDATE",
        "CREATE TABLE ward.mine AS SELECT 1",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SET transaction_read_only = off",
        "COPY ward.patients TO '/tmp/stolen'",
        "SELECT * INTO ward.mine FROM ward.patients",
        "COMMIT",
    ],
)
def test_nothing_but_one_reading_query_is_done(patients: Server, query: str) -> None:
    """Asked as the owner, who may do everything: it is the portal that holds back."""
    owner = patients.address(user="owner", password="password of the owner")
    sentence = why_not(owner, query=query)
    assert "Ann" not in sentence
    assert patients.run("SELECT count(*) FROM ward.patients") == [(3,)]
    assert patients.run("SELECT to_regclass('ward.mine')") == [(None,)]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("SELECT nobody FROM ward.patients", "a column that does not exist"),
        ("SELECT * FROM ward.nowhere", "no such table"),
        ("SELECT * FROM ward.secrets", "may not read"),
        ("SELEC person", "It stumbled at character 1."),
        ("SELECT person::integer FROM ward.patients", "failed on one of the values"),
        ("SELECT 1 / (age - 39) FROM ward.patients", "failed on one of the values"),
        ("SELECT 1 AS a, 2 AS a", "Columns 1 and 2 have the same name; rename one in the query"),
        ("SELECT ARRAY[1, 2] AS ages", "Column 1 holds lists"),
        ("SELECT 1 AS one, p FROM ward.patients p", "Column 2 holds lists, records"),
        ("SELECT 'x'::bytea AS picture", "Column 1 holds lists, records or bytes"),
        ("SELECT 1 AS one WHERE false", "without a single row"),
        ("BEGIN", "no query that answers with rows"),
    ],
)
def test_a_query_that_fails_says_why_without_a_value(
    patients: Server, query: str, sentence: str
) -> None:
    said = why_not(patients.address(), query=query)
    assert sentence in said
    assert "Ann" not in said


@pytest.mark.parametrize(
    "table", ["ward.nowhere", "nowhere", "ward.patients; DROP", "a b", "x.y.z.w"]
)
def test_a_table_that_is_none(patients: Server, table: str) -> None:
    assert why_not(patients.address(), table=table)
    assert patients.run("SELECT count(*) FROM ward.patients") == [(3,)]


def test_a_table_with_a_difficult_name(patients: Server) -> None:
    patients.run(
        'CREATE TABLE ward."Dr. ""X""; %s" AS SELECT 1 AS "one %s {0} ""two"""',
        "GRANT SELECT ON ALL TABLES IN SCHEMA ward TO reader",
    )
    listed = [table.written for table in list_tables(patients.address())]
    table = ask(patients.address(), table=listed[0])
    assert table.columns[0].name == 'one %s {0} "two"'


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"password": "wrong"}, "does not accept this user and password"),
        ({"user": "stranger"}, "does not accept this user and password"),
        ({"database": "nowhere"}, "has no database of this name"),
        ({"database": "host=evil.example dbname=hospital"}, "has no database of this name"),
        ({"database": "postgresql://evil.example/hospital"}, "has no database of this name"),
        ({"port": 1}, "No PostgreSQL server answers there"),
        ({"encryption": Encryption.ENCRYPTED}, "does not offer an encrypted connection"),
        ({"encryption": Encryption.CHECKED}, "does not offer an encrypted connection"),
    ],
)
def test_a_connection_that_fails_says_why(
    server: Server, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(SourceProblem, match=sentence):
        list_tables(server.address(**changes))


def test_the_portals_own_rights_are_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither a password file nor the environment of the portal's account opens a door."""
    passwords = tmp_path_factory.mktemp("home") / "pgpass"
    passwords.write_text("*:*:*:*:password of the owner\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.setenv("PGPASSWORD", "password of the owner")
    with pytest.raises(SourceProblem):
        list_tables(server.address(user="owner", password=""))


def test_a_query_that_takes_too_long_is_ended(patients: Server) -> None:
    with pytest.raises(SourceProblem, match="took too long"):
        ask(patients.address(), seconds=1, query="SELECT pg_sleep(60)")


def test_a_stop_is_seen_while_the_server_is_still_thinking(patients: Server) -> None:
    watching = Watching()
    watching.stop.set()
    with pytest.raises(Stopped):
        copy_answer(
            patients.address(),
            TableOrQuery(query="SELECT pg_sleep(60)"),
            io.BytesIO(),
            watching,
            600,
        )
    busy = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
    assert patients.run(busy) == [(0,)]


def test_many_rows_are_handed_on_in_blocks(patients: Server) -> None:
    watching, target = Watching(), io.BytesIO()
    query = "SELECT n AS number, 'person ' || n AS person FROM generate_series(1, 100000) AS n"
    answered = copy_answer(patients.address(), TableOrQuery(query=query), target, watching, 60)
    assert answered.rows == 100_000
    assert len(watching.seen) > 5
    assert watching.seen[-1] == (100_000, len(target.getvalue()))
    assert target.getvalue().count(b"\n") == 100_001


def test_neither_password_nor_query_is_printed(server: Server) -> None:
    assert "password" not in repr(server.address())
    assert "Ann" not in repr(TableOrQuery(query="SELECT 'Ann'"))
