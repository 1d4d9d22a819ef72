"""Output re-measured by an independent, deliberately plain implementation."""

from collections import Counter, defaultdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Plan, Table, assess, protect
from tests.engine.tables import document

Row = tuple[str | None, ...]

ages = st.sampled_from(["21", "22", "35", "36", "58"])
zips = st.sampled_from(["1305", "1306", "1485"]) | st.none()
sexes = st.sampled_from(["f", "m"])
conditions = st.sampled_from(["flu", "cancer", "ulcer", "flu"]) | st.none()
tables = st.lists(st.tuples(ages, zips, sexes, conditions), min_size=4, max_size=24)

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [3]}}},
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "sex": {"role": "quasi-identifier"},
    "condition": {"role": "sensitive"},
}


def make_plan(k: int, l: int, limit: float, seed: int | None) -> Plan:  # noqa: E741
    models = [
        {"model": "k-anonymity", "k": k},
        {"model": "l-diversity", "l": l, "column": "condition"},
    ]
    method = {"name": "full-domain", "suppression_limit": limit}
    extra = {} if seed is None else {"seed": seed}
    return Plan.from_document(document(COLUMNS, models=models, method=method, **extra))


@settings(max_examples=80, deadline=None)
@given(
    tables,
    st.integers(2, 4),
    st.integers(2, 3),
    st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),
    st.none() | st.integers(0, 9),
)
def test_release_keeps_every_promise(
    rows: list[Row],
    k: int,
    l: int,  # noqa: E741
    limit: float,
    seed: int | None,
) -> None:
    table = Table.from_rows(list(COLUMNS), rows)
    plan = make_plan(k, l, limit, seed)
    outcome = protect(table, plan)
    report = outcome.report
    assert report.rows.released + report.rows.suppressed == len(rows)
    if outcome.released is None:
        assert not outcome.solution
        assert report.blocked_by in ("k-anonymity", "l-diversity")
        return
    released = [tuple(row) for row in outcome.released.head(len(rows))]
    assert len(released) == report.rows.released > 0
    assert report.rows.suppressed <= limit * len(rows) + 1e-9
    classes = defaultdict(list)
    for *quasi, condition in released:
        classes[tuple(quasi)].append(condition)
    assert min(len(people) for people in classes.values()) >= k
    assert min(len(set(people)) for people in classes.values()) >= l
    assert report.classes.count == len(classes)
    assert report.risk.after.prosecutor.average == len(classes) / len(released)
    squares = sum(len(people) ** 2 for people in classes.values())
    suppressed = len(rows) - len(released)
    assert report.utility.discernibility == squares + suppressed * len(rows)
    assert protect(table, plan).released.head(99) == outcome.released.head(99)  # type: ignore[union-attr]


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from([0.0, 0.25, 0.5]))
def test_released_records_come_from_original_ones(rows: list[Row], limit: float) -> None:
    outcome = protect(Table.from_rows(list(COLUMNS), rows), make_plan(2, 2, limit, None))
    if outcome.released is None:
        return
    kept = Counter(row[3] for row in outcome.released.head(len(rows)))
    assert not kept - Counter(row[3] for row in rows)
    for age, _, sex, _ in outcome.released.head(len(rows)):
        assert sex in ("f", "m", "*")
        assert age == "*" or age in {row[0] for row in rows} or "-" in str(age)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_assessing_a_release_finds_what_its_report_said(rows: list[Row]) -> None:
    table = Table.from_rows(list(COLUMNS), rows)
    plan = make_plan(2, 2, 0.4, 3)
    outcome = protect(table, plan)
    if outcome.released is None:
        return
    again = assess(table, plan, outcome.released)
    assert again.solution
    for part in ("rows", "risk", "models", "classes"):
        assert getattr(again, part) == getattr(outcome.report, part)
    assert abs(again.utility.loss - outcome.report.utility.loss) < 1e-9
