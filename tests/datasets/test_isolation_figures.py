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
    client = signed_in(cast.teammate)
    page = client.get(reverse("datasets:column", args=[dataset.id, 3]))
    assert page.context["isolation"].together is None
    address = reverse("datasets:isolation", args=[dataset.id, 3])
    assert address in page.content.decode()
    figures = client.get(address).context["isolation"]
    assert not figures.is_in
    assert figures.with_it == 1.0
    assert figures.together < 1.0


def test_who_sees_no_rows_is_told_no_figure_of_a_column(cast: Cast, signed_in: SignIn) -> None:
    """They count everybody: whoever knows all others in the table could solve them for the last."""
    dataset = factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.approver)
    page = client.get(reverse("datasets:column", args=[dataset.id, 3]))
    assert page.context["isolation"] is page.context["company"] is page.context["chart"] is None
    for words in (
        "one of a kind.",
        "<dt>Different values",
        "Values that occur once",
        "Worst together",
    ):
        assert words not in page.content.decode()
    assert client.get(reverse("datasets:isolation", args=[dataset.id, 3])).status_code == 403
    columns = reverse("datasets:columns", args=[dataset.id])
    for share in range(100):
        found = client.get(columns, {"find": f"missing>{share}"}).context["listing"].columns
        assert found == 0
