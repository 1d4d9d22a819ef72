import numpy as np
import pytest

from deid_portal.engine import InvalidPlan
from deid_portal.engine.risk.population_uniques import (
    estimate_pitman,
    estimate_population_uniques,
    estimate_snb,
    estimate_zayatz,
)
from deid_portal.engine.table.table import Counts


def draw(population: Counts, fraction: float, seed: int) -> Counts:
    """Sample people and return the sizes of the classes seen."""
    generator = np.random.default_rng(seed)
    people = np.repeat(np.arange(len(population)), population)
    chosen = generator.choice(people, int(fraction * len(people)), replace=False)
    _, sizes = np.unique(chosen, return_counts=True)
    return sizes.astype(np.int64)


def test_whole_population_is_counted_not_estimated() -> None:
    found = estimate_population_uniques(np.array([1, 1, 2, 4]), 8)
    assert (found.estimate, found.lowest, found.highest) == (2.0, 2.0, 2.0)


def test_nobody_alone_in_the_sample_gives_none() -> None:
    found = estimate_population_uniques(np.array([2, 3]), 1000)
    assert (found.estimate, found.model) == (0.0, "none")


def test_zayatz_by_hand() -> None:
    # Two of four people drawn, one class of one and none other: 1/π · 1.
    assert estimate_zayatz(np.array([1, 1]), 4) == pytest.approx(4.0)


def test_zayatz_weighs_larger_classes() -> None:
    # n = 3 of N = 6; a class of 2 shows exactly one member with chance 2·C(4,2)/C(6,3) = 0.6.
    assert estimate_zayatz(np.array([1, 2]), 6) == pytest.approx(2 * 0.5 / (0.5 + 0.6))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_slide_negative_binomial_recovers_its_own_population(seed: int) -> None:
    population = 1 + np.random.default_rng(seed).negative_binomial(0.5, 0.1, 4000)
    truth = int((population == 1).sum())
    estimate = estimate_snb(draw(population, 0.3, seed), int(population.sum()))
    assert estimate == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pitman_recovers_its_own_population(seed: int) -> None:
    population = pitman_population(20_000, 0.5, 50.0, seed)
    truth = int((population == 1).sum())
    estimate = estimate_pitman(draw(population, 0.05, seed), 20_000)
    assert estimate == pytest.approx(truth, rel=0.3)


def pitman_population(people: int, alpha: float, theta: float, seed: int) -> Counts:
    """Seat people one by one in the restaurant whose tables follow Pitman's formula."""
    generator = np.random.default_rng(seed)
    sizes: list[int] = []
    at_table: list[int] = []
    for seated in range(people):
        if generator.random() < (theta + alpha * len(sizes)) / (theta + seated):
            at_table.append(len(sizes))
            sizes.append(1)
            continue
        while True:
            table = at_table[int(generator.integers(len(at_table)))]
            if generator.random() < (sizes[table] - alpha) / sizes[table]:
                break
        sizes[table] += 1
        at_table.append(table)
    return np.array(sizes, np.int64)


def test_rule_takes_pitman_for_small_samples_and_the_smaller_of_the_others_else() -> None:
    sizes = np.array([1] * 40 + [2] * 20 + [5] * 4)
    small = estimate_population_uniques(sizes, 2000)
    assert small.model == "pitman"
    large = estimate_population_uniques(sizes, 300)
    both = [large.by_model["zayatz"], large.by_model["snb"]]
    assert large.estimate == min(answer for answer in both if answer is not None)
    assert large.lowest <= large.estimate <= large.highest <= 300


def test_order_of_classes_says_nothing() -> None:
    sizes = np.array([1, 1, 1, 2, 4, 7])
    turned = estimate_population_uniques(sizes[::-1].copy(), 100)
    assert turned == estimate_population_uniques(sizes, 100)


def test_population_smaller_than_the_table_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="at least the 3 people"):
        estimate_population_uniques(np.array([1, 2]), 2)
