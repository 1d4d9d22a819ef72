"""Transition matrices: the decks' designs, and estimates that give the truth back."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine.randomness.transition_matrix import Transition
from tests.engine.vectors import check, find

shares = st.lists(st.floats(0.05, 1), min_size=2, max_size=5).map(
    lambda weights: np.array(weights) / sum(weights)
)


def two_answers(p: float, p_prime: float) -> Transition:
    """Return the decks' rr(p, p'): the truth with p, else yes with p'. Yes is category 0."""
    return Transition.truth_or_draw(p, np.array([p_prime, 1 - p_prime]))


@pytest.mark.parametrize(
    "name",
    [
        "s1-ldp-c2-eps0",
        "s1-ldp-c2-eps1",
        "s1-ldp-c2-eps10-diag",
        "s1-ldp-c2-eps10-off",
        "s1-ldp-c7-eps10-diag",
        "s1-ldp-c7-eps10-off",
    ],
)
def test_matrices_from_epsilon_are_the_decks(name: str) -> None:
    vector = find(name)
    asked = vector["parameters"]
    matrix = Transition.for_epsilon(asked["eps"], asked["c"]).matrix
    check(vector, {"diag": matrix[0, 0], "off": matrix[0, 1]})
    assert matrix.sum(axis=1) == pytest.approx(np.ones(asked["c"]))


def test_the_decks_slip_is_a_nine_in_place_of_a_ten() -> None:
    off = {f"c{size}": Transition.for_epsilon(9, size).matrix[0, 1] for size in (2, 7)}
    check(find("s1-ldp-slide-eps9-explains"), off)


@pytest.mark.parametrize("name", ["s1-warner-one-coin-eps", "s1-rr-general-eps"])
def test_designs_with_coins_have_the_decks_matrix_and_level(name: str) -> None:
    vector = find(name)
    transition = two_answers(vector["parameters"]["p"], vector["parameters"]["pp"])
    assert transition.matrix == pytest.approx(np.array(vector["expected"]["matrix"]))
    assert transition.epsilon == pytest.approx(float(vector["expected"]["eps"]))


def test_two_coins_protect_to_the_logarithm_of_three() -> None:
    assert two_answers(0.5, 0.5).epsilon == pytest.approx(math.log(3))


def test_one_coin_answers_give_the_decks_shares_back() -> None:
    vector = find("s1-warner-100")
    counts = np.array([vector["input"]["yes"], vector["input"]["no"]])
    estimate = two_answers(0.5, 1.0).estimate(counts)
    assert estimate.shares == pytest.approx([vector["expected"]["pY"], vector["expected"]["pN"]])


def test_general_coins_give_the_decks_share_back() -> None:
    vector = find("s1-rr-general")
    transition = two_answers(vector["parameters"]["p"], vector["parameters"]["pp"])
    shown = transition.matrix.T @ [vector["input"]["pi"], 1 - vector["input"]["pi"]]
    assert shown[0] == pytest.approx(vector["expected"]["o"])
    estimate = transition.estimate(np.round(shown * 1000).astype(np.int64))
    assert estimate.shares[0] == pytest.approx(vector["expected"]["pi_hat"])


def test_a_matrix_that_is_not_symmetric_is_inverted_the_right_way_round() -> None:
    vector = find("s1-pram-inversion")
    transition = Transition(np.array(vector["input"]["P"]))
    counts = np.round(np.array(vector["expected"]["o"]) * 100).astype(np.int64)
    assert transition.estimate(counts).shares == pytest.approx(vector["expected"]["pi_hat"])


def test_the_region_of_feasibility_is_the_decks() -> None:
    vector = find("s1-feasibility-region")
    for point, expected in vector["expected"].items():
        first, second = (float(part) for part in point.split(","))
        level = Transition(np.array([[first, 1 - first], [1 - second, second]])).epsilon
        assert (level <= vector["parameters"]["eps"]) == expected, point


def test_the_best_corner_of_the_region_is_the_matrix_from_epsilon() -> None:
    vector = find("s1-feasibility-optimum")
    matrix = Transition.for_epsilon(vector["parameters"]["eps"], 2).matrix
    assert matrix.trace() == pytest.approx(vector["expected"]["max_p00_plus_p11"])


