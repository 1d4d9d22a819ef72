"""Linkage with an outside table: exact, nearest, with and without knowing who is who."""

from dataclasses import replace

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.attacks import AttackResult
from deid_portal.engine.attacks.outside_linkage import OutsideLinkage
from tests.engine.settings import release

# The seventh person of the release, one like the first three, one whom nothing fits.
OUTSIDE = Table.from_rows(["age", "zip"], [["30", "47605"], ["23", "47677"], ["39", "47999"]])
WHO = np.array([6, 0, -1], np.int32)


def link(matching: str, who: "np.ndarray[tuple[int], np.dtype[np.int32]] | None") -> AttackResult:
    setting = replace(release(), outside=OUTSIDE, outside_rows=who)
    return OutsideLinkage(matching).run(setting, np.random.default_rng(1))


def test_exact_matching_leaves_strangers_unmatched() -> None:
    found = link("exact", WHO)
    assert found.value == pytest.approx((1 + 1 / 3) / 3)
    assert (found.records, found.figures.unmatched, found.figures.right) == (1, 1, 1)


def test_nearest_gives_everybody_a_record() -> None:
    assert link("exact, then nearest", WHO).figures.unmatched == 0
    assert link("nearest", WHO).figures.unmatched == 0


def test_exact_matches_stay_exact_where_there_are_any() -> None:
    assert link("exact, then nearest", WHO).value == pytest.approx(link("exact", WHO).value)


def test_without_who_is_who_only_unique_matches_are_told() -> None:
    found = link("exact", None)
    assert found.value == pytest.approx(1 / 3)
    assert (found.records, found.figures.scored) == (1, 0)
    assert "cannot be told" in found.sentence


def test_columns_with_too_many_names_are_matched_exactly_only() -> None:
    names = [[f"name {n}", "30"] for n in range(2500)]
    people = [[f"name {n}", "30", "Flu"] for n in range(2500)]
    setting = release([[*row[:2], "Flu"] for row in people], people)
    outside = Table.from_rows(["zip", "age"], [*names[:2], ["nobody", "31"]])
    setting = replace(setting, outside=outside, outside_rows=np.array([0, 1, -1], np.int32))
    found = OutsideLinkage().run(setting, np.random.default_rng(1))
    assert found.records == 2


@pytest.mark.parametrize(
    ("outside", "matching", "reason"),
    [
        (None, "exact", "needs an outside table"),
        (Table.from_rows(["zip", "age"], []), "exact", "holds nobody"),
    ],
)
def test_what_is_missing_is_said(outside: Table | None, matching: str, reason: str) -> None:
    with pytest.raises(InvalidPlan, match=reason):
        OutsideLinkage(matching).run(replace(release(), outside=outside), np.random.default_rng(1))


def test_a_way_of_matching_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="exact, then nearest"):
        OutsideLinkage("by feeling")
