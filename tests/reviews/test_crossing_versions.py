"""A new version is checked against the releases of all versions before it."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.crossing_gate import cross_with_releases
from deid_portal.attacks.models import RunCrossing
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.policies.gates import Gate
from deid_portal.releases.models import Release
from deid_portal.releases.services import withdraw_release
from deid_portal.reviews.gates import gates_of
from deid_portal.reviews.models import ReviewRequest
from deid_portal.versions.people import name_person_column
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def crossing_gate(request: ReviewRequest) -> Gate:
    return next(c.gate for c in gates_of(request).gates if c.gate.name == "cross_releases")


@pytest.fixture
def second(cast: Cast) -> ReviewRequest:
    """Next month: the twelve patients of release 1, and one who joined."""
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    dataset = release.request.run.dataset
    joined = factories.PATIENTS.read_bytes().rstrip() + b"\n13,Zoe,13068,29,Cancer\n"
    return factories.ask_for(
        factories.make_next_version(dataset, cast.steward, joined), cast.steward
    )


def test_without_a_name_quasi_identifiers_are_crossed_and_the_gate_says_so(
    second: ReviewRequest,
) -> None:
    """Zoe is as old as Peter and lives where he does: one more than before, so she joined."""
    gate = crossing_gate(second)
    assert gate.fails
    assert gate.has.startswith("1 person, crossed with 1 earlier release")
    assert "no column says who is who, so rows with the same Zip and Age are taken" in gate.has


def test_by_the_column_a_steward_names_only_who_joined_stands_alone(
    cast: Cast, second: ReviewRequest
) -> None:
    """All twelve are in the groups they were in; the thirteenth is the one who was not there."""
    name_person_column(dataset=second.run.dataset, name="Id", named_by=cast.steward)
    gate = crossing_gate(second)
    assert gate.has == "1 person, crossed with 1 earlier release; people recognized by Id"
    assert Event.objects.get(action="dataset.person_column_named").facts == {"column": 1}


@pytest.mark.parametrize("named", ["", "Id"])
def test_the_attack_says_the_same_as_the_gate(
    named: str, cast: Cast, second: ReviewRequest
) -> None:
    if named:
        name_person_column(dataset=second.run.dataset, name=named, named_by=cast.steward)
    [test] = factories.attack(second.run, cast.steward, "intersection")
    least_k = int(test.result["figures"]["k"])
    crossed = cross_with_releases(second.run, least_k)
    figures = test.result["figures"]
    assert (figures["few"], figures["smallest"]) == (crossed.people, crossed.smallest)
    assert test.result["releases"] == [1]
    assert test.result["notes"][-1] == f"Across versions: {crossed.how}."


def test_the_attack_names_the_release_that_cannot_be_crossed(
    cast: Cast, second: ReviewRequest
) -> None:
    Dataset.objects.filter(version=1).update(state="forgotten")
    [test] = factories.attack(second.run, cast.steward, "intersection")
    assert test.result["reason"].startswith("Release 1 cannot be crossed")


def test_a_pseudonym_links_versions_by_itself(cast: Cast, second: ReviewRequest) -> None:
    for request in (second, Release.objects.get().request):
        request.run.dataset.columns.filter(name="Name").update(treatment="pseudonym")
    assert "people recognized by Name" in crossing_gate(second).has


def test_a_withdrawn_release_counts(cast: Cast, second: ReviewRequest) -> None:
    before = crossing_gate(second)
    release = Release.objects.get()
    withdraw_release(release=release, withdrawn_by=cast.steward, reason="x", typed=str(release))
    RunCrossing.objects.all().delete()
    assert crossing_gate(second) == before


def test_a_release_whose_table_is_gone_cannot_be_crossed_and_that_is_said(
    cast: Cast, second: ReviewRequest
) -> None:
    Dataset.objects.filter(version=1).update(state="forgotten")
    RunCrossing.objects.all().delete()
    gate = crossing_gate(second)
    assert gate.fails
    assert gate.has.startswith("Release 1 cannot be crossed")


def test_the_column_is_named_on_the_page_of_what_changed(
    cast: Cast, second: ReviewRequest, signed_in: SignIn
) -> None:
    dataset, client = second.run.dataset, signed_in(cast.steward)
    address = reverse("versions:name-people", args=[dataset.id])
    client.post(address, {"column": "nothing of the kind"})
    client.post(address, {"column": "Id"})
    page = client.get(reverse("versions:drift", args=[dataset.id])).content.decode()
    assert "<option selected>Id</option>" in page
