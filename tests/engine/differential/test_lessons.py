"""Lessons: each attack works without privacy, and not much better than guessing with it.

With privacy an attack may have luck. Where luck is judged, the chance of failing is said.
"""

import json

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.attacks.attack import AttackResult
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.differential import ValuesDomain
from deid_portal.engine.differential.lessons import (
    AttackChance,
    bits_of,
    deck_data,
    repeat_lesson,
    teach_averaging,
    teach_denial,
    teach_differencing,
    teach_means,
    teach_reconstruction,
)
from deid_portal.engine.differential.lessons.voting import Swarm, rosenbrock
from tests.engine.tables import adult_table
from tests.engine.vectors import find


def test_the_lessons_have_the_decks_data() -> None:
    chandler, sickle = find("s0-chandler-differencing"), find("s2-sickle-cell")
    assert deck_data.CHANDLER.tolist() == chandler["input"]["x"]
    assert list(deck_data.CHANDLER_NAMES) == chandler["input"]["names"]
    traits = [row[1] == "Yes" for row in sickle["input"]["table"]["rows"]]
    assert deck_data.SICKLE_CELL.tolist() == [int(trait) for trait in traits]
    assert deck_data.BLOOD_SUGAR.tolist() == find("s2-bloodsugar-exact")["input"]["all"]
    years = find("s2-query-audit-max")["input"]["table"]["rows"]
    assert deck_data.YEARS.tolist() == [row[3] for row in years]


@pytest.mark.parametrize("bits", [deck_data.CHANDLER, deck_data.SICKLE_CELL])
def test_differences_of_exact_sums_tell_on_everybody(bits: np.ndarray) -> None:
    lesson = teach_differencing(bits, epsilon=1.0)
    assert lesson.without.value == 1.0
    json.dumps(lesson.to_document())


def adult_bits() -> np.ndarray:
    return bits_of(adult_table(), "salary-class", ValuesDomain((">50K",)))


def test_one_budget_for_all_questions_hides_everybody() -> None:
    """Noise of 400 on each: guesses of 200 people are coin flips; 75 % right has P < 10⁻¹²."""
    lesson = teach_differencing(adult_bits(), epsilon=1.0)
    assert lesson.without.value == 1.0
    assert lesson.with_privacy.value < 0.75


def test_the_same_question_many_times_wears_noise_down() -> None:
    """Means of 150 differences deviate by 0.16, so that three of 30 people come out wrong with a
    chance of 2·10⁻⁶; with a budget they are coin flips, 27 of 30 right once in 200,000 times.
    """
    bits = np.array([1, 0, 1, 0, 0, 1, 0, 1, 0, 0] * 3, np.int64)
    lesson = teach_averaging(bits, epsilon=1.0, repeats=150)
    assert lesson.without.value >= 0.9
    assert lesson.with_privacy.value < 0.9
    assert "150" in lesson.moral


def test_two_means_tell_on_bob_unless_they_are_private() -> None:
    sugar, bob = deck_data.BLOOD_SUGAR, deck_data.BOB
    bounds = deck_data.LOWEST_SUGAR, deck_data.HIGHEST_SUGAR
    assert teach_means(sugar, bob, *bounds, epsilon=1.0).without.value == 1.0
    # Noise of 100 hits a range of ±0.1 once in 1000 times: 8 hits of 20 have P < 10⁻¹⁹.
    hits = [teach_means(sugar, bob, *bounds, epsilon=0.1).with_privacy.value for _ in range(20)]
    assert sum(hits) < 8


def test_noise_that_is_never_large_is_undone() -> None:
    """With noise of thousands, what is solved for is a coin flip for each of 60 people."""
    generator = np.random.default_rng(6)
    lesson = teach_reconstruction(adult_bits()[:60], 1.0, 1.0, generator)
    assert lesson.without.value > 0.95
    assert lesson.with_privacy.value < 0.9  # by chance P < 10⁻⁹


def test_a_refusal_tells_who_has_the_largest_number() -> None:
    """In groups of the deck's class; the largest is one of three candidates by luck otherwise."""
    everybody = np.ones(len(deck_data.YEARS), np.bool_)
    lesson = teach_denial(deck_data.YEARS, [1, 2, 3, 4, 5, 6, 7], 1.0, [everybody])
    assert (lesson.without.value, lesson.without.records) == (1.0, 1)
    assert "never refused" in lesson.moral


def test_refusals_tell_on_somebody_in_every_group_of_a_table() -> None:
    generator = np.random.default_rng(8)
    numbers = generator.permutation(120).astype(float)
    groups = [np.arange(120) // 10 == group for group in range(12)]
    lesson = teach_denial(numbers, np.arange(0, 121, 5).tolist(), 1.0, groups)
    assert lesson.without.value == 1.0
    # An exact number off the candidates cannot be claimed rightly but where it is one of them.
    assert lesson.with_privacy.value < 0.5


def test_a_lesson_needs_people() -> None:
    with pytest.raises(InvalidPlan, match="At least 2 people"):
        bits_of(Table.from_rows(["a"], [["1"]]), "a", ValuesDomain(("1",)))
    with pytest.raises(InvalidPlan, match="no column"):
        bits_of(Table.from_rows(["a"], [["1"]]), "b", ValuesDomain(("1",)))


def test_a_swarm_that_votes_in_secret_still_finds_the_valley() -> None:
    """2000 votes by k-ary randomized response, ε = 2: the start is at 400 or more on average."""
    ends = [
        rosenbrock(*Swarm(2000, 8, epsilon).search(60, np.random.default_rng(seed)))
        for epsilon in (None, 2.0)
        for seed in (1, 2)
    ]
    assert max(ends) < 20


def _attacks(*shares: float) -> list[AttackResult]:
    return [
        AttackResult("attack", share, exactly(share), None, round(share), "") for share in shares
    ]


def test_the_chance_of_hits_and_misses_has_an_exact_interval() -> None:
    always, never = AttackChance.of(_attacks(*[1.0] * 100)), AttackChance.of(_attacks(*[0.0] * 100))
    assert always.interval == (pytest.approx(0.9638, abs=1e-4), 1.0)
    assert never.interval == (0.0, pytest.approx(0.0362, abs=1e-4))


def test_the_chance_of_shares_has_the_interval_of_students_t() -> None:
    """Four shares with mean 0.5 and deviation 0.0816; t is 3.182 at three degrees of freedom."""
    chance = AttackChance.of(_attacks(0.4, 0.5, 0.5, 0.6))
    assert chance.share == pytest.approx(0.5)
    assert chance.interval == (pytest.approx(0.3701, abs=1e-4), pytest.approx(0.6299, abs=1e-4))
    assert not chance.is_above(0.38)
    assert chance.is_above(0.36)


def test_a_repeated_lesson_says_whether_the_noise_left_more_than_guessing() -> None:
    bits = np.array([1, 0] * 10, np.int64)
    lesson = repeat_lesson(lambda: teach_differencing(bits, epsilon=1.0), 20)
    assert (lesson.times, lesson.without.share, lesson.guessing) == (20, 1.0, 0.5)
    # ε of 1/40 for each question moves a guess by less than a tenth: 0.8 of 400 has P < 10⁻²⁰.
    assert lesson.with_privacy.share < 0.8
    generous = repeat_lesson(lambda: teach_differencing(bits, epsilon=4000.0), 20)
    assert generous.beats_guessing
