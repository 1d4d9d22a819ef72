"""A statistical auditor: would an attacker tell neighbors apart better than the price allows?

For two neighboring tables the mechanism is run many times on each, and every run gets a score: a
number made of what the run showed, the higher the more it speaks for one of the tables. Events are
scores above or below an edge. A first sample says which of a few hundred events, on which of the
two tables, look worst; a fresh sample then bounds the chances of those few from below on one table
and from above on the other (Clopper and Pearson, 1934), and (ε, δ) is violated for certain, but for
the error of these bounds, where

    lowest P[event | one] > e^ε · highest P[event | other] + δ.

Scores are the logarithm of the likelihood ratio under the mechanism promised wherever that can be
written down: no other events tell tables apart better (Neyman and Pearson).

False alarms. Events are fixed before the fresh sample is drawn. A mechanism that keeps its promise
is accused only if one of the two bounds of an event fails, each with the chance CHANCE, so an audit
ends in a false alarm with a chance below 2 · EVENTS · CHANCE. `test_audit.py` counts the audits of
honest mechanisms in the suite and sees that all of them together stay below 1 in 10,000 runs.

Missed mutants. How many runs an audit needs is computed from the chances of its events: so many
that a mutant with half the noise is found but for a chance below one in a million. A sample that is
a little too small would show itself in tests that fail now and then, which none does.

`make audit` multiplies these numbers by AUDIT_DRAWS, and so sees what tells tables apart by less;
the chance of a false alarm does not depend on them.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from deid_portal.engine.differential import PrivacyPrice
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.differential.noise.noise import GAUSSIAN, GridNoise
from deid_portal.engine.table.table import Counts

MORE_DRAWS = int(os.environ.get("AUDIT_DRAWS", "1"))
CHANCE = 1e-8
EVENTS = 4
EDGES = 100  # of scores, tried in both directions for both tables
# How many standard deviations the bounds lie off, and how many hits they see where there are none.
REACH, UNSEEN = 5.6, 18

Scores = NDArray[np.float64]
Draw = Callable[[int], Scores]
Pair = tuple[Draw, Draw]


@dataclass(frozen=True)
class Event:
    """Scores beyond an edge, likelier on table `first`, 0 or 1, than the price allows."""

    first: int
    edge: float
    is_above: bool

    def hits(self, scores: Scores) -> int:
        return int(((scores >= self.edge) if self.is_above else (scores <= self.edge)).sum())

    def contradicts(self, samples: Sequence[Scores], price: PrivacyPrice) -> bool:
        one, other = samples[self.first], samples[1 - self.first]
        most = np.exp(price.epsilon) * highest(self.hits(other), len(other)) + price.delta
        return lowest(self.hits(one), len(one)) > most

    def promises(self, samples: Sequence[Scores], price: PrivacyPrice, draws: int) -> float:
        """Return by how much a sample of so many draws is likely to contradict the price."""
        one, other = samples[self.first], samples[1 - self.first]
        likely = self.hits(one) / len(one)
        rare = (self.hits(other) + 1) / (len(other) + 1)
        least = likely - REACH * np.sqrt(likely * (1 - likely) / draws)
        most = rare + REACH * np.sqrt(rare / draws) + UNSEEN / draws
        return float(least - np.exp(price.epsilon) * most - price.delta)


def lowest(hits: int, draws: int) -> float:
    return float(beta.ppf(CHANCE, hits, draws - hits + 1)) if hits else 0.0


def highest(hits: int, draws: int) -> float:
    return float(beta.isf(CHANCE, hits + 1, draws - hits)) if hits < draws else 1.0


def accuses(pair: Pair, price: PrivacyPrice, draws: int) -> bool:
    """Say whether what two neighbors show contradicts the price."""
    draws *= MORE_DRAWS
    events = find_events([draw(draws // 4) for draw in pair], price, draws)
    assert len(events) <= EVENTS
    fresh = [draw(draws) for draw in pair]
    return any(event.contradicts(fresh, price) for event in events)


def find_events(samples: Sequence[Scores], price: PrivacyPrice, draws: int) -> list[Event]:
    """Return the few events of a first sample that look worst."""
    seen = np.unique(np.concatenate(samples))
    places = np.linspace(0, len(seen) - 1, min(len(seen), EDGES)).astype(int)
    tried = [
        Event(first, float(edge), is_above)
        for first in (0, 1)
        for edge in seen[places]
        for is_above in (True, False)
    ]
    return sorted(tried, key=lambda event: -event.promises(samples, price, draws))[:EVENTS]


def noisy_sums(
    promised: Sequence[GridNoise],
    exact: Sequence[Sequence[Counts]],
    drawn: Sequence[GridNoise] | None = None,
) -> Pair:
    """Return runs of noise on the sums of two tables; `drawn` is a mutant's in its place.

    Sums that are the same for both tables say nothing and are not drawn.
    """
    noises = list(drawn or promised)
    changed = [first != second for first, second in zip(*exact, strict=True)]

    def run(at: Sequence[Counts], draws: int) -> Scores:
        parts = zip(noises, at, changed, strict=True)
        shown = [
            noise.mechanism.release(np.tile(part[own], (draws, 1))) for noise, part, own in parts
        ]
        total = np.zeros(draws)
        for noise, first, second, own, values in zip(promised, *exact, changed, shown, strict=True):
            total += loss(noise, first[own], second[own], values)
        return total

    return partial(run, exact[0]), partial(run, exact[1])


def loss(noise: GridNoise, one: Counts, other: Counts, shown: Counts) -> Scores:
    """Return ln P[shown | one] − ln P[shown | other] under the noise promised."""
    scale = noise.mechanism.scale
    if noise.kind == GAUSSIAN:
        part = ((shown - other) ** 2.0 - (shown - one) ** 2.0) / (2 * scale**2)
    else:
        part = (np.abs(shown - other) - np.abs(shown - one)) / scale
    return np.asarray(part.sum(axis=1), np.float64)


def choices(
    promised: Sequence[NoisyMax],
    scores: Sequence[Sequence[Counts]],
    drawn: Sequence[NoisyMax] | None = None,
) -> Pair:
    """Return runs of choices by the scores of two tables; `drawn` is a mutant's in their place."""
    choosers = list(drawn or promised)
    weights = [
        (first - second) / chooser.scale
        for chooser, first, second in zip(promised, *scores, strict=True)
    ]

    def run(at: Sequence[Counts], draws: int) -> Scores:
        total = np.zeros(draws)
        for chooser, own, weight in zip(choosers, at, weights, strict=True):
            total += weight[repeated(chooser.measurement(), own.tolist(), draws)]
        return total

    return partial(run, scores[0]), partial(run, scores[1])


def repeated(measurement: object, argument: object, draws: int) -> Counts:
    """Return what a measurement of OpenDP says many times over, asked in one call."""
    from opendp.combinators import make_composition

    return np.array(make_composition([measurement] * draws)(argument), np.int64)


def runs(one: Callable[[], float], other: Callable[[], float]) -> Pair:
    """Return runs of anything that shows a number."""

    def run(show: Callable[[], float], draws: int) -> Scores:
        return np.array([show() for _ in range(draws)], np.float64)

    return partial(run, one), partial(run, other)
