"""Patterns seen through some of their columns, against grouping the rows anew."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.projection import project_all, sizes_without

Rows = list[list[str]]


def some_rows(count: int, columns: int, values: int) -> Rows:
    generator = np.random.default_rng(7)
    codes = generator.integers(0, values, (count, columns))
    return [[str(code) for code in row] for row in codes]


def patterns_of(rows: Rows) -> Patterns:
    names = [f"c{number}" for number in range(len(rows[0]))]
    return reduce_table(Table.from_rows(names, rows), names, (), Progress(None))


def sizes_on(rows: Rows, columns: tuple[int, ...]) -> list[int]:
    return sorted(Counter(tuple(row[column] for column in columns) for row in rows).values())


# Few values have a place each in a table; many are found by their hash.
@pytest.mark.parametrize("values", [2, 5, 400])
def test_every_combination_has_the_classes_the_rows_have(values: int) -> None:
    rows = some_rows(300, 4, values)
    seen = {view.columns: sorted(view.sizes.tolist()) for view in project_all(patterns_of(rows), 3)}
    expected = [chosen for size in (1, 2, 3) for chosen in combinations(range(4), size)]
    assert list(seen) == expected
    assert seen == {chosen: sizes_on(rows, chosen) for chosen in expected}


# Nine columns of 300 values need 81 bits, more than one word.
@pytest.mark.parametrize(("columns", "values"), [(4, 3), (9, 300)])
def test_leaving_out_a_column_is_grouping_by_the_others(columns: int, values: int) -> None:
    rows = some_rows(200, columns, values) * 2
    each = [(column,) for column in range(columns)]
    found = [sorted(sizes.tolist()) for sizes in sizes_without(patterns_of(rows), each)]
    assert found == [
        sizes_on(rows, tuple(other for other in range(columns) if other != left_out))
        for left_out in range(columns)
    ]


@pytest.mark.parametrize(("columns", "values"), [(4, 3), (9, 300)])
def test_leaving_out_two_columns_is_grouping_by_the_others(columns: int, values: int) -> None:
    rows = some_rows(200, columns, values) * 2
    pairs = [(0, 1), (1, 3)]
    found = [sorted(sizes.tolist()) for sizes in sizes_without(patterns_of(rows), pairs)]
    assert found == [
        sizes_on(rows, tuple(other for other in range(columns) if other not in pair))
        for pair in pairs
    ]
