"""Random perturbation: some links removed, as many put elsewhere."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.networks.change_estimate import (
    ChangeEstimate,
    CountedNetwork,
    estimate_range,
)
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.changing.link_switching import switch_links
from deid_portal.engine.networks.changing.random_pairs import draw_keys, with_keys
from deid_portal.engine.networks.methods.method import NetworkMethod
from deid_portal.engine.parameters import Choice, Declared, Parameter
from deid_portal.engine.progress import Progress


@dataclass(frozen=True)
class RandomLinks(NetworkMethod):
    """A share of the links is replaced by random ones, or switched so that degrees stay."""

    share: float
    kind: str = "replace"

    name: ClassVar[str] = "random-links"
    title: ClassVar[str] = "Random links"
    words: ClassVar[str] = "Removes links by chance and adds as many elsewhere."
    cites: ClassVar[str] = (
        "X. Ying and X. Wu, Randomizing social networks: a spectrum preserving approach, SDM 2008."
    )
    takes_directed: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "share",
            start=0.1,
            minimum=0.0001,
            maximum=1,
            unusual_below=0.01,
            caution="A share of {value} is unusual: below 0.01 hardly a link changes.",
        ),
        Choice("kind", ("replace", "switch")),
    )

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        count = round(self.share * counted.links)
        if self.kind == "switch":  # what is switched back later counts as unchanged
            return estimate_range(0, 2 * 2 * (count // 2), counted.links)
        changed = 2 * min(count, counted.pairs - counted.links)
        return estimate_range(changed, changed, counted.links)

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        network = draft.network
        count = round(self.share * network.edges)
        if self.kind == "switch":
            changed, switched = switch_links(network, count // 2, generator)
        else:
            added = draw_keys(network, count, generator, without_links=True)
            gone = generator.choice(network.edges, len(added), replace=False)
            kept = np.delete(network.keys, gone)
            changed, switched = with_keys(network, np.concatenate([kept, added])), len(added)
        step = {"method": self.name, "share": self.share, "kind": self.kind, "changed": switched}
        return draft.with_network(changed).noting(**step)

    def explain(self) -> str:
        if self.kind == "switch":
            return (
                f"About {self.share:.0%} of the links exchange their ends in pairs, so everybody "
                f"keeps their number of links."
            )
        return f"{self.share:.0%} of the links, drawn at random, are put between other people."
