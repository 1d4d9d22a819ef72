"""Keeping a table: it is read in the background, and ends as columns or as one sentence."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.datasets.progress import describe_reading
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.selectors import table_of
from deid_portal.datasets.services import keep_dataset, stop_reading
from deid_portal.vault import vault
from deid_portal.work.leases import claim
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def _keep_and_read(client: Client, dataset: Dataset) -> Reading:
    answer = client.post(reverse("datasets:keep", args=[dataset.id]), {"name": "Patients 2026"})
    assert answer.status_code == 302
    reading = dataset.readings.get()
    lease = claim(Reading, str(reading.id))
    assert lease is not None
    perform_reading(lease)
    reading.refresh_from_db()
    dataset.refresh_from_db()
    return reading


def test_a_kept_table_becomes_columns(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    _keep_and_read(signed_in(cast.steward), dataset)
    assert dataset.state == Dataset.State.READY
    assert dataset.name == "Patients 2026"
    assert dataset.rows == 12
    kinds = dict(dataset.columns.values_list("name", "type"))
    assert kinds["Age"] == "integer"
    assert dataset.columns.get(name="Zip").distinct == 4
    assert Event.objects.filter(action="dataset.read").exists()
    assert table_of(dataset).rows == 12


def test_a_fault_deep_in_the_file_ends_as_a_sentence(cast: Cast, signed_in: SignIn) -> None:
    rows = b"".join(b"%d,Ann\n" % number for number in range(400_000))
    content = b"id,name\n" + rows + b"7\n" + rows
    dataset = factories.make_upload(cast.steward, cast.team, content)
    client = signed_in(cast.steward)
    reading = _keep_and_read(client, dataset)
    assert reading.status == Reading.Status.FAILED
    assert "400,002" in reading.problem or "400002" in reading.problem
    assert "Ann" not in reading.problem
    assert dataset.state == Dataset.State.UPLOADED
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    assert page.context["problem"] == reading.problem


def test_rows_with_problems_have_a_tab_with_their_numbers(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = factories.make_upload(cast.steward, cast.team, b"id,name\n1,Ann\n2\n3,Bob\n4,Eve,x\n")
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    assert page.context["shows_bad_rows"]
    assert [one.row for one in page.context["bad_rows"].problems] == [3, 5]
    assert "Rows with problems 2" in page.content.decode()
    assert "Eve" not in page.content.decode()


def test_after_a_failed_reading_every_bad_row_of_the_file_is_listed(
    cast: Cast, signed_in: SignIn
) -> None:
    client, good = signed_in(cast.steward), b"7,Ann\n" * 60_000
    dataset = factories.make_upload(
        cast.steward, cast.team, b"id,name\n" + good + b"7\n" + good + b"8\n"
    )
    address = reverse("datasets:preview", args=[dataset.id])
    assert "None of the first 1,000 rows" in client.get(f"{address}?rows=problems").content.decode()
    assert "Rows with problems 0" in client.get(address).content.decode()
    _keep_and_read(client, dataset)
    assert [one.row for one in client.get(address).context["bad_rows"].problems] == [
        60_002,
        120_003,
    ]


def test_leading_zeros_survive(cast: Cast) -> None:
    content = b"person-no,age\n00417,39\n21904,50\n00932,38\n"
    dataset = factories.make_dataset(cast.steward, cast.team, content)
    assert dataset.columns.get(name="person-no").type == "text"
    assert "00417" in table_of(dataset)["person-no"].values


def test_keeping_twice_reads_once(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    client = signed_in(cast.steward)
    address = reverse("datasets:keep", args=[dataset.id])
    client.post(address, {"name": "x"})
    assert client.post(address, {"name": "x"}).status_code == 302
    assert dataset.readings.count() == 1


def test_a_waiting_reading_can_be_stopped(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    client = signed_in(cast.steward)
    client.post(reverse("datasets:keep", args=[dataset.id]), {"name": "x"})
    client.post(reverse("datasets:stop-reading", args=[dataset.id]))
    dataset.refresh_from_db()
    assert dataset.state == Dataset.State.UPLOADED
    assert dataset.readings.get().status == Reading.Status.STOPPED


@pytest.mark.parametrize("person", ["reviewer", "approver", "administrator"])
def test_raw_values_are_for_stewards_alone(person: str, cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(getattr(cast, person))
    for name in ("datasets:preview", "datasets:columns"):
        page = client.get(reverse(name, args=[dataset.id])).content.decode()
        assert "Jennifer" not in page
        assert "Diabetes" not in page


def test_a_discarded_upload_leaves_nothing(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    path = vault.path_of(dataset.upload_file)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):
        signed_in(cast.steward).post(reverse("datasets:discard", args=[dataset.id]))
    assert not Dataset.objects.exists()
    assert not path.parent.exists()
    assert Event.objects.filter(action="dataset.discarded").exists()


def test_a_dataset_under_reading_is_not_discarded(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    keep_dataset(dataset=dataset, kept_by=cast.steward)
    answer = signed_in(cast.steward).post(reverse("datasets:discard", args=[dataset.id]))
    assert answer.status_code == 403
    assert "Stop the reading first" in answer.content.decode()
    assert Dataset.objects.exists()


def test_a_stop_that_comes_too_late_changes_nothing(cast: Cast) -> None:
    """The page saw it running, the worker finished, then the click arrives."""
    dataset = factories.make_upload(cast.steward, cast.team)
    reading = keep_dataset(dataset=dataset, kept_by=cast.steward)
    lease = claim(Reading, str(reading.id))
    assert lease is not None
    perform_reading(lease)
    stop_reading(reading=reading, stopped_by=cast.steward)
    dataset.refresh_from_db()
    assert dataset.state == Dataset.State.READY


def test_a_reading_that_lost_its_lease_leaves_only_the_winners_columns(cast: Cast) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    reading = keep_dataset(dataset=dataset, kept_by=cast.steward)
    slow = claim(Reading, str(reading.id))
    Reading.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    quick = claim(Reading, str(reading.id))
    assert slow is not None
    assert quick is not None
    perform_reading(quick)
    perform_reading(slow)
    dataset.refresh_from_db()
    assert table_of(dataset).rows == 12
    assert not vault.path_of(dataset.column_file(slow.token, 0)).parent.exists()
    assert Event.objects.filter(action="dataset.read").count() == 1


def test_a_name_longer_than_any_name_is_refused(cast: Cast, signed_in: SignIn) -> None:
    content = b"a," + b"x" * 400 + b"\n1,2\n"
    dataset = factories.make_upload(cast.steward, cast.team, content)
    page = signed_in(cast.steward).get(reverse("datasets:preview", args=[dataset.id]))
    assert "name of column 2 has 400 characters" in page.context["problem"]


@pytest.mark.parametrize(
    ("phase", "done", "percent", "words"),
    [
        ("", 0, None, "Opening the file"),
        ("read", 50, 35, "Reading the rows"),
        ("profile", 100, 93, "Counting and encrypting every column"),
        ("detect", 0, 93, "Looking for what points to people"),
    ],
)
def test_progress_goes_on_from_phase_to_phase(
    phase: str, done: int, percent: int | None, words: str
) -> None:
    reading = Reading(status=Reading.Status.RUNNING, phase=phase, done=done, total=100)
    progress = describe_reading(reading)
    assert (progress.percent, progress.phase) == (percent, words)


def test_progress_says_how_many_rows_were_read() -> None:
    reading = Reading(status=Reading.Status.RUNNING, phase="read", figures={"rows": 340_000})
    assert describe_reading(reading).phase == "Reading the rows, 340,000 so far"


@pytest.mark.parametrize(
    ("seconds", "figures", "said"),
    [
        (0, {}, ""),
        (4, {}, "4 s so far"),
        (4, {"expected": 9.0}, "about 5 seconds left"),
        (12, {"expected": 9.0}, "12 s so far, longer than usual"),
    ],
)
def test_a_reading_says_how_long_it_takes(
    seconds: int, figures: dict[str, float], said: str
) -> None:
    began = timezone.now() - timedelta(seconds=seconds)
    reading = Reading(status=Reading.Status.RUNNING, started_at=began, figures=figures)
    assert describe_reading(reading).left == said
