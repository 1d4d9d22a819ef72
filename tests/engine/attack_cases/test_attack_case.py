"""A release ready to be attacked: what is impossible, the worst column, held-out people, prices."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Cancelled, Plan, Table, protect
from deid_portal.engine.attack_cases.case import (
    AttackAnswer,
    Case,
    NotPossible,
    OtherReleases,
    run_attack,
)
from deid_portal.engine.attack_cases.change_price import price_change
from deid_portal.engine.attack_cases.holdout import hold_out
from deid_portal.engine.attacks import ATTACKS
from deid_portal.engine.attacks.homogeneity import Homogeneity
from deid_portal.engine.attacks.intersection import Intersection
from deid_portal.engine.attacks.interval_disclosure import IntervalDisclosureAttack
from deid_portal.engine.attacks.record_linkage import RecordLinkage
from deid_portal.engine.attacks.singling_out import SinglingOut
from deid_portal.engine.progress import Progress
from tests.chance import known_secret
from tests.engine.tables import document

COLUMNS: dict[str, Any] = {
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [2, 2]}}},
    "condition": {"role": "sensitive"},
}
TWO_BY_TWO: dict[str, Any] = {"name": "levels", "levels": {"zip": 1, "age": 1}}


def people(rows: int = 80) -> Table:
    chance = np.random.default_rng(5)
    cells = [
        [
            f"130{chance.integers(0, 4)}",
            str(20 + chance.integers(0, 40)),
            chance.choice(["a", "b", "c"]),
        ]
        for _ in range(rows)
    ]
    return Table.from_rows(["zip", "age", "condition"], cells)


def open_case(table: Table | None = None, **changes: Any) -> Case:
    table = people() if table is None else table
    changes = {"models": [{"model": "k-anonymity", "k": 3}], "method": TWO_BY_TWO, **changes}
    plan = Plan.from_document(document(changes.pop("columns", COLUMNS), **changes))
    return Case.of_outcome(plan, table, protect(table, plan, secret=known_secret()))


def test_made_up_records_cannot_be_attacked() -> None:
    values = {
        "zip": ["1300", "1301", "1302", "1303"],
        "age": [str(age) for age in range(20, 60)],
        "condition": ["a", "b", "c"],
    }
    case = open_case(models=[], method={"name": "synthetic", "epsilon": 1, "values": values})
    with pytest.raises(NotPossible, match="nobody's"):
        run_attack(case, RecordLinkage(), seed=1)


def test_without_a_sensitive_column_there_is_no_value_to_learn() -> None:
    case = open_case(columns={**COLUMNS, "condition": {"role": "insensitive"}})
    with pytest.raises(NotPossible, match="no value to learn"):
        run_attack(case, Homogeneity(), seed=1)
    assert run_attack(case, RecordLinkage(), seed=1).column is None


def test_exact_and_coarse_numbers_are_not_masked_ones() -> None:
    with pytest.raises(NotPossible, match="No number was changed a little"):
        run_attack(open_case(), IntervalDisclosureAttack(), seed=1)


def test_masked_numbers_are_found_by_themselves() -> None:
    case = open_case(models=[], method={"name": "noise", "columns": ["age"], "scale": 0.05})
    assert case.masked_numbers == ("age",)
    found = run_attack(case, IntervalDisclosureAttack(), seed=1)
    assert found.column == "age"
    assert found.result.control is not None


def test_the_worst_sensitive_column_answers() -> None:
    table = people(40)
    second = Table.from_rows(["same"], [["x"]] * 40).columns[0]
    both = Table((*table.columns, second))
    case = open_case(both, columns={**COLUMNS, "same": {"role": "sensitive"}})
    found = run_attack(case, Homogeneity(), seed=1)
    assert found.column == "same"
    assert [other.column for other in found.others] == ["condition"]


def test_earlier_releases_are_crossed_person_by_person() -> None:
    finer = open_case(method={**TWO_BY_TWO, "levels": {"zip": 0, "age": 2}})
    case = open_case()
    with pytest.raises(NotPossible, match="No earlier release of these people"):
        run_attack(case, Intersection(3), seed=1)
    found = run_attack(case, Intersection(3), seed=1, earlier=OtherReleases([finer]))
    assert found.result.figures.releases == 2
    assert found.stake.records == found.result.figures.few or found.result.figures.disclosed


def test_values_mixed_within_groups_are_judged_by_group() -> None:
    method = {"name": "bucketization", "l": 2, "column": "condition"}
    case = open_case(models=[], method=method)
    assert case.group_column == "group"
    assert run_attack(case, Homogeneity(), seed=1).stake.records == 0
    assert run_attack(case, RecordLinkage(), seed=1).stake.share > 0.4  # everybody stands there


def test_held_out_people_are_not_in_the_release() -> None:
    case = open_case()
    setting = hold_out(case, seed=1)
    assert setting.control is not None
    assert setting.original.rows + setting.control.rows == 80
    again = hold_out(case, seed=1)
    assert again.rows.tolist() == setting.rows.tolist()
    found = run_attack(case, SinglingOut(50), seed=1, setting=setting)
    assert found.result.control is not None


def test_holding_out_needs_enough_people() -> None:
    with pytest.raises(NotPossible, match="at least 40"):
        hold_out(open_case(people(30)), seed=1)


@pytest.mark.parametrize("name", ["singling-out", "distance-linkage", "worst-case-linkage"])
def test_a_long_attack_can_be_stopped(name: str) -> None:
    def stop(*_: object, **__: object) -> None:
        raise Cancelled("Stopped.")

    case = open_case()
    with pytest.raises(Cancelled):
        run_attack(
            case, ATTACKS[name](), seed=1, setting=hold_out(case, seed=1), progress=Progress(stop)
        )


def test_an_intruder_knows_which_amounts_stand_behind_a_rounded_one() -> None:
    """Else rounding would seem to help wherever it only spells an amount in another way."""
    pay = [f"{1000 + 37 * row}.50" for row in range(80)]
    rows = [[*cells[:2], amount] for cells, amount in zip(people().head(80), pay, strict=True)]
    table = Table.from_rows(["zip", "age", "condition"], rows)

    def alone(*first: dict[str, Any]) -> float:
        case = open_case(table, method=[*first, TWO_BY_TWO])
        assert case.has_one_level
        return run_attack(case, SinglingOut(), seed=1, setting=hold_out(case, seed=1)).result.value

    barely = {"name": "rounding", "columns": ["condition"], "base": 1}
    ends = {"name": "coding", "columns": ["condition"], "top_share": 0.5, "bottom_share": 0.5}
    assert alone(barely) == alone() > 0.5
    assert alone({**barely, "base": 1000}, ends) < 0.3


def attack_again(case: Case) -> AttackAnswer:
    return run_attack(case, RecordLinkage(), seed=1)


def test_the_price_of_a_change_is_what_a_run_of_it_comes_to() -> None:
    table = people()
    case = open_case(table)
    before = attack_again(case).stake
    plan = Plan.from_document(
        document(COLUMNS, models=[{"model": "k-anonymity", "k": 20}], method=TWO_BY_TWO)
    )
    price = price_change(table, plan, attack_again)
    outcome = protect(table, plan)
    assert price is not None
    assert price.left_out == outcome.report.rows.suppressed > 0
    assert price.loss == outcome.report.utility.loss
    assert price.share < before.share


def test_a_change_without_a_solution_has_no_price() -> None:
    impossible = {"name": "none"}
    plan = Plan.from_document(
        document(COLUMNS, models=[{"model": "k-anonymity", "k": 80}], method=impossible)
    )
    assert price_change(people(), plan, attack_again) is None
