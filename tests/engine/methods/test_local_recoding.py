"""Local recoding shows more than one combination of levels can, and keeps every promise."""

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Outcome, Plan, Table, assess, protect
from deid_portal.engine.report.table import RowCounts
from tests.engine.tables import document

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [3]}}},
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "condition": {"role": "sensitive"},
}
K2: dict[str, Any] = {"model": "k-anonymity", "k": 2}
CLOSE: dict[str, Any] = {"model": "t-closeness", "t": 0.4, "column": "condition"}

rows_of_people = st.lists(
    st.tuples(
        st.sampled_from(["21", "22", "35", "36", "58"]),
        st.sampled_from(["1305", "1306", "1485"]) | st.none(),
        st.sampled_from(["flu", "cancer", "ulcer"]),
    ),
    min_size=4,
    max_size=24,
)


def recode(
    table: Table, models: list[dict[str, Any]], name: str = "local-recoding", **method: Any
) -> tuple[Plan, Outcome]:
    plan = Plan.from_document(document(COLUMNS, models=models, method={"name": name, **method}))
    return plan, protect(table, plan)


def people(rows: list[tuple[str, str | None, str]]) -> Table:
    return Table.from_rows(list(COLUMNS), rows)


def test_those_left_out_get_levels_of_their_own() -> None:
    """Six alike keep all detail; two that differ in both columns meet at coarser levels."""
    alike = [("21", "1305", "flu")] * 6
    table = people([*alike, ("36", "1485", "flu"), ("58", "1306", "ulcer")])
    _, outcome = recode(table, [K2])
    assert outcome.released is not None
    assert outcome.released.head(8).count(["21", "1305", "flu"]) == 6
    assert outcome.report.rows == RowCounts(released=8, suppressed=0)
    assert outcome.report.transformation.levels == {"age": 0, "zip": 0}
    assert [part.records for part in outcome.report.transformation.rounds] == [6, 2]
    _, full_domain = recode(table, [K2], "full-domain")
    assert outcome.report.utility.loss < full_domain.report.utility.loss


@settings(max_examples=60, deadline=None)
@given(
    rows_of_people,
    st.sampled_from([[K2], [K2, CLOSE], [CLOSE]]),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    st.sampled_from(["loss", "discernibility", "precision"]),
)
def test_every_promise_holds_on_the_final_result(
    rows: list[tuple[str, str | None, str]],
    models: list[dict[str, Any]],
    limit: float,
    metric: str,
) -> None:
    table = people(rows)
    plan, outcome = recode(table, models, suppression_limit=limit, metric=metric)
    _, full_domain = recode(table, models, "full-domain", suppression_limit=limit, metric=metric)
    assert outcome.solution >= full_domain.solution
    json.dumps(outcome.report.to_document(), allow_nan=False)
    if outcome.released is None:
        return
    assert outcome.report.rows.suppressed <= limit * len(rows) + 1e-9
    again = assess(table, plan, outcome.released)
    assert again.solution
    assert again.rows == outcome.report.rows
    assert again.classes == outcome.report.classes
    if K2 in models:
        assert min(_class_sizes(outcome.released)) >= 2


@pytest.mark.parametrize("metric", ["loss", "precision", "entropy", "discernibility"])
def test_it_is_never_worse_than_one_combination_of_levels(metric: str) -> None:
    sign = -1 if metric == "precision" else 1
    for seed in range(8):
        generator = np.random.default_rng(seed)
        rows = [
            (str(generator.integers(20, 60)), str(generator.integers(1300, 1310)), "flu")
            for _ in range(60)
        ]
        method = {"suppression_limit": 0.1, "metric": metric}
        _, local = recode(people(rows), [K2], **method)
        _, whole = recode(people(rows), [K2], "full-domain", **method)
        local_cost = sign * local.report.utility.value_of(metric)
        assert local_cost <= sign * whole.report.utility.value_of(metric) + 1e-9


def _class_sizes(released: Table) -> list[int]:
    classes: dict[tuple[str | None, ...], int] = defaultdict(int)
    for *quasi, _ in released.head(released.rows):
        classes[tuple(quasi)] += 1
    return list(classes.values())
