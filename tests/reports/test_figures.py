"""What the report says, from reports small enough to check by eye."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.services import tag_columns
from deid_portal.engine.charts.detail import loss_chart
from deid_portal.engine.charts.groups import classes_chart
from deid_portal.engine.charts.risk import risk_bands_chart
from deid_portal.engine.report import Report
from deid_portal.engine.wording.numbers import one_in
from deid_portal.reports.verdicts import key_numbers, rules_sentence, verdict_of
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def report(cast: Cast) -> Report:
    return factories.make_finished_run(cast.steward, cast.team).finished_report


@pytest.mark.parametrize(
    ("chance", "words"),
    [(1.0, "1 in 1"), (0.2, "1 in 5"), (0.385, "1 in 2.5"), (0.0137, "1 in 73"), (0.0, "none")],
)
def test_a_chance_is_never_said_smaller_than_it_is(chance: float, words: str) -> None:
    assert one_in(chance) == words


def test_every_chart_draws_the_numbers_of_its_table(report: Report) -> None:
    for chart in (risk_bands_chart(report), classes_chart(report), loss_chart(report)):
        assert chart.title
        assert chart.figure["data"]
        widths = {len(row) for row in chart.table.rows}
        assert widths == {len(chart.table.columns)}
    drawn = classes_chart(report).figure["data"][0]["y"]
    assert [str(count) for count in drawn] == classes_chart(report).table.rows[0][1:]


def test_the_verdict_names_what_was_reached(report: Report) -> None:
    smallest = report.classes.smallest
    assert f"at least {smallest} look-alikes" in verdict_of(report)
    assert rules_sentence(report) == "The rule you chose holds."
    numbers = {number.label: number for number in key_numbers(report)}
    assert len(numbers) == 8
    assert numbers["Hides among (k)"].value == str(smallest)
    assert numbers["Left out"].value == "0"


def test_no_cell_of_the_table_is_in_the_charts(report: Report) -> None:
    charts = [risk_bands_chart(report), classes_chart(report), loss_chart(report)]
    text = "".join(str(chart) for chart in charts)
    for value in ("13053", "Diabetes", "Jennifer"):
        assert value not in text


def test_a_report_knows_that_the_plan_has_changed(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    client = signed_in(cast.steward)
    address = reverse("reports:report", args=[run.id])
    assert "of an earlier plan" not in client.get(address).content.decode()
    tag_columns(dataset=run.dataset, tagged_by=cast.steward, roles={4: "insensitive"})
    assert "of an earlier plan" in client.get(address).content.decode()
