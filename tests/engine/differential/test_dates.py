"""Columns of dates: a declared period, conditions on it, and counts by month, quarter and year."""

from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.differential import PrivacySetting, parse_question
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows

PERIOD = {"first": "2020-11-15", "last": "2022-02-03"}
DAYS = ["2020-11-14", "2020-11-15", "2020-12-31", "2021-01-01", "2021-06-30", "2022-02-03"]
ODD = ["2022-02-04", "2021-02-29", "2021-00-01", "31.12.2021", "soon", None]
TURNED = ["2021-02-01", "2021-01-01"]
TABLE = Table.from_rows(["day"], [[day] for day in [*DAYS, *ODD]])


def setting(**domain: Any) -> PrivacySetting:
    day = {**PERIOD, **domain}
    return PrivacySetting.from_document({"neighbours": "add_remove", "domains": {"day": day}})


def ask(own: PrivacySetting, **entry: Any) -> NoisyQuestion:
    question = parse_question({"epsilon": 1, **entry}, own)
    assert isinstance(question, NoisyQuestion)
    return question


def exact(question: NoisyQuestion, table: Table = TABLE) -> list[int]:
    return [
        int(n)
        for n in question.measure(SelectedRows.choose(table, question.setting, question.where))[0]
    ]


@pytest.mark.parametrize(
    ("unit", "labels", "counts"),
    [
        ("year", ["2020", "2021", "2022"], [2, 2, 1]),
        (
            "quarter",
            ["2020-Q4", "2021-Q1", "2021-Q2", "2021-Q3", "2021-Q4", "2022-Q1"],
            [2, 1, 1, 0, 0, 1],
        ),
    ],
)
def test_days_are_counted_by_period(unit: str, labels: list[str], counts: list[int]) -> None:
    question = ask(setting(), query="count-by-period", column="day", unit=unit)
    names = [name["of"]["day"] for name in question.names()]  # type: ignore[attr-defined]
    assert names == labels
    assert exact(question) == counts


def test_months_run_from_the_first_to_the_last_day_declared() -> None:
    question = ask(setting(), query="count-by-period", column="day")
    labels = [name["of"]["day"] for name in question.names()]  # type: ignore[attr-defined]
    assert (labels[0], labels[2], labels[-1], len(labels)) == ("2020-11", "2021-01", "2022-02", 16)
    assert sum(exact(question)) == 5


@pytest.mark.parametrize(
    ("test", "count"),
    [
        ({"at_least": "2021-01-01"}, 3),
        ({"at_most": "2020-12-31"}, 2),
        ({"between": ["2020-12-31", "2021-06-30"]}, 3),
        ({"missing": True}, 7),
        ({"missing": False}, 5),
    ],
)
def test_conditions_choose_a_period(test: dict[str, Any], count: int) -> None:
    question = ask(setting(), query="count", where=[{"column": "day", **test}])
    assert exact(question) == [count]


def test_conditions_read_as_a_person_says_them() -> None:
    where = [{"column": "day", "at_least": "2021-01-01"}]
    words = ask(setting(), query="count", where=where).words()
    assert words == "How many rows are there, where day is on or after 2021-01-01?"


def test_dates_are_read_as_declared_and_no_other_way() -> None:
    table = Table.from_rows(["day"], [["03.02.2021"], ["2021-02-03"]])
    question = ask(setting(format="%d.%m.%Y"), query="count-by-period", column="day", unit="year")
    assert exact(question, table) == [0, 1, 0]


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ({"first": "2022-02-03", "last": "2020-11-15"}, "before the last"),
        ({"first": "2020-02-30"}, "written 2024-03-31"),
        ({"first": "15.11.2020"}, "written 2024-03-31"),
        ({"format": "%d %B"}, "accepted are"),
        ({"low": 3}, "not known here"),
    ],
)
def test_periods_that_make_no_sense_are_refused(domain: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidPlan, match=said):
        setting(**domain)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"query": "sum", "column": "day"}, "no bounds"),
        ({"query": "count-by-group", "column": "day"}, "no list of values"),
        ({"query": "count-by-period", "column": "day", "unit": "week"}, "accepted are"),
        ({"query": "count", "where": [{"column": "day", "at_least": 5}]}, "a text is needed"),
        ({"query": "count", "where": [{"column": "day", "at_least": "1999-01-01"}]}, "declared"),
        (
            {
                "query": "count",
                "where": [{"column": "day", "between": ["2021-02-01", "2021-01-01"]}],
            },
            "must not be above",
        ),
        ({"query": "linear-regression", "target": "day", "features": ["day"]}, "no bounds"),
    ],
)
def test_questions_that_make_no_sense_are_refused(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidPlan, match=said):
        ask(setting(), **entry)


def test_too_many_months_are_refused() -> None:
    own = setting(first="0001-01-01", last="9999-12-31")
    with pytest.raises(InvalidPlan, match="at most 10000"):
        ask(own, query="count-by-period", column="day")
    years = ask(own, query="count-by-period", column="day", unit="year")
    assert sum(exact(years)) == 7
