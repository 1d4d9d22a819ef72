"""One dataset per version, numbered in a series; lists show the newest."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import discard_dataset, place_in_series
from deid_portal.releases.models import Release
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
AUGUST = factories.PATIENTS.read_bytes()
SEPTEMBER = AUGUST.replace(b"13053", b"13059")


def test_the_next_file_becomes_the_next_version(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    second = factories.make_next_version(first, cast.teammate, SEPTEMBER)
    third = factories.make_next_version(first, cast.steward, AUGUST)
    assert [d.version for d in (first, second, third)] == [1, 2, 3]
    assert first.series == second.series == third.series
    assert (second.previous, third.previous) == (first, second)
    assert second.name == first.name
    assert second.version_label.startswith("v2 · ")
    facts = Event.objects.filter(action="dataset.placed").values_list("facts", flat=True)
    assert {"version": 3, "next_of": str(second.id)} in list(facts)


def test_two_versions_in_the_making_are_one_too_many(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    factories.make_next_upload(first, cast.steward, SEPTEMBER)
    another = factories.make_upload(cast.teammate, cast.team)
    with pytest.raises(Refused, match="v2 of Patients still waits for its preview"):
        place_in_series(dataset=another, placed_by=cast.teammate, next_of=first)


def test_a_version_number_is_never_given_twice(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    other = factories.make_dataset(cast.steward, cast.team)
    with pytest.raises(IntegrityError), transaction.atomic():
        Dataset.objects.filter(id=other.id).update(series=first.series)


def test_a_kept_table_is_placed_nowhere_else(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    other = factories.make_dataset(cast.steward, cast.team)
    with pytest.raises(Refused, match="already kept"):
        place_in_series(dataset=other, placed_by=cast.steward, next_of=first)


def test_a_file_can_become_a_dataset_of_its_own_again(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    upload = factories.make_next_upload(first, cast.steward, SEPTEMBER)
    place_in_series(dataset=upload, placed_by=cast.steward, next_of=None)
    upload.refresh_from_db()
    assert (upload.version, upload.previous) == (1, None)
    assert upload.series != first.series


def test_a_discarded_version_frees_its_number(cast: Cast) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    second = factories.make_next_upload(first, cast.steward, SEPTEMBER)
    discard_dataset(dataset=second, discarded_by=cast.steward)
    again = factories.make_next_upload(first, cast.steward, SEPTEMBER)
    assert again.version == 2


def test_lists_show_the_newest_version_only(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    second = factories.make_next_version(first, cast.steward, SEPTEMBER)
    client = signed_in(cast.steward)
    assert [line.dataset for line in client.get("/").context["lines"]] == [second]
    assert list(client.get(reverse("datasets:list")).context["page"]) == [second]
    for person in (cast.steward, cast.reviewer):
        page = signed_in(person).get(reverse("versions:history", args=[first.id]))
        assert page.context["versions"] == [second, first]
    assert (
        signed_in(cast.outsider).get(reverse("versions:history", args=[first.id])).status_code
        == 404
    )


def test_earlier_versions_say_that_they_are_not_the_newest(cast: Cast, signed_in: SignIn) -> None:
    first = factories.make_dataset(cast.steward, cast.team)
    second = factories.make_next_version(first, cast.steward, SEPTEMBER)
    client = signed_in(cast.steward)
    old = client.get(reverse("datasets:columns", args=[first.id])).content.decode()
    new = client.get(reverse("datasets:columns", args=[second.id])).content.decode()
    assert "not the newest" in old
    assert "not the newest" not in new
    assert f"?next_of={second.id}" in new


def test_only_stewards_are_offered_the_next_version(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    address = reverse("versions:history", args=[dataset.id])
    assert "Upload the next version" in signed_in(cast.teammate).get(address).content.decode()
    assert "Upload the next version" not in signed_in(cast.approver).get(address).content.decode()


def test_releases_are_numbered_over_all_versions_and_stay_with_theirs(cast: Cast) -> None:
    first = factories.make_release(cast.steward, cast.approver, cast.team)
    before = first.request.run.dataset
    version = factories.make_next_version(before, cast.steward, AUGUST)
    request = factories.ask_for(version, cast.steward)
    second = factories.approve(request, cast.approver)
    assert (first.number, second.number) == (1, 2)
    assert Release.objects.get(number=1).request.run.dataset == before
    assert second.request.run.dataset == version
