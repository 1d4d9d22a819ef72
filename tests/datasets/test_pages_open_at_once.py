"""Pages about a table do not open its rows: a long table costs what a short one does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import tag_columns
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
FEW, MANY = 300, 60_000
ROLES = ["identifier", "quasi-identifier", "quasi-identifier", "sensitive"]
# Every page with the queries it may cost; the preview opens the beginning of the file as well.
PAGES = {
    "guide:enter": 8,
    "datasets:preview": 23,
    "datasets:columns": 24,
    "taxonomies:overview": 7,
}


def _table(rows: int) -> bytes:
    cells = (b"%d;%d;%05d;%b\n" % (n, 20 + n % 60, n % 90, b"Flu" * 12) for n in range(rows))
    return b"person;age;zip;condition\n" + b"".join(cells)


def _tagged(cast: Cast, rows: int) -> Dataset:
    dataset = factories.make_dataset(cast.steward, cast.team, _table(rows))
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles=dict(enumerate(ROLES)))
    return dataset


@contextmanager
def _counted_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Note every piece of a stored file that is decrypted, by its length."""
    opened: list[int] = []
    decrypt = vault._VaultReader._open_chunk

    def note(reader: vault._VaultReader) -> None:
        decrypt(reader)
        opened.append(len(reader._clear))

    with monkeypatch.context() as patch:
        patch.setattr(vault._VaultReader, "_open_chunk", note)
        yield opened


@pytest.mark.parametrize("page", PAGES)
def test_a_page_costs_the_same_however_many_rows(
    page: str, cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(cast.steward)
    costs = []
    for rows in (FEW, MANY):
        address = reverse(page, args=[_tagged(cast, rows).id])
        client.get(address)
        with _counted_pieces(monkeypatch) as opened, CaptureQueriesContext(connection) as asked:
            assert client.get(address).status_code in (200, 302)
        costs.append((len(opened), len(asked)))
    assert costs[0] == costs[1]
    assert costs[1][0] <= 1
    assert costs[1][1] <= PAGES[page]
