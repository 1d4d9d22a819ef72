"""The result words of an attack, as a truth table, and what each attack is held against."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan
from deid_portal.engine.attack_cases.verdict import AttackVerdict, judge_attack, promised_chance
from deid_portal.engine.attacks import ATTACKS
from deid_portal.engine.attacks.attack import Stake, weigh_gain, weigh_match
from deid_portal.engine.attacks.skewness import Skewness
from tests.engine.settings import complete
from tests.engine.tables import document

LIMIT = 0.05


@pytest.mark.parametrize(
    ("share", "low", "high", "is_found", "word"),
    [
        (0.00, 0.00, 0.00, False, AttackVerdict.RESISTED),
        (0.03, 0.02, 0.04, False, AttackVerdict.RESISTED),  # no better than what must be expected
        (0.03, 0.02, 0.04, True, AttackVerdict.WEAK_SPOT),  # found, inside the limit
        (0.05, 0.05, 0.05, True, AttackVerdict.WEAK_SPOT),  # the limit itself is allowed
        (0.00, 0.00, 0.24, False, AttackVerdict.WEAK_SPOT),  # too few tries to be sure
        (0.08, 0.00, 0.20, False, AttackVerdict.WEAK_SPOT),  # may be nothing at all
        (0.08, 0.06, 0.10, True, AttackVerdict.OVER_LIMIT),
        (
            0.08,
            0.03,
            0.14,
            True,
            AttackVerdict.OVER_LIMIT,
        ),  # certainly something, and more than allowed
        (
            0.08,
            0.06,
            0.10,
            False,
            AttackVerdict.OVER_LIMIT,
        ),  # the promise itself is above the limit
    ],
)
def test_result_words(
    share: float, low: float, high: float, is_found: bool, word: AttackVerdict
) -> None:
    assert judge_attack(Stake(share, (low, high), 1, 0.0, is_found), LIMIT) == word


def test_a_limit_of_nothing_allows_nothing() -> None:
    assert judge_attack(Stake(0.0, (0.0, 0.0), 0, 0.0, False), 0.0) == AttackVerdict.RESISTED
    assert (
        judge_attack(Stake(0.001, (0.001, 0.001), 37, 0.0, True), 0.0) == AttackVerdict.OVER_LIMIT
    )


def test_a_match_is_no_finding_up_to_the_promise() -> None:
    assert not weigh_match(0.2, (0.2, 0.2), 0.2, 100).is_found
    assert weigh_match(0.25, (0.21, 0.3), 0.2, 100).is_found
    assert weigh_match(0.014, (0.011, 0.017), 0.2, 5000).records == 70


def test_only_the_gain_beyond_the_control_counts() -> None:
    stake = weigh_gain(0.6, (0.55, 0.65), 0.5, 1000)
    assert stake.share == pytest.approx(0.2)
    assert stake.interval == pytest.approx((0.1, 0.3))
    assert (stake.records, stake.is_found) == (200, True)
    assert not weigh_gain(0.52, (0.49, 0.55), 0.5, 1000).is_found


def test_skewness_is_held_against_the_records_not_the_highest_gain() -> None:
    found = Skewness().run(complete(), np.random.default_rng(1))
    stake = Skewness().weigh(found, 0.5)
    assert stake.share == pytest.approx(4 / 7)
    assert stake.records == 4


@pytest.mark.parametrize("name", list(ATTACKS))
def test_every_attack_can_be_weighed_and_drawn(name: str) -> None:
    setting = complete()
    everyone = np.arange(setting.original.rows, dtype=np.int32)
    setting = replace(setting, outside=setting.original, outside_rows=everyone)
    attack = ATTACKS[name](column="age") if name == "interval-disclosure" else ATTACKS[name]()  # type: ignore[call-arg]
    found = attack.run(setting, np.random.default_rng(1))
    stake = attack.weigh(found, 0.25)
    assert 0 <= stake.interval[0] <= stake.share + 1e-12
    assert stake.share <= stake.interval[1] + 1e-12
    assert stake.records >= 0
    assert found.spread is not None
    assert found.spread.bins


@pytest.mark.parametrize(
    ("models", "chance"),
    [
        ([], 0.0),
        ([{"model": "k-anonymity", "k": 5}], 0.2),
        ([{"model": "k-anonymity", "k": 5}, {"model": "highest-risk", "limit": 0.1}], 0.1),
    ],
)
def test_what_a_plan_promises(models: list[dict[str, Any]], chance: float) -> None:
    columns = {"zip": {"role": "quasi-identifier"}}
    plan = Plan.from_document(document(columns, models=models))
    assert promised_chance(plan) == pytest.approx(chance)
