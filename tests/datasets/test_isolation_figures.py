"""One-of-a-kind rows with and without a column, as the columns are decided."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.services import tag_columns
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def test_the_panel_shows_what_was_counted_at_reading(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    page = signed_in(cast.steward).get(reverse("datasets:column", args=[dataset.id, 3]))
    figures = page.context["isolation"]
    assert (figures.columns, figures.is_in, figures.together) == (2, True, 1.0)
    assert "… without Age" in page.content.decode()


def test_other_decisions_are_counted_anew(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    roles = {2: "quasi-identifier", 3: "insensitive"}
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles=roles)
    client = signed_in(cast.reviewer)
    page = client.get(reverse("datasets:column", args=[dataset.id, 3]))
    assert page.context["isolation"].together is None
    address = reverse("datasets:isolation", args=[dataset.id, 3])
    assert address in page.content.decode()
    figures = client.get(address).context["isolation"]
    assert not figures.is_in
    assert figures.with_it == 1.0
    assert figures.together < 1.0
