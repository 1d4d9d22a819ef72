"""A file sent in pieces: it goes on where it was cut, and what nobody sends on is deleted."""

import hashlib
import io
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets import incremental_hashes, piecewise_upload
from deid_portal.datasets.models import ArrivingUpload, Dataset
from deid_portal.datasets.piecewise_upload import give_up_old_uploads
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast
from tests.datasets.test_upload_dataset import CutOff
from tests.web.full_disk import fill_the_disk

SignIn = Callable[[User], Client]
BEGIN = "/datasets/upload/arriving/"
CONTENT = b"name,age\n" + b"Ann,39\nBob,50\n" * 20


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piecewise_upload, "PIECE_BYTES", 100)


def _begin(
    client: Client, content: bytes = CONTENT, file_name: str = "people.csv", **wishes: str
) -> dict[str, Any]:
    about = {"file_name": file_name, "file_bytes": len(content), "file_stamp": 1_700_000_000_000}
    answer: dict[str, Any] = client.post(BEGIN, {**about, **wishes}).json()
    return answer


def _send(client: Client, address: str, start: int, piece: bytes, **more: Any) -> Any:
    kind = "application/octet-stream"
    return client.post(f"{address}?start={start}", piece, content_type=kind, **more)


def _send_from(client: Client, begun: dict[str, Any], content: bytes = CONTENT) -> Any:
    start = begun["arrived"]
    while start < len(content):
        answer = _send(client, begun["address"], start, content[start : start + 100])
        start = answer.json()["arrived"]
    return client.post(f"{begun['address']}finish/")


def _stored_files() -> list[str]:
    root = vault.path_of("")
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]


