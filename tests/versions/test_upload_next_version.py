"""Uploading next month's file: chosen with the file, or in the preview before it is kept."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import change_format, discard_dataset
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.file_format import FileFormat
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
AUGUST = factories.PATIENTS.read_bytes()


def upload(client: Client, next_of: str) -> Dataset:
    file = SimpleUploadedFile("september.csv", AUGUST)
    answer = client.post(reverse("datasets:new"), {"file": file, "next_of": next_of})
    assert answer.status_code == 302, answer.context["form"].errors
    return Dataset.objects.get(file_name="september.csv")


def test_the_upload_page_offers_what_can_be_continued(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    second = factories.make_next_version(first, cast.steward, AUGUST)
    factories.make_upload(cast.steward, cast.team)  # not kept yet, so nothing follows it
    page = signed_in(cast.steward).get(f"{reverse('datasets:new')}?next_of={first.id}")
    field = page.context["form"]["next_of"]
    assert [value for value, _ in field.field.choices] == ["", str(second.id)]
    assert field.value() == str(second.id)


@pytest.mark.parametrize("asked", ["", "nonsense", "00000000-0000-4000-8000-000000000000"])
def test_whatever_an_address_asks_for_is_harmless(
    asked: str, cast: Cast, signed_in: SignIn
) -> None:
    factories.make_dataset(cast.steward, cast.team)
    page = signed_in(cast.steward).get(reverse("datasets:new"), {"next_of": asked})
    assert page.context["form"]["next_of"].value() == ""


def test_a_file_is_uploaded_as_the_next_version(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    version = upload(client, str(first.id))
    assert (version.previous, version.version, version.name) == (first, 2, "Patients")
    page = client.get(reverse("datasets:preview", args=[version.id])).content.decode()
    assert "are carried over to this file as v2" in page


def test_a_dataset_of_another_team_is_not_continued(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    file = SimpleUploadedFile("september.csv", AUGUST)
    answer = signed_in(cast.outsider).post(
        reverse("datasets:new"), {"file": file, "next_of": str(first.id)}
    )
    assert answer.status_code == 422
    assert not Dataset.objects.filter(file_name="september.csv").exists()


def test_the_preview_lets_one_change_their_mind(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    version = upload(client, "")
    address = reverse("datasets:place", args=[version.id])
    assert client.post(address, {"next_of": str(first.id)}).status_code == 302
    version.refresh_from_db()
    assert version.previous == first
    part = client.post(address, {"next_of": ""}, headers={"HX-Request": "true"})
    assert part["HX-Redirect"] == reverse("datasets:preview", args=[version.id])
    version.refresh_from_db()
    assert version.previous is None


def test_without_scripts_keeping_decides(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    version = upload(client, "")
    client.post(
        reverse("datasets:keep", args=[version.id]),
        {"name": "ignored", "next_of": str(first.id), "delete_on": ""},
    )
    version.refresh_from_db()
    assert (version.previous, version.name) == (first, "Patients")
    assert version.state == Dataset.State.READING


def test_a_new_dataset_needs_a_name_and_a_version_does_not(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    version = upload(client, "")
    address = reverse("datasets:keep", args=[version.id])
    answer = client.post(address, {"name": "", "next_of": "", "delete_on": ""})
    assert answer.status_code == 422
    assert "Give the dataset a name." in answer.content.decode()
    assert client.post(address, {"next_of": str(first.id)}).status_code == 302


def test_what_vanished_meanwhile_is_refused_with_a_sentence(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    version = upload(client, "")
    discard_dataset(dataset=first, discarded_by=cast.steward)
    address = reverse("datasets:place", args=[version.id])
    page = client.post(address, {"next_of": str(first.id)}, follow=True)
    assert "cannot be continued now" in page.content.decode()
    answer = client.post(
        reverse("datasets:keep", args=[version.id]), {"name": "x", "next_of": str(first.id)}
    )
    assert answer.status_code == 422
    assert "cannot be continued now" in answer.content.decode()


def test_the_new_file_is_read_as_the_one_before_was(cast: Cast) -> None:
    """Types that were corrected stay with their names, also when a column comes in between."""
    first = factories.make_upload(cast.steward, cast.team)
    read_as = FileFormat.from_document({**first.file_format, "missing": ["Flu"], "types": {}})
    read_as = FileFormat(read_as.kind, read_as.settings, {2: TypeChoice.TEXT})
    change_format(dataset=first, changed_by=cast.steward, file_format=read_as)
    factories.read_upload(first, cast.steward)
    rows = [line.split(b",") for line in AUGUST.splitlines()]
    wider = b"\n".join(b",".join([row[0], b"x", *row[1:]]) for row in rows)
    version = factories.make_next_upload(first, cast.steward, wider)
    assert version.file_format["types"] == {"3": "text"}
    assert version.file_format["missing"] == ["Flu"]
    factories.read_upload(version, cast.steward)
    assert version.columns.get(name="Zip").type == "text"
    assert version.columns.get(name="Condition").missing == 3


def test_another_kind_of_file_is_read_afresh(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    first.file_format = {"kind": "xlsx", "sheet": "July", "first_row": 1, "missing": ["?"]}
    first.save()
    version = factories.make_next_upload(first, cast.steward, AUGUST)
    assert version.file_format["kind"] == "csv"


def test_reading_a_next_version_leads_to_what_changed(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    version = factories.make_next_version(first, cast.steward, AUGUST)
    client = signed_in(cast.steward)
    after = client.get(reverse("datasets:reading", args=[version.id]))
    assert after["Location"] == reverse("versions:drift", args=[version.id])
    after = client.get(reverse("datasets:reading", args=[first.id]))
    assert after["Location"] == reverse("datasets:columns", args=[first.id])
