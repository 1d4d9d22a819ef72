import pytest

from deid_portal.engine import Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.distinction import Distinctness, rank_projections
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.projection import project_all

# The five people of the deck: age has 3 values, sex and state together 4.
FIVE = [
    ["20", "Female", "CA"],
    ["30", "Female", "CA"],
    ["40", "Female", "TX"],
    ["20", "Male", "NY"],
    ["40", "Male", "CA"],
]


def reduce(rows: list[list[str | None]] | list[list[str]], names: list[str]) -> Patterns:
    return reduce_table(Table.from_rows(names, rows), names, (), Progress(None))


def rank_all(patterns: Patterns) -> list[Distinctness]:
    return rank_projections(patterns, project_all(patterns, len(patterns.names)))


def by_columns(
    rows: list[list[str]], names: list[str]
) -> dict[frozenset[str], tuple[float, float]]:
    found = rank_all(reduce(rows, names))
    return {frozenset(one.columns): (one.distinction, one.separation) for one in found}


def test_every_combination_is_measured() -> None:
    found = by_columns(FIVE, ["age", "sex", "state"])
    assert len(found) == 7
    assert found[frozenset({"age"})] == pytest.approx((0.6, 0.8))
    assert found[frozenset({"sex", "state"})] == pytest.approx((0.8, 0.9))
    assert found[frozenset({"age", "sex", "state"})] == (1.0, 1.0)


def test_most_telling_combination_comes_first_and_the_shorter_before_the_longer() -> None:
    found = rank_all(reduce(FIVE, ["age", "sex", "state"]))
    assert found[0].separation == 1.0
    assert found[0].columns == ("age", "sex")


def test_order_of_rows_and_names_of_values_say_nothing() -> None:
    renamed = [[f"<{cell}>" for cell in row] for row in reversed(FIVE)]
    names = ["age", "sex", "state"]
    assert by_columns(renamed, names) == by_columns(FIVE, names)


def test_a_gap_is_a_value() -> None:
    rows = [["a"], [None], ["a"]]
    assert rank_all(reduce(rows, ["x"]))[0].distinct == 2
