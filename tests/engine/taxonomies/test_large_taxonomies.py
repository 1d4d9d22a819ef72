"""The quick ways to build a taxonomy give what the slow one gives, label for label."""

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import (
    FlatTaxonomy,
    IntervalTaxonomy,
    MaskTaxonomy,
    Recipe,
    Taxonomy,
)

numbers = st.decimals(-2000, 2000, places=2).map(lambda number: f"{number:f}")
cells = st.lists(st.none() | numbers | st.integers(-50, 50).map(str), min_size=1, max_size=40)
small = st.decimals("-20", "20", places=1)


def same(column: Column, recipe: Recipe) -> None:
    quick: Taxonomy = recipe.build(column)
    slow = Recipe.build(recipe, column)
    assert quick.labels == slow.labels
    assert np.array_equal(quick.codes, slow.codes)
    assert quick.level_names == slow.level_names


@given(cells=cells, start=small, width=st.decimals("0.1", "300", places=1), ends=st.booleans())
def test_intervals(cells: list[str | None], start: Decimal, width: Decimal, ends: bool) -> None:
    column = Column.from_cells("x", cells, ColumnType.NUMBER)
    bottom, top = (Decimal("-7.5"), Decimal(30)) if ends else (None, None)
    same(column, IntervalTaxonomy(start, width, (2, 5), bottom, top))


@given(cells=st.lists(st.none() | st.integers(0, 130).map(str), min_size=1))
def test_intervals_of_whole_numbers_and_a_decimal_comma(cells: list[str | None]) -> None:
    same(Column.from_cells("x", cells), IntervalTaxonomy(Decimal(0), Decimal(5), (2, 2)))
    written = [None if cell is None else f"{cell},5" for cell in cells]
    codes = np.arange(len(set(written)), dtype=np.int32)
    column = Column("x", ColumnType.NUMBER, codes, tuple(dict.fromkeys(written)), ",")
    same(column, IntervalTaxonomy(Decimal(0), Decimal("2.5"), (2,)))


def test_long_numbers_and_powers_of_ten_take_the_slow_way() -> None:
    column = Column.from_cells("x", ["1e3", "12345678901234567", "2"], ColumnType.NUMBER)
    same(column, IntervalTaxonomy(Decimal(0), Decimal("1000.5"), (2,)))


@given(cells=st.lists(st.none() | st.text("ab*", min_size=1, max_size=5), min_size=1))
def test_masks(cells: list[str | None]) -> None:
    column = Column.from_cells("x", cells, ColumnType.TEXT)
    for side in ("left", "right"):
        same(column, MaskTaxonomy(side))
    same(column, FlatTaxonomy())


def test_the_tree_of_a_large_taxonomy_hides_most_and_counts_all() -> None:
    column = Column.from_cells("x", [str(number) for number in range(3000)])
    tree = IntervalTaxonomy(Decimal(0), Decimal(100), (10,)).build(column).tree(column, limit=90)
    assert (tree.label, tree.rows, len(tree.children), tree.hidden) == ("*", 3000, 3, 0)
    assert sum(len(child.children) + child.hidden for child in tree.children) == 30
    leaves = [group for child in tree.children for group in child.children]
    assert sum(len(group.children) + group.hidden for group in leaves) == 3000
