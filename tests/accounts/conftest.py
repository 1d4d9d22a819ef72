from collections.abc import Iterator

import pytest
from pytest_django import Settings
from redis import Redis

from deid_portal.work.broker import client_url
from tests.valkey import running_valkey


@pytest.fixture(scope="session")
def valkey_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_valkey(tmp_path_factory.mktemp("valkey")) as address:
        yield address


@pytest.fixture
def valkey(valkey_address: str, settings: Settings) -> Redis:
    """A real Valkey that counts tries, empty at the beginning."""
    settings.CELERY_BROKER_URL = valkey_address
    client = Redis.from_url(client_url(valkey_address))
    client.flushdb()
    return client
