"""A statistical auditor: would an attacker tell neighbors apart better than the price allows?

For two neighboring tables the mechanism is run many times on each. For events fixed beforehand the
chances are bounded from below on one table and from above on the other (Clopper and Pearson, 1934),
and (ε, δ) is violated for certain, but for the error of these bounds, where

    lowest P[event | one] > e^ε · highest P[event | other] + δ.

Events are thresholds of the likelihood ratio under the noise that was promised, which is what an
attacker would look at (Neyman and Pearson), or single outcomes of a choice.

False alarms. A mechanism that keeps its promise is accused only if one of the two bounds of an
event fails, each with the chance CHANCE. Every call counts at most EVENTS events in two directions,
so the whole suite, of at most CALLS calls on honest mechanisms, raises an alarm with a chance below
2 · 2 · EVENTS · CALLS · CHANCE; `test_audit.py` computes it and sees that it is below 1 in 10,000.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from deid_portal.engine.differential import Price
from deid_portal.engine.differential.mechanisms.choosing import NoisyMax
from deid_portal.engine.differential.noise import GAUSSIAN, Noise
from deid_portal.engine.table import Counts

CHANCE = 1e-9
EVENTS = 6
CALLS = 600
DRAWS = 2000

Losses = NDArray[np.float64]


def lowest(hits: int, draws: int) -> float:
    return float(beta.ppf(CHANCE, hits, draws - hits + 1)) if hits else 0.0


def highest(hits: int, draws: int) -> float:
    return float(beta.isf(CHANCE, hits + 1, draws - hits)) if hits < draws else 1.0


def is_violated(one: Sequence[int], other: Sequence[int], draws: int, price: Price) -> bool:
    """Say whether counts of the same events in equally many draws contradict the price."""
    assert len(one) == len(other) <= EVENTS
    most = np.exp(price.epsilon)
    return any(
        lowest(first, draws) > most * highest(second, draws) + price.delta
        for a, b in ((one, other), (other, one))
        for first, second in zip(a, b, strict=True)
    )


def accuse_noise(
    promised: Sequence[Noise],
    one: Sequence[Counts],
    other: Sequence[Counts],
    price: Price,
    drawn: tuple[Sequence[Noise], Sequence[Noise]] | None = None,
    draws: int = DRAWS,
) -> bool:
    """Say whether noisy sums of two neighbors contradict the price.

    `drawn` is the noise that is really drawn on either, where a mutant draws another than promised.
    """
    first, second = drawn or (promised, promised)
    if drawn is None and all((a == b).all() for a, b in zip(one, other, strict=True)):
        return False  # the same numbers with the same noise
    edges = thresholds(promised, one, other)
    counts = []
    for noises, at in ((first, one), (second, other)):
        pairs = zip(noises, at, strict=True)
        losses = loss(promised, one, other, [draw(*pair, draws) for pair in pairs])
        above, below = ((sign * losses >= edge for edge in edges) for sign in (1, -1))
        counts.append([int(hits.sum()) for hits in (*above, *below)])
    return is_violated(counts[0], counts[1], draws, price)


def draw(noise: Noise, exact: Counts, draws: int) -> Counts:
    """Return many noisy versions of the same sums, one per row, in one call."""
    return noise.mechanism.release(np.tile(exact, (draws, 1)))


def loss(
    promised: Sequence[Noise], one: Sequence[Counts], other: Sequence[Counts], drawn: list[Counts]
) -> Losses:
    """Return ln P[drawn | one] − ln P[drawn | other] under the noise promised."""
    total = np.zeros(len(drawn[0]))
    for noise, first, second, values in zip(promised, one, other, drawn, strict=True):
        scale = noise.mechanism.scale
        if noise.kind == GAUSSIAN:
            part = ((values - second) ** 2.0 - (values - first) ** 2.0) / (2 * scale**2)
        else:
            part = (np.abs(values - second) - np.abs(values - first)) / scale
        total += part.sum(axis=1)
    return total


def thresholds(
    promised: Sequence[Noise], one: Sequence[Counts], other: Sequence[Counts]
) -> list[float]:
    """Return three values of the loss: none, half of what there is and all of it.

    With Gaussian noise there is no most; then as far as the sums lie apart, and twice as far.
    """
    if promised[0].kind == GAUSSIAN:
        apart = sum(
            float(((first - second) ** 2.0).sum()) / noise.mechanism.scale**2
            for noise, first, second in zip(promised, one, other, strict=True)
        )
        return [0.0, apart, 2 * apart]
    most = sum(
        float(np.abs(first - second).sum()) / noise.mechanism.scale
        for noise, first, second in zip(promised, one, other, strict=True)
    )
    return [0.0, most / 2, most * (1 - 1e-9)]


def accuse_choice(
    choosers: Sequence[NoisyMax],
    one: Sequence[Counts],
    other: Sequence[Counts],
    promised: Sequence[Price] | None = None,
) -> bool:
    """Say whether one of several choices contradicts its part of the price, or what is promised."""
    prices = promised or [chooser.price for chooser in choosers]
    return any(
        accuse_outcomes(sampler(chooser, first), sampler(chooser, second), price)
        for chooser, first, second, price in zip(choosers, one, other, prices, strict=True)
    )


def sampler(chooser: NoisyMax, scores: Counts) -> Callable[[], int]:
    choose, own = chooser.measurement(), [int(score) for score in scores]
    return lambda: int(choose(own))


def accuse_outcomes(
    one: Callable[[], int], other: Callable[[], int], price: Price, draws: int = DRAWS
) -> bool:
    """Say whether single outcomes, the six most frequent of other draws, contradict the price."""
    tried = np.bincount([draw() for _ in range(200) for draw in (one, other)])
    events = np.argsort(-tried)[:EVENTS]
    counts = []
    for draw in (one, other):
        drawn = np.bincount([draw() for _ in range(draws)], minlength=len(tried))
        counts.append([int(drawn[event]) for event in events])
    return is_violated(counts[0], counts[1], draws, price)
