import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_rows

RULE = {"model": "delta-presence", "minimum": 0, "maximum": 0.5, "population": "town.csv"}
TOWN = {"town.csv": "zip,age\n1,30\n1,30\n2,40\n2,40\n2,40\n2,40\n"}


def test_a_minimum_above_the_maximum_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.minimum: at most the maximum"):
        judge_rows("zip", ["1"], RULE | {"minimum": 0.6}, files=TOWN)


def test_half_of_those_who_look_alike_are_in_the_release() -> None:
    entry = judge_rows("zip age", ["1 30", "2 40"], RULE, files=TOWN)
    assert (entry.holds, entry.achieved) == (True, {"minimum": 0.25, "maximum": 0.5})


def test_all_who_look_alike_are_in_the_release() -> None:
    entry = judge_rows("zip age", ["1 30", "1 30", "2 40"], RULE, files=TOWN)
    assert (entry.holds, entry.achieved["maximum"]) == (False, 1.0)


def test_people_known_not_to_be_in_it_break_the_minimum() -> None:
    rule = RULE | {"minimum": 0.1}
    assert judge_rows("zip age", ["1 30", "2 40"], rule, files=TOWN).holds
    entry = judge_rows("zip age", ["1 30"], rule, files=TOWN)
    assert (entry.holds, entry.achieved["minimum"]) == (False, 0.0)


def test_a_record_nobody_in_the_population_looks_like_fails() -> None:
    assert not judge_rows("zip age", ["3 30"], RULE | {"maximum": 1}, files=TOWN).holds
