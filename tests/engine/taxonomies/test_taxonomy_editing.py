"""A tree that is changed step by step, and kept without loss whatever built it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, InvalidPlan
from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies import (
    FileTaxonomy,
    Outline,
    apply_step,
    effect_of_levels,
    effect_on_counts,
    parse_json,
    parse_recipe,
    replay,
    write_json,
    write_paths,
)

CELLS = ["red", "red", "orange", "blue", "teal"]
COLOURS = b"red;warm;*\norange;warm;*\nblue;cold;*\n"


def outline_of(content: bytes, *cells: str | None) -> Outline:
    return Outline.from_recipe(
        FileTaxonomy.from_content("t.csv", content), Column.from_cells("q", cells or CELLS)
    )


def number_of(outline: Outline, label: str | None) -> int:
    return next(b.number for b in outline.branches.values() if b.label == label)


def written(outline: Outline) -> list[str]:
    return write_paths(outline.paths()).decode().splitlines()


def step(outline: Outline, do: str, **more: Any) -> Outline:
    return apply_step(outline, {"do": do, **more})


@pytest.fixture
def colours() -> Outline:
    return outline_of(COLOURS)


def test_values_without_a_place_are_listed_with_their_rows(colours: Outline) -> None:
    assert colours.unplaced == {"teal": 1}
    assert colours.rows_under[number_of(colours, "warm")] == 3
    assert colours.rows_under[0] == 4


def test_a_value_gets_its_place(colours: Outline) -> None:
    placed = step(colours, "place", values=["teal"], under=number_of(colours, "cold"))
    assert placed.unplaced == {}
    assert "teal;cold;*" in written(placed)


def test_a_group_is_renamed_and_a_value_is_not(colours: Outline) -> None:
    renamed = step(colours, "rename", node=number_of(colours, "warm"), name=" hot  colours ")
    assert written(renamed)[0] == "red;hot colours;*"
    with pytest.raises(InvalidPlan, match="keeps its name"):
        step(colours, "rename", node=number_of(colours, "red"), name="x")
    with pytest.raises(InvalidPlan, match="level 1 two nodes"):
        step(colours, "rename", node=number_of(colours, "warm"), name="cold")


def test_a_value_moved_right_under_the_root_stays_itself_below_it(colours: Outline) -> None:
    moved = step(colours, "move", nodes=[number_of(colours, "red")], under=0)
    assert written(moved) == ["red;red;*", "orange;warm;*", "blue;cold;*"]


def test_a_group_moved_into_another_makes_the_tree_one_level_taller(colours: Outline) -> None:
    warm, cold = number_of(colours, "warm"), number_of(colours, "cold")
    moved = step(colours, "move", nodes=[warm], under=cold)
    assert written(moved) == ["red;warm;cold;*", "orange;warm;cold;*", "blue;blue;cold;*"]
    with pytest.raises(InvalidPlan, match="into itself"):
        step(moved, "move", nodes=[cold], under=warm)
    assert written(step(moved, "dissolve", nodes=[warm])) == [
        "red;cold;*",
        "orange;cold;*",
        "blue;cold;*",
    ]


def test_a_new_group_takes_what_is_chosen(colours: Outline) -> None:
    red = number_of(colours, "red")
    inside = step(colours, "add", name="reds", under=number_of(colours, "warm"), nodes=[red])
    assert written(inside)[:2] == ["red;reds;warm;*", "orange;orange;warm;*"]
    empty = step(colours, "add", name="grey", under=0)
    assert written(empty) == written(colours)
    assert number_of(empty, "grey") == colours.next_number


def test_merging_joins_the_children(colours: Outline) -> None:
    warm, cold = number_of(colours, "warm"), number_of(colours, "cold")
    assert written(step(colours, "merge", nodes=[warm], into=cold)) == [
        "red;cold;*",
        "orange;cold;*",
        "blue;cold;*",
    ]
    with pytest.raises(InvalidPlan, match="Only groups"):
        step(colours, "merge", nodes=[number_of(colours, "red")], into=cold)


def test_dissolving_brings_children_up_and_takes_values_out(colours: Outline) -> None:
    gone = step(colours, "dissolve", nodes=[number_of(colours, "warm")])
    assert written(gone) == ["red;red;*", "orange;orange;*", "blue;cold;*"]
    flat = step(gone, "dissolve", nodes=[number_of(gone, "cold")])
    assert written(flat) == ["red;*", "orange;*", "blue;*"]
    without = step(colours, "dissolve", nodes=[number_of(colours, "red")])
    assert without.unplaced == {"teal": 1, "red": 2}
    everything = [b.number for b in colours.values()]
    with pytest.raises(InvalidPlan, match="no value in the tree"):
        step(colours, "dissolve", nodes=everything)


def test_the_root_is_renamed_only(colours: Outline) -> None:
    for do, more in (("move", {"under": 0}), ("dissolve", {})):
        with pytest.raises(InvalidPlan, match="root holds everything"):
            step(colours, do, nodes=[0], **more)


def test_a_node_that_is_gone_is_a_sentence(colours: Outline) -> None:
    with pytest.raises(InvalidPlan, match="changed meanwhile"):
        step(colours, "move", nodes=[99], under=0)
    with pytest.raises(InvalidPlan, match="has a place meanwhile"):
        step(colours, "place", values=["red"], under=0)


def test_a_gap_can_be_given_a_place_at_any_level_and_taken_back() -> None:
    outline = outline_of(b"a;x;p;*\nb;y;p;*\n", "a", "b", None)
    gap = number_of(outline, None)
    under_p = step(outline, "move", nodes=[gap], under=number_of(outline, "p"))
    assert written(under_p)[2] == ";;p;*"
    again = outline_of("\n".join(written(under_p)).encode(), "a", "b", None)
    assert again.paths() == under_p.paths()
    assert step(under_p, "dissolve", nodes=[gap]).paths() == outline.paths()


@pytest.mark.parametrize(
    "entry",
    [
        {"intervals": {"start": 0, "width": 10, "widen": [2]}},
        {"mask": {}},
        {"tree": {"*": {"few": ["4", "37"], "105": []}}},
    ],
)
def test_whatever_built_it_the_tree_says_the_same(entry: dict[str, Any]) -> None:
    column = Column.from_cells("q", ["37", "4", "105", None, "4"])
    recipe = parse_recipe(Place(entry))
    built = recipe.build(column)
    outline = Outline.from_recipe(recipe, column)
    levels = range(built.height + 1)
    assert outline.paths() == [
        tuple(built.labels[level][built.codes[level, leaf]] for level in levels)
        for leaf in range(built.leaf_count)
    ]
    rows = np.array([branch.rows for branch in outline.values()])
    effects = effect_on_counts(rows, outline.taxonomy())
    assert effects == effect_of_levels(column, built)


# Paths whose labels repeat upwards, between branches, and not at all.
TREES = st.integers(1, 4).flatmap(
    lambda height: st.lists(
        st.tuples(*[st.sampled_from("abc")] * (height - 1)), min_size=1, max_size=8
    ).map(lambda tails: _nested(tails, height))
)


def _nested(tails: list[tuple[str, ...]], height: int) -> list[tuple[str, ...]]:
    """Make rows of a proper tree; "c" repeats the label above. Rows that fit no tree are left."""
    rows: list[tuple[str, ...]] = []
    parents: dict[tuple[int, str], str] = {}
    for tail in tails:
        labels = ["*"]
        for part in reversed(tail):
            labels.append(labels[-1] if part == "c" and len(labels) > 1 else labels[-1] + part)
        row = (f"v{len(rows)}", *reversed(labels))
        above = {(level, row[level]): row[level + 1] for level in range(1, height)}
        if all(parents.get(key, label) == label for key, label in above.items()):
            parents |= above
            rows.append(row)
    return rows


@given(TREES, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 30))))
def test_any_tree_after_any_steps_is_written_and_read_back_identical(
    rows: list[tuple[str, ...]], tries: list[tuple[int, int, int]]
) -> None:
    column = Column.from_cells("q", [row[0] for row in rows])
    outline = Outline.from_paths(
        rows, dict(zip(column.values, column.counts.tolist(), strict=True))
    )
    assert outline.paths() == rows
    done: list[dict[str, Any]] = []
    start = outline
    for kind, one, other in tries:
        numbers = list(outline.branches)
        a, b = numbers[one % len(numbers)], numbers[other % len(numbers)]
        attempt = (
            {"do": "add", "name": f"g{len(done)}", "under": a, "nodes": [b] if b else []},
            {"do": "rename", "node": a, "name": f"n{len(done)}"},
            {"do": "move", "nodes": [a], "under": b},
            {"do": "merge", "nodes": [a], "into": b},
            {"do": "dissolve", "nodes": [a]},
            {"do": "place", "values": list(outline.unplaced)[:1], "under": b},
        )[kind]
        try:
            outline = apply_step(outline, attempt)
        except InvalidPlan:
            continue
        done.append(attempt)
        for branch in outline.branches.values():
            assert branch.parent is None or outline.branches[branch.parent].level > branch.level
        held = {branch.label for branch in outline.values()} | set(outline.unplaced)
        assert held == {row[0] for row in rows}
    assert replay(start, done).paths() == outline.paths()
    as_csv = Outline.from_recipe(
        FileTaxonomy.from_content("t.csv", write_paths(outline.paths())), column
    )
    assert sorted(as_csv.paths()) == sorted(outline.paths())
    assert as_csv.unplaced.keys() == outline.unplaced.keys()
    as_json = parse_json(write_json(outline), column)
    assert sorted(as_json.paths()) == sorted(outline.paths())
    assert write_json(as_json) == write_json(outline)
    assert Outline.from_document(outline.to_document()) == outline


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not JSON"),
        (b'{"taxonomy": {"name": "*", "level": 1}}', "children"),
        (b'{"taxonomy": {"name": "*", "level": 0, "children": []}}', "level"),
        (
            b'{"taxonomy": {"name": "*", "level": 1, '
            b'"children": [{"value": "a"}, {"value": "a"}]}}',
            "twice",
        ),
        (b'{"taxonomy": {"name": "*", "level": 1, "children": [7]}}', "object"),
    ],
)
def test_a_bad_json_file_is_a_sentence(content: bytes, words: str) -> None:
    with pytest.raises(InvalidPlan, match=words):
        parse_json(content, Column.from_cells("q", ["a"]))


def test_the_tree_of_a_plan_is_read_as_json() -> None:
    outline = parse_json(b'{"*": {"x": ["a"]}}', Column.from_cells("q", ["a", "b"]))
    assert outline.paths() == [("a", "x", "*")]
    assert outline.unplaced == {"b": 1}
