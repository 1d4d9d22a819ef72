"""Risk figures of the original Adult table."""

import pytest

from deid_portal.engine import Plan, assess
from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.attackers import marketer, prosecutor
from deid_portal.engine.risk.column_influence import rank_columns
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.table.patterns import reduce_table
from tests.engine.tables import adult_columns, adult_table, document, read_adult

NINE = (
    "sex age race marital-status education native-country workclass occupation salary-class".split()
)
EIGHT = [name for name in NINE if name != "occupation"]


@pytest.mark.parametrize(
    ("names", "classes", "uniques", "share", "average"),
    [(NINE, 19_502, 15_512, 0.5143, 0.6466), (EIGHT, 12_458, 8_841, 0.2931, 0.4130)],
)
def test_risk_of_adult_as_it_came(
    names: list[str], classes: int, uniques: int, share: float, average: float
) -> None:
    sizes = reduce_table(adult_table(), names, (), Progress(None)).counts
    found = count_sample_uniques(sizes)
    assert len(sizes) == classes
    assert found.records == uniques
    assert found.share == pytest.approx(share, abs=5e-5)
    assert prosecutor(sizes).average == pytest.approx(average, abs=5e-5)
    assert marketer(sizes).average == prosecutor(sizes).average


def test_assess_reports_them() -> None:
    columns = adult_columns(NINE)
    plan = Plan.from_document(document(columns, other_columns="remove"), read_file=read_adult)
    report = assess(adult_table(), plan)
    assert report.classes.count == 19_502
    assert report.risk.before.prosecutor.average == pytest.approx(0.6466, abs=5e-5)
    assert report.risk.before.sample_uniques == pytest.approx(0.5143, abs=5e-5)


def test_risk_without_a_column_is_that_of_the_table_without_it() -> None:
    patterns = reduce_table(adult_table(), NINE, (), Progress(None))
    without = {found.column: found for found in rank_columns(patterns)}["occupation"]
    assert (without.classes, without.sample_uniques) == (12_458, 8_841)
    assert without.average_risk == pytest.approx(0.4130, abs=5e-5)
