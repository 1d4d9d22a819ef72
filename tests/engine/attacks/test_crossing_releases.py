"""Several releases of the same people, crossed: tables of four to six people, checked by eye."""

from dataclasses import replace

import numpy as np

from deid_portal.engine.attacks import AttackSetting
from deid_portal.engine.attacks.intersection import Intersection
from deid_portal.engine.attacks.release_crossing import cross_releases
from tests.engine.settings import release

PEOPLE = [
    ["1", "20", "a"],
    ["1", "30", "b"],
    ["2", "20", "c"],
    ["2", "30", "d"],
    ["2", "30", "e"],
]
BY_ZIP = release([[zip_code, "*", value] for zip_code, _, value in PEOPLE], PEOPLE)
BY_AGE = release([["*", age, value] for _, age, value in PEOPLE], PEOPLE)


def left_out(setting: AttackSetting, *people: int) -> AttackSetting:
    """Return the release without some of its records."""
    kept = np.setdiff1d(np.arange(setting.released.rows), people)
    columns = tuple(column.take(kept) for column in setting.released.columns)
    return replace(setting, released=type(setting.released)(columns), rows=kept.astype(np.int32))


def test_one_release_alone_gives_its_own_groups() -> None:
    assert sorted(cross_releases([BY_ZIP]).sizes.tolist()) == [2, 3]


def test_crossing_leaves_the_people_in_both_groups() -> None:
    crossing = cross_releases([BY_ZIP, BY_AGE])
    assert crossing.looks_alike.tolist() == [1, 1, 1, 2, 2]
    assert crossing.smallest == 1
    assert crossing.people_below(2).tolist() == [True, True, True, False, False]


def test_being_left_out_of_one_release_is_knowledge_too() -> None:
    crossing = cross_releases([BY_ZIP, left_out(BY_ZIP, 4)])
    # The fifth is the only one of zip 2 who is missing in the second release.
    assert crossing.looks_alike.tolist() == [2, 2, 2, 2, 1]


def test_people_no_release_shows_are_not_at_stake() -> None:
    crossing = cross_releases([left_out(BY_ZIP, 0, 1), left_out(BY_AGE, 0, 1)])
    assert crossing.looks_alike[:2].tolist() == [0, 0]
    assert not crossing.people_below(5)[:2].any()


def test_the_attack_counts_small_groups_and_disclosed_values() -> None:
    found = Intersection(k=2).run(replace(BY_ZIP, others=(BY_AGE,)), np.random.default_rng(1))
    assert found.figures.few == 3
    assert found.figures.disclosed == 3  # of the last two either value stays possible
    assert (found.records, found.figures.alone, found.figures.smallest) == (3, 0, 1)


def test_no_sensitive_column_is_needed() -> None:
    without = replace(BY_ZIP, sensitive=None, others=(replace(BY_AGE, sensitive=None),))
    found = Intersection(k=3).run(without, np.random.default_rng(1))
    assert (found.records, found.figures.disclosed) == (5, 0)


def test_the_same_release_twice_adds_nothing() -> None:
    found = Intersection(k=3).run(replace(BY_ZIP, others=(BY_ZIP,)), np.random.default_rng(1))
    assert found.records == found.figures.alone == 2
