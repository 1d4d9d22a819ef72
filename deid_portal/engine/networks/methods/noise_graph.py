"""Noise graph: G ⊕ g, every pair of people is toggled with the same chance."""

from dataclasses import dataclass
from math import ceil, floor, sqrt
from typing import ClassVar

import numpy as np

from deid_portal.engine.networks.change_estimate import (
    ChangeEstimate,
    CountedNetwork,
    estimate_range,
)
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.changing.random_pairs import count_pairs, draw_keys, exclusive_or
from deid_portal.engine.networks.methods.method import NetworkMethod
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress

SPREADS = 5  # standard deviations; further off less than one run in a million


@dataclass(frozen=True)
class NoiseGraph(NetworkMethod):
    """A random network g is drawn on the same nodes; links that both or neither have vanish.

    `share` is how many links g is to have on average, as a share of those there are: every pair is
    in g with the chance share · links / pairs.
    """

    share: float

    name: ClassVar[str] = "noise-graph"
    title: ClassVar[str] = "Noise graph"
    words: ClassVar[str] = "Lays a random network over yours."
    cites: ClassVar[str] = (
        "V. Torra and J. Salas, Graph perturbation as noise graph addition: a new perspective for "
        "graph anonymization, DPM 2019."
    )
    takes_directed: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "share",
            start=0.1,
            minimum=0.0001,
            maximum=10,
            unusual_below=0.01,
            unusual_above=1,
            caution="A share of {value} is unusual: below 0.01 hardly a link changes, above 1 most "
            "of what is released is noise.",
        ),
    )

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        chance = self._chance(counted.links, counted.pairs)
        spread = SPREADS * sqrt(counted.pairs * chance * (1 - chance))
        expected = counted.pairs * chance
        least, most = max(floor(expected - spread), 0), ceil(expected + spread)
        return estimate_range(least, min(most, counted.pairs), counted.links)

    def _chance(self, links: int, pairs: int) -> float:
        return min(self.share * links / pairs, 1.0) if pairs else 0.0

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        network = draft.network
        pairs = count_pairs(network)
        chance = self._chance(network.edges, pairs)
        drawn = int(generator.binomial(pairs, chance)) if pairs else 0
        noise = np.sort(draw_keys(network, drawn, generator, without_links=False))
        step = {"method": self.name, "share": self.share, "chance": chance, "flipped": drawn}
        return draft.with_network(exclusive_or(network, noise)).noting(**step)

    def explain(self) -> str:
        return (
            f"A random network with about {self.share:.0%} as many links is laid over this one, and"
            f" every pair in it changes sides, so no link is certain."
        )
