"""Reading a file has limits, and a file that kills its reader ends with one sentence."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.services import keep_dataset, upload_dataset
from deid_portal.engine.files import isolated_reader
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.work.leases import claim
from deid_portal.work.limits import limits_of_file
from tests.conftest import Cast
from tests.engine.files import files
from tests.factories import store_upload

MEGABYTE = 1024 * 1024
SPSS = files.sav(("name", "age"), [("Ann", 1), ("Bo", 2)])


def _upload(cast: Cast, content: bytes, name: str) -> Dataset:
    upload = store_upload(content, name)
    return upload_dataset(team=cast.team, uploaded_by=cast.steward, upload=upload, name="Table")


def _read(cast: Cast, dataset: Dataset) -> Reading:
    reading = keep_dataset(dataset=dataset, kept_by=cast.steward)
    lease = claim(Reading, str(reading.id))
    assert lease is not None
    perform_reading(lease)
    reading.refresh_from_db()
    return reading


@pytest.mark.parametrize(
    ("upload_mb", "memory_mb", "expected"),
    [
        (512, 4096, ReadingLimits(1024, 4096, 60)),
        (512, 1024, ReadingLimits(512, 1024, 60)),
        (4096, 8192, ReadingLimits(4096, 8192, 60)),
        (512, 0, ReadingLimits(2048, 0, 60)),
    ],
)
def test_limits_follow_from_the_settings(
    upload_mb: int, memory_mb: int, expected: ReadingLimits
) -> None:
    with override_settings(UPLOAD_LIMIT_BYTES=upload_mb * MEGABYTE, RUN_MEMORY_MB=memory_mb):
        assert limits_of_file() == expected


def test_a_packed_file_that_unpacks_to_too_much_ends_with_a_sentence(cast: Cast) -> None:
    bomb = _upload(cast, files.gzipped(b"a,b\n" + b"1,2\n" * 1_500_000), "bomb.csv.gz")
    with override_settings(UPLOAD_LIMIT_BYTES=MEGABYTE, RUN_MEMORY_MB=0):
        reading = _read(cast, bomb)
    assert (reading.status, reading.attempt) == (Reading.Status.FAILED, 1)
    assert reading.problem.startswith("Unpacked, the file is larger than 4 MB, the limit here.")
    bomb.refresh_from_db()
    assert bomb.state == Dataset.State.UPLOADED


def test_a_file_that_kills_its_reader_ends_with_a_sentence_at_once(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = _upload(cast, SPSS, "table.sav")
    monkeypatch.setattr(isolated_reader._ReaderProcess, "serve", _die)
    reading = _read(cast, dataset)
    assert (reading.status, reading.problem, reading.attempt) == (
        "failed",
        isolated_reader.BROKE_OFF,
        1,
    )


def test_an_upload_that_kills_its_reader_is_refused_in_the_form(
    cast: Cast, signed_in: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated_reader._ReaderProcess, "serve", _die)
    file = SimpleUploadedFile("table.sav", SPSS)
    answer = signed_in(cast.steward).post("/datasets/upload/", {"file": file})
    assert answer.status_code == 422
    assert isolated_reader.BROKE_OFF in answer.content.decode()
    assert not Dataset.objects.exists()


def _die(self: Any, stream: io.BytesIO, progress: object) -> None:
    """What is seen of a reader that crashes: its end of the line falls silent."""
    self.end()
    self._handle = -1
    while True:  # what it may have asked for before
        self._line.receive()


@pytest.mark.parametrize(
    "content",
    [b"a\0b\0c", b"n\0a\0m\0e\0\n\0A\0", b"\xff\xfea\0b", b"\xef\xbb\xbfa,b\n\xff,2\n"],
)
def test_a_short_file_of_odd_bytes_gets_a_sentence(
    content: bytes, cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    file = SimpleUploadedFile("table.csv", content)
    answer = signed_in(cast.steward).post("/datasets/upload/", {"file": file}, follow=True)
    assert answer.status_code in (200, 422)
