"""The library as a room: a list, a look inside, files that read back, and removal."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import DatasetColumn
from deid_portal.engine.taxonomies.library import SHELF
from deid_portal.taxonomies.library import save_to_library, use_from_library
from deid_portal.taxonomies.models import LibraryTaxonomy
from deid_portal.taxonomies.services import set_taxonomy_from_file
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
ZIPS = b"13053;130;*\n13068;130;*\n14850;148;*\n14853;148;*\n"


@pytest.fixture
def kept(cast: Cast) -> LibraryTaxonomy:
    column = factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Zip")
    set_taxonomy_from_file(column=column, changed_by=cast.steward, content=ZIPS)
    for _ in range(2):
        found = save_to_library(
            column=column, saved_by=cast.steward, name="Our zips", source="Post office"
        )
    return found


def test_the_list_names_versions_origin_and_use(
    cast: Cast, kept: LibraryTaxonomy, signed_in: SignIn
) -> None:
    column = DatasetColumn.objects.get(name="Zip")
    use_from_library(column=column, changed_by=cast.steward, key=f"team-{kept.pk}")
    text = signed_in(cast.steward).get(reverse("taxonomies:library")).content.decode()
    for words in ("Our zips", "version 2 · 2 kept", "Post office", "1 dataset", "Eurostat"):
        assert words in text
    assert 'href="/library/"' in text  # the room in the top bar


def test_others_see_the_list_but_no_way_inside(
    cast: Cast, kept: LibraryTaxonomy, signed_in: SignIn
) -> None:
    text = signed_in(cast.reviewer).get(reverse("taxonomies:library")).content.decode()
    assert "Our zips" in text
    assert reverse("taxonomies:kept", args=[kept.pk]) not in text
    assert "Our zips" not in signed_in(cast.outsider).get("/library/").content.decode()


def test_an_empty_library_says_how_to_fill_it(cast: Cast, signed_in: SignIn) -> None:
    text = signed_in(cast.steward).get(reverse("taxonomies:library")).content.decode()
    assert "Nothing is kept yet." in text


def test_a_look_inside_shows_the_tree_and_its_versions(
    cast: Cast, kept: LibraryTaxonomy, signed_in: SignIn
) -> None:
    text = signed_in(cast.steward).get(reverse("taxonomies:kept", args=[kept.pk])).content.decode()
    for words in ("13053", "Any Our zips", "Version 1", "Post office"):
        assert words in text


@pytest.mark.parametrize("slug", SHELF)
def test_every_entry_of_the_shelf_can_be_looked_at(
    slug: str, cast: Cast, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("taxonomies:shelf-entry", args=[slug]))
    assert SHELF[slug].name in page.content.decode()
    export = reverse("taxonomies:export-shelf-entry", args=[slug])
    expected = 200 if SHELF[slug].is_list else 404
    assert signed_in(cast.steward).get(export).status_code == expected


def test_files_of_the_library_read_back(
    cast: Cast, kept: LibraryTaxonomy, signed_in: SignIn
) -> None:
    export = reverse("taxonomies:export-kept", args=[kept.pk])
    client = signed_in(cast.steward)
    assert sorted(client.get(export).content.splitlines()) == sorted(ZIPS.splitlines())
    document = client.get(f"{export}?form=json").content
    assert json.loads(document) == kept.tree


def test_removal_takes_all_versions_and_is_recorded(
    cast: Cast, kept: LibraryTaxonomy, signed_in: SignIn
) -> None:
    signed_in(cast.steward).post(reverse("taxonomies:remove-kept", args=[kept.pk]))
    assert not LibraryTaxonomy.objects.exists()
    assert Event.objects.filter(action="library.taxonomy.removed").exists()
