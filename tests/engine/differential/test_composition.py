from math import exp, log, sqrt

import pytest

from deid_portal.engine.differential import PrivacyPrice, compose_prices
from deid_portal.engine.differential.budget.composition import (
    ADVANCED,
    PRIVACY_LOSS,
    RENYI,
    parallel,
)


def epsilons(prices: list[PrivacyPrice], delta: float) -> dict[str, float]:
    return {bound.name: bound.price.epsilon for bound in compose_prices(prices, delta).bounds}


def test_without_a_delta_prices_add_up() -> None:
    composition = compose_prices([PrivacyPrice(0.1), PrivacyPrice(0.4)])
    assert [bound.name for bound in composition.bounds] == ["sequential"]
    assert composition.best.price == PrivacyPrice(0.5, 0)


def test_many_small_prices_cost_less_than_their_sum() -> None:
    found = epsilons([PrivacyPrice(0.1)] * 100, 1e-6)
    assert found[PRIVACY_LOSS] < found[RENYI] < found[ADVANCED] < 10
    assert compose_prices([PrivacyPrice(0.1)] * 100, 1e-6).best.name == PRIVACY_LOSS


def test_few_prices_are_best_added_up() -> None:
    best = compose_prices([PrivacyPrice(1.0)] * 2, 1e-6).best
    assert best.price.epsilon <= 2
    assert epsilons([PrivacyPrice(1.0)] * 2, 1e-6)[ADVANCED] > 2


def test_advanced_composition_is_the_published_formula() -> None:
    epsilon, times, delta = 0.1, 50, 1e-5
    drift = times * epsilon * (exp(epsilon) - 1) / (exp(epsilon) + 1)
    expected = drift + epsilon * sqrt(2 * times * log(1 / delta))
    assert epsilons([PrivacyPrice(epsilon)] * times, delta)[ADVANCED] == pytest.approx(expected)


def test_two_coins_told_twice_are_worth_what_counting_says() -> None:
    """Two answers by two coins: ε is 2 ln 3 unless δ covers that both are true, P = 9/16."""
    both = 9 / 16 - 1 / 16  # how much of the first table's chance the second does not have at ε = 0
    nothing = epsilons([PrivacyPrice(log(3))] * 2, both + 1e-3)
    assert nothing[PRIVACY_LOSS] == pytest.approx(0.0, abs=0.01)
    assert epsilons([PrivacyPrice(log(3))] * 2, 1e-9)[PRIVACY_LOSS] == pytest.approx(
        2 * log(3), abs=0.01
    )


def test_deltas_of_the_prices_are_kept_within_the_whole() -> None:
    prices = [PrivacyPrice(0.1, 1e-7)] * 20
    assert {bound.price.delta for bound in compose_prices(prices, 1e-5).bounds[1:]} == {1e-5}
    assert compose_prices(prices, 1e-5).bounds[0].price.delta == pytest.approx(2e-6)
    assert len(compose_prices(prices, 1e-6).bounds) == 1  # there is not so much to spend


def test_groups_nobody_shares_cost_as_much_as_the_dearest() -> None:
    assert parallel([PrivacyPrice(0.1), PrivacyPrice(0.3, 1e-6)]) == PrivacyPrice(0.3, 1e-6)
