"""Uploading through the address people use; bad files get one sentence and leave nothing behind."""

import hashlib
import io
import os
import threading
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast
from tests.patience import PATIENCE

SignIn = Callable[[User], Client]
NEW = "/datasets/upload/"


def _upload(client: Client, content: bytes, name: str = "table.csv", **fields: str):  # type: ignore[no-untyped-def]
    return client.post(NEW, {"file": SimpleUploadedFile(name, content), **fields})


def _stored_files() -> list[str]:
    root = vault.path_of("")
    names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    return [name for name in names if not name.startswith("keys")]


def test_a_steward_uploads_and_sees_the_preview(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    answer = _upload(client, factories.PATIENTS.read_bytes(), "patients.csv")
    dataset = Dataset.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == reverse("datasets:preview", args=[dataset.id])
    page = client.get(answer["Location"]).content.decode()
    assert dataset.name == "patients"
    assert "Jack" in page
    assert dataset.file_format["delimiter"] == ","
    assert Event.objects.filter(action="dataset.uploaded", actor=cast.steward).exists()


def test_the_upload_lies_encrypted(cast: Cast, signed_in: SignIn) -> None:
    _upload(signed_in(cast.steward), factories.PATIENTS.read_bytes())
    dataset = Dataset.objects.get()
    assert _stored_files() == [dataset.upload_file]
    assert b"Jennifer" not in vault.path_of(dataset.upload_file).read_bytes()


def test_the_teammate_may_and_others_may_not(cast: Cast, signed_in: SignIn) -> None:
    content = factories.PATIENTS.read_bytes()
    assert _upload(signed_in(cast.teammate), content).status_code == 302
    assert _upload(signed_in(cast.reviewer), content).status_code == 403
    assert _upload(signed_in(cast.analyst), content).status_code == 403
    assert Dataset.objects.count() == 1
    assert len(_stored_files()) == 1


def test_a_stranger_leaves_nothing_on_disk(cast: Cast) -> None:
    assert _upload(Client(), b"a,b\n1,2\n").status_code == 302
    assert _stored_files() == []


def _workbook() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (_workbook(), "damaged"),
    ],
    ids=["empty file", "workbook without sheets"],
)
def test_what_is_no_table_is_refused_at_once(
    content: bytes, words: str, cast: Cast, signed_in: SignIn
) -> None:
    answer = _upload(signed_in(cast.steward), content)
    assert answer.status_code == 422
    assert words in answer.context["form"].non_field_errors()[0]
    assert Dataset.objects.count() == 0
    assert _stored_files() == []


def test_no_file_gets_a_sentence(cast: Cast, signed_in: SignIn) -> None:
    answer = signed_in(cast.steward).post(NEW, {"name": "x"})
    assert answer.status_code == 422
    assert "Choose a file or paste a table first." in answer.content.decode()


