import os
import re
import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from kombu import Connection
from kombu.exceptions import OperationalError
from redis import Redis

from deid_portal.work.broker import LONGEST_SOCKET_PATH, client_url, socket_path, socket_url

DEEP = Path("/srv") / ("deep-" * 20) / "broker"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    return tmp_path


def test_the_socket_lies_in_the_data_folder() -> None:
    assert socket_path(Path("/srv/portal/broker")) == Path("/srv/portal/broker/v.sock")


def test_a_deep_folder_has_a_short_and_private_socket_of_its_own(temporary: Path) -> None:
    path = socket_path(DEEP)
    assert path.parent.parent == temporary
    assert len(path.name) < LONGEST_SOCKET_PATH / 2
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path == socket_path(DEEP) != socket_path(DEEP / "other")


def test_a_short_folder_that_others_can_enter_is_not_trusted(temporary: Path) -> None:
    (temporary / f"deid-portal-{os.getuid()}").mkdir(mode=0o755)
    with pytest.raises(ImproperlyConfigured, match="not a private folder"):
        socket_path(DEEP)


def test_odd_names_survive_in_the_address() -> None:
    odd = Path("/srv/my data/50 % #1?")
    with (
        Connection(socket_url(odd)) as connection,
        pytest.raises(OperationalError, match=re.escape(f"connecting to {odd}/v.sock.")),
    ):
        connection.ensure_connection(max_retries=1, interval_start=0)


@pytest.mark.parametrize("directory", [Path("/srv/portal"), Path("/srv/my data/50 % #1?")])
def test_whoever_counts_finds_the_same_socket_as_the_queue(directory: Path) -> None:
    told = Redis.from_url(client_url(socket_url(directory))).get_connection_kwargs()
    assert (told["path"], told["db"]) == (f"{directory}/v.sock", 0)


def test_whoever_counts_reads_the_address_of_a_server_as_celery_writes_it() -> None:
    address = "rediss://:secret@host:6380/2?ssl_cert_reqs=CERT_REQUIRED"
    told = Redis.from_url(client_url(address)).get_connection_kwargs()
    assert (told["host"], told["port"], told["db"]) == ("host", 6380, 2)
    assert told["ssl_cert_reqs"] == "required"
