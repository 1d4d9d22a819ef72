from itertools import combinations

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.column_influence import rank_columns
from deid_portal.engine.risk.special_uniques import SpecialUniques, SpecialUniquesSearch
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.projection import project_all

# The last is the only "old"; the second the only man in the north; two women there are alike.
FIVE = [
    ["young", "F", "north"],
    ["young", "M", "north"],
    ["young", "F", "north"],
    ["young", "M", "south"],
    ["old", "M", "south"],
]
NAMES = ["age", "sex", "place"]


def find(rows: list[list[str]], most_columns: int = 3) -> tuple[SpecialUniques, list[int]]:
    patterns = reduce_table(Table.from_rows(NAMES, rows), NAMES, (), Progress(None))
    search = SpecialUniquesSearch(patterns, most_columns)
    for seen in project_all(patterns, most_columns):
        search.add(seen)
    found = search.found()
    return found, found.scores[patterns.pattern_of_row].tolist()


def test_minimal_uniques_by_hand() -> None:
    found, scores = find(FIVE)
    # age singles out the last (weight 2·1); sex and place the second, age and place the fourth.
    assert found.by_size == (1, 2, 0)
    assert scores == [0, 1, 0, 1, 2]
    assert found.records == 3


def test_column_that_takes_part_most_is_named() -> None:
    found, _ = find(FIVE)
    assert found.by_column["age"] == pytest.approx(3 / 4)


def test_agrees_with_the_definition_on_random_tables() -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        rows = [[f"{code}" for code in row] for row in generator.integers(0, 3, (8, 3))]
        found, _ = find(rows)
        assert found.by_size == tuple(slowly(rows, size) for size in (1, 2, 3))


def slowly(rows: list[list[str]], size: int) -> int:
    def alone(row: list[str], chosen: tuple[int, ...]) -> bool:
        return sum(all(row[i] == other[i] for i in chosen) for other in rows) == 1

    return sum(
        alone(row, chosen)
        and not any(alone(row, part) for n in range(size) for part in combinations(chosen, n))
        for row in rows
        for chosen in combinations(range(3), size)
    )


def test_order_of_rows_and_names_of_values_say_nothing() -> None:
    renamed = [[cell.upper() + "!" for cell in row] for row in reversed(FIVE)]
    assert find(renamed)[1] == find(FIVE)[1][::-1]


def test_most_harmful_column_comes_first() -> None:
    patterns = reduce_table(Table.from_rows(NAMES, FIVE), NAMES, (), Progress(None))
    ranked = {found.column: found for found in rank_columns(patterns)}
    # Without age: F north (2), M north, M south (2).
    assert (ranked["age"].classes, ranked["age"].sample_uniques) == (3, 1)
    assert ranked["age"].average_risk_saved == pytest.approx(1 / 5)
    assert ranked["age"].uniques_saved == 2
    assert ranked["sex"].classes == 3
    assert rank_columns(patterns)[0].uniques_saved == 2
