"""Versions that runs used are kept as they were; those of a release are locked."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import DatasetColumn
from deid_portal.runs.models import Run
from deid_portal.taxonomies.models import TaxonomyVersion
from deid_portal.taxonomies.selectors import taxonomy_of
from deid_portal.taxonomies.services import edit_as_new_version, edit_taxonomy, undo_step
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
RENAME = [{"do": "rename", "node": 0, "name": "Everything"}]


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def _zip(run: Run) -> DatasetColumn:
    return run.dataset.columns.get(name="Zip")


def _numbers(column: DatasetColumn) -> list[int]:
    return sorted(TaxonomyVersion.objects.filter(column=column).values_list("number", flat=True))


def test_a_run_remembers_the_versions_it_used(run: Run, cast: Cast, signed_in: SignIn) -> None:
    assert {version.column.name for version in run.taxonomies.all()} == {"Zip", "Age"}
    address = reverse("taxonomies:workbench", args=[run.dataset_id, _zip(run).position])
    assert "Used in 1 run" in signed_in(cast.steward).get(address).content.decode()


def test_changing_what_a_run_used_begins_a_version(run: Run, cast: Cast) -> None:
    column = _zip(run)
    edit_taxonomy(column=column, changed_by=cast.steward, steps=RENAME)
    assert _numbers(column) == [1, 2]
    version = taxonomy_of(column).version  # type: ignore[union-attr]
    assert version is not None
    run.taxonomies.add(version)
    undo_step(column=column, changed_by=cast.steward)
    assert _numbers(column) == [1, 2, 3]
    version.refresh_from_db()
    assert version.done == 1  # as the run used it
    undone = taxonomy_of(column).version  # type: ignore[union-attr]
    assert undone is not None
    assert (undone.number, undone.done, undone.step_count) == (3, 0, 1)


def test_what_shaped_a_release_is_locked_until_a_new_version_is_begun(
    cast: Cast, signed_in: SignIn
) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    column = _zip(release.request.run)
    with pytest.raises(Refused, match="stays as it is"):
        edit_taxonomy(column=column, changed_by=cast.steward, steps=RENAME)
    address = reverse("taxonomies:workbench", args=[column.dataset_id, column.position])
    client = signed_in(cast.steward)
    page = client.get(address).content.decode()
    assert "Edit as new version" in page
    assert 'id="tree-edit" hidden' in page
    client.post(reverse("taxonomies:begin-version", args=[column.dataset_id, column.position]))
    assert _numbers(column) == [1, 2]
    column = _zip(release.request.run)
    edit_taxonomy(column=column, changed_by=cast.steward, steps=RENAME)
    assert _numbers(column) == [1, 2]
    with pytest.raises(Refused, match="can be edited as it is"):
        edit_as_new_version(column=column, changed_by=cast.steward)
