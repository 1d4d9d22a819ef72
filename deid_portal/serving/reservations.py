"""What only one portal can have: its data folder and its port. Taken before any work is done."""

import errno
import fcntl
import socket
from pathlib import Path
from typing import TextIO

from deid_portal.serving.readiness import NotReady


def hold_data_dir(directory: Path) -> TextIO:
    """Take the folder until the returned file is closed or this process ends, however it ends."""
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (directory / "portal.lock").open("a+")
    except OSError as error:
        raise NotReady(
            f"The data folder {directory} cannot be used ({error.strerror}). "
            "Choose another with DATA_DIR."
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        address = lock.read().strip() or "another port"
        lock.close()
        raise NotReady(
            f"The portal is already running with the data in {directory}: {address}. "
            "Stop it first, or give this one its own with DATA_DIR and PORT."
        ) from None
    return lock


def write_address(lock: TextIO, address: str) -> None:
    """Leave the address for whoever finds the folder taken."""
    lock.truncate(0)
    lock.write(address)
    lock.flush()


def open_port(host: str, port: int) -> socket.socket:
    """Listen on the port; the web server inherits it, so nobody can take it in between."""
    if port > 65535:
        raise NotReady("PORT must be at most 65535.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise NotReady(
                f"Port {port} is in use. Stop what uses it or choose another, "
                f"for example: PORT={port + 1} make run."
            ) from None
        # Python adds the address to the system's reason, in brackets.
        reason = str(error.strerror).partition(" (")[0]
        raise NotReady(f"Port {port} of {host} cannot be opened: {reason}.") from None


def address_of_listener(listener: socket.socket) -> tuple[str, int]:
    """Return the host and port at which this machine reaches the listener."""
    host, port = listener.getsockname()[:2]
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- compared, not bound
    return everywhere.get(host, host), port
