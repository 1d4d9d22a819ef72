"""What hiding among more people would cost: never less than hiding among fewer."""

import pytest
from django.urls import reverse

from deid_portal.datasets.models import Dataset
from deid_portal.engine.charts.chart import ChartTable
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.estimation import NoEstimate
from deid_portal.plans.prices import (
    HidingPrice,
    chart_of_prices,
    price_of_hiding,
    price_of_other_limits,
)
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast
from tests.plans.test_choose_protection import CHOICE, SignIn

CHOSEN = ProtectionChoice(factories.RULES, factories.METHOD)


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def test_more_look_alikes_never_cost_less(dataset: Dataset) -> None:
    prices = price_of_hiding(dataset, CHOSEN)
    assert [price.k for price in prices] == [2, 3, 4, 5, 10], "those that 12 rows allow"
    losses = [price.loss for price in prices if price.loss is not None]
    assert losses == sorted(losses)


def test_without_k_anonymity_there_is_nothing_to_price(dataset: Dataset) -> None:
    other = ProtectionChoice([{"model": "highest-risk", "limit": 0.3}], factories.METHOD)
    with pytest.raises(NoEstimate, match="does not ask for it"):
        price_of_hiding(dataset, other)


def test_the_chart_says_what_the_next_step_costs() -> None:
    prices = [HidingPrice(4, 0.25, 0.0), HidingPrice(5, 0.31, 0.01), HidingPrice(10, None, 0.2)]
    chart = chart_of_prices(prices, CHOSEN)
    assert chart.title == "Hiding among 5 instead of 4 would cost 0.06 more"
    check_chart(chart)
    assert list(chart.figure.data[0].x) == ["4", "5"]
    assert chart.table == ChartTable(
        ["Hides among", "4", "5", "10"], [["Lost at 0\u00a0%", "0.25", "0.31", "–"]]
    )


def test_other_shares_left_out_are_drawn_beside_the_chosen_one(dataset: Dataset) -> None:
    choice = ProtectionChoice(factories.RULES, {**factories.METHOD, "suppression_limit": 0.05})
    others = price_of_other_limits(dataset, choice)
    assert list(others) == [0.02, 0.1]
    chart = chart_of_prices(price_of_hiding(dataset, choice), choice, others)
    check_chart(chart)
    assert [row[0] for row in chart.table.rows] == [
        "Lost at 5\u00a0%", "at 2\u00a0%", "at 10\u00a0%",
    ]  # fmt: skip
    ends = [note.text for note in chart.figure.layout.annotations]
    assert ends == ["5\u00a0% out", "2\u00a0% out", "10\u00a0% out"]
    assert [trace.line.dash for trace in chart.figure.data] == ["solid", "dot", "dash"]


def test_a_method_without_a_limit_has_one_curve(dataset: Dataset) -> None:
    assert price_of_other_limits(dataset, ProtectionChoice(factories.RULES, {"name": "none"})) == {}


def test_the_page_shows_prices_on_demand(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    part = client.post(reverse("plans:prices", args=[dataset.id]), CHOICE).content.decode()
    assert "Hides among" in part
    page = client.post(
        reverse("plans:protection", args=[dataset.id]), {**CHOICE, "act": "prices"}
    ).content.decode()
    assert "prices-figure" in page
    reviewer = signed_in(cast.reviewer)
    told = reviewer.post(reverse("plans:prices", args=[dataset.id])).content.decode()
    assert "Hides among" not in told
    assert "stewards alone see them" in told