def test_a_file_over_the_limit_gets_a_sentence_and_is_not_kept(
    cast: Cast, signed_in: SignIn, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024
    answer = _upload(signed_in(cast.steward), b"a,b\n" + b"1,2\n" * 600_000)
    assert answer.status_code == 422
    assert "larger than 1\u00a0MB" in answer.context["form"].non_field_errors()[0]
    assert _stored_files() == []


def _preview(client: Client, content: bytes):  # type: ignore[no-untyped-def]
    answer = _upload(client, content)
    assert answer.status_code == 302, answer.content.decode()
    return client.get(answer["Location"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name,age\n", "header"),
        (b"name,age\nAnn,3\nBob\n", "row 3"),
        (b"age,age\n1,2\n", "columns 1 and 2"),
        (b"name,\nAnn,3\n", "column 2"),
        (b"name,age\nAnn,\x003\n", "NUL"),
    ],
    ids=["header only", "ragged", "duplicate names", "blank name", "NUL byte"],
)
def test_a_table_with_a_fault_is_explained_where_it_is_shown(
    content: bytes, words: str, cast: Cast, signed_in: SignIn
) -> None:
    answer = _preview(signed_in(cast.steward), content)
    problem = answer.context["problem"]
    assert words.lower() in problem.lower()
    assert "Ann" not in problem
    assert "Bob" not in problem
    assert problem.count(".") <= 3
    assert Dataset.objects.count() == 1


def test_a_wrong_encoding_is_explained_and_can_be_corrected(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = factories.make_upload(cast.steward, cast.team, "name,age\nJosé,3\n".encode("cp1252"))
    settings_now = {
        "delimiter": ",",
        "encoding": "utf-8",
        "quote": '"',
        "has_header": "yes",
        "decimal": ".",
        "missing": "",
    }
    address = reverse("datasets:set-format", args=[dataset.id])
    wrong = client.post(address, settings_now, follow=True)
    assert "UTF-8" in wrong.context["problem"]
    assert "Jos" not in wrong.context["problem"]
    right = client.post(address, {**settings_now, "encoding": "cp1252"}, follow=True)
    assert right.context["problem"] == ""
    assert "José" in right.content.decode()
    assert Event.objects.filter(action="dataset.format_changed").count() == 2


def test_words_that_may_mean_missing_are_offered(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    content = b"a;b\n1;unbekannt\n2;keine Angabe\n3;ledig\n4;none known\n"
    dataset = factories.make_upload(cast.steward, cast.team, content)
    preview = reverse("datasets:preview", args=[dataset.id])
    page = client.get(preview).content.decode()
    assert "Do these words mean" in page
    assert "“unbekannt” is missing" in page
    assert 'value="keine Angabe"' in page  # taken already: it means nothing else
    now = {"delimiter": ";", "quote": '"', "encoding": "utf-8", "has_header": "yes", "decimal": "."}
    answer = {**now, "missing": "keine Angabe", "answer": "missing:unbekannt"}
    client.post(reverse("datasets:set-format", args=[dataset.id]), answer)
    dataset.refresh_from_db()
    assert dataset.file_format["missing"] == ["keine Angabe", "unbekannt"]
    page = client.get(preview).content.decode()
    assert "Does this word mean" in page
    assert 'value="keine Angabe, unbekannt"' in page
    assert "“unbekannt” is missing" not in page


def test_utf16_chosen_by_mistake_is_explained_and_can_be_undone(
    cast: Cast, signed_in: SignIn
) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    client = signed_in(cast.steward)
    form = {
        "delimiter": ",",
        "quote": '"',
        "encoding": "utf-16",
        "has_header": "yes",
        "decimal": ".",
        "missing": "",
    }
    address = reverse("datasets:set-format", args=[dataset.id])
    assert client.post(address, form, follow=True).context["problem"]
    right = client.post(address, {**form, "encoding": "utf-8"}, follow=True)
    assert right.context["problem"] == ""


class CutOff(io.BytesIO):
    """A body whose sender hangs up half way."""

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        if not piece:
            raise OSError("connection reset")
        return piece


def test_a_cancelled_upload_leaves_nothing_on_disk(cast: Cast, signed_in: SignIn) -> None:
    head = (
        b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
        b"Content-Type: text/csv\r\n\r\n"
    )
    body = CutOff(head + b"name,age\n" * 200_000)
    client = signed_in(cast.steward)
    client.raise_request_exception = False
    client.generic(
        "POST",
        NEW,
        content_type="multipart/form-data; boundary=cut",
        **{"wsgi.input": body, "CONTENT_LENGTH": "99999999"},
    )
    assert _stored_files() == []


def test_leftovers_of_a_crash_are_swept_away_after_a_day() -> None:
    with vault.VaultWriter(f"{vault.INCOMING}/forgotten") as writer:
        writer.write(b"rows")
    assert vault.delete_leftovers(older_than_seconds=3600) == 0
    old = time.time() - 7200
    os.utime(vault.path_of(f"{vault.INCOMING}/forgotten"), (old, old))
    assert vault.delete_leftovers(older_than_seconds=3600) == 1
    assert _stored_files() == []


@pytest.mark.django_db(transaction=True)
def test_two_uploads_at_once_do_not_touch_each_other(cast: Cast, signed_in: SignIn) -> None:
    contents = [b"name,age\n" + b"%s,39\n" % who * 300_000 for who in (b"Ann", b"Bob")]
    people = [signed_in(cast.steward), signed_in(cast.teammate)]
    start = threading.Barrier(2)

    def send(client: Client, content: bytes) -> int:
        start.wait(PATIENCE)
        try:
            return int(_upload(client, content).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(send, people, contents)) == [302, 302]
    sent = {hashlib.sha256(content).hexdigest() for content in contents}
    assert set(Dataset.objects.values_list("file_sha256", flat=True)) == sent
    for dataset in Dataset.objects.all():
        with vault.open_reader(dataset.upload_file) as stream:
            assert hashlib.sha256(stream.read()).hexdigest() == dataset.file_sha256
    assert len(_stored_files()) == 2
