"""Worst-case record linkage: the column weights that would link most people rightly.

D. Abril, G. Navarro-Arribas and V. Torra, Improving record linkage with supervised learning for
disclosure risk assessment, Information Fusion 13(4), 2012. Weights are searched column by column
instead of by integer programming, so the answer may fall short of the true worst case.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import Attack, AttackResult, Setting, percent, share_of
from deid_portal.engine.attacks.confidence import wilson_interval
from deid_portal.engine.attacks.distance_linkage import Points, place_columns
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.table import Codes

Weights = NDArray[np.float64]
STEPS = 11
ROUNDS = 2


@dataclass(frozen=True)
class WorstWeights:
    """The best weights found, adding up to 1, and how many people they link rightly."""

    weights: tuple[float, ...]
    correct: int


def learn_weights(apart: Points, own: Codes) -> WorstWeights:
    """Search column weights that make most own records the only nearest.

    `apart` holds squared differences: person × released record × column.
    """
    width = apart.shape[2]
    starts = [np.full(width, 1 / width), *np.eye(width)]
    climbed = [_climb(apart, own, start) for start in starts]
    best, weights = max(climbed, key=lambda pair: pair[0])
    return WorstWeights(tuple(weights.tolist()), best)


def difference(people: Points, released: Points) -> Points:
    """Return the squared distance of every person from every released record on one column."""
    apart: Points = ((people[:, None, :] - released[None, :, :]) ** 2).sum(axis=2)
    return apart


def _climb(apart: Points, own: Codes, weights: Weights) -> tuple[int, Weights]:
    """Move weight towards one column after another as long as that links more."""
    best = _count_correct(apart, own, weights)
    for _ in range(ROUNDS):
        before = best
        for column in range(len(weights)):
            for part in np.linspace(0, 1, STEPS):
                tried = weights * (1 - part)
                tried[column] += part
                correct = _count_correct(apart, own, tried)
                if correct > best:
                    best, weights = correct, tried
        if best == before:
            break
    return best, weights


def _count_correct(apart: Points, own: Codes, weights: Weights) -> int:
    distances = apart @ weights
    there = np.flatnonzero(own >= 0)
    mine = distances[there, own[there]]
    distances[there, own[there]] = np.inf
    return int((mine < distances[there].min(axis=1)).sum())


@dataclass(frozen=True)
class WorstCaseLinkage(Attack):
    """Distance linkage by somebody who knows the best weights."""

    most_people: int = 200

    name: ClassVar[str] = "worst-case-linkage"
    cites: ClassVar[str] = (
        "D. Abril, G. Navarro-Arribas and V. Torra, Improving record linkage with supervised "
        "learning for disclosure risk assessment, Information Fusion 13(4), 2012."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("most_people", minimum=10, maximum=2000, whole=True, default=200),
    )

    def run(self, setting: Setting, generator: np.random.Generator) -> AttackResult:
        pairs, own = place_columns(setting)
        there = np.flatnonzero(own >= 0)
        if len(there) > self.most_people:
            there = generator.choice(there, self.most_people, replace=False)
        some = np.arange(len(there), dtype=np.int32)
        columns = [difference(one[there], other[own[there]]) for one, other in pairs]
        found = learn_weights(np.stack(columns, axis=-1), some)
        value = share_of(found.correct, len(there))
        return AttackResult(
            name=self.name,
            value=value,
            interval=wilson_interval(found.correct, len(there)),
            control=share_of(1, len(there)),
            records=found.correct,
            sentence=(
                f"With the best weights found, {percent(value)} of {len(there)} people are linked "
                f"to their own record and to no other among as many."
            ),
            figures={"people": len(there), "correct_links": found.correct},
        )

    def explain(self) -> str:
        return (
            "Gives the attacker the column weights that link most people rightly: an upper look "
            "at what linkage by distance can do."
        )
