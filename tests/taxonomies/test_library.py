"""The shelf and the team library: found by what they cover, used, kept, versioned."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import DatasetColumn
from deid_portal.taxonomies.library import describe_library
from deid_portal.taxonomies.models import ColumnTaxonomy, LibraryTaxonomy
from deid_portal.taxonomies.services import set_taxonomy_from_file
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
ZIPS = b"13053;130;*\n13068;130;*\n14850;148;*\n"


@pytest.fixture
def column(cast: Cast) -> DatasetColumn:
    return factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Zip")


def _address(name: str, column: DatasetColumn, *more: str) -> str:
    return reverse(f"taxonomies:{name}", args=[column.dataset_id, column.position, *more])


def test_the_shelf_says_how_much_of_a_column_it_covers(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    lines = {line.key: line for line in describe_library(column)}
    assert lines["shelf-us-zip"].covered == lines["shelf-us-zip"].total == 4
    assert "shelf-countries" not in lines
    page = signed_in(cast.steward).get(_address("workbench", column), {"tab": "library"})
    assert "USPS" in page.content.decode()


def test_a_taxonomy_of_the_shelf_is_used(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert client.post(_address("use-library", column, "shelf-us-zip")).status_code == 302
    taxonomy = ColumnTaxonomy.objects.get(column=column)
    assert taxonomy.is_complete
    assert "13053;130**;New York;Northeast;*" in (taxonomy.file_text or "")
    assert taxonomy.version is not None
    assert taxonomy.version.words == "From the shelf: US ZIP codes"
    assert client.post(_address("use-library", column, "shelf-nothing")).status_code == 404
    assert client.post(_address("use-library", column, "team-1")).status_code == 404
    answer = client.post(_address("use-library", column, "shelf-countries"))
    assert answer.status_code == 422


def test_a_tree_is_kept_for_the_team_and_used_again(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    set_taxonomy_from_file(column=column, changed_by=cast.steward, content=ZIPS)
    client = signed_in(cast.steward)
    for source in ("Post office, 2026", ""):
        answer = client.post(_address("keep", column), {"name": "Our zips", "source": source})
        assert answer.status_code == 302
    kept = LibraryTaxonomy.objects.filter(team=cast.team)
    assert [(one.number, one.source) for one in kept] == [
        (2, "Patients, column Zip"),
        (1, "Post office, 2026"),
    ]
    assert Event.objects.filter(action="library.taxonomy.kept").count() == 2
    other = factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Zip")
    line = next(one for one in describe_library(other) if one.key.startswith("team-"))
    assert (line.name, line.covered, line.total) == ("Our zips", 3, 4)
    client.post(_address("use-library", other, line.key))
    taxonomy = ColumnTaxonomy.objects.get(column=other)
    assert taxonomy.uncovered == 1
    assert "13053;130;*" in (taxonomy.file_text or "")


def test_a_kept_tree_is_removed_with_all_its_versions(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    set_taxonomy_from_file(column=column, changed_by=cast.steward, content=ZIPS)
    client = signed_in(cast.steward)
    for _ in range(2):
        client.post(_address("keep", column), {"name": "Our zips"})
    newest = LibraryTaxonomy.objects.get(number=2)
    assert (
        signed_in(cast.reviewer).post(_address("forget", column, f"team-{newest.pk}")).status_code
        == 403
    )
    assert client.post(_address("forget", column, f"team-{newest.pk}")).status_code == 302
    assert not LibraryTaxonomy.objects.exists()
    assert ColumnTaxonomy.objects.filter(column=column).exists()
    assert Event.objects.filter(action="library.taxonomy.removed").exists()
    assert client.post(_address("forget", column, "shelf-ages")).status_code == 404


def test_a_name_is_needed(cast: Cast, column: DatasetColumn, signed_in: SignIn) -> None:
    assert signed_in(cast.steward).post(_address("keep", column), {}).status_code == 422


def test_another_team_sees_nothing_of_it(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    set_taxonomy_from_file(column=column, changed_by=cast.steward, content=ZIPS)
    signed_in(cast.steward).post(_address("keep", column), {"name": "Our zips"})
    kept = LibraryTaxonomy.objects.get()
    elsewhere = factories.make_tagged_dataset(cast.outsider, cast.outsider.memberships.get().team)
    zips = elsewhere.columns.get(name="Zip")
    assert not any(line.key.startswith("team-") for line in describe_library(zips))
    answer = signed_in(cast.outsider).post(_address("use-library", zips, f"team-{kept.pk}"))
    assert answer.status_code == 404
