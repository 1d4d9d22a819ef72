from typing import Any

import pytest

from deid_portal.engine import InvalidTable, Plan, Table, assess, protect
from deid_portal.engine.report.table import RowCounts
from tests.engine.tables import FOUR, adult_columns, adult_table, document, four_plan, read_adult


def test_table_as_it_is() -> None:
    report = assess(FOUR, four_plan())
    assert not report.solution
    assert report.models[0].achieved == {"k": 1}
    assert report.risk.before == report.risk.after
    assert report.utility.loss == 0
    assert report.rows == RowCounts(released=4, suppressed=0)


def test_release_is_measured_from_its_cells() -> None:
    outcome = protect(FOUR, four_plan())
    report = assess(FOUR, four_plan(), outcome.released)
    assert report.solution
    assert report.transformation.levels == {"zip": 0, "age": 1}
    assert report.utility == pytest.approx(outcome.report.utility)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["13053", "28", "Flu"]] * 5, "has 5 rows, more than the 4 of the original"),
        ([["99999", "28", "Flu"]], '1 values of column "zip" in the released table are not in'),
    ],
)
def test_release_that_cannot_come_from_the_table_is_refused(
    rows: list[list[str]], sentence: str
) -> None:
    with pytest.raises(InvalidTable, match=sentence) as refusal:
        assess(FOUR, four_plan(), Table.from_rows(["zip", "age", "condition"], rows))
    assert "99999" not in str(refusal.value)


def test_release_without_a_needed_column_is_refused() -> None:
    with pytest.raises(InvalidTable, match='no column "age"'):
        assess(FOUR, four_plan(), Table.from_rows(["zip"], [["13053"]]))


def adult_plan(names: list[str], **changes: Any) -> Plan:
    columns = adult_columns(names)
    return Plan.from_document(
        document(columns, models=[], other_columns="remove", **changes), read_file=read_adult
    )


def test_adult_as_it_came() -> None:
    table = adult_table()
    figures = []
    for left_out in ((), ("occupation",)):
        names = [name for name in table.names if name not in left_out]
        report = assess(table, adult_plan(names))
        uniques = report.risk.details.before.sample_uniques
        average = report.risk.before.prosecutor.average
        figures.append((report.classes.count, uniques.records, uniques.share, average))
    assert figures == [
        (19_502, 15_512, pytest.approx(0.5143, abs=5e-5), pytest.approx(0.6466, abs=5e-5)),
        (12_458, 8_841, pytest.approx(0.2931, abs=5e-5), pytest.approx(0.4130, abs=5e-5)),
    ]
