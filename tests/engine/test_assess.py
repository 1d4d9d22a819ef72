import pytest

from deid_portal.engine import InvalidTable, Table, assess, protect
from tests.engine.tables import FOUR, four_plan


def test_table_as_it_is() -> None:
    report = assess(FOUR, four_plan())
    assert not report["solution"]
    assert report["models"][0]["achieved"] == {"k": 1}
    assert report["risk"]["before"] == report["risk"]["after"]
    assert report["utility"]["loss"] == 0
    assert report["rows"] == {"released": 4, "suppressed": 0}


def test_release_is_measured_from_its_cells() -> None:
    outcome = protect(FOUR, four_plan())
    report = assess(FOUR, four_plan(), outcome.released)
    assert report["solution"]
    assert report["transformation"]["levels"] == {"zip": 0, "age": 1}
    assert report["utility"] == pytest.approx(outcome.report["utility"])


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["13053", "28", "Flu"]] * 5, "has 5 rows, more than the 4 of the original"),
        ([["99999", "28", "Flu"]], '1 values of column "zip" in the released table are not in'),
    ],
)
def test_release_that_cannot_come_from_the_table_is_refused(
    rows: list[list[str]], sentence: str
) -> None:
    with pytest.raises(InvalidTable, match=sentence) as refusal:
        assess(FOUR, four_plan(), Table.from_rows(["zip", "age", "condition"], rows))
    assert "99999" not in str(refusal.value)


def test_release_without_a_needed_column_is_refused() -> None:
    with pytest.raises(InvalidTable, match='no column "age"'):
        assess(FOUR, four_plan(), Table.from_rows(["zip"], [["13053"]]))
