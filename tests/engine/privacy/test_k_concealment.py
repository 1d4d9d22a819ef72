from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, assess, protect
from tests.engine.tables import FOUR, document, four_plan, judge_rows

RULE = {"model": "k-concealment", "k": 2}


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.k: the table has 1 rows"):
        judge_rows("zip", ["1"], RULE)


def test_at_equal_levels_it_is_k_anonymity() -> None:
    outcome = protect(FOUR, four_plan(models=[RULE]))
    assert outcome.report.transformation.levels == {"zip": 0, "age": 1}
    assert outcome.report.models[0].achieved == {"k": 2}


def judge_release(original: list[str], released: list[str]) -> dict[str, Any]:
    columns = {name: {"role": "quasi-identifier"} for name in "AB"}
    models = [RULE, {"model": "k-anonymity", "k": 2}]
    plan = Plan.from_document(document(columns, models=models, method={"name": "none"}))
    before, after = (Table.from_rows("AB", map(str.split, rows)) for rows in (original, released))
    found = assess(before, plan, after).models
    return {entry.model: entry.achieved["k"] for entry in found}


def test_records_alone_in_their_class_may_still_be_concealed() -> None:
    """Both people fit both records."""
    achieved = judge_release(["a x", "a y"], ["a *", "* *"])
    assert achieved == {"k-concealment": 2, "k-anonymity": 1}


def test_a_record_that_fits_only_on_paper_conceals_nobody() -> None:
    """The first person fits both records, but the second fits only * *."""
    assert judge_release(["a x", "a y"], ["a x", "* *"])["k-concealment"] == 1


def test_places_may_be_passed_on_in_a_circle() -> None:
    """(a x) fits the first and third record, (b y) the second and third, (a y) all."""
    assert judge_release(["a x", "a y", "b y"], ["a *", "* y", "* *"])["k-concealment"] == 2


def test_a_person_who_was_left_out_may_be_behind_a_record() -> None:
    assert judge_release(["a x", "a y", "b x"], ["a *", "* *"])["k-concealment"] == 1
