"""The cast, always the same: the steward, her teammate, and the outsider who must see nothing."""

import gc
import hashlib
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import setup_databases, teardown_databases
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker, Settings

from deid_portal.accounts import attempts
from deid_portal.accounts.attempt_counters import FallbackCounters
from deid_portal.accounts.models import Role, Team, User
from deid_portal.engine.randomness import chance, secret_sampling
from deid_portal.releases import package_contents
from deid_portal.releases.package_pdf import MISSING
from deid_portal.runs import chance as run_chance
from tests import factories
from tests.once import SHARED_FOLDER, migrated_once
from tests.pages import Reader
from tests.witness import witnessing

# The same examples every time, and no clock: a busy machine must not turn a test red.
hypothesis_settings.register_profile("gate", deadline=None, derandomize=True)
hypothesis_settings.load_profile("gate")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes longest begin first, above all what starts a whole portal: the rest fits in.

    Files are handed out whole, in this order (Makefile), so that each starts its portal once.
    Journeys come in a row: those of a process share a portal.
    """
    first = ["journeys", "launcher", "test_authorization.py", "test_audit.py"]
    items.sort(key=lambda item: [name not in item.path.parts for name in first])


gc.disable()  # while tests are collected, of which nothing is garbage


def pytest_collection_finish() -> None:
    """Let what was imported and collected be: looking for garbage among it again takes long."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder that processes share; they inherit its name from the one that starts them."""
    if not hasattr(config, "workerinput"):
        os.environ[SHARED_FOLDER] = tempfile.mkdtemp(prefix="deid-portal-shared-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(SHARED_FOLDER), ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Make the database of this process, from that of the first one if both are files."""
    with django_db_blocker.unblock():
        if connection.vendor == "sqlite":
            with migrated_once(Path(connection.creation._get_test_db_name())) as is_there:
                made = setup_databases(verbosity=0, interactive=False, keepdb=is_there)
        else:
            made = setup_databases(verbosity=0, interactive=False)
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@dataclass(frozen=True)
class Cast:
    team: Team
    steward: User
    teammate: User
    reviewer: User
    approver: User
    analyst: User
    administrator: User
    outsider: User


@pytest.fixture(autouse=True)
def same_chance_every_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test draw the same whenever it runs: an unlikely draw must not turn it red.

    In life the secret is the operating system's: `engine/randomness/test_secret_chance.py`.
    """
    drawn = itertools.count()

    def token_bytes(size: int) -> bytes:
        text = f"{request.node.nodeid} {next(drawn)}"
        return hashlib.shake_256(text.encode()).digest(size)

    monkeypatch.setattr(chance, "token_bytes", token_bytes)
    monkeypatch.setattr(secret_sampling, "token_bytes", token_bytes)
    monkeypatch.setattr(run_chance, "token_hex", lambda size: token_bytes(size).hex())


@pytest.fixture(autouse=True)
def own_data_dir(settings: Settings, tmp_path: Path) -> None:
    """Every test keeps its files to itself and does a worker's work in its own thread."""
    settings.DATA_DIR = tmp_path
    settings.WORK_HEARTBEAT_SECONDS = 0


@pytest.fixture(autouse=True)
def no_earlier_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong tries and used codes of other tests are forgotten."""
    monkeypatch.setattr(attempts, "counters", FallbackCounters())
    cache.clear()


@pytest.fixture
def without_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages as on a machine without Pango: a PDF takes a second, and few tests are about it."""
    monkeypatch.setattr(package_contents, "pdf_refusal", lambda: MISSING)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def make_cast() -> Cast:
    team = factories.make_team()
    other = factories.make_team("Another office")
    return Cast(
        team=team,
        steward=factories.make_person("steward", team, Role.STEWARD),
        teammate=factories.make_person("teammate", team, Role.STEWARD),
        reviewer=factories.make_person("reviewer", team, Role.REVIEWER),
        approver=factories.make_person("approver", team, Role.APPROVER),
        analyst=factories.make_person("analyst", team, Role.ANALYST),
        administrator=factories.make_person("administrator", team, Role.ADMINISTRATOR),
        outsider=factories.make_person("outsider", other, Role.STEWARD),
    )


class WatchedClient(Reader):
    """A browser under whose hands nothing changes without an audit record."""

    def post(self, *args: Any, **kwargs: Any) -> Any:
        if not connection.in_atomic_block:  # transactions are the subject of the test then
            return super().post(*args, **kwargs)
        with witnessing() as witness:
            answer = super().post(*args, **kwargs)
        assert not witness.silent, f"{args[0]} changed without a record: {witness.silent}"
        return answer


@pytest.fixture
def client() -> Client:
    """Somebody who has not signed in."""
    return Reader()


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = WatchedClient(raise_request_exception=True)
        client.force_login(user)
        return client

    return sign_in
