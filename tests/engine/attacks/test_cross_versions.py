"""Releases of several versions, crossed: by hand on a few people, and against a plain oracle."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.attacks.attack import AttackSetting
from deid_portal.engine.attacks.intersection import Intersection
from deid_portal.engine.attacks.version_linkage import (
    cross_people,
    link_by_name,
    link_by_what_is_known,
)
from deid_portal.engine.table.table import Column

Row = tuple[str, str, str]  # name, age, and how the release shows the age ("" for left out)


def version(rows: Sequence[Row]) -> AttackSetting:
    """A table of names and ages, and its release, in which some are left out."""
    original = Table.from_rows(["name", "age"], [(name, age) for name, age, _ in rows])
    kept = [place for place, (_, _, shown) in enumerate(rows) if shown]
    released = Table.from_rows(["age"], [(rows[place][2],) for place in kept])
    return AttackSetting(original, released, np.array(kept, np.int32), ("age",))


def by_name(versions: Sequence[AttackSetting]) -> list[np.ndarray]:
    return link_by_name([own.original["name"] for own in versions])


# Four people in January, in two groups of two. In February Dora has left and Emil has come; the
# groups are the same.
JANUARY: list[Row] = [
    ("Anna", "21", "2*"),
    ("Ben", "22", "2*"),
    ("Carl", "31", "3*"),
    ("Dora", "32", "3*"),
]
FEBRUARY: list[Row] = [
    ("Anna", "21", "2*"),
    ("Ben", "22", "2*"),
    ("Carl", "31", "3*"),
    ("Emil", "33", "3*"),
]


def test_who_joins_and_who_leaves_stand_alone() -> None:
    """Anna and Ben hide among two. Carl is the one in both; Dora and Emil in one only."""
    months = [version(JANUARY), version(FEBRUARY)]
    crossed = cross_people(months, by_name(months))
    assert sorted(crossed.sizes.tolist()) == [1, 1, 1, 2]
    assert (crossed.smallest, crossed.people_below(2).sum()) == (1, 3)


def test_the_attack_counts_people_of_all_versions() -> None:
    """Five people are in the two tables; Dora, who left, is found by the release she is not in."""
    months = [version(FEBRUARY), version(JANUARY)]
    setting = replace(months[0], versions=(months[1],), people=tuple(by_name(months)))
    found = Intersection(k=2).run(setting, np.random.default_rng(1))
    assert (found.records, found.value) == (3, 3 / 5)
    assert (found.figures.few, found.figures.smallest, found.figures.alone) == (3, 1, 0)
    assert found.figures.releases == 2


def test_the_worse_of_both_ways_to_cross_counts() -> None:
    """The other release of February tells Anna from Ben; with January everybody stands alone."""
    finer = [(name, age, age if shown == "2*" else shown) for name, age, shown in FEBRUARY]
    months = [version(FEBRUARY), version(finer), version(JANUARY)]
    alike = replace(months[0], others=(months[1],))
    assert Intersection(k=2).run(alike, np.random.default_rng(1)).records == 2
    both = replace(alike, versions=(months[2],), people=tuple(by_name(months)))
    assert Intersection(k=2).run(both, np.random.default_rng(1)).records == 5


def test_the_same_people_in_the_same_groups_lose_nothing() -> None:
    months = [version(JANUARY), version(list(reversed(JANUARY)))]
    assert cross_people(months, by_name(months)).sizes.tolist() == [2, 2]


def test_other_levels_cut_groups_apart() -> None:
    """January shows decades, February whether somebody is above 21: only Anna is in both lows."""
    other: list[Row] = [
        ("Anna", "21", "<22"), ("Ben", "22", "22+"), ("Carl", "31", "22+"), ("Dora", "32", "22+"),
    ]  # fmt: skip
    months = [version(JANUARY), version(other)]
    crossed = cross_people(months, by_name(months))
    assert sorted(crossed.sizes.tolist()) == [1, 1, 2]


def by_age(versions: Sequence[AttackSetting]) -> list[np.ndarray]:
    return link_by_what_is_known([own.original for own in versions], ["age"])


def test_without_names_rows_that_agree_are_taken_for_the_same() -> None:
    """Ages 21, 22 and 31 are in both months; 32 left and 33 came. As with the names."""
    months = [version(JANUARY), version(FEBRUARY)]
    crossed = cross_people(months, by_age(months))
    assert sorted(crossed.sizes.tolist()) == [1, 1, 1, 2]
    assert crossed.people_below(2).sum() == 3


def test_one_more_of_the_same_age_is_somebody_who_joined() -> None:
    """Three of 21 in January, four in February: by subtraction the fourth is found."""
    months = [version([(name, "21", "2*") for name in names]) for names in ("ABC", "WXYZ")]
    assert sorted(cross_people(months, by_age(months)).sizes.tolist()) == [1, 3]


def test_somebody_without_a_name_is_nobody_else() -> None:
    first, second = (Column.from_cells("name", cells) for cells in (["A", None], [None, "A"]))
    one, other = link_by_name([first, second])
    assert one[0] == other[1]
    assert len({one[0], one[1], other[0]}) == 3


def test_a_person_with_several_rows_is_shown_in_a_set_of_groups() -> None:
    """Anna has a row in each group, Ben too; Carl only in one."""
    rows: list[Row] = [
        ("Anna", "21", "2*"), ("Anna", "31", "3*"), ("Ben", "22", "2*"), ("Ben", "32", "3*"),
        ("Carl", "31", "3*"),
    ]  # fmt: skip
    months = [version(rows)]
    assert sorted(cross_people(months, by_name(months)).sizes.tolist()) == [1, 2]


def test_tables_that_share_no_column_cannot_be_linked() -> None:
    with pytest.raises(InvalidTable):
        link_by_what_is_known([version(JANUARY).original], [])


people = st.lists(
    st.tuples(
        st.sampled_from("ABCDEFGH"),
        st.sampled_from(["20", "21", "30"]),
        st.sampled_from(["", "2*", "*"]),
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=60)
@given(st.lists(people, min_size=1, max_size=3))
def test_an_oracle_that_compares_everybody_with_everybody_agrees(worlds: list[list[Row]]) -> None:
    versions = [version(rows) for rows in worlds]
    crossed = cross_people(versions, by_name(versions))
    assert sorted(np.repeat(crossed.sizes, crossed.sizes).tolist()) == _hide_among(worlds)


def _hide_among(worlds: list[list[Row]]) -> list[int]:
    """Count, person by person, who has the same story over all releases."""
    names = {name for rows in worlds for name, _, _ in rows}
    told = {
        name: tuple(
            frozenset(shown for own, _, shown in rows if own == name) or frozenset({""})
            for rows in worlds
        )
        for name in names
    }
    seen = [story for story in told.values() if any(own != {""} for own in story)]
    return sorted(seen.count(story) for story in seen)


@settings(max_examples=60)
@given(st.lists(people, min_size=1, max_size=3))
def test_rows_that_agree_get_the_same_numbers_as_by_hand(worlds: list[list[Row]]) -> None:
    """Naming each row by its age and its turn among those of that age is the same link."""
    versions = [version(rows) for rows in worlds]
    named = [version(_name_by_turn(rows)) for rows in worlds]
    found = cross_people(versions, by_age(versions)).sizes
    assert sorted(found.tolist()) == sorted(cross_people(named, by_name(named)).sizes.tolist())


def _name_by_turn(rows: list[Row]) -> list[Row]:
    ages = [age for _, age, _ in rows]
    return [
        (f"{age} {ages[:place].count(age)}", age, shown)
        for place, (_, age, shown) in enumerate(rows)
    ]
