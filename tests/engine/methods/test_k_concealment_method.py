from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from deid_portal.engine.methods.concealment import k_concealment
from deid_portal.engine.methods.concealment.k_concealment import KConcealmentRelease
from tests.engine.drafts import carry_out, cells, draft_of, reader
from tests.engine.tables import adult_columns, adult_table, document, read_adult

read = reader(KConcealmentRelease)
TREE = {"tree": {"*": {"north": ["a", "b"], "south": ["c", "d"]}}}


def plan_of(k: int, **changes: Any) -> Plan:
    columns = {name: {"role": "quasi-identifier", "taxonomy": TREE} for name in ("home", "work")}
    models = [{"model": "k-concealment", "k": k}]
    method = {"name": "k-concealment", "k": k}
    return Plan.from_document(document(columns, models=models, method=method) | changes)


def test_rows_need_not_look_alike() -> None:
    """The second row fits the first two people, the third the last two, the first all three.

    So each person is fit by two rows at least, and by passing rows on in a circle each may be
    behind any of those; yet no two rows look alike.
    """
    rows = [["a", "a"], ["a", "b"], ["b", "b"]]
    draft = carry_out(read(k=2), draft_of(Table.from_rows(["x", "y"], rows), x=TREE, y=TREE))
    shown = list(zip(cells(draft, "x"), cells(draft, "y"), strict=True))
    assert shown == [("north", "north"), ("a", "north"), ("north", "b")]


def test_equal_rows_stay_as_they_are() -> None:
    rows = [["a", "a"]] * 3 + [["c", "d"]] * 3
    draft = carry_out(read(k=3), draft_of(Table.from_rows(["x", "y"], rows), x=TREE, y=TREE))
    assert (
        list(zip(cells(draft, "x"), cells(draft, "y"), strict=True))
        == [("a", "a")] * 3 + [("c", "d")] * 3
    )
    assert draft.steps[0]["mean_levels"] == {"x": 0.0, "y": 0.0}


places = st.sampled_from(["a", "b", "c", "d", None])


@settings(max_examples=40)
@given(st.lists(st.tuples(places, places), min_size=4, max_size=12), st.integers(2, 4))
def test_the_model_holds_on_the_cells_that_leave(
    rows: list[tuple[str | None, str | None]], k: int
) -> None:
    """The model is measured by matching, whatever the method thought."""
    table = Table.from_rows(["home", "work"], rows)
    outcome = protect(table, plan_of(k))
    assert outcome.solution
    assert outcome.report.models[0].achieved["k"] >= k
    assert outcome.report.rows.released == len(rows)


def test_less_is_lost_than_by_looking_alike() -> None:
    adult = adult_table()
    rows = np.random.default_rng(1).choice(adult.rows, 150, replace=False)
    table = Table(tuple(column.take(rows) for column in adult.columns))
    names = ["sex", "age", "education", "occupation"]
    lost = {}
    for name, keys in (("k-concealment", {"k": 5}), ("local-recoding", {"suppression_limit": 0})):
        asked = document(
            adult_columns(names),
            models=[{"model": "k-concealment", "k": 5}],
            method={"name": name, **keys},
            other_columns="remove",
        )
        outcome = protect(table, Plan.from_document(asked, read_file=read_adult))
        assert outcome.solution
        lost[name] = outcome.report.utility.loss
    assert lost["k-concealment"] < lost["local-recoding"]


def test_larger_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(k_concealment, "MOST_ROWS", 3)
    with pytest.raises(
        InvalidPlan, match=r"^method: k-concealment compares every row .* at most 3"
    ):
        protect(Table.from_rows(["home", "work"], [["a", "a"]] * 4), plan_of(2))


def test_more_than_there_are_is_refused() -> None:
    table = Table.from_rows(["home", "work"], [["a", "a"]] * 4)
    with pytest.raises(InvalidPlan, match="the table has 4 rows, so at most 4"):
        protect(table, plan_of(5))
