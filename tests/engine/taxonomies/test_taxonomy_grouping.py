"""Trees put together from values: rules, rare ones, neighbours, quantiles, pasted, proposed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, ColumnType, InvalidPlan
from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies import (
    Outline,
    group_by_quantiles,
    group_by_rules,
    group_neighbours,
    group_rare,
    looks_like_columns,
    parse_pasted,
    parse_recipe,
    parse_rules,
    suggest_taxonomy,
)


def column(*cells: str | None) -> Column:
    return Column.from_cells("q", cells)


def rows(outline: Outline) -> list[str]:
    return [";".join(label or "" for label in path) for path in outline.paths()]


RULES = """
Europe > North = is SE, NO
Europe > South = starts with I, E
America = like ?S
Elsewhere = rest
"""


def test_the_first_rule_that_takes_a_value_has_it() -> None:
    outline = group_by_rules(column("SE", "IT", "US", "XX", "ES"), parse_rules(RULES))
    assert rows(outline) == [
        "SE;North;Europe;*",
        "IT;South;Europe;*",
        "US;US;America;*",
        "XX;XX;Elsewhere;*",
        "ES;South;Europe;*",
    ]


def test_a_value_no_rule_takes_has_no_place() -> None:
    outline = group_by_rules(column("a1", "b1", None), parse_rules("A = starts with a"))
    assert outline.unplaced == {"b1": 1}
    assert rows(outline) == ["a1;A;*", ";;*"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "one rule per line"),
        ("A = is x\nB starts with y", "Line 2: write the group"),
        ("A > = is x", "Line 1: write the group"),
        ("A = contains x", "Line 1: after ="),
        ("A = is ,", "Line 1: after ="),
    ],
)
def test_a_bad_rule_is_named_by_its_line(text: str, words: str) -> None:
    with pytest.raises(InvalidPlan, match=words):
        parse_rules(text)


def test_a_pattern_of_many_stars_ends() -> None:
    rules = parse_rules("A = like " + "*a" * 30 + "b")
    assert group_by_rules(column("a" * 60, "b"), (*rules, *parse_rules("B = rest"))).height == 2


def test_rare_values_become_one() -> None:
    outline = group_rare(column("a", "a", "b", "c", None), 2, "other")
    assert rows(outline) == ["a;a;*", "b;other;*", "c;other;*", ";;*"]
    with pytest.raises(InvalidPlan, match="this name already"):
        group_rare(column("a", "other"), 2, "other")


def test_neighbours_are_joined_in_the_order_asked_for() -> None:
    outline = group_neighbours(column("10", "9", "2", "33", "5"), "name", 2, [2])
    assert rows(outline) == [
        "10;9 … 10;2 … 10;*",
        "9;9 … 10;2 … 10;*",
        "2;2 … 5;2 … 10;*",
        "33;33;33;*",
        "5;2 … 5;2 … 10;*",
    ]
    typed = group_neighbours(column("high", "low", "mid"), "name", 2, [], ["low", "mid", "no"])
    assert rows(typed) == ["high;high;*", "low;low … mid;*", "mid;low … mid;*"]
    by_rows = group_neighbours(column("a", "b", "b", "c", "c", "c"), "rows", 2, [])
    assert rows(by_rows)[0] == "a;a;*"


def test_quantiles_share_the_rows_evenly_and_are_open_at_both_ends() -> None:
    outline = group_by_quantiles(column(*[str(n) for n in range(1, 9)]), 4, [2])
    assert rows(outline)[0] == "1;<3;<5;*"
    assert rows(outline)[2] == "3;3-4;<5;*"
    assert rows(outline)[7] == "8;≥7;≥5;*"


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(2, 9))
def test_quantiles_cover_every_number_once_and_nest(numbers: list[int], groups: int) -> None:
    own = Column.from_cells("q", map(str, numbers), ColumnType.INTEGER)
    outline = group_by_quantiles(own, groups, [2])
    outline.check()
    assert not outline.unplaced
    finest = {path[1] for path in outline.paths()}
    assert len(finest) <= groups


def test_intervals_with_open_ends_stay_nested() -> None:
    entry = {"intervals": {"start": 0, "width": 5, "widen": [2, 2], "bottom": 18, "top": 85}}
    recipe = parse_recipe(Place(entry))
    assert recipe.to_document() == entry
    own = column("3", "18", "22", "82", "85", "101")
    assert recipe.paths(own) == {
        "3": ("<18", "<18", "<18", "*"),
        "18": ("18-19", "18-19", "18-19", "*"),
        "22": ("20-24", "20-29", "20-39", "*"),
        "82": ("80-84", "80-84", "80-84", "*"),
        "85": ("≥85", "≥85", "≥85", "*"),
        "101": ("≥85", "≥85", "≥85", "*"),
    }
    bad = {"intervals": {"width": 5, "bottom": 9, "top": 9}}
    with pytest.raises(InvalidPlan, match="above the bottom"):
        parse_recipe(Place(bad))


def test_cells_pasted_from_a_spreadsheet() -> None:
    text = "red\twarm\tcolour\norange\twarm\t\nblue\tcold\tcolour\n"
    assert looks_like_columns(text)
    assert not looks_like_columns("*\n\twarm\n\t\tred\n")
    outline = parse_pasted("red\twarm\nblue\tcold\nteal\t\n", column("red", "blue", "teal", "x"))
    assert rows(outline) == ["red;warm;*", "blue;cold;*", "teal;teal;*"]
    assert outline.unplaced == {"x": 1}
    with pytest.raises(InvalidPlan, match="same label at level 1"):
        parse_pasted(text, column("red"))
    with pytest.raises(InvalidPlan, match="two columns"):
        parse_pasted(";\n", column("red"))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["f", "m", "f"], "Few values"),
        ([f"2024-0{n}-01" for n in range(1, 9)], "Dates"),
        ([str(n) for n in range(30)], "Numbers"),
        ([f"A{n}" for n in range(10, 30)], "Codes"),
        ([*"aaabbbcccdddeee", *(f"rare{n}" for n in range(9))], "Words: fewer than"),
        ([f"name {'x' * n}" for n in range(30)], "alphabet"),
    ],
)
def test_a_proposal_says_why_by_its_values(cells: list[str], words: str) -> None:
    assert words in suggest_taxonomy(column(*cells)).words


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.text("ab1 é", min_size=1, max_size=4),
            st.integers(-3, 10**6).map(str),
            st.decimals(-5, 5, places=2).map(lambda number: str(Decimal(number))),
        ),
        max_size=40,
    )
)
def test_a_proposal_covers_any_column(cells: list[str | None]) -> None:
    own = column(*cells)
    proposal = suggest_taxonomy(own)
    outline = proposal.outline
    if outline is None:
        assert proposal.recipe is not None
        outline = Outline.from_recipe(proposal.recipe, own)
    assert not outline.unplaced
    outline.check()
