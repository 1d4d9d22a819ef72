from typing import Any

import pytest

from deid_portal.engine import Column, ColumnType, InvalidPlan, Taxonomy
from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies import FlatTaxonomy, effect_of_levels, parse_recipe


def build(entry: dict[str, Any], *cells: str | None) -> Taxonomy:
    return parse_recipe(Place(entry, "here")).build(Column.from_cells("q", cells))


def path(taxonomy: Taxonomy, leaf: int = 0) -> list[str | None]:
    return [labels[taxonomy.codes[level, leaf]] for level, labels in enumerate(taxonomy.labels)]


def test_mask_hides_from_either_side() -> None:
    right = build({"mask": {"from": "right", "character": "*"}}, "1305", "1306")
    assert path(right) == ["1305", "130*", "13**", "1***", "****"]
    left = build({"mask": {"from": "left", "character": "#"}}, "1305")
    assert path(left) == ["1305", "#305", "##05", "###5", "####"]


def test_mask_of_different_lengths_meets_only_at_the_root() -> None:
    taxonomy = build({"mask": {}}, "12", "1234", None)
    assert path(taxonomy, 0) == ["12", "1*", "**", "**", "****"]
    assert path(taxonomy, 2) == [None, None, None, None, "****"]


def test_dates_nest_from_month_to_root() -> None:
    taxonomy = build({"dates": ["month", "quarter", "year", "decade"]}, "2024-05-17", "1999-12-31")
    assert path(taxonomy) == ["2024-05-17", "2024-05", "2024-Q2", "2024", "2020-2029", "*"]
    assert taxonomy.level_names == ("exact", "month", "quarter", "year", "decade", "hidden")


def test_dates_are_read_in_the_format_all_values_share() -> None:
    assert path(build({"dates": ["month"]}, "13/02/2020", "01/02/2020"), 1)[1] == "2020-02"


def test_intervals_widen_from_level_to_level() -> None:
    taxonomy = build({"intervals": {"start": 0, "width": 10, "widen": [2, 5]}}, "37", "4", "-3")
    assert path(taxonomy) == ["37", "30-39", "20-39", "0-99", "*"]
    assert path(taxonomy, 2)[1] == "[-10, 0)"


def test_intervals_need_not_be_whole() -> None:
    taxonomy = build({"intervals": {"start": 0, "width": 0.1, "widen": [3]}}, "0.3", "0.29")
    assert path(taxonomy)[1:3] == ["[0.3, 0.4)", "[0.3, 0.6)"]
    assert path(taxonomy, 1)[1:3] == ["[0.2, 0.3)", "[0, 0.3)"]


def test_intervals_follow_the_decimal_sign_of_the_column() -> None:
    column = Column("q", ColumnType.NUMBER, Column.from_cells("q", ["1,5"]).codes, ("1,5",), ",")
    recipe = parse_recipe(Place({"intervals": {"width": 1}}, "here"))
    assert path(recipe.build(column))[1] == "[1, 2)"


def test_tree_of_uneven_depth_counts_levels_from_the_root() -> None:
    tree = {"ANY": {"Technical": ["Carpenter", "Technician"], "Manager": []}}
    taxonomy = build({"tree": tree}, "Manager", "Carpenter")
    assert path(taxonomy, 0) == ["Manager", "Manager", "ANY"]
    assert path(taxonomy, 1) == ["Carpenter", "Technical", "ANY"]
    assert taxonomy.leaf_count == 3


def test_without_a_taxonomy_a_value_is_shown_or_hidden() -> None:
    taxonomy = FlatTaxonomy().build(Column.from_cells("q", ["a", None]))
    assert taxonomy.labels == (("a", None), ("*",))


@pytest.mark.parametrize(
    ("entry", "cells", "missing"),
    [
        ({"dates": ["year"]}, ["2020-01-01", "soon"], 2),
        ({"intervals": {"width": 5}}, ["1", "many"], 1),
        ({"tree": {"ANY": ["a"]}}, ["a", "b", None], 1),
    ],
)
def test_values_a_recipe_cannot_place_are_uncovered(
    entry: dict[str, Any], cells: list[str | None], missing: int
) -> None:
    recipe = parse_recipe(Place(entry, "here"))
    assert len(recipe.uncovered(Column.from_cells("q", cells))) == missing


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({}, "exactly one of"),
        ({"mask": {}, "tree": {}}, "exactly one of"),
        ({"mask": {}, "note": 1}, '"note" is not known here'),
        ({"mask": {"from": "top"}}, 'accepted are "right" and "left"'),
        ({"mask": {"character": "**"}}, "a single character"),
        ({"dates": []}, "finest first"),
        ({"dates": ["year", "month"]}, "finest first"),
        ({"dates": ["week"]}, "accepted are"),
        ({"intervals": {}}, '"width" is missing'),
        ({"intervals": {"width": 0}}, "a number above 0"),
        ({"intervals": {"width": True}}, "a number is needed"),
        ({"intervals": {"width": 1, "widen": [1]}}, "whole numbers of 2 or more"),
        ({"tree": {"A": [], "B": []}}, "one root"),
        ({"tree": {"A": ["x", "x"]}}, "stands in it twice"),
        ({"tree": {"A": {"B": ["x"], "C": {"B": ["y"]}}}}, "two groups have the same name"),
        ({"tree": {"A": 3}}, "a list of values or an object"),
        ({"tree": []}, "an object"),
    ],
)
def test_meaningless_recipe_is_refused_with_its_place(entry: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=f"^here.*: .*{sentence}"):
        parse_recipe(Place(entry, "here"))


@pytest.mark.parametrize(
    "entry",
    [
        {"mask": {"from": "left", "character": "x"}},
        {"dates": ["month", "year"]},
        {"intervals": {"start": 0.5, "width": 10, "widen": [2]}},
        {"tree": {"ANY": {"G": ["a", "b"], "c": []}}},
    ],
)
def test_recipe_survives_as_a_document(entry: dict[str, Any]) -> None:
    assert parse_recipe(Place(entry, "here")).to_document() == entry


def test_effect_of_levels_matches_the_column_alone() -> None:
    column = Column.from_cells("q", ["a", "a", "b", "c"])
    taxonomy = parse_recipe(Place({"tree": {"*": {"ab": ["a", "b"], "c": []}}}, "")).build(column)
    effects = effect_of_levels(column, taxonomy)
    assert [(e.values_left, e.smallest_group, e.loss) for e in effects] == [
        (3, 1, 0.0),
        (2, 1, 0.375),
        (1, 4, 1.0),
    ]


def test_tree_of_nodes_carries_rows_and_is_bounded() -> None:
    column = Column.from_cells("q", ["a", "a", "b", "c"])
    taxonomy = parse_recipe(Place({"tree": {"*": {"ab": ["a", "b"], "c": []}}}, "")).build(column)
    root = taxonomy.tree(column)
    assert (root.label, root.rows, root.level) == ("*", 4, 2)
    assert [(child.label, child.rows) for child in root.children] == [("ab", 3), ("c", 1)]
    wide = FlatTaxonomy().build(Column.from_cells("q", [str(n) for n in range(5000)]))
    bounded = wide.tree(Column.from_cells("q", [str(n) for n in range(5000)]), limit=100)
    assert (len(bounded.children), bounded.hidden) == (100, 4900)
