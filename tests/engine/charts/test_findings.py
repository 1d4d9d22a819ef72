"""No title misleads, however extreme the release: what it contrasts differs and is comparable."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.charts import findings
from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.figure_parts import axis_end
from deid_portal.engine.charts.gallery import charts_of_report
from deid_portal.engine.publication import show_in_house
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import PayingGroup
from deid_portal.engine.report.risk import ColumnInfluence, PairInfluence, RiskDetails
from deid_portal.engine.report.utility import MarginalChange, PairChange
from tests.charts import check_chart
from tests.engine.tables import document

QUASI = {"role": "quasi-identifier"}
NUMBER = r"([\d.,]+(?:\u00a0%)?)"
CONTRASTS = (rf"from {NUMBER} to {NUMBER}", rf"{NUMBER}[^;]*; before, (?:up to )?{NUMBER}")


def protected(
    rows: list[list[str]], levels: dict[str, int], sensitive: int = 1, **changes: Any
) -> Report:
    """Return the report of a release whose last columns are sensitive, at these levels."""
    names = [f"column {number}" for number in range(len(rows[0]))]
    cut = len(names) - sensitive
    columns: dict[str, Any] = dict.fromkeys(names[:cut], QUASI)
    columns |= {name: {"role": "sensitive"} for name in names[cut:]}
    method = {"name": "levels", "levels": levels, "suppression_limit": 0.9}
    plan = document(columns, models=[], method=method, **changes)
    outcome = protect(Table.from_rows(names, rows), Plan.from_document(plan))
    assert outcome.solution
    return outcome.full_report


def people(number: int, sensitive: int = 1) -> list[list[str]]:
    """Return rows that no single column makes alike: each is told by the others as well."""
    told = [str(place) for place in range(number)]
    half = [str(place // 2) for place in range(number)]
    values = [[str((place * step) % 4) for place in range(number)] for step in (1, 3)]
    return [list(row) for row in zip(told, told, half, *values[:sensitive], strict=True)]


EXTREMES: dict[str, Callable[[], Report]] = {
    "all hidden": lambda: protected(people(60), {f"column {n}": 1 for n in range(3)}),
    "two of three hidden": lambda: protected(people(60), {"column 0": 1, "column 1": 1}),
    "nothing hidden": lambda: protected(people(60), {}),
    "one group": lambda: protected([["a", "b", "c", str(n % 3)] for n in range(60)], {}),
    "one person": lambda: protected([["a", "b", "c", "d"]], {}),
    "ten thousand groups": lambda: protected(people(10_000), {}),
    "two sensitive columns": lambda: protected(people(60, 2), {"column 0": 1}, 2),
    "nearly all left out": lambda: protected(
        [*people(60), *([["x", "x", "x", "1"]] * 12)], {"column 1": 1, "column 0": 0}
    ),
}


@cache
def report_of(extreme: str) -> Report:
    return EXTREMES[extreme]()


def charts_of(report: Report) -> Iterator[Chart]:
    yield from charts_of_report(report).values()
    yield from charts_of_report(show_in_house(report)).values()


@pytest.mark.parametrize("extreme", EXTREMES)
def test_what_a_title_contrasts_differs(extreme: str) -> None:
    for chart in charts_of(report_of(extreme)):
        check_chart(chart)
        assert not contrasts_alike(chart.title), chart.title


def contrasts_alike(title: str) -> bool:
    found = [pair for pattern in CONTRASTS for pair in re.findall(pattern, title)]
    return any(one == other for one, other in found)


@pytest.mark.parametrize("extreme", EXTREMES)
def test_a_hidden_column_is_never_said_to_have_moved(extreme: str) -> None:
    report = report_of(extreme)
    charts = charts_of_report(report)
    assert report.distributions is not None
    for place, entry in enumerate(report.distributions.columns):
        chart = charts[f"distribution-{place}"]
        drawn = [trace.name for trace in chart.figure.data]
        if entry.column in report.hidden_columns:
            assert chart.title.endswith("is hidden: nothing is left to compare")
            assert "After" not in drawn
            assert chart.table is not None
            assert "After" not in chart.table.columns
        else:
            assert "hidden" not in chart.title
            assert "After" in drawn
    for name in ("change", "associations"):
        if name in charts:
            rows = charts[name].table.rows if charts[name].table else ()
            compared = {word for row in rows for word in str(row[0]).split(" and ")}
            assert compared.isdisjoint(report.hidden_columns)


@pytest.mark.parametrize("extreme", EXTREMES)
def test_bars_begin_at_zero_and_their_axis_does_not_zoom_in_unsaid(extreme: str) -> None:
    for chart in charts_of(report_of(extreme)):
        if chart.figure is None or not any(trace.type == "bar" for trace in chart.figure.data):
            continue
        layout = chart.figure.layout
        lying = any(trace.orientation == "h" for trace in chart.figure.data)
        axis = layout.xaxis if lying else layout.yaxis
        if axis.range is not None:
            start, end = axis.range
            assert start == 0
            assert end >= 1, chart.id
            is_whole = end in (pytest.approx(1.08), pytest.approx(115)) or chart.id == "influence"
            assert is_whole or "ends at" in axis.title.text, chart.id


def test_all_hidden_says_so_and_nothing_hidden_does_not() -> None:
    whole, bare = (charts_of_report(report_of(name)) for name in ("all hidden", "nothing hidden"))
    assert whole["loss"].title == "All 3 columns are hidden: no detail is left"
    assert whole["classes"].title == "1 group of 60 people"
    assert "associations" not in whole or "column 0" not in whole["associations"].title
    assert bare["loss"].title == "No column lost any detail"
    some = charts_of_report(report_of("two of three hidden"))
    assert some["loss"].title == "Column 0 and column 1 are hidden"
    one = charts_of_report(report_of("two sensitive columns"))
    assert one["associations"].note == "2 pairs with a hidden column are not compared."
    assert some["change"].note == "Column 0 and column 1 are hidden: nothing is left to compare."


def test_where_no_single_column_helps_the_two_that_do_are_named() -> None:
    [title] = {charts_of_report(report_of("ten thousand groups"))["influence"].title}
    assert title == (
        "No single column helps, two do: without column 0 and column 1 the average risk "
        "falls from 100\u00a0% to 50\u00a0%"
    )


def bare_details() -> RiskDetails:
    found = report_of("nothing hidden").risk.details
    assert found is not None
    assert found.before is not None
    return found.before


SHARES = st.floats(0, 1)


@given(average=st.floats(0.001, 1), saved=SHARES, more=SHARES)
def test_risk_that_hardly_falls_is_not_said_to_fall(
    average: float, saved: float, more: float
) -> None:
    column = ColumnInfluence("a", 1, average * (1 - saved), 1.0, 0, average * saved, 0)
    both = saved + (1 - saved) * more
    pair = PairInfluence(("a", "b"), average * (1 - both), 0, average * both)
    bare = bare_details()
    told = bare.with_entries(
        prosecutor=bare.prosecutor.with_entries(average=average), columns=(column,), pairs=(pair,)
    )
    title = findings.influence_finding(told)
    assert ("hurts most" in title) == (saved * average >= 0.1 * average)
    assert ("two do" in title) == ("hurts most" not in title and both * average >= 0.1 * average)


@given(before=SHARES, after=SHARES, moved=SHARES)
def test_no_title_contrasts_figures_that_read_the_same(
    before: float, after: float, moved: float
) -> None:
    pair = PairChange(("a", "b"), moved, before, after)
    groups = [PayingGroup("x", 100, round(100 * share), share) for share in (before, after)]
    ranked = sorted(groups, key=lambda group: -group.share_left_out)
    for title in (
        findings.association_finding(pair),
        findings.distance_finding("a", before, after),
        findings.moved_finding(["a"], moved, frozenset()),
        findings.change_finding(MarginalChange("a", moved, 0.0)),
        findings.left_out_shares_finding(ranked),
        findings.lost_finding(sorted(groups, key=lambda group: -group.loss)),
    ):
        assert not contrasts_alike(title), title
        assert "0\u00a0% of" not in re.sub(r"[\d.]0\u00a0%", "", title)


@given(st.lists(st.floats(0, 100)))
def test_an_axis_of_percent_ends_where_all_fit_and_never_near_zero(values: list[float]) -> None:
    end = axis_end(values)
    assert 10 <= end <= 100
    assert all(value <= end for value in values)


def test_large_groups_that_pay_as_much_are_no_finding_about_small_ones() -> None:
    shares = [("May", 40, 4), ("June", 400, 38), ("July", 300, 3)]
    ranked = [PayingGroup(value, records, out, 0.0) for value, records, out in shares]
    assert findings.left_out_shares_finding(ranked) == "10\u00a0% of “May” are left out"
    rare = [PayingGroup("May", 40, 12, 0.0), *ranked[1:]]
    said = "Small groups are left out up to 3.2 times as often as the largest"
    assert findings.left_out_shares_finding(rare) == said
