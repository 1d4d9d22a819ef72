from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import tag_columns
from deid_portal.runs.models import Run
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
CHOICE = {"k": "4", "l_4": "2", "suppression_percent": "2.5", "metric": "loss"}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def _address(dataset: Dataset, name: str = "protection") -> str:
    return reverse(f"plans:{name}", args=[dataset.id])


def test_the_choice_is_kept_as_plan_format_writes_it(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(_address(dataset), CHOICE)
    assert answer.status_code == 302
    dataset.protection.refresh_from_db()
    assert dataset.protection.rules == [
        {"model": "k-anonymity", "k": 4},
        {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "Condition"},
    ]
    assert dataset.protection.method["suppression_limit"] == 0.025
    assert Event.objects.filter(action="plan.protection_chosen").count() == 2


def test_the_document_can_be_taken_to_the_command_line(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    document = signed_in(cast.steward).get(_address(dataset, "document")).json()
    assert document["plan"] == 1
    assert document["columns"]["Name"]["role"] == "identifier"
    assert document["models"] == [{"model": "k-anonymity", "k": 4}]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": "1"}, "k must be 2 or more"),
        ({"k": "13"}, "only 12 rows"),
        ({"k": "five"}, "k must be a whole number"),
        ({"l_4": "9"}, "has only 3 different values"),
        ({"suppression_percent": "101"}, "between 0 and 100"),
        ({"metric": "beauty"}, "beauty"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused_and_keeps_the_old(
    change: dict[str, str], words: str, cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(_address(dataset), {**CHOICE, **change})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    dataset.protection.refresh_from_db()
    assert dataset.protection.rules == factories.RULES


def test_an_unusual_choice_carries_a_caution(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(_address(dataset, "promise"), {**CHOICE, "k": "2"})
    assert "Unusual." in answer.content.decode()


def test_the_promise_says_what_is_removed(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    page = signed_in(cast.steward).post(_address(dataset, "promise"), CHOICE).content.decode()
    assert "Id and Name are removed." in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "Nobody is left out."),
        ({"suppression_percent": "10"}, "of the rows are left out, 1 person."),
        ({"method": "mondrian"}, "Nobody is left out."),
    ],
)
def test_the_promise_says_who_is_left_out(
    change: dict[str, str], words: str, cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).post(_address(dataset, "promise"), {**CHOICE, **change})
    assert words in page.content.decode()


def test_start_saves_and_leads_to_the_run(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    answer = client.post(_address(dataset), {**CHOICE, "then": "start"}, follow=True)
    run = Run.objects.get()
    assert answer.redirect_chain[-1][0] == reverse("runs:show", args=[run.id])
    assert run.plan["models"][0]["k"] == 4


def test_a_reviewer_sees_the_plan_but_cannot_change_it(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.reviewer)
    assert client.get(_address(dataset)).status_code == 200
    assert client.post(_address(dataset), CHOICE).status_code == 403


def test_a_percent_sign_in_a_name_is_only_a_sign(cast: Cast, signed_in: SignIn) -> None:
    content = b"age,fat % (of all)\n1,a\n2,b\n3,a\n"
    dataset = factories.make_dataset(cast.steward, cast.team, content)
    tag_columns(
        dataset=dataset, tagged_by=cast.steward, roles={0: "quasi-identifier", 1: "sensitive"}
    )
    column = dataset.columns.get(position=0)
    kind = ColumnTaxonomy.Kind.FLAT
    set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe={})
    choice = {"k": "2", "l_1": "9", "suppression_percent": "0", "metric": "loss"}
    answer = signed_in(cast.steward).post(_address(dataset), choice)
    assert answer.status_code == 422
    assert "fat % (of all) has only 2 different" in answer.content.decode()
