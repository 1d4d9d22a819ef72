from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from deid_portal.sources import postgresql as sources
from deid_portal.sources.models import Connection
from deid_portal.sources.postgresql import Address, Encryption
from deid_portal.sources.services import add_connection
from tests import postgresql
from tests.conftest import Cast
from tests.patience import PATIENCE

READER_PASSWORD = "password of the reader"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is well may be slow to answer on a busy machine."""
    monkeypatch.setattr(sources, "CONNECT_SECONDS", PATIENCE)


class Server:
    """The server as the source of tables: one database, and a reader who may not write."""

    def __init__(self, server: postgresql.Server) -> None:
        self.port = server.port
        self._server = server

    def address(self, **changes: Any) -> Address:
        usual: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.port,
            "database": "hospital",
            "user": "reader",
            "password": READER_PASSWORD,
            "encryption": Encryption.NONE,
        }
        return Address(**{**usual, **changes})

    def run(self, *statements: str, database: str = "hospital") -> list[Any]:
        return self._server.run(*statements, database=database)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with postgresql.running_server("hospital") as running:
        started = Server(running)
        started.run(f"CREATE ROLE reader LOGIN PASSWORD '{READER_PASSWORD}'")
        yield started


@pytest.fixture
def patients(server: Server) -> Server:
    """Three patients that the reader may read, and a secret table that they may not."""
    server.run(
        "DROP SCHEMA IF EXISTS ward CASCADE",
        "CREATE SCHEMA ward",
        """CREATE TABLE ward.patients (
            person text, zip varchar(5), age integer, smoker boolean, born date, seen timestamptz,
            weight double precision, cost numeric(9, 2))""",
        """INSERT INTO ward.patients VALUES
            ('Ann', '01234', 39, true, '1987-03-01', '2026-01-05 10:30:00.25+01', 61.5, 12.30),
            ('Bob', '52139', 50, false, '1976-11-30', '2026-01-06 00:00:00+00', 'NaN', 0.10),
            (NULL, '52139', NULL, NULL, NULL, NULL, NULL, NULL)""",
        "CREATE TABLE ward.secrets (word text)",
        "GRANT USAGE ON SCHEMA ward TO reader",
        "GRANT SELECT ON ward.patients TO reader",
    )
    return server


@pytest.fixture
def allowed(server: Server, settings: Settings) -> None:
    settings.SOURCE_HOSTS = [("127.0.0.1", server.port)]


@pytest.fixture
def connection(cast: Cast, patients: Server, allowed: None) -> Connection:
    return add_connection(
        team=cast.team, added_by=cast.steward, name="Ward 3", address=patients.address()
    )
