"""A disk without a byte left: pages that only read answer, those that write say one sentence."""

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.environment import database_from_url
from deid_portal.notices.models import Notice
from deid_portal.vault.vault import DiskFull
from deid_portal.web.full_disk import SENTENCE, is_full_disk
from tests import factories
from tests.conftest import Cast
from tests.pages import Reader
from tests.test_authorization import TABLE

SignIn = Callable[[User], Client]
# Statements that need no room: reading, and the marks around it.
NEEDS_NO_ROOM = ("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN")


def refuse_writes(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
    """What SQLite does on a full disk, as Django hands it on."""
    if sql.startswith(NEEDS_NO_ROOM):
        return execute(sql, *rest)
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise OperationalError(*full.args) from full


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def test_every_page_that_only_reads_answers(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    assert Notice.objects.filter(person=cast.steward, read_at=None).exists()
    client = signed_in(cast.steward)
    column = dataset.columns.get(name="Zip")
    ids: dict[str, dict[str, object]] = {
        "": {},
        "dataset": {"dataset_id": dataset.id},
        "column": {"dataset_id": dataset.id, "position": column.position},
    }
    with connection.execute_wrapper(refuse_writes):
        for name, line in TABLE.items():
            if line.method == "GET" and line.about in ids:
                address = reverse(name, kwargs={**ids[line.about], **dict(line.kwargs)})
                assert client.get(address).status_code == line.steward, name


def test_a_page_that_writes_says_one_sentence(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    address = reverse("datasets:tag", args=[dataset.id, 0])
    with connection.execute_wrapper(refuse_writes):
        answer = client.post(address, {"role": "sensitive"})
    assert answer.status_code == 507
    assert SENTENCE in answer.content.decode()
    assert dataset.columns.get(position=0).role == "identifier"


def test_signing_in_says_it_too(cast: Cast) -> None:
    """The session is written when the page is made already, beyond the reach of views."""
    client = Reader(raise_request_exception=False)
    with connection.execute_wrapper(refuse_writes):
        answer = client.post(reverse("account_login"), {"login": "steward", "password": "wrong"})
    assert answer.status_code == 507
    assert SENTENCE in answer.content.decode()


def test_a_piece_of_a_file_is_refused_in_json(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    file = {"file_name": "a.csv", "file_bytes": "100", "file_stamp": "1"}
    with connection.execute_wrapper(refuse_writes):
        answer = client.post(reverse("datasets:begin-upload"), file)
    assert (answer.status_code, answer.json()) == (507, {"problem": SENTENCE})


def test_sqlite_itself_says_that_the_disk_is_full(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "small.sqlite3")) as database:
        database.execute("CREATE TABLE cells (text)")
        database.execute("PRAGMA max_page_count = 3")
        with pytest.raises(sqlite3.OperationalError) as refused:
            database.execute("INSERT INTO cells VALUES (?)", ["x" * 100_000])
    assert is_full_disk(refused.value)


def test_a_full_disk_is_told_from_other_faults() -> None:
    class FullServerError(Exception):
        sqlstate = "53100"

    wrapped = OperationalError("no room")
    wrapped.__cause__ = FullServerError()
    full = (OSError(errno.ENOSPC, "no room"), OSError(errno.EDQUOT, "no room"), DiskFull(), wrapped)
    assert all(map(is_full_disk, full))
    others = (OSError(errno.EACCES, "no"), OperationalError("locked"), ValueError(), None)
    assert not any(map(is_full_disk, others))


def test_the_database_stays_open_between_requests(tmp_path: Path) -> None:
    """Who opens it first makes two files, for which there may be no room any more."""
    settings = database_from_url("", tmp_path / "portal.sqlite3")
    assert settings["CONN_MAX_AGE"] is None
