"""A full disk: one sentence, nothing half-kept, and everything from before is still there."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.datasets import services
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast
from tests.web.full_disk import fill_the_disk

SignIn = Callable[[User], Client]
NEW = "/datasets/upload/"
SENTENCE = "The disk of the server is full"


def _stored_files() -> set[str]:
    root = vault.path_of("")
    names = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    return {name for name in names if not name.startswith("keys")}


@pytest.mark.parametrize("rows", [10, 500_000], ids=["at the end", "on the way"])
def test_an_upload_is_refused_and_leaves_nothing(
    rows: int, cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"name,age\n" + b"Ann,39\n" * rows
    with monkeypatch.context() as patch:
        fill_the_disk(patch)
        answer = signed_in(cast.steward).post(NEW, {"file": SimpleUploadedFile("a.csv", content)})
    assert answer.status_code == 422
    assert SENTENCE in answer.content.decode()
    assert _stored_files() == set()
    again = signed_in(cast.steward).post(NEW, {"file": SimpleUploadedFile("a.csv", content)})
    assert again.status_code == 302


def test_a_pasted_table_stays_in_its_box(
    cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_the_disk(monkeypatch)
    answer = signed_in(cast.steward).post(NEW, {"pasted": "name\tage\nAnn\t39\n"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert SENTENCE in page
    assert "Ann\t39" in page
    assert _stored_files() == set()


def test_a_reading_ends_with_the_sentence_and_the_upload_stays(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    with monkeypatch.context() as patch:
        fill_the_disk(patch)
        factories.read_upload(dataset, cast.steward)
    reading = Reading.objects.get()
    assert reading.status == Reading.Status.FAILED
    assert "no room left" in reading.problem
    assert dataset.state == Dataset.State.UPLOADED
    assert _stored_files() == {dataset.upload_file}
    assert factories.read_upload(dataset, cast.steward).is_ready


def test_a_row_that_cannot_be_written_takes_its_file_along(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database may lie on the same disk: the file has arrived, but its row does not fit."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(services, "record_event", refuse)
    with pytest.raises(OperationalError):
        factories.make_upload(cast.steward, cast.team)
    assert _stored_files() == set()
    assert not Dataset.objects.exists()