def test_warners_own_variance_is_the_one_for_a_sample() -> None:
    """Warner (1965): π(1 − π)/n + p(1 − p)/(n(2p − 1)²) for the truth with p, else its opposite."""
    p, rows, yes = 0.7, 1000, 420
    estimate = Transition(np.array([[p, 1 - p], [1 - p, p]])).estimate(np.array([yes, rows - yes]))
    share = (yes / rows - (1 - p)) / (2 * p - 1)
    variance = share * (1 - share) / rows + p * (1 - p) / (rows * (2 * p - 1) ** 2)
    assert estimate.shares[0] == pytest.approx(share)
    assert estimate.sampling_errors == pytest.approx([math.sqrt(variance)] * 2)
    assert estimate.errors[0] == pytest.approx(math.sqrt(p * (1 - p) / rows) / (2 * p - 1))


@given(shares, st.floats(0.1, 6))
def test_expected_counts_give_the_true_shares_back(truth: Any, epsilon: float) -> None:
    transition = Transition.for_epsilon(epsilon, len(truth))
    counts = transition.matrix.T @ truth * 1e12
    estimate = transition.estimate(np.round(counts).astype(np.int64))
    assert estimate.shares == pytest.approx(truth, abs=1e-6)
    assert transition.epsilon == pytest.approx(epsilon)


def test_a_category_without_a_chance_is_never_shown() -> None:
    transition = Transition(np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3]]))
    codes = np.repeat(np.arange(3, dtype=np.int32), 3000)
    shown = transition.change(codes, np.random.default_rng(1))
    assert set(shown[:3000]) == {1}
    assert set(shown[3000:6000]) == {0, 2}
    assert set(shown[6000:]) == {0, 1, 2}


def test_errors_are_those_found_by_repeating() -> None:
    """Randomize one table many times: estimates spread around the truth as the error says."""
    generator = np.random.default_rng(3)
    transition = Transition.for_epsilon(1.0, 3)
    codes = np.repeat(np.arange(3, dtype=np.int32), [300, 150, 50])
    estimates = [
        transition.estimate(np.bincount(transition.change(codes, generator), minlength=3))
        for _ in range(2000)
    ]
    found = np.array([estimate.shares for estimate in estimates])
    claimed = np.sqrt(np.mean([estimate.errors**2 for estimate in estimates], axis=0))
    assert found.mean(axis=0) == pytest.approx([0.6, 0.3, 0.1], abs=0.004)
    assert found.std(axis=0) == pytest.approx(claimed, rel=0.06)


def test_coins_that_never_ask_for_the_truth_cannot_be_inverted() -> None:
    assert not two_answers(0.0, 0.4).is_invertible
    assert two_answers(0.1, 0.4).is_invertible


@given(shares, st.floats(0.1, 6))
def test_an_invariant_matrix_keeps_the_shares(truth: Any, epsilon: float) -> None:
    kept = Transition.for_epsilon(epsilon, len(truth)).keeping(truth)
    assert kept.matrix.sum(axis=1) == pytest.approx(np.ones(len(truth)))
    assert truth @ kept.matrix == pytest.approx(truth)


def test_an_invariant_matrix_survives_what_nobody_has_or_shows() -> None:
    truth = np.array([0.5, 0.5, 0.0])
    kept = two_answers(0.5, 1.0).keeping(truth[:2])
    assert truth[:2] @ kept.matrix == pytest.approx(truth[:2])
    rare = Transition.for_epsilon(1.0, 3).keeping(truth)
    assert truth @ rare.matrix == pytest.approx(truth)
    never = Transition(np.array([[1.0, 0.0], [1.0, 0.0]])).keeping(np.array([0.3, 0.7]))
    assert never.matrix == pytest.approx(np.array([[0.3, 0.7], [0.3, 0.7]]))


def test_errors_of_shares_read_directly_are_those_found_by_repeating() -> None:
    generator = np.random.default_rng(5)
    codes = np.repeat(np.arange(3, dtype=np.int32), [300, 150, 50])
    kept = Transition.for_epsilon(1.0, 3).keeping(np.array([0.6, 0.3, 0.1]))
    estimates = [
        kept.read_directly(np.bincount(kept.change(codes, generator), minlength=3))
        for _ in range(2000)
    ]
    found = np.array([estimate.shares for estimate in estimates])
    claimed = np.sqrt(np.mean([estimate.errors**2 for estimate in estimates], axis=0))
    assert found.mean(axis=0) == pytest.approx([0.6, 0.3, 0.1], abs=0.002)
    assert found.std(axis=0) == pytest.approx(claimed, rel=0.06)
