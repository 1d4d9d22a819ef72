"""Suggestions on the tagging page: shown with a reason, taken with a click, undone with another."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import UNDO_STEPS, tag_columns
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
PART = {"HX-Request": "true"}


def _roles(dataset: Dataset) -> dict[str, str]:
    return dict(dataset.columns.values_list("name", "role"))


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_dataset(cast.steward, cast.team)


def test_every_column_has_a_suggestion_and_none_is_tagged(dataset: Dataset) -> None:
    suggested = {c.name: c.suggestion["role"] for c in dataset.columns.all()}
    assert suggested == factories.PATIENT_ROLES
    assert set(_roles(dataset).values()) == {""}


def test_the_page_shows_the_most_dangerous_first_with_reasons(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("datasets:columns", args=[dataset.id]))
    names = [row.column.name for row in page.context["rows"]]
    assert names == ["Id", "Name", "Age", "Zip", "Condition"]
    text = page.content.decode()
    assert "The heading speaks of the name of a person" in text
    assert "Accept 5 suggestions" in text
    assert "HIPAA, 45 CFR 164.514(b)(2)" in text
    assert "Worst together" in text


def test_no_suggestion_shows_a_value(dataset: Dataset, cast: Cast, signed_in: SignIn) -> None:
    page = signed_in(cast.reviewer).get(reverse("datasets:columns", args=[dataset.id]))
    assert "<strong>Identifier.</strong>" in page.content.decode()
    assert "Jennifer" not in page.content.decode()
    assert "Accept" not in page.content.decode()
    steward = signed_in(cast.steward).get(reverse("datasets:columns", args=[dataset.id]))
    reasons = [row.advice.reason for row in steward.context["rows"]]
    assert not any("Jennifer" in reason for reason in reasons)


def test_all_open_columns_take_their_suggestions_at_once(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={2: "insensitive"})
    signed_in(cast.steward).post(reverse("datasets:accept", args=[dataset.id]))
    assert _roles(dataset) == {**factories.PATIENT_ROLES, "Zip": "insensitive"}
    assert Event.objects.filter(action="dataset.columns_tagged").count() == 2


def test_free_text_stays_open_and_the_page_says_why(cast: Cast, signed_in: SignIn) -> None:
    notes = "".join(f"{n % 5};Came on day {n}, feels better and walks.\n" for n in range(30))
    content = f"visits;note\n{notes}".encode()
    dataset = factories.make_dataset(cast.steward, cast.team, content=content)
    client, page = signed_in(cast.steward), reverse("datasets:columns", args=[dataset.id])
    text = client.get(page).content.decode()
    assert "Free text: you decide." in text
    assert "anybody may be named in it" in text
    assert "Accepting leaves note open: free text is yours to decide." in text
    client.post(reverse("datasets:accept", args=[dataset.id]))
    assert _roles(dataset) == {"visits": "quasi-identifier", "note": ""}


def test_ticked_columns_take_their_suggestions(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    address = reverse("datasets:tag-many", args=[dataset.id])
    signed_in(cast.steward).post(address, {"role": "suggested", "position": ["1", "3"]})
    roles = _roles(dataset)
    assert roles["Name"] == "identifier"
    assert roles["Age"] == "quasi-identifier"
    assert roles["Zip"] == ""


def test_a_step_of_many_columns_is_undone_in_one(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    client.post(reverse("datasets:tag", args=[dataset.id, 2]), {"role": "sensitive"})
    client.post(reverse("datasets:accept", args=[dataset.id]))
    undo = reverse("datasets:undo", args=[dataset.id])
    client.post(undo)
    assert [role for role in _roles(dataset).values() if role] == ["sensitive"]
    client.post(undo)
    assert set(_roles(dataset).values()) == {""}
    assert Event.objects.filter(action="dataset.tagging_undone").count() == 2
    assert client.post(undo).status_code == 302
    assert Event.objects.filter(action="dataset.tagging_undone").count() == 2


def test_undo_leaves_what_somebody_else_did_since(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={1: "sensitive", 2: "sensitive"})
    tag_columns(dataset=dataset, tagged_by=cast.teammate, roles={2: "insensitive"})
    signed_in(cast.steward).post(reverse("datasets:undo", args=[dataset.id]))
    assert _roles(dataset)["Zip"] == "insensitive"
    assert _roles(dataset)["Name"] == ""


def test_twenty_steps_are_remembered(dataset: Dataset, cast: Cast) -> None:
    for number in range(UNDO_STEPS + 5):
        role = ("sensitive", "insensitive")[number % 2]
        tag_columns(dataset=dataset, tagged_by=cast.steward, roles={1: role})
    assert dataset.taggings.count() == UNDO_STEPS


def test_a_tag_brings_the_undo_button(dataset: Dataset, cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    page = client.get(reverse("datasets:columns", args=[dataset.id]))
    assert not page.context["can_undo"]
    address = reverse("datasets:tag", args=[dataset.id, 2])
    answer = client.post(address, {"role": "sensitive"}, headers=PART)
    assert answer.context["can_undo"]
    assert 'id="undo" hx-swap-oob="true"' in answer.content.decode()


def test_a_dataset_from_before_there_were_suggestions_opens(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    dataset.columns.update(suggestion={})
    client = signed_in(cast.steward)
    page = client.get(reverse("datasets:columns", args=[dataset.id]))
    assert page.status_code == 200
    client.post(reverse("datasets:accept", args=[dataset.id]))
    assert set(_roles(dataset).values()) == {""}