def test_the_pieces_become_the_file(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client = signed_in(cast.steward)
    with django_capture_on_commit_callbacks(execute=True):
        answer = _send_from(client, _begin(client))
    dataset = Dataset.objects.get()
    assert answer.json() == {"go": reverse("datasets:preview", args=[dataset.id])}
    assert dataset.file_sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert (dataset.name, dataset.file_bytes) == ("people", len(CONTENT))
    assert not ArrivingUpload.objects.exists()
    assert [name for name in _stored_files() if "incoming" in name] == []


def test_a_cut_upload_is_on_the_page_and_goes_on_where_it_stopped(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    _send(client, begun["address"], 0, CONTENT[:100])
    page = client.get("/datasets/upload/").content.decode()
    assert "people.csv" in page
    assert "34\u00a0% has arrived and is kept" in page
    assert "people.csv" not in signed_in(cast.teammate).get("/datasets/upload/").content.decode()
    again = _begin(client)
    assert again == {"address": begun["address"], "arrived": 100}
    assert _send_from(client, again).status_code == 200
    assert Dataset.objects.get().file_sha256 == hashlib.sha256(CONTENT).hexdigest()


def test_another_file_of_the_same_name_begins_anew(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    assert _begin(client, CONTENT + b"Eve,20\n")["address"] != begun["address"]


def test_a_piece_out_of_step_is_told_where_the_file_stands(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    address = _begin(client)["address"]
    _send(client, address, 0, CONTENT[:100])
    for start in (0, 200):
        answer = _send(client, address, start, CONTENT[start : start + 100])
        assert (answer.status_code, answer.json()) == (409, {"arrived": 100})


def test_half_a_piece_does_not_count(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    address = _begin(client)["address"]
    body = {"wsgi.input": CutOff(CONTENT[:50]), "CONTENT_LENGTH": "100"}
    answer = client.generic("POST", f"{address}?start=0", **body)
    assert (answer.status_code, answer.json()) == (400, {"arrived": 0})
    assert [name for name in _stored_files() if not name.startswith("keys")] == []
    assert _send_from(client, _begin(client)).status_code == 200


@pytest.mark.parametrize("length", [0, 99, 101], ids=["nothing", "too little", "too much"])
def test_a_piece_of_the_wrong_length_is_refused(length: int, cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    answer = _send(client, _begin(client)["address"], 0, CONTENT[:length])
    assert answer.status_code == 403
    assert "begin again" in answer.json()["problem"]


def test_a_piece_written_by_a_process_that_was_killed_before_it_counted_is_written_again(
    cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    _send(client, begun["address"], 0, CONTENT[:100])
    with monkeypatch.context() as patch:
        patch.setattr(QuerySet, "update", _killed)
        with pytest.raises(SystemExit):
            _send(client, begun["address"], 100, b"x" * 100)
    again = _begin(client)
    assert again["arrived"] == 100
    assert _send_from(client, again).status_code == 200
    assert _content_of(Dataset.objects.get()) == CONTENT


def _killed(*args: Any, **kwargs: Any) -> int:
    raise SystemExit


def _content_of(dataset: Dataset) -> bytes:
    assert dataset.file_sha256 == hashlib.sha256(CONTENT).hexdigest()
    with vault.open_reader(dataset.upload_file) as reader:
        return reader.read()


def test_of_two_windows_that_send_the_same_piece_one_is_told_where_the_file_stands(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    quicker = _Interrupted(CONTENT[:100], lambda: _send(client, begun["address"], 0, CONTENT[:100]))
    body = {"wsgi.input": quicker, "CONTENT_LENGTH": "100"}
    answer = client.generic("POST", f"{begun['address']}?start=0", **body)
    assert (answer.status_code, answer.json()) == (409, {"arrived": 100})
    assert _send_from(client, _begin(client)).status_code == 200
    assert _content_of(Dataset.objects.get()) == CONTENT


class _Interrupted(io.BytesIO):
    """Somebody else gets in between while this is read."""

    def __init__(self, content: bytes, interrupt: Callable[[], object]) -> None:
        super().__init__(content)
        self._interrupt = interrupt

    def read(self, size: int | None = -1) -> bytes:
        self._interrupt()
        return super().read(size)


def test_a_file_given_up_while_a_piece_is_on_its_way_leaves_nothing(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client = signed_in(cast.steward)
    address = _begin(client)["address"]
    given_up = _Interrupted(CONTENT[:100], lambda: client.post(f"{address}give-up/"))
    body = {"wsgi.input": given_up, "CONTENT_LENGTH": "100"}
    with django_capture_on_commit_callbacks(execute=True):
        assert client.generic("POST", f"{address}?start=0", **body).status_code == 404
    assert [name for name in _stored_files() if name != "keys.lock"] == []


def test_pieces_taken_by_several_processes_have_the_hash_of_the_file(
    cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    _send(client, begun["address"], 0, CONTENT[:100])
    monkeypatch.setattr(incremental_hashes, "_running", OrderedDict())
    assert _send_from(client, _begin(client)).status_code == 200
    assert _content_of(Dataset.objects.get()) == CONTENT


def test_pieces_that_were_lost_come_again(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    for start in (0, 100):
        _send(client, begun["address"], start, CONTENT[start : start + 100])
    path = vault.path_of(ArrivingUpload.objects.get().file)
    path.write_bytes(path.read_bytes()[:150])
    answer = _send(client, begun["address"], 200, CONTENT[200:289])
    assert (answer.status_code, answer.json()) == (409, {"arrived": 0})
    path.unlink()
    assert _send_from(client, _begin(client)).status_code == 200
    assert _content_of(Dataset.objects.get()) == CONTENT


def test_a_whole_file_that_was_lost_is_asked_for_again(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client, CONTENT[:50])
    _send(client, begun["address"], 0, CONTENT[:50])
    vault.path_of(ArrivingUpload.objects.get().file).unlink()
    assert "still missing" in client.post(f"{begun['address']}finish/").json()["problem"]
    assert _begin(client, CONTENT[:50])["arrived"] == 0


def test_a_resumed_upload_still_has_the_name_it_was_given(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client, file_name="x7.csv", name="Patients of May")
    _send(client, begun["address"], 0, CONTENT[:100])
    assert "Patients of May" in client.get("/datasets/upload/").content.decode()
    assert _send_from(client, _begin(client, file_name="x7.csv")).status_code == 200
    assert Dataset.objects.get().name == "Patients of May"


def test_a_resumed_upload_still_continues_what_it_was_meant_for(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    first = factories.make_dataset(cast.steward, cast.team)
    begun = _begin(client, next_of=str(first.id))
    _send(client, begun["address"], 0, CONTENT[:100])
    assert f"next version of {first.name}" in client.get("/datasets/upload/").content.decode()
    assert _send_from(client, _begin(client)).status_code == 200
    assert Dataset.objects.get(version=2).previous == first


def test_a_name_that_is_too_long_is_refused_before_the_file_is_sent(
    cast: Cast, signed_in: SignIn
) -> None:
    assert "120" in _begin(signed_in(cast.steward), name="x" * 121)["problem"]
    assert not ArrivingUpload.objects.exists()


def test_an_unfinished_file_is_not_taken(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    answer = client.post(f"{_begin(client)['address']}finish/")
    assert answer.status_code == 403
    assert "still missing" in answer.json()["problem"]
    assert ArrivingUpload.objects.exists()


def test_what_is_no_table_gets_its_sentence_and_is_deleted(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client, content = signed_in(cast.steward), b"PK\x03\x04" + b"\0" * 50
    with django_capture_on_commit_callbacks(execute=True):
        answer = _send_from(client, _begin(client, content), content)
    assert answer.status_code == 422
    assert answer.json()["problem"].endswith(".")
    assert not ArrivingUpload.objects.exists()
    assert [name for name in _stored_files() if name != "keys.lock"] == []


def test_a_file_over_the_limit_is_refused_before_it_is_sent(
    cast: Cast, signed_in: SignIn, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100
    assert "larger than" in _begin(signed_in(cast.steward))["problem"]
    assert "empty" in _begin(signed_in(cast.steward), b"")["problem"]
    assert not ArrivingUpload.objects.exists()


def test_a_full_disk_keeps_what_has_arrived(
    cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(cast.steward)
    begun = _begin(client)
    _send(client, begun["address"], 0, CONTENT[:100])
    with monkeypatch.context() as patch:
        fill_the_disk(patch)
        answer = _send(client, begun["address"], 100, CONTENT[100:200])
    assert answer.status_code == 507
    assert "disk of the server is full" in answer.json()["problem"]
    assert _send_from(client, _begin(client)).status_code == 200


def test_a_file_on_its_way_concerns_nobody_else(cast: Cast, signed_in: SignIn) -> None:
    address = _begin(signed_in(cast.steward))["address"]
    for person in (cast.teammate, cast.approver, cast.outsider):
        assert _send(signed_in(person), address, 0, CONTENT[:100]).status_code == 404
    assert signed_in(cast.reviewer).post(BEGIN).status_code == 403


def test_giving_up_deletes_the_pieces(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client = signed_in(cast.steward)
    address = _begin(client)["address"]
    _send(client, address, 0, CONTENT[:100])
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(f"{address}give-up/").status_code == 302
    assert not ArrivingUpload.objects.exists()
    assert [name for name in _stored_files() if name != "keys.lock"] == []
    assert Event.objects.filter(action="upload.given_up", actor=cast.steward).exists()


def test_what_nobody_sends_on_is_deleted_after_a_day(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client = signed_in(cast.steward)
    for name in ("old.csv", "new.csv"):
        _send(client, _begin(client, file_name=name)["address"], 0, CONTENT[:100])
    yesterday = timezone.now() - timedelta(hours=25)
    ArrivingUpload.objects.filter(file_name="old.csv").update(changed_at=yesterday)
    with django_capture_on_commit_callbacks(execute=True):
        assert give_up_old_uploads() == 1
    kept = ArrivingUpload.objects.get()
    assert kept.file_name == "new.csv"
    assert [name for name in _stored_files() if name.startswith("incoming")] == [kept.file]
