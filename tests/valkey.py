"""A real Valkey for tests: the embedded server, as the launcher starts it, in its own folder."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deid_portal.work import broker
from tests.launcher.portal import wait_until
from tests.patience import PATIENCE


@contextmanager
def running_valkey(directory: Path) -> Iterator[str]:
    """Hand over the address of a server that answers, and stop it at the end."""
    server = subprocess.Popen(broker.server_command(directory), stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: broker.is_answering(directory), "Valkey answers")
        yield broker.socket_url(directory)
    finally:
        server.kill()
        server.wait(PATIENCE)
