from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Plan, Table, assess, protect
from tests.engine.privacy.records_on_axes import spread_on_axes
from tests.engine.tables import FOUR, document, four_plan, judge_rows

RULE = {"model": "k-confusion", "k": 2}
Rows = list[list[str]]


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.k: the table has 1 rows"):
        judge_rows("zip", ["1"], RULE)


def test_at_equal_levels_it_is_k_anonymity() -> None:
    outcome = protect(FOUR, four_plan(models=[RULE]))
    assert outcome.report.transformation.levels == {"zip": 0, "age": 1}
    assert outcome.report.models[0].achieved == {"k": 2}


@pytest.mark.parametrize(
    "method",
    [
        {"name": "mondrian"},
        {"name": "microaggregation", "algorithm": "mdav", "k": 3, "columns": ["age"]},
    ],
    ids=["ranges", "averages"],
)
def test_of_ranges_and_averages_those_that_look_alike_count(method: dict[str, Any]) -> None:
    table = Table.from_rows(["age"], [[f"{age}"] for age in (20, 21, 23, 40, 47, 48, 49)])
    columns = {"age": {"role": "quasi-identifier"}}
    models = [{"model": "k-confusion", "k": 3}, {"model": "k-anonymity", "k": 3}]
    outcome = protect(table, Plan.from_document(document(columns, models=models, method=method)))
    assert outcome.solution
    assert [entry.achieved["k"] for entry in outcome.report.models] == [3, 3]


def judge_release(original: Rows, released: Rows) -> dict[str, int]:
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in "AB"}
    models = [{"model": f"k-{kind}", "k": 2} for kind in ("confusion", "concealment", "anonymity")]
    plan = Plan.from_document(document(columns, models=models, method={"name": "none"}))
    before, after = (Table.from_rows("AB", rows) for rows in (original, released))
    found = assess(before, plan, after).models
    return {entry.model: entry.achieved["k"] for entry in found}


def split(*rows: str) -> Rows:
    return [row.split() for row in rows]


def test_records_need_not_look_alike() -> None:
    """Both records fit both people and nobody else, so both are as likely."""
    achieved = judge_release(split("a x", "a x"), split("a *", "* x"))
    assert achieved == {"k-confusion": 2, "k-concealment": 2, "k-anonymity": 1}


def test_a_record_that_fewer_people_fit_is_likelier() -> None:
    """(a x) fits both records, but `a *` only two people and `* *` all three."""
    achieved = judge_release(split("a x", "a y", "b x"), split("a *", "* *", "* *"))
    assert achieved == {"k-confusion": 1, "k-concealment": 2, "k-anonymity": 1}


people = st.lists(st.tuples(*[st.sampled_from("abc")] * 2).map(list), min_size=2, max_size=7)


@given(people, st.data())
def test_agrees_with_counting_one_by_one(original: Rows, data: st.DataObject) -> None:
    hidden = data.draw(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=len(original)))
    released = [
        ["*" if hide else cell for hide, cell in zip(which, row, strict=True)]
        for which, row in zip(hidden, original, strict=False)
    ]
    kept = released[: data.draw(st.integers(1, len(released)))]
    achieved = judge_release(original, kept)
    assert achieved["k-confusion"] == count_confusion(original, kept)
    assert achieved["k-anonymity"] <= achieved["k-confusion"]


def count_confusion(original: Rows, released: Rows) -> int:
    """Return the fewest likeliest records of anybody whom a record fits."""

    def fits(record: list[str], person: list[str]) -> bool:
        return all(shown in ("*", own) for shown, own in zip(record, person, strict=True))

    crowds = [sum(fits(record, person) for person in original) for record in released]
    fewest = len(released)
    for person in original:
        own = Counter(
            crowd for record, crowd in zip(released, crowds, strict=True) if fits(record, person)
        )
        if own:
            fewest = min(fewest, own[min(own)])
    return fewest


@given(
    st.lists(st.tuples(*[st.floats(-1000, 1000)] * 3), min_size=2, max_size=9),
)
def test_records_on_axes_keep_mean_and_variance(cluster: list[tuple[float, ...]]) -> None:
    points = np.array(cluster)
    spread = spread_on_axes(points)
    assert spread.shape == (6, 3)
    assert np.allclose(spread.mean(axis=0), points.mean(axis=0), atol=1e-9)
    assert np.allclose(spread.var(axis=0, ddof=1), points.var(axis=0, ddof=1), atol=1e-6)
