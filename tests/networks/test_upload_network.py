"""A network comes in: two files, read in the background, dropped links counted."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.vault import vault
from tests.conftest import Cast
from tests.networks import worlds

SignIn = Callable[[User], Client]


def send(client: Client, links: bytes, nodes: bytes = b"", **fields: str) -> Dataset | str:
    """Return the new dataset, or what the page says was wrong."""
    files = {"links": SimpleUploadedFile("links.csv", links)}
    if nodes:
        files["nodes"] = SimpleUploadedFile("people.csv", nodes)
    data = {"directed": "no", **files, **fields}
    answer = client.post(reverse("networks:new"), data)
    if answer.status_code == 302:
        return Dataset.objects.get(kind="network")
    return answer.content.decode()


def test_it_keeps_both_files_encrypted_and_queues_the_reading(
    cast: Cast, signed_in: SignIn
) -> None:
    dataset = send(signed_in(cast.steward), b"a,b\n1,2\n", b"id,age\n1,30\n", name="Friends")
    assert isinstance(dataset, Dataset)
    assert dataset.name == "Friends"
    assert dataset.state == Dataset.State.READING
    with vault.open_reader(dataset.network.nodes_file) as stream:
        assert stream.read() == b"id,age\n1,30\n"
    assert Event.objects.filter(action="network.uploaded", subject_id=dataset.id).exists()


def test_it_reads_the_karate_club(cast: Cast) -> None:
    dataset = worlds.make_network(cast.steward, cast.team)
    assert dataset.is_ready
    assert (dataset.rows, dataset.network.links) == (34, 78)
    assert dataset.network.risk["degree"]["unique"] == 6  # with 6, 9, 10, 12, 16 and 17 links
    assert len(dataset.network.drawing["points"]) == 34


def test_what_is_known_of_people_becomes_columns(cast: Cast) -> None:
    dataset = worlds.make_network(cast.steward, cast.team, people=True)
    assert [column.name for column in dataset.columns.all()] == ["club"]
    assert dataset.columns.get().distinct == 2


@pytest.mark.parametrize(
    ("links", "sentence"),
    [
        (b"# nothing\n# here\n", "comments only"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "The file"),
    ],
)
def test_a_file_that_is_no_network_is_a_sentence(
    cast: Cast, signed_in: SignIn, links: bytes, sentence: str
) -> None:
    answer = send(signed_in(cast.steward), links)
    assert sentence in str(answer)
    assert not Dataset.objects.filter(kind="network").exists()


def test_only_loops_are_a_sentence_after_the_reading(cast: Cast, signed_in: SignIn) -> None:
    dataset = send(signed_in(cast.steward), b"a,b\n1,1\n2,2\n")
    assert isinstance(dataset, Dataset)
    read = worlds.read_uploaded(dataset)
    assert read.state == Dataset.State.UPLOADED
    page = signed_in(cast.steward).get(reverse("networks:show", args=[dataset.id]))
    assert "from a node to itself" in page.content.decode()


def test_it_can_be_read_again_with_directions(cast: Cast, signed_in: SignIn) -> None:
    dataset = worlds.make_network(cast.steward, cast.team)
    client = signed_in(cast.steward)
    answer = {"directed": "yes", "has_header": "yes"}
    client.post(reverse("networks:read-again", args=[dataset.id]), answer)
    read = worlds.read_uploaded(dataset)
    assert read.network.is_directed
    assert read.is_ready


GUESSED = b"wer,wen\nann,bob\nbob,cy\ncy,ann\n"


def test_a_guessed_header_is_asked_about_with_the_lines_and_the_reason(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    dataset = send(client, GUESSED)
    assert isinstance(dataset, Dataset)
    read = worlds.read_uploaded(dataset)
    assert read.rows == 3
    assert read.subject.page_after_reading == "networks:show"
    page = client.get(reverse("networks:show", args=[dataset.id])).content.decode()
    assert "Is the first line a header?" in page
    assert "The first line was taken for a header: its names occur nowhere else" in page
    assert "wen</th>" in page


def test_the_answer_reads_again_and_is_not_asked_for_twice(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = send(client, GUESSED)
    assert isinstance(dataset, Dataset)
    worlds.read_uploaded(dataset)
    answer = {"directed": "no", "has_header": "no"}
    client.post(reverse("networks:read-again", args=[dataset.id]), answer)
    read = worlds.read_uploaded(dataset)
    assert read.rows == 5
    assert read.subject.page_after_reading == "networks:risk"
    event = Event.objects.get(action="network.read_again", subject_id=dataset.id)
    assert event.facts["header"] is False
    page = client.get(reverse("networks:show", args=[dataset.id])).content.decode()
    assert "Because you said so." in page


def test_reviewers_see_no_line_of_the_file(cast: Cast, signed_in: SignIn) -> None:
    dataset = send(signed_in(cast.steward), GUESSED)
    assert isinstance(dataset, Dataset)
    worlds.read_uploaded(dataset)
    page = signed_in(cast.reviewer).get(reverse("networks:show", args=[dataset.id]))
    assert "wen" not in page.content.decode().split("<main")[1]


def test_the_reading_can_be_stopped(cast: Cast, signed_in: SignIn) -> None:
    dataset = worlds.upload_karate(cast.steward, cast.team)
    signed_in(cast.steward).post(reverse("networks:stop", args=[dataset.id]))
    dataset.refresh_from_db()
    assert dataset.state == Dataset.State.UPLOADED


def test_forgetting_deletes_files_and_what_shows_single_people(cast: Cast) -> None:
    from deid_portal.datasets.services import forget_now

    dataset = worlds.make_network(cast.steward, cast.team)
    forget_now(dataset=dataset, forgotten_by=cast.steward)
    dataset.network.refresh_from_db()
    assert dataset.network.drawing == {}
