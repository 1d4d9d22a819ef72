"""Who is found by an exact sensitive value, told on the page of risk."""

from deid_portal.engine.report import Report
from deid_portal.engine.report.sensitive import SensitiveRisk
from deid_portal.reports.lone_values import describe_lone_values


def told(**columns: SensitiveRisk) -> Report:
    return Report.telling(sensitive=columns)


def test_the_column_that_tells_most_is_named() -> None:
    pay, illness = SensitiveRisk(0.2, 1000, 880, 950), SensitiveRisk(0.6, 1000, 2)
    found = describe_lone_values(told(Pay=pay, Illness=illness))
    assert found is not None
    assert found.title == "880 people show a value of Pay that nobody else has"
    assert "rounded or in groups" in found.advice
    assert [(row.before, row.after) for row in found.rows] == [("950", "880"), ("", "2")]


def test_few_far_ends_ask_for_nothing() -> None:
    found = describe_lone_values(told(Pay=SensitiveRisk(0.2, 1000, 4, 950)))
    assert found is not None
    assert found.advice == ""
    nobody = describe_lone_values(told(Pay=SensitiveRisk(0.2, 1000, 0, 950)))
    assert nobody is not None
    assert nobody.title == "No sensitive value is shown by one person alone"


def test_earlier_reports_do_not_say() -> None:
    assert describe_lone_values(told(Pay=SensitiveRisk(0.2))) is None
    assert describe_lone_values(Report.telling()) is None
