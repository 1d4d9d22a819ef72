"""A real PostgreSQL server of the tests' own, in a temporary folder and on a free port."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pytest_django import Settings

from deid_portal.sources.models import Connection
from deid_portal.sources.postgresql import Address, Encryption
from deid_portal.sources.services import add_connection
from tests.conftest import Cast

OWNER_PASSWORD = "password of the owner"
READER_PASSWORD = "password of the reader"
MISSING = "PostgreSQL is missing. Install it, for example: sudo apt-get install postgresql"


def _programs() -> Path:
    """Debian keeps the server's programs apart, one folder per version."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parts[-2])
    )
    on_path = shutil.which("initdb")
    found = [*([Path(on_path).resolve().parent] if on_path else []), *folders]
    if not found:
        pytest.fail(MISSING)
    return found[-1]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@dataclass(frozen=True)
class Server:
    port: int

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
        """Do something as the owner, who may do everything; returns the last answer."""
        with psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            dbname=database,
            user="owner",
            password=OWNER_PASSWORD,
            autocommit=True,
        ) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    folder, programs, port = (
        Path(tempfile.mkdtemp(prefix="deid-portal-pg-")),
        _programs(),
        _free_port(),
    )
    # The server refuses to run as root, which tests in containers often are.
    as_whom = {}
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        as_whom = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [programs / program, "-D", folder / "data", *arguments],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            **as_whom,
        )

    secret = folder / "password"
    secret.write_text(OWNER_PASSWORD)
    secret.chmod(0o644)
    run("initdb", "-U", "owner", "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "-N")
    options = f"-p {port} -k {folder} -h 127.0.0.1 -F -c max_connections=20 -c shared_buffers=16MB"
    run("pg_ctl", "start", "-w", "-l", str(folder / "log"), "-o", options)
    try:
        started = Server(port)
        started.run("CREATE DATABASE hospital", database="postgres")
        started.run(f"CREATE ROLE reader LOGIN PASSWORD '{READER_PASSWORD}'")
        yield started
    finally:
        run("pg_ctl", "stop", "-m", "immediate")
        shutil.rmtree(folder, ignore_errors=True)


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
