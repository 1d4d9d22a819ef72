"""Parts of the report as pure functions: findings, charts and the numbers beneath them."""

from dataclasses import replace

import pytest

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.distributions import association_chart
from deid_portal.engine.charts.risk import risk_bands_chart, threshold_chart
from deid_portal.engine.report import Report
from deid_portal.reports.attackers import attacker_table, marketer_sentence
from deid_portal.reports.columns import columns_title, describe_columns
from deid_portal.reports.distributions import SHOWN_AT_ONCE, view_columns, view_pair
from deid_portal.reports.figures import linked_classes_chart, linked_left_out_chart
from deid_portal.reports.left_out import describe_apart, describe_left_out
from deid_portal.reports.spread import describe_spreads
from deid_portal.reports.who_pays import describe_who_pays
from tests.reports.samples import make_report, of_old, two_left_out


def charts_of(report: Report) -> list[Chart]:
    paid, pair = describe_who_pays(report), view_pair(report)
    drawn = view_columns(report, "sex")
    assert paid is not None
    assert drawn is not None
    assert pair is not None
    spreads = [
        chart for s in describe_spreads(report) for chart in (s.variety, s.distance, s.chosen)
    ]
    found = [
        risk_bands_chart(report),
        linked_classes_chart(report, "/groups/"),
        linked_left_out_chart(report, "/left-out/"),
        threshold_chart(report),
        association_chart(report),
        drawn.chosen,
        *(own.chart for own in drawn.small),
        pair.chart,
        *paid.charts,
        *spreads,
    ]
    charts = [chart for chart in found if chart is not None]
    assert len(charts) == len(found)
    return charts


def test_every_chart_has_a_finding_and_its_numbers() -> None:
    charts = charts_of(two_left_out())
    assert len({chart.id for chart in charts}) == len(charts)
    for chart in charts:
        assert chart.title
        assert chart.figure["data"]
        assert {len(row) for row in chart.table.rows} == {len(chart.table.columns)}


def test_bars_of_the_histogram_lead_to_what_keeps_groups_apart() -> None:
    cells = linked_classes_chart(two_left_out(), "/groups/").table.rows[0][1:]
    assert [cell.href for cell in cells] == ["/groups/?size=8#apart"]
    assert cells[0].text == "2"


def test_the_cheapest_step_that_frees_anybody_is_marked() -> None:
    left_out = describe_left_out(two_left_out())
    assert left_out.left_out == 2
    assert left_out.note == "All of them were alone in their group"
    # One step coarser in one column frees neither: they differ in zip and in sex.
    assert left_out.cheapest is None
    assert left_out.title == "2 people were left out"
    freeing = tuple(replace(step, freed=1) for step in two_left_out().coarser or ())
    cheapest = describe_left_out(replace(two_left_out(), coarser=freeing)).cheapest
    assert cheapest is not None
    assert cheapest.loss == min(step.loss for step in freeing)
    assert cheapest.change.startswith('{"change": "level"')


def test_a_step_the_rules_would_refuse_is_not_offered() -> None:
    coarser = two_left_out().coarser or ()
    steps = tuple(replace(step, freed=1, holds=False) for step in coarser)
    assert describe_left_out(replace(two_left_out(), coarser=steps)).steps == []


def test_nobody_left_out_is_said_in_a_few_words() -> None:
    report = make_report(method={"name": "levels", "levels": {"zip": 5, "sex": 1}})
    assert describe_left_out(report).title == "Nobody was left out"
    assert linked_left_out_chart(report, "") is None


def test_small_groups_open_to_the_column_that_isolates_them() -> None:
    apart = describe_apart(two_left_out(), "1")
    assert apart is not None
    assert apart.left_out == 2
    assert "2 groups, 2 people, 2 of them left out" in apart.sentence
    assert describe_apart(two_left_out(), "77") is None
    assert describe_apart(two_left_out(), "no number") is None


def test_columns_that_stayed_share_a_line() -> None:
    report = make_report(method={"name": "levels", "levels": {"zip": 5}, "suppression_limit": 0.5})
    lines = {line.names[0]: line for line in describe_columns(report)}
    assert columns_title(report) == "Zip paid the most: it is hidden. One column stayed exact."
    assert (lines["zip"].level, lines["zip"].after) == ("hidden", "*****")
    assert (lines["condition"].role, lines["condition"].level) == ("sensitive", "kept")
    assert (lines["name"].level, lines["name"].after) == ("removed", "not in the release")
    exact = describe_columns(make_report(models=[], method={"name": "none"}))
    assert ["zip", "sex"] in [line.names for line in exact]


