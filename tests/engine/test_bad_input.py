"""Tables at the edges of what can be: handled, or refused with a sentence."""

import json
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Column, ColumnType, InvalidPlan, InvalidTable, Plan, Table, protect
from deid_portal.engine.report.table import RowCounts
from tests.engine.tables import document

QUASI: dict[str, Any] = {"role": "quasi-identifier"}


def full_domain(**changes: Any) -> dict[str, Any]:
    return {"name": "full-domain", "time_limit_seconds": 0.3} | changes


@pytest.mark.parametrize("method", ["full-domain", "local-recoding"])
def test_more_than_64_bits_of_key(method: str) -> None:
    """Twelve columns of 200 values take 96 bits: two words."""
    generator = np.random.default_rng(3)
    people = generator.integers(0, 200, (40, 12))
    rows = [[str(cell) for cell in people[person]] for person in generator.integers(0, 40, 200)]
    names = [f"c{index}" for index in range(12)]
    plan = document(dict.fromkeys(names, QUASI), method={"name": method, "suppression_limit": 0.2})
    report = protect(Table.from_rows(names, rows), Plan.from_document(plan)).report
    alike = np.unique(rows, axis=0, return_counts=True)[1]
    assert report.solution
    assert report.models[0].holds
    if method == "full-domain":
        assert report.transformation.levels == dict.fromkeys(names, 0)
        assert report.rows.suppressed == int(alike[alike < 2].sum())


def test_column_of_one_value_stays() -> None:
    table = Table.from_rows(["town", "age"], [["x", "1"], ["x", "1"], ["x", "2"], ["x", "2"]])
    report = protect(table, Plan.from_document(document({"town": QUASI, "age": QUASI}))).report
    assert report.transformation.levels == {"town": 0, "age": 0}


def test_column_unique_per_row_finishes_and_is_hidden() -> None:
    """No two rows are alike, so the patterns are as many as the rows."""
    rows = 200_000
    codes = np.arange(rows, dtype=np.int32)
    table = Table(
        (
            Column("id", ColumnType.TEXT, codes, tuple(f"p{code}" for code in range(rows))),
            Column("sex", ColumnType.TEXT, codes % 2, ("f", "m")),
        )
    )
    report = protect(table, Plan.from_document(document({"id": QUASI, "sex": QUASI}))).report
    assert report.transformation.levels == {"id": 1, "sex": 0}
    assert report.risk.before.sample_uniques == 1.0
    assert report.input.patterns == rows
    assert "No two rows are alike" in report.notes[0]


def test_without_quasi_identifiers_a_model_is_refused_and_no_model_is_not() -> None:
    table = Table.from_rows(["note"], [["a"], ["b"]])
    with pytest.raises(InvalidPlan, match="needs at least one quasi-identifier"):
        Plan.from_document(document({"note": {"role": "insensitive"}}))
    harmless = document({"note": {"role": "insensitive"}}, models=[], method={"name": "none"})
    assert protect(table, Plan.from_document(harmless)).solution


@pytest.mark.parametrize("method", ["full-domain", "local-recoding", "none"])
def test_table_without_rows_is_refused(method: str) -> None:
    plan = Plan.from_document(document({"zip": QUASI}, method={"name": method}))
    with pytest.raises(InvalidTable, match="no rows"):
        protect(Table.from_rows(["zip"], []), plan)


@pytest.mark.parametrize("metric", ["loss", "entropy", "discernibility", "average_class_size"])
def test_taxonomy_of_one_level_leaves_only_suppression(metric: str) -> None:
    column = QUASI | {"taxonomy": {"file": "flat.csv"}}
    rows = [["1"], ["1"], ["2"]]
    method = {"name": "full-domain", "suppression_limit": 0.4, "metric": metric}
    plan = Plan.from_document(
        document({"zip": column}, method=method), read_file=lambda _: b"1\n2\n"
    )
    report = protect(Table.from_rows(["zip"], rows), plan).report
    assert report.search.nodes == 1
    assert report.rows == RowCounts(released=2, suppressed=1)
    json.dumps(report.to_document(), allow_nan=False)


@pytest.mark.parametrize("metric", ["loss", "discernibility", "average_class_size"])
def test_two_hundred_columns_give_a_valid_answer_that_is_not_called_proved(metric: str) -> None:
    names = [f"c{index}" for index in range(200)]
    rows = [[str((row * column) % 3) for column in range(200)] for row in range(12)]
    method = full_domain(suppression_limit=0.5, metric=metric)
    plan = Plan.from_document(document(dict.fromkeys(names, QUASI), method=method))
    report = protect(Table.from_rows(names, rows), plan).report
    assert report.models[0].holds
    assert report.rows.suppressed <= 6
    assert not report.search.optimal
    assert report.search.bound <= report.utility.value_of(metric)
    json.dumps(report.to_document(), allow_nan=False)


@pytest.mark.parametrize(
    "method",
    [
        {"name": "microaggregation", "k": 2},
        {"name": "k-confusion", "k": 3},
        {"name": "noise", "columns": ["income"], "scale": 0.2},
    ],
    ids=lambda method: method["name"],
)
def test_numbers_too_large_to_compute_with_are_refused(method: dict[str, Any]) -> None:
    """Their squares are infinite, and nothing is nearest to anything then."""
    table = Table.from_rows(["income"], [["1e300"], ["-1e300"], ["5"], ["6"], ["7"], ["8"]])
    plan = Plan.from_document(document({"income": QUASI}, models=[], method=method))
    with pytest.raises(InvalidPlan, match=r'^method: 2 numbers of the column "income" are beyond'):
        protect(table, plan)


def test_a_report_on_huge_numbers_can_be_written() -> None:
    rows = [["1e300", "1"], ["-1e300", "1e308"], ["5", "3"]]
    plan = document({"a": QUASI, "b": QUASI}, models=[], method={"name": "none"})
    report = protect(Table.from_rows(["a", "b"], rows), Plan.from_document(plan)).report
    assert report.comparison.pairs[0].correlation_before is None
    json.dumps(report.to_document(), allow_nan=False)
