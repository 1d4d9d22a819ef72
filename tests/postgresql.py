"""A real PostgreSQL server of the tests' own, in a temporary folder and on a free port."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.patience import PATIENCE

OWNER_PASSWORD = "password of the owner"
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


class Server:
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="deid-portal-pg-"))
        self.port = _free_port()
        # The server refuses to run as root, which tests in containers often are.
        self._as_whom: dict[str, Any] = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self._as_whom = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        secret = self.folder / "password"
        secret.write_text(OWNER_PASSWORD)
        secret.chmod(0o644)
        who = ["-U", "owner", "-A", "scram-sha-256", "--pwfile", str(secret)]
        self._call("initdb", *who, "-E", "UTF8", "-N")

    def start(self) -> None:
        small = "-F -c max_connections=60 -c shared_buffers=16MB"
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1 {small}"
        self._call(
            "pg_ctl",
            "start",
            "-w",
            "-t",
            str(PATIENCE),
            "-l",
            str(self.folder / "log"),
            "-o",
            options,
        )

    def crash(self) -> None:
        """End it as a power cut would; what was committed is found again at the next start."""
        self._call("pg_ctl", "stop", "-m", "immediate")

    def _call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [_programs() / program, "-D", self.folder / "data", *arguments],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            **self._as_whom,
        )

    def url(self, database: str) -> str:
        password = OWNER_PASSWORD.replace(" ", "%20")
        return f"postgres://owner:{password}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str, database: str) -> list[Any]:
        """Do something as the owner, who may do everything; returns the last answer."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def running_server(database: str) -> Iterator[Server]:
    """Start a server with an empty database, and leave nothing of it."""
    server = Server()
    server.start()
    try:
        server.run(f"CREATE DATABASE {database}", database="postgres")
        yield server
    finally:
        server.crash()
        shutil.rmtree(server.folder, ignore_errors=True)
