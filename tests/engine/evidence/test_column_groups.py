"""Columns are reported in few groups, each of at least five people."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine.evidence.column_groups import REST, SMALLEST_GROUP, group_column
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Taxonomy


def column(**counts: int) -> Column:
    return Column.from_cells("c", [value for value, count in counts.items() for _ in range(count)])


def test_few_values_are_groups_of_their_own_most_people_first() -> None:
    groups = group_column(column(a=6, b=9, c=7))
    assert groups.names == ("b", "c", "a")
    assert groups.records.tolist() == [9, 7, 6]
    assert groups.merged == 0


def test_rare_values_are_told_together() -> None:
    groups = group_column(column(a=9, b=4, c=1))
    assert groups.names == ("a", REST)
    assert groups.records.tolist() == [9, 5]
    assert groups.merged == 2


def test_one_rare_value_takes_the_smallest_group_along() -> None:
    groups = group_column(column(a=9, b=6, c=1))
    assert groups.names == ("a", REST)
    assert groups.records.tolist() == [9, 7]


def test_a_gap_is_a_group() -> None:
    groups = group_column(Column.from_cells("c", [None] * 5 + ["x"] * 6))
    assert groups.names == ("x", None)


def test_too_many_values_are_told_by_the_finest_level_that_fits() -> None:
    values = [f"{letter}{digit}" for letter in "ab" for digit in range(6)]
    own = Column.from_cells("c", values * 5)
    tree = Taxonomy.from_paths([[text, text[0], "*"] for text in values], ["exact", "letter", "*"])
    groups = group_column(own, tree, most=8)
    assert set(groups.names) == {"a", "b"}
    assert groups.level_name == "letter"


def test_many_numbers_are_told_in_open_ended_ranges() -> None:
    ages = Column.from_cells("age", [str(age) for age in range(18, 98) for _ in range(3)])
    groups = group_column(ages)
    assert groups.names[:2] == ("up to 27", "28 to 37")
    assert groups.names[-1] == "from 88"
    assert groups.records.sum() == 240


def test_a_made_up_number_belongs_where_it_falls() -> None:
    ages = Column.from_cells("age", [str(age) for age in range(18, 98) for _ in range(3)])
    groups = group_column(ages)
    mixed = Column.from_cells("age", ["30.5", "28-37"])
    covered = [np.zeros(0, np.int32), np.arange(10, 20, dtype=np.int32)]
    shares = groups.shares_of(ages, covered, mixed)
    assert shares[0].tolist() == shares[1].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(2, 12))
def test_nobody_is_lost_and_no_group_is_small(codes: list[int], most: int) -> None:
    own = Column.from_cells("c", [f"v{code}" for code in codes])
    groups = group_column(own, most=most)
    assert len(groups.names) <= most
    assert groups.records.sum() == len(codes)
    assert groups.count(own.counts).tolist() == groups.records.tolist()
    assert len(groups.names) == 1 or groups.records.min() >= SMALLEST_GROUP


@pytest.mark.parametrize("cells", [[], ["x"], [None]])
def test_columns_of_nothing_much_are_no_trouble(cells: list[str | None]) -> None:
    assert group_column(Column.from_cells("c", cells)).records.sum() == len(cells)
