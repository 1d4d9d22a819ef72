"""With a population, journalist and marketer risks are the same wherever a page shows them."""

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.charts.risk import journalist_chart
from deid_portal.engine.report import Report
from deid_portal.reports.attackers import attacker_table, marketer_sentence
from deid_portal.runs.summaries import summarize_run
from tests.engine.tables import document

PEOPLE = Table.from_rows(["zip"], [["1"], ["1"], ["2"], ["3"]])


def report_with(town: str) -> Report:
    """Two of the four are alone in the table."""
    columns = {"zip": {"role": "quasi-identifier"}}
    rule = {"model": "k-map", "k": 2, "population": "town.csv"}
    asked = document(columns, models=[rule] if town else [], method={"name": "none"})
    plan = Plan.from_document(asked, read_file=lambda name: f"zip\n{town}\n".encode())
    return protect(PEOPLE, plan).report


def test_every_place_counts_the_people_of_the_population() -> None:
    report = report_with("1\n1\n2\n2\n3\n3\n3\n3")
    table, chart = attacker_table(report), journalist_chart(report)
    assert table is not None
    assert chart is not None
    journalist, marketer = table.rows[1], table.rows[2]
    assert journalist.pairs[0] is not None
    assert journalist.pairs[0].after == "50\u00a0%"  # 1 and 2 have two people each
    assert journalist.bound == marketer.bound == ""
    assert summarize_run(report).risk.after.journalist == 1 / 2
    assert "1 in 2" in chart.title
    # (2/2 + 1/2 + 1/4) / 4 of all, where without a population it would be 3 / 4.
    assert marketer.pairs[1].after in marketer_sentence(report)
    assert summarize_run(report).risk.after.marketer == (2 / 2 + 1 / 2 + 1 / 4) / 4


def test_without_a_population_it_is_at_most_the_prosecutors() -> None:
    report = report_with("")
    table = attacker_table(report)
    assert table is not None
    assert table.rows[1].bound == "no population is known, so this is at most"
    assert journalist_chart(report) is None
    assert summarize_run(report).risk.after.journalist == 1
