import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_rows

RULE = {"model": "population-uniqueness", "limit": 0.05, "population_size": 1000}


def test_a_population_smaller_than_the_table_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.population_size: at least the 2 rows"):
        judge_rows("zip", ["1", "2"], RULE | {"population_size": 1})


def test_nobody_unique_here_is_nobody_unique_out_there() -> None:
    entry = judge_rows("zip", ["1", "1", "2", "2"], RULE)
    assert (entry.holds, entry.achieved["limit"]) == (True, 0.0)


def test_a_table_that_is_the_population_needs_no_estimate() -> None:
    """One of four is unique."""
    entry = judge_rows("zip", ["1", "1", "1", "2"], RULE | {"population_size": 4})
    assert (entry.holds, entry.achieved["limit"]) == (False, 0.25)
