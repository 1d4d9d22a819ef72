"""While columns are tagged: which taxonomy would fit, and taking it with one click."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import tag_columns
from deid_portal.taxonomies.models import ColumnTaxonomy
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
PART = {"HX-Request": "true"}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_dataset(cast.steward, cast.team)


def _fitting(dataset: Dataset, name: str) -> str:
    column = dataset.columns.get(name=name)
    return reverse("taxonomies:fitting", args=[dataset.id, column.position])


def test_the_shelf_is_offered_before_the_column_is_tagged(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    text = signed_in(cast.steward).get(_fitting(dataset, "Zip"), headers=PART).content.decode()
    assert "The shelf has <strong>US ZIP codes</strong>; it covers all 4 values." in text
    assert "Use this taxonomy" not in text
    assert "<html" not in text


def test_a_quasi_identifier_takes_it_and_the_page_stays(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={2: "quasi-identifier"})
    client = signed_in(cast.steward)
    assert "Use this taxonomy" in client.get(_fitting(dataset, "Zip")).content.decode()
    adopt = reverse("taxonomies:adopt", args=[dataset.id, 2, "shelf-us-zip"])
    answer = client.post(adopt, headers=PART).content.decode()
    assert "It covers all 4 values." in answer
    assert ColumnTaxonomy.objects.get(column__dataset=dataset).is_complete
    assert client.post(adopt)["Location"].endswith("/columns/?column=2")
    nothing = reverse("taxonomies:adopt", args=[dataset.id, 2, "shelf-nothing"])
    assert client.post(nothing).status_code == 404


def test_what_knows_few_values_is_not_offered(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    text = signed_in(cast.steward).get(_fitting(dataset, "Condition")).content.decode()
    assert "Nothing on the shelf or in the team library knows most of its values" in text
