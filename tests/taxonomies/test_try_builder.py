"""What a builder would do is shown before it is built, and nothing is kept of it."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import DatasetColumn
from deid_portal.taxonomies.models import TaxonomyVersion
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def column(cast: Cast) -> DatasetColumn:
    return factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Age")


def _try(client: Client, column: DatasetColumn, kind: str, **data: object) -> str:
    address = reverse("taxonomies:try", args=[column.dataset_id, column.position, kind])
    answer = client.post(address, data)
    assert answer.status_code == 200
    return answer.content.decode()


def test_intervals_are_measured_and_laid_along_a_ruler(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    text = _try(signed_in(cast.steward), column, "intervals", start=0, width=10, widen="2")
    assert "At level 1, 12 values become" in text
    assert "steps of 20" in text
    assert "<svg" in text
    assert not TaxonomyVersion.objects.exists()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("quantiles", {"groups": 3, "widen": ""}),
        ("order", {"order": "name", "size": 3, "widen": ""}),
        ("mask", {"side": "right"}),
        ("flat", {}),
    ],
)
def test_every_builder_can_be_tried(
    kind: str, data: dict[str, object], cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    assert "Smallest group" in _try(signed_in(cast.steward), column, kind, **data)


def test_what_is_wrong_is_said_and_what_is_missing_is_waited_for(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert "once the fields are filled in" in _try(client, column, "intervals", start="", width="")
    assert "would have no place" in _try(client, column, "rules", rules="Young = starts with 2")
    assert "Line 1" in _try(client, column, "rules", rules="nonsense")
