"""Which columns an outside table shares with the original, and who of it is who."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import InvalidTable, Plan, Table, protect
from deid_portal.engine.attack_cases.case import Case, run_attack
from deid_portal.engine.attack_cases.outside_table import (
    bring_outside,
    find_shared_columns,
)
from deid_portal.engine.attacks.outside_linkage import OutsideLinkage, find_outside_people
from tests.engine.tables import document

PEOPLE = Table.from_rows(
    ["name", "zip", "age", "ward", "condition"],
    [
        ["Ann", "13053", "28", "A", "Flu"],
        ["Bob", "13053", "21", "B", "Flu"],
        ["Cy", "13068", "35", "A", "Cancer"],
        ["Di", "13068", "37", "B", "Flu"],
    ],
)
COLUMNS: dict[str, Any] = {
    "name": {"role": "identifier"},
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"start": 0, "width": 10}}},
    "ward": {"role": "insensitive"},
    "condition": {"role": "sensitive"},
}
LEVELS = {"name": "levels", "levels": {"zip": 1, "age": 1}}


def case() -> Case:
    plan = Plan.from_document(document(COLUMNS, models=[], method=LEVELS, seed=1))
    return Case.of_outcome(plan, PEOPLE, protect(PEOPLE, plan))


def test_columns_are_paired_by_name_whatever_its_dress() -> None:
    outside = Table.from_rows(["ZIP ", "Age_"], [["13053", "28"], ["99999", "1"]])
    found = find_shared_columns(outside, [PEOPLE["zip"], PEOPLE["age"]])
    assert [(pair.theirs, pair.ours, pair.overlap) for pair in found] == [
        ("ZIP ", "zip", 0.5),
        ("Age_", "age", 0.5),
    ]


def test_columns_of_another_name_are_known_by_their_values() -> None:
    outside = Table.from_rows(["years", "x"], [["28", "1"], ["21", "2"], ["35", "3"]])
    found = find_shared_columns(outside, [PEOPLE["zip"], PEOPLE["age"]])
    assert [(pair.theirs, pair.ours) for pair in found] == [("years", "age")]


def test_a_column_without_a_common_value_is_no_pair() -> None:
    outside = Table.from_rows(["zip"], [["00000"], [None]])
    assert find_shared_columns(outside, [PEOPLE["zip"]]) == []


def test_each_column_is_used_once() -> None:
    outside = Table.from_rows(["age"], [["28"], ["21"], ["35"]])
    twin = Table.from_rows(["years"], [["28"], ["21"], ["35"]]).columns[0]
    found = find_shared_columns(outside, [twin, PEOPLE["age"]])
    assert [pair.ours for pair in found] == ["age"]


def test_people_are_found_by_who_is_who_and_strangers_are_not() -> None:
    outside = Table.from_rows(["who"], [["Cy"], ["Zoe"], [None], ["Ann"]])
    assert find_outside_people(PEOPLE, outside, ("who", "name")).tolist() == [2, -1, -1, 0]


def test_values_the_original_lacks_are_matched_by_the_rule_of_the_taxonomy() -> None:
    outside = Table.from_rows(["plz", "age"], [["13059", "29"]])
    setting = bring_outside(case(), outside, {"zip": "plz", "age": "age"})
    found = run_attack(case(), OutsideLinkage("exact"), seed=1, setting=setting)
    # 13059 is shown as 1305* and 29 as 20-29, where Ann and Bob are.
    assert found.result.spread is not None
    assert [(bin.label, bin.count) for bin in found.result.spread.bins] == [("2", 1)]


def test_a_harmless_column_can_give_people_away() -> None:
    outside = Table.from_rows(["zip", "age", "ward", "name"], [["13053", "28", "A", "Ann"]])
    columns = {"zip": "zip", "age": "age", "ward": "ward"}
    setting = bring_outside(case(), outside, columns, ("name", "name"))
    found = run_attack(case(), OutsideLinkage("exact"), seed=1, setting=setting)
    assert (found.stake.share, found.result.records) == (1.0, 1)


@pytest.mark.parametrize(
    ("columns", "person"), [({}, None), ({"zip": "plz"}, None), ({"age": "age"}, ("who", "name"))]
)
def test_a_column_that_is_not_there_is_named(
    columns: dict[str, str], person: tuple[str, str] | None
) -> None:
    outside = Table.from_rows(["age"], [["28"]])
    with pytest.raises(InvalidTable, match="The outside table has no column"):
        bring_outside(case(), outside, columns, person)


def test_who_is_who_is_not_given_to_the_intruder() -> None:
    outside = Table.from_rows(["age", "name"], [["28", "Ann"]])
    setting = bring_outside(case(), outside, {"age": "age"}, ("name", "name"))
    assert setting.outside is not None
    assert setting.outside.names == ("age",)
    assert np.asarray(setting.outside_rows).tolist() == [0]
