from collections.abc import Callable

from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def test_a_column_is_tagged_and_recorded(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    address = reverse("datasets:tag", args=[dataset.id, 2])
    signed_in(cast.teammate).post(address, {"role": "quasi-identifier"})
    assert dataset.columns.get(position=2).role == "quasi-identifier"
    event = Event.objects.get(action="dataset.columns_tagged")
    assert event.actor == cast.teammate
    assert event.facts == {"columns": {"3": "quasi-identifier"}}


def test_htmx_gets_the_row_and_the_next_bar(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    answer = signed_in(cast.steward).post(
        reverse("datasets:tag", args=[dataset.id, 2]),
        {"role": "sensitive"},
        headers={"HX-Request": "true"},
    )
    text = answer.content.decode()
    assert "hx-swap-oob" in text
    assert "<html" not in text


def test_several_columns_get_one_role(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    signed_in(cast.steward).post(
        reverse("datasets:tag-many", args=[dataset.id]),
        {"role": "identifier", "position": ["0", "1"]},
    )
    roles = dict(dataset.columns.values_list("name", "role"))
    assert roles == {
        "Id": "identifier",
        "Name": "identifier",
        "Zip": "",
        "Age": "",
        "Condition": "",
    }


def test_a_role_that_does_not_exist_is_refused(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    address = reverse("datasets:tag", args=[dataset.id, 2])
    assert signed_in(cast.steward).post(address, {"role": "boss"}).status_code == 400


def test_a_reviewer_cannot_tag(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    address = reverse("datasets:tag", args=[dataset.id, 2])
    answer = signed_in(cast.reviewer).post(address, {"role": "sensitive"})
    assert answer.status_code == 403
    assert "Only stewards of this team can change this." in answer.content.decode()
    assert dataset.columns.get(position=2).role == ""


def test_taxonomies_wait_for_every_decision(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    answer = signed_in(cast.steward).get(reverse("taxonomies:overview", args=[dataset.id]))
    assert answer.status_code == 409
    assert "5 columns still open" in answer.content.decode()


def test_a_table_without_quasi_identifier_goes_no_further(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    client.post(
        reverse("datasets:tag-many", args=[dataset.id]),
        {"role": "insensitive", "position": [str(number) for number in range(5)]},
    )
    answer = client.get(reverse("taxonomies:overview", args=[dataset.id]))
    assert "No column is a quasi-identifier" in answer.content.decode()


def test_the_page_costs_the_same_queries_for_many_columns(
    cast: Cast,
    signed_in: SignIn,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    names = ",".join(f"column_{number}" for number in range(200))
    cells = ",".join(str(number % 7) for number in range(200))
    content = f"{names}\n{cells}\n{cells}\n".encode()
    dataset = factories.make_dataset(cast.steward, cast.team, content)
    client = signed_in(cast.steward)
    with django_assert_max_num_queries(40):
        answer = client.get(reverse("datasets:columns", args=[dataset.id]))
    assert answer.status_code == 200
