"""Forgetting a table: what holds a value is deleted, what was decided stays on record."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_due_datasets
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import keep_dataset, set_deletion_day
from deid_portal.runs.services import start_run
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
TODAY = date(2026, 11, 16)


def test_the_day_is_chosen_when_the_table_is_kept(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_upload(cast.steward, cast.team)
    client = signed_in(cast.steward)
    day = timezone.localdate() + timedelta(days=30)
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    assert page.context["name_form"]["delete_on"].value() > day
    address = reverse("datasets:keep", args=[dataset.id])
    client.post(address, {"name": "Patients", "delete_on": day.isoformat()})
    dataset.refresh_from_db()
    assert dataset.delete_on == day
    assert Event.objects.get(action="dataset.deletion_day_set").facts == {"delete_on": str(day)}


def test_a_day_of_the_past_is_refused(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    address = reverse("datasets:set-deletion", args=[dataset.id])
    answer = signed_in(cast.steward).post(address, {"delete_on": "2020-01-01"})
    assert answer.status_code == 422
    assert "Choose a day after today." in answer.content.decode()


def test_the_day_can_be_moved_and_taken_away(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    address = reverse("datasets:set-deletion", args=[dataset.id])
    client = signed_in(cast.steward)
    day = timezone.localdate() + timedelta(days=9)
    client.post(address, {"delete_on": day.isoformat()})
    page = client.get(reverse("datasets:preview", args=[dataset.id])).content.decode()
    assert "deletes itself" in page
    client.post(address, {"delete_on": ""})
    dataset.refresh_from_db()
    assert dataset.delete_on is None


def test_on_its_day_everything_with_a_value_is_gone(
    cast: Cast,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    dataset = run.dataset
    folder = vault.path_of(dataset.upload_file).parent
    set_deletion_day(dataset=dataset, set_by=cast.steward, delete_on=TODAY)
    assert forget_due_datasets(TODAY - timedelta(days=1)) == 0
    with django_capture_on_commit_callbacks(execute=True):
        assert forget_due_datasets(TODAY) == 1
    dataset.refresh_from_db()
    assert dataset.is_forgotten
    assert not folder.exists()
    assert all(column.profile == {} for column in dataset.columns.all())
    assert Event.objects.get(action="dataset.forgotten").actor is None
    assert forget_due_datasets(TODAY) == 0
    _check_pages_still_open(signed_in(cast.steward), dataset, run.id)


def _check_pages_still_open(client: Client, dataset: Dataset, run_id: object) -> None:
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    assert page.status_code == 200
    assert "This table was deleted." in page.content.decode()
    assert client.get(reverse("reports:report", args=[run_id])).status_code == 200
    assert client.get(reverse("datasets:list")).status_code == 200
    assert client.get("/").status_code == 200
    for step in ("datasets:columns", "taxonomies:overview", "plans:protection"):
        answer = client.get(reverse(step, args=[dataset.id]))
        assert answer.status_code < 500, step
        assert "Jennifer" not in answer.content.decode()


def test_no_run_starts_on_a_forgotten_table(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_finished_run(cast.steward, cast.team).dataset
    client = signed_in(cast.steward)
    client.post(reverse("datasets:forget", args=[dataset.id]))
    assert Event.objects.get(action="dataset.forgotten").actor == cast.steward
    before = dataset.runs.count()
    answer = client.post(reverse("runs:start", args=[dataset.id]))
    assert answer.status_code < 500
    assert dataset.runs.count() == before


def test_what_is_at_work_is_not_deleted_under_it(cast: Cast, signed_in: SignIn) -> None:
    reading = factories.make_upload(cast.steward, cast.team)
    keep_dataset(dataset=reading, kept_by=cast.steward)
    running = factories.make_planned_dataset(cast.steward, cast.team)
    start_run(dataset=running, started_by=cast.steward)
    Dataset.objects.update(delete_on=TODAY)
    assert forget_due_datasets(TODAY) == 0
    answer = signed_in(cast.steward).post(reverse("datasets:forget", args=[running.id]))
    assert answer.status_code == 403
    assert "Stop it first" in answer.content.decode()


@pytest.mark.parametrize("person", ["reviewer", "approver"])
def test_only_stewards_delete(person: str, cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(getattr(cast, person))
    assert client.post(reverse("datasets:forget", args=[dataset.id])).status_code == 403
    dataset.refresh_from_db()
    assert dataset.is_ready
