"""Mechanisms the questions do not show: what they refuse, cost, and estimate back."""

import math

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan
from deid_portal.engine.differential.local import (
    check_local,
    coin,
    estimate_by_inversion,
    estimate_by_likelihood,
    is_feasible,
    randomize,
    region_of_feasibility,
    two_coins,
)
from deid_portal.engine.differential.mechanisms.bounded_laplace import (
    BoundedLaplace,
    bounded_laplace_epsilon,
)
from deid_portal.engine.differential.mechanisms.discrete_gaussian import DiscreteGaussian
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.mechanisms.exponential import Exponential
from deid_portal.engine.differential.mechanisms.laplace_with_delta import (
    LOOSE_WORDS,
    LaplaceWithDelta,
    delta_spent,
    delta_spent_on_whole_numbers,
)
from deid_portal.engine.differential.questions.logistic_regression import clip_lengths
from deid_portal.engine.randomness.transition_matrix import Transition
from tests.engine.vectors import find


def test_noise_kept_within_bounds_needs_the_whole_width() -> None:
    with pytest.raises(InvalidPlan, match="add noise first"):
        BoundedLaplace(0.0, 1.0, 0.1, 1.0)
    assert 0 <= BoundedLaplace(0.0, 1.0, 1.0, 1.0).release(5.0) <= 1


def test_what_bounded_noise_really_costs() -> None:
    assert bounded_laplace_epsilon(1.0, 0.1, scale=0.1) == pytest.approx(1.49, abs=0.005)
    assert bounded_laplace_epsilon(1.0, 1.0, scale=1.0) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("scale", "change", "epsilon"), [(1.5, 1, 0.5), (3.0, 4, 0.7), (900, 1000, 1)]
)
def test_what_laplace_noise_spends_is_a_sum_over_all_outcomes(
    scale: float, change: int, epsilon: float
) -> None:
    outcomes = np.arange(-40_000, 40_000)
    first, second = (np.exp(-np.abs(outcomes - at) / scale) for at in (0, change))
    chances = first / first.sum(), second / first.sum()
    spent = np.maximum(chances[0] - np.exp(epsilon) * chances[1], 0).sum()
    assert delta_spent_on_whole_numbers(scale, change, epsilon) == pytest.approx(spent, abs=1e-9)


def test_the_decks_scale_with_a_delta_is_loose() -> None:
    loose, tight = (LaplaceWithDelta(1 << 20, 0.5, 0.1, tight=one) for one in (False, True))
    assert loose.scale > tight.scale
    assert delta_spent(loose.scale, 1 << 20, 0.5) < 0.06
    assert "looser" in LOOSE_WORDS


def test_half_widths_are_the_tails_of_the_noise() -> None:
    noise = DiscreteLaplace(1, 1.0)
    tail = [2 * math.exp(-(width + 1)) / (1 + math.exp(-1)) for width in range(6)]
    assert noise.half_width(0.95) == next(width for width in range(6) if tail[width] <= 0.05)
    gaussian = DiscreteGaussian(2.0**20, 1.0, 1e-5)
    assert gaussian.half_width(0.95) / gaussian.scale == pytest.approx(1.96, abs=1e-3)


def test_one_coin_is_refused_and_two_are_the_logarithm_of_three() -> None:
    with pytest.raises(InvalidPlan, match="not private for any epsilon"):
        check_local(coin(0.5, 1.0))
    with pytest.raises(InvalidPlan):
        randomize(np.array([0], np.int32), coin(0.5, 1.0))
    assert check_local(two_coins()) == pytest.approx(math.log(3))


def test_chances_that_rounding_would_change_are_refused() -> None:
    """At ε = 40 a chance of e^−40 vanishes beside 1, and what is said would tell for sure."""
    one = np.array([0], np.int32)
    randomize(one, Transition.for_epsilon(15.0, 4))
    for epsilon in (32.0, 40.0):
        with pytest.raises(InvalidPlan):
            randomize(one, Transition.for_epsilon(epsilon, 4))


@pytest.mark.parametrize(
    ("vector", "longest", "expected"),
    [([3.0, 4.0], 1.0, [0.6, 0.8]), ([0.3, 0.4], 1.0, [0.3, 0.4]), ([0.0, 0.0], 1.0, [0.0, 0.0])],
)
def test_gradients_are_cut_to_their_longest_and_shorter_ones_kept(
    vector: list[float], longest: float, expected: list[float]
) -> None:
    assert clip_lengths(np.array([vector]), longest)[0] == pytest.approx(expected)


def test_utility_of_a_choice_is_no_worse_than_the_theorem_says() -> None:
    """Exact chances of the exponential mechanism against (2Δ/ε)(ln(others) + t), for any scores."""
    generator = np.random.default_rng(3)
    for candidates in (2, 5, 40):
        chooser = Exponential(1, 0.7)
        scores = -generator.exponential(10, candidates).round()
        for chance in (0.05, 0.01):
            short = chooser.falls_short(candidates - 1, chance)
            chances = chooser.probabilities(scores)
            assert chances[scores <= scores.max() - short].sum() <= chance
    assert chooser.falls_short(0, 0.05) == 0


def test_the_region_of_feasibility_is_the_decks() -> None:
    vector = find("s1-feasibility-region")
    for point, expected in vector["expected"].items():
        p00, p11 = (float(part) for part in point.split(","))
        assert is_feasible(p00, p11, vector["parameters"]["eps"]) == expected, point
    best = find("s1-feasibility-optimum")["expected"]
    corners = region_of_feasibility(1.0)
    assert corners[-1] == pytest.approx((best["p00"], best["p11"]))
    assert all(is_feasible(*corner, 1.0) for corner in corners)


def test_both_estimators_find_the_shares_behind_the_decks_matrix() -> None:
    vector = find("s1-pram-inversion")
    transition = Transition(np.array(vector["input"]["P"]))
    counts = np.round(np.array(vector["expected"]["o"]) * 1e6).astype(np.int64)
    for estimate in (estimate_by_inversion, estimate_by_likelihood):
        assert estimate(transition, counts) == pytest.approx(vector["expected"]["pi_hat"], abs=1e-4)


def test_the_likeliest_shares_are_never_below_zero() -> None:
    counts = np.array([20, 80])
    assert estimate_by_inversion(two_coins(), counts)[0] < 0
    assert estimate_by_likelihood(two_coins(), counts) == pytest.approx([0, 1], abs=1e-6)
    with pytest.raises(InvalidPlan, match="does not say"):
        estimate_by_inversion(coin(0.0, 0.5), counts)
