"""Downloads are counted once, can go on after a cut, and the last one is given once."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.releases import downloads
from deid_portal.releases.downloads import begin_download
from deid_portal.releases.grants import end_period
from deid_portal.releases.models import Download, Grant, Package, Release
from deid_portal.web.refusals import Refused
from tests.conftest import Cast
from tests.patience import PATIENCE

SignIn = Callable[[User], Client]


@pytest.fixture
def address(release: Release) -> str:
    return reverse("releases:download", args=[release.id])


def fetch(client: Client, address: str, **headers: str) -> tuple[int, bytes]:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    answer: Any = client.get(address, headers=named)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, body


def taken(person: User) -> int:
    return Grant.objects.get(person=person).taken


def test_a_cut_download_goes_on_and_is_counted_once(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    _, whole = fetch(client, address)
    etag = client.head(address)["ETag"]
    status, rest = fetch(client, address, Range="bytes=100-", If_Range=etag)
    assert (status, rest) == (206, whole[100:])
    assert (taken(cast.analyst), Download.objects.count()) == (1, 1)


def test_parts_say_where_they_belong(cast: Cast, address: str, signed_in: SignIn) -> None:
    client = signed_in(cast.analyst)
    size = Package.objects.get().size
    answer = client.get(address, headers={"Range": "bytes=10-19"})
    assert answer["Content-Range"] == f"bytes 10-19/{size}"
    assert (answer["Content-Length"], answer["Accept-Ranges"]) == ("10", "bytes")


def test_a_part_of_nothing_begun_counts(cast: Cast, address: str, signed_in: SignIn) -> None:
    fetch(signed_in(cast.analyst), address, Range="bytes=100-")
    assert taken(cast.analyst) == 1


def test_a_part_of_other_bytes_is_the_whole_and_counts(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    fetch(client, address)
    status, _ = fetch(client, address, Range="bytes=100-", If_Range='"other"')
    assert (status, taken(cast.analyst)) == (200, 2)


def test_parts_are_free_for_a_day_and_for_one_more_copy(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    for _ in range(3):  # whole, once more in "parts", and then a new one
        fetch(client, address, Range="bytes=0-")
    assert taken(cast.analyst) == 2
    Download.objects.update(at=timezone.now() - timedelta(hours=25), sent=0)
    fetch(client, address, Range="bytes=100-")
    assert taken(cast.analyst) == 3


def test_another_persons_download_is_not_continued(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    fetch(signed_in(cast.analyst), address)
    fetch(signed_in(cast.steward), address, Range="bytes=100-")
    assert (taken(cast.analyst), taken(cast.steward)) == (1, 1)


def test_asking_for_headers_or_behind_the_end_costs_nothing(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    assert client.head(address)["Content-Length"] == str(Package.objects.get().size)
    assert fetch(client, address, Range="bytes=99999999-")[0] == 416
    assert taken(cast.analyst) == 0


def test_after_the_last_one_there_is_none_but_it_can_be_finished(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    assert [fetch(client, address)[0] for _ in range(4)] == [200, 200, 200, 403]
    assert fetch(client, address, Range="bytes=100-")[0] == 206
    assert taken(cast.analyst) == 3


def test_the_count_is_taken_before_the_first_byte(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    answer: Any = signed_in(cast.analyst).get(address)
    assert answer.streaming  # nothing was read of it yet
    assert taken(cast.analyst) == 1


def test_a_withdrawal_stops_bytes_that_flow(
    cast: Cast, release: Release, address: str, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "LOOK_AFTER_BYTES", 1)
    monkeypatch.setattr("deid_portal.web.ranges.PIECE_BYTES", 64)
    answer: Any = signed_in(cast.analyst).get(address)
    pieces = iter(answer.streaming_content)
    next(pieces)
    Release.objects.update(withdrawn_at=timezone.now())
    assert list(pieces) == []


def test_the_end_of_a_period_stops_bytes_that_flow(
    cast: Cast, release: Release, address: str, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "LOOK_AFTER_BYTES", 1)
    monkeypatch.setattr("deid_portal.web.ranges.PIECE_BYTES", 64)
    answer: Any = signed_in(cast.analyst).get(address)
    pieces = iter(answer.streaming_content)
    next(pieces)
    end_period(grant=release.grants.get(person=cast.analyst), ended_by=cast.steward)
    assert list(pieces) == []


@pytest.mark.django_db(transaction=True)
def test_the_last_download_is_given_once(cast: Cast, release: Release) -> None:
    Grant.objects.filter(person=cast.analyst).update(allowed=1)
    gate, refused = threading.Barrier(2), []

    def take() -> None:
        try:
            gate.wait(PATIENCE)
            begin_download(
                release=release, person=cast.analyst, sha256="0" * 64, size=10, part=None
            )
        except Refused as reason:
            refused.append(reason)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(refused), taken(cast.analyst), Download.objects.count()) == (1, 1, 1)