def test_who_pays_is_told_by_the_column_one_asks_for() -> None:
    paid = describe_who_pays(two_left_out(), "zip")
    assert paid is not None
    assert paid.column == "zip"
    assert paid.columns == ["zip", "sex", "condition", "ward"]
    assert paid.charts[0].title == "17\u00a0% of “smaller groups” are left out"
    assert paid.charts[0].figure["data"][0]["y"][0] == "All people"
    unknown = describe_who_pays(two_left_out(), "height")
    assert unknown is not None
    assert unknown.column in paid.columns


def test_evenly_spread_burdens_are_called_even() -> None:
    paid = describe_who_pays(two_left_out(), "sex")
    assert paid is not None
    assert paid.charts[0].title == "All groups are left out about equally often"


def test_a_marketer_is_right_on_average() -> None:
    assert marketer_sentence(two_left_out()).startswith(
        "Somebody who matches all 20 people of the release is right about 2 of them, 10"
    )
    table = attacker_table(two_left_out())
    assert table is not None
    assert [row.name for row in table.rows] == ["Prosecutor", "Journalist", "Marketer"]


def test_the_worst_group_is_drawn_beside_the_table_unless_another_is_chosen() -> None:
    spread = describe_spreads(two_left_out())[0]
    assert spread.number == 0
    assert (
        spread.worst_title
        == "The worst is a group of 10 people: 80\u00a0% of them have the same condition"
    )
    other = describe_spreads(two_left_out(), "condition:1")[0]
    assert other.number == 1
    assert describe_spreads(two_left_out(), "condition:99")[0].number == 1
    assert describe_spreads(two_left_out(), "height:1")[0].number == 0


@pytest.mark.parametrize("pair", [("sex", "zip"), ("zip", "sex")])
def test_two_columns_are_crossed_either_way_round(pair: tuple[str, str]) -> None:
    drawn = view_pair(two_left_out(), *pair)
    assert drawn is not None
    assert drawn.chart.table is not None
    assert drawn.chart.table.columns[0] == " \\ ".join(pair)
    cells = [str(cell) for row in drawn.chart.table.rows for cell in row[1:]]
    assert sum(int(cell.split(" → ")[0]) for cell in cells) == 22
    assert sum(int(cell.split(" → ")[1]) for cell in cells) == 20


def test_a_column_is_not_crossed_with_itself() -> None:
    drawn = view_pair(two_left_out(), "zip", "zip")
    assert drawn is not None
    assert (drawn.first, drawn.second) == ("zip", "sex")


def test_reports_of_old_have_nothing_to_say_and_say_it() -> None:
    old = of_old(two_left_out())
    assert describe_who_pays(old) is None
    assert view_columns(old) is None
    assert view_pair(old) is None
    assert describe_spreads(old) == []
    assert describe_apart(old, "1") is None
    assert attacker_table(old) is None
    assert describe_left_out(old).left_out == 2
    assert linked_classes_chart(old, "/groups/").table.rows == [["Groups", "2"]]
    assert describe_columns(old)[0].before == ""


def test_of_many_columns_those_that_changed_most_are_shown_at_once() -> None:
    report = two_left_out()
    told = report.distributions
    assert told is not None
    entry = told.columns[0]
    still = replace(entry, after=tuple(map(float, entry.before)))
    names = [f"column {number}" for number in range(SHOWN_AT_ONCE + 3)]
    entries = [replace(still, column=name) for name in names]
    entries.append(replace(entry, column="moved", after=(0.0, *still.after[1:])))
    many = replace(report, distributions=replace(told, columns=tuple(entries)))
    shown = view_columns(many)
    assert shown is not None
    assert [own.column for own in shown.small[:2]] == ["moved", "column 0"]
    assert (len(shown.small), shown.left, shown.chosen) == (SHOWN_AT_ONCE, 4, None)
    everything = view_columns(many, "column 14", everything=True)
    assert everything is not None
    assert everything.left == 0
    assert everything.chosen is not None
    assert everything.chosen.title == "Column 14 reads as before"
