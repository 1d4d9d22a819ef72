"""A masked identifier stays in the release as a column and says nothing."""

import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, protect

NAMES = ("name", "age")
ROWS = [["Ann", "20"], ["Bob", "20"], [None, "30"], ["Eve", "30"]]


def plan(**changes: object) -> Plan:
    document = {
        "columns": {
            "name": {"role": "identifier", "treatment": "mask"},
            "age": {"role": "quasi-identifier"},
        },
        "plan": 1,
        "models": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "full-domain", "metric": "loss"},
        **changes,
    }
    return Plan.from_document(document)


def test_every_row_shows_the_same_also_where_nothing_was() -> None:
    released = protect(Table.from_rows(NAMES, ROWS), plan()).released
    assert released is not None
    assert released.names == NAMES
    assert released["name"].values == ("*****",)
    assert sorted(released["age"].cells()) == ["20", "20", "30", "30"]


def test_a_plan_with_a_mask_is_written_and_read_again() -> None:
    assert Plan.from_document(plan().to_document()) == plan()


def test_a_mask_needs_no_key_and_unknown_treatments_are_refused() -> None:
    columns = {"name": {"role": "identifier", "treatment": "blur"}}
    with pytest.raises(InvalidPlan, match="treatment"):
        plan(columns=columns)
