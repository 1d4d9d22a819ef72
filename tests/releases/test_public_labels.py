"""A group of the release stands for something: the package says what, where that is public."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.plans.services import choose_protection
from deid_portal.releases.models import Package
from deid_portal.releases.packages import read_file
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.services import start_run
from deid_portal.taxonomies.library import use_from_library
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
TREE = {"tree": {"*": {"north": ["13053", "13068"], "south": ["14850", "14853"]}}}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    column, kind = dataset.columns.get(name="Zip"), ColumnTaxonomy.Kind.TREE
    set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe=TREE)
    return dataset


def mark(dataset: Dataset, client: Client, column: str = "Zip", **ticked: str) -> None:
    position = dataset.columns.get(name=column).position
    response = client.post(reverse("taxonomies:public-labels", args=[dataset.id, position]), ticked)
    assert response.status_code in (302, 403)


def zip_field(package: Package) -> dict[str, object]:
    fields = json.loads(read_file(package, "datapackage.json"))["resources"][0]["schema"]["fields"]
    return next(field for field in fields if field["name"] == "Zip")


def release_of(dataset: Dataset, cast: Cast) -> Package:
    levels = {"name": "levels", "levels": {"Zip": 1, "Age": 3}, "suppression_limit": 1.0}
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=factories.RULES, method=levels)
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    factories.allow_small_groups(cast.team, cast.steward, most_left_out=1.0)
    terms = RequestTerms("teaching file", [], downloads_per_person=3)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=terms)
    package = factories.pack(factories.approve(request, cast.approver))
    assert package.status == package.Status.FINISHED, "packing verifies what it packs"
    return package


def test_a_ticked_taxonomy_is_named_in_the_package(
    dataset: Dataset, cast: Cast, signed_in: SignIn, without_pdf: None
) -> None:
    mark(dataset, signed_in(cast.steward), public_labels="on")
    package = release_of(dataset, cast)
    field = zip_field(package)
    assert field["groups"] == [
        {"label": "north", "values": ["13053", "13068"], "unnamed": 0},
        {"label": "south", "values": ["14850", "14853"], "unnamed": 0},
    ]
    assert "public knowledge" in str(field["labelsBelow"])
    plan = json.loads(read_file(package, "plan.json"))
    assert plan["columns"]["Zip"]["public_labels"] is True


def test_otherwise_it_stays_numbered(dataset: Dataset, cast: Cast, without_pdf: None) -> None:
    package = release_of(dataset, cast)
    field = zip_field(package)
    assert field["labelsBelow"] == "numbered"
    assert "groups" not in field
    assert "13053" not in read_file(package, "datapackage.json").decode()


def test_the_shelf_is_public_and_what_is_built_is_not(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    column = dataset.columns.get(name="Zip")
    mark(dataset, client, public_labels="on")
    page = client.get(reverse("taxonomies:workbench", args=[dataset.id, column.position]))
    assert "These groups are public knowledge" in page.content.decode()
    kind = ColumnTaxonomy.Kind.TREE
    built = set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe=TREE)
    assert not built.public_labels, "another taxonomy has to be ticked anew"
    age = dataset.columns.get(name="Age")
    assert use_from_library(column=age, changed_by=cast.steward, key="shelf-ages").public_labels
    mark(dataset, client, public_labels="on")
    mark(dataset, client)
    assert not ColumnTaxonomy.objects.get(column=column).public_labels


def test_a_taxonomy_without_values_has_nothing_to_name(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    position = dataset.columns.get(name="Age").position
    address = reverse("taxonomies:public-labels", args=[dataset.id, position])
    assert signed_in(cast.steward).post(address, {"public_labels": "on"}).status_code == 403
    assert not ColumnTaxonomy.objects.get(column__dataset=dataset, column__name="Age").public_labels
