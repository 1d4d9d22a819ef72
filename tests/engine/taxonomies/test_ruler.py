"""Where groups begin along the scale of numbers and dates."""

from decimal import Decimal

from deid_portal.engine import Column
from deid_portal.engine.taxonomies import DateTaxonomy, IntervalTaxonomy, MaskTaxonomy, lay_ruler


def test_marks_stand_where_groups_begin_the_coarsest_level_counting() -> None:
    column = Column.from_cells("age", ["12", "7", "25", "38", "7"])
    taxonomy = IntervalTaxonomy(Decimal(0), Decimal(10), (2,)).build(column)
    ruler = lay_ruler(column, taxonomy)
    assert ruler is not None
    assert (ruler.low, ruler.high, sum(ruler.bars)) == (7, 39, 5)
    assert [(mark.place, mark.level, mark.text) for mark in ruler.marks] == [
        (12, 1, "12"),
        (25, 2, "25"),
        (38, 1, "38"),
    ]


def test_dates_lie_on_a_scale_of_days() -> None:
    column = Column.from_cells("day", ["2024-01-31", "2023-12-31", None])
    taxonomy = DateTaxonomy(("month", "year")).build(column)
    ruler = lay_ruler(column, taxonomy)
    assert ruler is not None
    assert ruler.high - ruler.low == 32
    assert [mark.level for mark in ruler.marks] == [2]


def test_words_and_single_values_have_no_scale() -> None:
    for cells in (["a", "b"], ["5", "5"]):
        column = Column.from_cells("x", cells)
        assert lay_ruler(column, MaskTaxonomy().build(column)) is None
