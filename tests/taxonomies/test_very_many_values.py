"""Columns with more values than can be placed one by one: rules still work, the rest is said."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.services import tag_columns
from deid_portal.engine import InvalidPlan
from deid_portal.engine.taxonomies.taxonomy import LevelEffect
from deid_portal.taxonomies import library, pages, selectors, services, trials
from deid_portal.taxonomies.figures import effect_of, effect_title
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyKind
from deid_portal.taxonomies.services import propose_taxonomy, set_taxonomy, set_taxonomy_from_file
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast

SignIn = Callable[[User], Client]
ROWS = "".join(
    f"{1000 + number},w{'abcdefghij'[number % 10] * (number % 7 + 1)}{number}\n"
    for number in range(60)
)


@pytest.fixture
def columns(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> tuple[DatasetColumn, DatasetColumn]:
    """Sixty numbers and sixty words, where fifty are already very many."""
    content = f"income,word\n{ROWS}".encode()
    dataset = factories.make_dataset(cast.steward, cast.team, content)
    tag_columns(
        dataset=dataset, tagged_by=cast.steward, roles=dict.fromkeys((0, 1), "quasi-identifier")
    )
    for module in (services, library, trials):
        monkeypatch.setattr(module, "MOST_VALUES", 50)
    monkeypatch.setattr(selectors, "MOST_EDITED", 40)
    income, word = dataset.columns.all()
    return income, word


def test_intervals_and_masks_work_for_any_number_of_values(
    columns: tuple[DatasetColumn, DatasetColumn], cast: Cast, signed_in: SignIn
) -> None:
    income, word = columns
    recipe = {"intervals": {"start": 0, "width": 10, "widen": [2]}}
    set_taxonomy(column=income, changed_by=cast.steward, kind=TaxonomyKind.INTERVALS, recipe=recipe)
    mask = {"mask": {"from": "right", "character": "*"}}
    set_taxonomy(column=word, changed_by=cast.steward, kind=TaxonomyKind.MASK, recipe=mask)
    assert all(taxonomy.is_complete for taxonomy in ColumnTaxonomy.objects.all())
    address = reverse("taxonomies:workbench", args=[income.dataset_id, 0])
    text = signed_in(cast.steward).get(address).content.decode()
    assert "too large to be edited here" in text
    assert "At level 1, 60 values become 6" in text


def test_what_would_place_each_value_is_refused_with_a_way_out(
    columns: tuple[DatasetColumn, DatasetColumn], cast: Cast
) -> None:
    income, word = columns
    with pytest.raises(InvalidPlan, match=r"at most 50 can be placed this way. Use intervals\."):
        set_taxonomy_from_file(column=income, changed_by=cast.steward, content=b"1000;*\n")
    with pytest.raises(InvalidPlan, match=r"Mask it, show or hide it whole"):
        set_taxonomy_from_file(column=word, changed_by=cast.steward, content=b"wa0;*\n")


def test_a_proposal_is_made_all_the_same(
    columns: tuple[DatasetColumn, DatasetColumn], cast: Cast
) -> None:
    income, word = columns
    assert propose_taxonomy(column=income, changed_by=cast.steward).startswith("Numbers")
    assert propose_taxonomy(column=word, changed_by=cast.steward).startswith("Too many words")


def test_nothing_is_looked_up_and_the_page_says_so(
    columns: tuple[DatasetColumn, DatasetColumn], cast: Cast, signed_in: SignIn
) -> None:
    income, _ = columns
    assert library.describe_library(income) == []
    client = signed_in(cast.steward)
    address = reverse("taxonomies:try", args=[income.dataset_id, 0, "flat"])
    assert "too many to try out" in client.post(address).content.decode()


def test_nobody_is_asked_to_type_very_many_values(
    columns: tuple[DatasetColumn, DatasetColumn],
    cast: Cast,
    signed_in: SignIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = reverse("taxonomies:workbench", args=[columns[1].dataset_id, 1])
    client = signed_in(cast.steward)
    assert client.get(address).context["builder"]["kind"] == "tree"
    monkeypatch.setattr(pages, "VALUES_TYPED", 50)
    assert client.get(address).context["builder"]["kind"] == "rules"


def test_the_title_speaks_of_the_first_level_that_joins_values() -> None:
    left = (60, 60, 6, 1)
    effects = [LevelEffect(level, "", count, 1, level / 3) for level, count in enumerate(left)]
    assert effect_title(effects).startswith("At level 2, 60 values become 6 ")
    chart = effect_of(effects, is_whole=True)
    assert chart is not None
    check_chart(chart)
