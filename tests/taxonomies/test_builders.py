"""The builders that put a tree together from the values, and the proposal."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.services import tag_columns
from deid_portal.taxonomies.models import ColumnTaxonomy
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def column(cast: Cast) -> DatasetColumn:
    return factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Zip")


def _address(name: str, column: DatasetColumn, *more: str) -> str:
    return reverse(f"taxonomies:{name}", args=[column.dataset_id, column.position, *more])


def _rows(column: DatasetColumn) -> list[str]:
    text = ColumnTaxonomy.objects.get(column=column).file_text or ""
    return sorted(text.splitlines())


@pytest.mark.parametrize(
    ("tab", "fields", "expected"),
    [
        ("rules", {"rules": "A = starts with 130\nB = rest"}, "13053;A;*"),
        ("rare", {"least": "1000", "name": "other"}, "13053;other;*"),
        ("order", {"order": "name", "size": "2", "widen": ""}, "13053;13053 … 13068;*"),
        ("tree", {"tree": "13053\tEast\n13068\tEast\n14850\tWest\n14853\tWest\n"}, "13053;East;*"),
    ],
)
def test_builders_make_trees(
    tab: str,
    fields: dict[str, str],
    expected: str,
    cast: Cast,
    column: DatasetColumn,
    signed_in: SignIn,
) -> None:
    client = signed_in(cast.steward)
    assert client.get(_address("workbench", column), {"tab": tab}).status_code == 200
    assert client.post(_address("build", column, tab), fields).status_code == 302
    assert expected in _rows(column)
    assert ColumnTaxonomy.objects.get(column=column).is_complete


def test_quantiles_and_open_ends_of_numbers(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    ages = column.dataset.columns.get(name="Age")
    client = signed_in(cast.steward)
    client.post(_address("build", ages, "quantiles"), {"groups": "4", "widen": "2"})
    assert any(";≥" in row for row in _rows(ages))
    form = {"start": "0", "width": "10", "widen": "2", "bottom": "25", "top": "50"}
    client.post(_address("build", ages, "intervals"), form)
    taxonomy = ColumnTaxonomy.objects.get(column=ages)
    assert taxonomy.recipe["intervals"]["top"] == 50
    assert taxonomy.is_complete
    answer = client.post(_address("build", ages, "intervals"), {**form, "top": "20"})
    assert answer.status_code == 422
    assert "above the other open end" in answer.content.decode()


def test_what_rules_leave_out_becomes_a_list_to_place(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    client.post(_address("build", column, "rules"), {"rules": "A = starts with 130"})
    page = client.get(_address("workbench", column))
    assert page.context["view"].uncovered_count == 2
    answer = client.post(_address("build", column, "rules"), {"rules": "A starts with"})
    assert "Line 1: write the group" in answer.content.decode()


def test_a_proposal_is_one_press(cast: Cast, column: DatasetColumn, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    assert "Propose one" in client.get(_address("workbench", column)).content.decode()
    assert client.post(_address("propose", column)).status_code == 302
    taxonomy = ColumnTaxonomy.objects.get(column=column)
    assert taxonomy.is_complete
    assert taxonomy.version is not None
    assert taxonomy.version.words.startswith("Proposed. ")


def test_all_that_is_missing_is_proposed_at_once(cast: Cast, signed_in: SignIn) -> None:
    rows = "".join(f"{130 + n};{20 + n};{'mf'[n % 2]};{n}\n" for n in range(30))
    dataset = factories.make_dataset(
        cast.steward, cast.team, f"zip;age;sex;visits\n{rows}".encode()
    )
    tag_columns(
        dataset=dataset,
        tagged_by=cast.steward,
        roles=dict.fromkeys(range(3), "quasi-identifier") | {3: "insensitive"},
    )
    zips, age, sex = dataset.columns.order_by("position")[:3]
    client = signed_in(cast.steward)
    client.post(_address("build", zips, "tree"), {"tree": "anything\n  130\n"})
    assert "Propose all 2" in client.get(_address("workbench", zips)).content.decode()
    address = reverse("taxonomies:propose-missing", args=[dataset.id])
    answer = client.post(address, follow=True)
    assert "2 taxonomies proposed." in answer.content.decode()
    assert "Propose all" not in answer.content.decode()
    complete = {one.column_id: one.is_complete for one in ColumnTaxonomy.objects.all()}
    # What somebody built is left to that person, and is what the page leads to.
    assert complete == {zips.id: False, age.id: True, sex.id: True}
    assert answer.context["column"] == zips


def test_days_of_birth_are_read_as_ages(cast: Cast, signed_in: SignIn) -> None:
    born = "".join(f"19{n}-03-0{n % 9 + 1};{n % 3}\n" for n in range(30, 90))
    dataset = factories.make_dataset(cast.steward, cast.team, f"geb. am;visits\n{born}".encode())
    column = dataset.columns.get(name="geb. am")
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={0: "quasi-identifier"})
    client = signed_in(cast.steward)
    client.post(_address("propose", column))
    recipe = ColumnTaxonomy.objects.get(column=column).recipe
    assert recipe["as_of"] == timezone.localdate().isoformat()
    page = client.get(_address("workbench", column), {"tab": "dates"}).content.decode()
    assert "Bands of 5" in page
    assert f'value="{recipe["as_of"]}"' in page
    chosen = {"as_of": "2026-04-01", "ages": ["5-year age", "20-year age"], "units": ["year"]}
    client.post(_address("build", column, "dates"), chosen)
    recipe = ColumnTaxonomy.objects.get(column=column).recipe
    assert recipe == {"dates": ["5-year age", "20-year age"], "as_of": "2026-04-01"}
    answer = client.post(_address("build", column, "dates"), {"as_of": "2026-04-01"})
    assert answer.status_code == 422
    assert "Choose at least one level." in answer.content.decode()
    client.post(_address("build", column, "dates"), {"units": ["five years"]})
    assert ColumnTaxonomy.objects.get(column=column).recipe == {"dates": ["five years"]}


def test_once_there_is_a_tree_the_builders_stand_behind_one_button(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert 'id="tab-mask"' in client.get(_address("workbench", column)).content.decode()
    client.post(_address("build", column, "mask"), {"side": "right"})
    closed = client.get(_address("workbench", column)).content.decode()
    assert "Build it anew" in closed
    assert 'id="tab-mask"' not in closed
    opened = client.get(_address("workbench", column), {"tab": "mask"}).content.decode()
    assert 'id="tab-mask"' in opened


def test_the_list_beside_it_agrees_with_its_icons(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    """A sensitive column without a tree is no gap beside "all complete"."""
    client = signed_in(cast.steward)
    for quasi in column.dataset.columns.filter(role="quasi-identifier"):
        client.post(_address("build", quasi, "flat"))
    page = client.get(_address("workbench", column))
    assert "all complete" in page.content.decode()
    assert {line.state for line in page.context["shelf"]} == {"complete", "not needed"}
    assert page.context["has_optional"]


def test_values_are_counted_the_same_everywhere_on_the_page(cast: Cast, signed_in: SignIn) -> None:
    content = b"job;visits\n" + b"cook;1\nclerk;2\nsmith;3\n;4\nbaker;1\n" * 4
    dataset = factories.make_dataset(cast.steward, cast.team, content)
    column = dataset.columns.get(name="job")
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={0: "quasi-identifier"})
    client = signed_in(cast.steward)
    client.post(_address("build", column, "rare"), {"least": "1000", "name": "other"})
    page = client.get(_address("workbench", column))
    assert page.context["coverage"].total == page.context["view"].leaf_count == 5
    assert "missing among them" in " ".join(page.content.decode().split())
