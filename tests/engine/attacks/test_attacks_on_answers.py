import numpy as np
import pytest

from deid_portal.engine import InvalidPlan
from deid_portal.engine.attacks.differencing import (
    Answer,
    attack_by_differencing,
    infer_from_means,
)
from deid_portal.engine.attacks.max_auditing import find_forced_people
from deid_portal.engine.attacks.reconstruction import (
    attack_by_reconstruction,
)
from deid_portal.engine.attacks.transparency import recover_shares
from tests.engine.attacks.exhaustive_reconstruction import reconstruct_exhaustively

BITS = np.array([1, 0, 1, 1, 0, 0, 0, 0], np.int64)


def noisy(bits: np.ndarray, scale: float, seed: int = 1) -> Answer:
    generator = np.random.default_rng(seed)
    return lambda chosen: float(bits[chosen].sum() + generator.uniform(-scale, scale))


def test_exact_answers_disclose_everybody() -> None:
    found = attack_by_differencing(BITS, noisy(BITS, 0))
    assert (found.value, found.records, found.control) == (1.0, 8, 5 / 8)


def test_averaging_wears_noise_down() -> None:
    once = attack_by_differencing(BITS, noisy(BITS, 3.0))
    answer = noisy(BITS, 3.0)
    averaged = lambda chosen: float(np.mean([answer(chosen) for _ in range(400)]))  # noqa: E731
    often = attack_by_differencing(BITS, averaged, repeats=400)
    assert once.value < often.value == 1.0
    assert (once.name, often.name) == ("differencing", "averaging")


def test_mean_without_one_person_gives_that_person() -> None:
    assert infer_from_means(3.0, 3, 2.0) == pytest.approx(5.0)


def test_reconstruction_beats_small_noise_and_not_large() -> None:
    bits = np.random.default_rng(2).integers(0, 2, 40)
    generator = np.random.default_rng(3)
    small = attack_by_reconstruction(bits, noisy(bits, 1.0), generator)
    large = attack_by_reconstruction(bits, noisy(bits, 40.0), generator)
    assert small.value > 0.95
    assert large.value < small.value


def test_exhaustive_reconstruction_keeps_its_promise() -> None:
    found = reconstruct_exhaustively(noisy(BITS, 0.5), 8, 0.5)
    assert found is not None
    assert int((found != BITS).sum()) <= 2
    assert reconstruct_exhaustively(lambda chosen: 99.0, 3, 0.5) is None
    with pytest.raises(InvalidPlan, match="up to 14 people"):
        reconstruct_exhaustively(noisy(BITS, 0), 30, 1)


def test_maxima_force_the_only_person_who_can_reach_them() -> None:
    everyone, first_two = np.array([True, True, True]), np.array([True, True, False])
    assert find_forced_people([everyone, first_two], [9.0, 5.0]) == {2: 9.0}
    assert find_forced_people([everyone], [9.0]) == {}


def test_chances_that_join_two_values_cannot_be_undone() -> None:
    with pytest.raises(InvalidPlan, match="changed alike"):
        recover_shares(np.full((2, 2), 0.5), np.array([0.5, 0.5]))
