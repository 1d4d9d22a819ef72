"""Worst-case record linkage: the column weights that would link most people rightly.

D. Abril, G. Navarro-Arribas and V. Torra, Improving record linkage with supervised learning for
disclosure risk assessment, Information Fusion 13(4), 2012. Weights are searched column by column
instead of by integer programming, so the answer may fall short of the true worst case.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    share_of,
    weigh_match,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, LinkageFigures
from deid_portal.engine.attacks.confidence import wilson_interval
from deid_portal.engine.attacks.distance_linkage import (
    NearestLinks,
    Points,
    PointSet,
    Rows,
    place_columns,
    sample_people,
)
from deid_portal.engine.attacks.record_linkage import spread_candidates
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Codes

Weights = NDArray[np.float64]
STEPS = 11
ROUNDS = 2
FEWEST = 50  # people to try the weights on


@dataclass(frozen=True)
class WorstWeights:
    """The best weights found, adding up to 1, and how many people they link rightly."""

    weights: tuple[float, ...]
    correct: int


def learn_weights(apart: Points, own: Codes, progress: Progress | None = None) -> WorstWeights:
    """Search column weights that make most own records the only nearest.

    `apart` holds squared differences: person × released record × column.
    """
    width = apart.shape[2]
    starts = [np.full(width, 1 / width), *np.eye(width)]
    climbed = []
    for place, start in enumerate(starts):
        if progress is not None:
            progress.report(place, len(starts), "attack")
        climbed.append(_climb(apart, own, start))
    best, weights = max(climbed, key=lambda pair: pair[0])
    return WorstWeights(tuple(weights.tolist()), best)


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
    """Distance linkage by somebody who knows the best weights.

    They are learned on `most_people` whose own record is known, and tried on other people against
    the whole release; a table too small for that is learned and tried on the same.
    """

    most_people: int = 200
    tried_people: int = 2000

    name: ClassVar[str] = "worst-case-linkage"
    figures_kind: ClassVar[type[AttackFigures]] = LinkageFigures
    usual_seconds: ClassVar[tuple[float, float]] = (1.0, 1.0)
    cites: ClassVar[str] = (
        "D. Abril, G. Navarro-Arribas and V. Torra, Improving record linkage with supervised "
        "learning for disclosure risk assessment, Information Fusion 13(4), 2012."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("most_people", minimum=10, maximum=2000, whole=True, default=200, is_effort=True),
        Parameter(
            "tried_people", minimum=10, maximum=100_000, whole=True, default=2000, is_effort=True
        ),
    )

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        placed = place_columns(setting)
        there = generator.permutation(np.flatnonzero(placed.own >= 0))
        known, rest = there[: self.most_people], there[self.most_people :]
        weights = self._learn(placed, known, setting.progress)
        if len(rest) < FEWEST:
            rest = there
        absent = np.flatnonzero(placed.own < 0)  # suppressed people are searched for, too
        tried = sample_people(len(rest) + len(absent), self.tried_people, generator)
        chosen = np.concatenate([rest, absent])[tried]
        found = placed.weighted(weights).link(chosen, setting.progress)
        return self._conclude(setting, found, len(chosen))

    def _learn(self, placed: PointSet, known: Rows, progress: Progress) -> tuple[float, ...]:
        if not len(known):
            return (1.0,) * len(placed.names)
        some = np.arange(len(known), dtype=np.int32)
        return learn_weights(placed.differences(known), some, progress).weights

    def _conclude(self, setting: AttackSetting, found: NearestLinks, attempts: int) -> AttackResult:
        right = round(found.expected_share * attempts)
        return AttackResult(
            name=self.name,
            value=found.expected_share,
            interval=wilson_interval(right, attempts),
            control=share_of(1, setting.released.rows),
            records=found.correct_links,
            sentence=(
                f"With the best weights found, the nearest record is the right one for "
                f"{fixed_percent(found.expected_share)} of {attempts} people; "
                f"{found.correct_links} of them have no other record as near."
            ),
            figures=LinkageFigures(people=attempts, correct_links=found.correct_links),
            spread=spread_candidates(found.ties),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        return weigh_match(
            result.value, result.interval, promise, result.figures.of(LinkageFigures).people
        )

    def explain(self) -> str:
        return (
            "Gives the attacker the column weights that link most people rightly: an upper look "
            "at what linkage by distance can do."
        )
