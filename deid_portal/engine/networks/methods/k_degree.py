"""k-degree: the fewest links changed so that every number of links is shared by k people."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.change_estimate import (
    ChangeEstimate,
    CountedNetwork,
    estimate_range,
)
from deid_portal.engine.networks.changing.core_degrees import propose_degrees
from deid_portal.engine.networks.changing.degree_pairs import find_degree_pairs, least_pair_cost
from deid_portal.engine.networks.changing.degree_sequences import (
    Degrees,
    DegreeSequence,
    find_greedy_degrees,
    find_optimal_degrees,
)
from deid_portal.engine.networks.changing.directed_realization import realize_degree_pairs
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.changing.realization import Realization, realize_degrees
from deid_portal.engine.networks.knowledge.knowledge import Knowledge, partition_by_degree
from deid_portal.engine.networks.methods.method import NetworkMethod, Variant
from deid_portal.engine.networks.models.model import LOOK_ALIKES
from deid_portal.engine.networks.network import Network
from deid_portal.engine.parameters import Choice, Declared
from deid_portal.engine.progress import Progress

MOST_PROBES = 40
MOST_WORK = 500_000_000  # limit for computing the best sequence for comparison only
LARGEST_COMPLETE = 2000
MOST_ESTIMATED = 30_000_000  # people times k; beyond it nobody waits for an estimate
MOST_OF_ALL = 0.3  # of all people, linked with one: beyond it strangers to link with may be lacking


@dataclass(frozen=True)
class KDegreeRelease(NetworkMethod):
    """Degrees are moved to the nearest sequence in which each occurs k times, then realized.

    With additions no degree falls. To meet the degrees exactly a few links are split and their ends
    linked with people who lack links; a supergraph keeps every link instead, and raises more
    degrees, because people with many links are mostly linked with each other already. Sequences
    that lift strangers of that core are then tried as well, and the cheapest is kept. Where no
    network near this one has the new degrees, a few nodes at random get a link more and the
    sequence is found again (probing, as in the paper).

    Where links have directions, both numbers are shared: links to others and from others. Nobody
    knows how to find the nearest such pairs, so people are gathered into near ones
    (`changing/degree_pairs.py`), and `algorithm` decides nothing.
    """

    k: int
    changes: str = "additions"
    algorithm: str = "optimal"
    realization: str = "degrees"

    name: ClassVar[str] = "k-degree"
    title: ClassVar[str] = "Equal numbers of links"
    words: ClassVar[str] = "Changes few links, until everybody shares their number of links."
    cites: ClassVar[str] = (
        "K. Liu and E. Terzi, Towards identity anonymization on graphs, SIGMOD 2008; for links "
        "with directions J. Casas-Roma, J. Salas, F. Malliaros and M. Vazirgiannis, k-degree "
        "anonymity on directed networks, KAIS 61, 2019."
    )
    takes_directed: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        LOOK_ALIKES,
        Choice("changes", ("additions", "additions-deletions")),
        Choice("algorithm", ("optimal", "greedy")),
        Choice("realization", ("degrees", "supergraph")),
    )
    withstands: ClassVar[tuple[Knowledge, ...]] = (Knowledge.DEGREE, Knowledge.ATTRIBUTES)
    needs_after: ClassVar[Mapping[Knowledge, str]] = {Knowledge.ATTRIBUTES: "attributes"}
    gain: ClassVar[str] = "It changes the fewest links that give everybody look-alikes."
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("adding", "Equal numbers of links, mostly adding", {"changes": "additions"}),
        Variant(
            "removing",
            "Equal numbers of links, adding and removing",
            {"changes": "additions-deletions"},
        ),
    )
    usual_seconds: ClassVar[tuple[float, float]] = (1.0, 6.0)
    knows_least_changes: ClassVar[bool] = True
    gains_by_removing: ClassVar[bool] = True

    @classmethod
    def parse(cls, place: Place) -> Self:
        read = super().parse(place)
        if read.realization == "supergraph" and read.may_remove:
            place["realization"].refuse('"supergraph" only adds links; say "changes": "additions".')
        return read

    def explain(self) -> str:
        if self.only_adds:
            how = "Links are added, and none removed,"
        elif self.may_remove:
            how = "Links are added and removed"
        else:
            how = "Links are added, and some taken apart for it,"
        return (
            f"{how} until everybody shares their number of links with at least {self.k - 1} others;"
            f" numbers move as little as they can."
        )

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        if counted.in_degrees is not None:
            return self._estimate_directed(counted, counted.in_degrees)
        least = least_links_changed(counted.degrees, self.k, may_remove=self.may_remove)
        if least is None:
            return ChangeEstimate()
        return estimate_range(least, self._most(least, counted), counted.links)

    def _estimate_directed(
        self, counted: CountedNetwork, in_degrees: NDArray[np.int32]
    ) -> ChangeEstimate:
        """Estimate from the very pairs that a run aims at; who of equal people moves is all one.

        The least follows from either number alone, so it is far lower than the pairs found.
        """
        if not 0 < len(counted.degrees) * self.k <= MOST_ESTIMATED or self.k > counted.nodes:
            return ChangeEstimate()
        anybody = np.random.default_rng(0)
        aimed_at = find_degree_pairs(
            counted.degrees, in_degrees, self.k, anybody, may_remove=self.may_remove
        ).cost
        busiest = int(max(counted.degrees.max(), in_degrees.max())) + self.k
        is_sparse = busiest <= MOST_OF_ALL * counted.nodes
        # One link serves two of the changes aimed at; taken apart for it, one goes and two come.
        most = 3 * aimed_at // 2 + 3 if is_sparse else None
        return estimate_range(aimed_at // 2, most, counted.links)

    def _most(self, least: int, counted: CountedNetwork) -> int | None:
        """Return the most links changed; None where people are linked too densely to say.

        A link taken apart for two people who lack one is removed, and two are added. Where links
        may only be added, each that is lacking goes to a helper at worst, one for either end. The
        sum of degrees must be even, which may take one link more.
        """
        busiest = int(counted.degrees.max(initial=0)) + self.k
        if busiest > MOST_OF_ALL * counted.nodes:
            return None
        aimed_at = least + 1
        if self.algorithm == "greedy":
            greedy = find_greedy_degrees(counted.degrees, self.k, may_remove=self.may_remove)
            aimed_at = max(aimed_at, greedy.cost // 2 + 1)
        return (2 if self.only_adds else 3) * aimed_at

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        network = draft.network
        if network.directed:
            return self._apply_directed(draft, generator, progress)
        optimum = self._least(network)
        found, probes = self._realize(network, generator, progress)
        bound = 0
        if self.realization == "supergraph" and optimum is not None:
            found, bound = self._try_cores(network, found, optimum.cost, generator, progress)
        cost = _cost(network, found)
        step: dict[str, Any] = {
            "method": self.name,
            "k": self.k,
            "changes": self.changes,
            "algorithm": self.algorithm,
            "realization": self.realization,
            "degrees_changed_by": cost,
            "helpers": found.helpers,
            "probes": probes,
        }
        if optimum is not None:
            step["least"] = optimum.cost
            step["ratio"] = cost / optimum.cost if optimum.cost else 1.0
        if bound:
            step["least_by_adding"] = bound
            step["ratio_by_adding"] = cost / bound
        return draft.with_network(found.network).noting(**step)

    def _apply_directed(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        network = draft.network
        found, probes = self._realize_directed(network, generator, progress)
        cost = _cost(network, found)
        least = least_pair_cost(
            network.degrees, network.in_degrees, self.k, may_remove=self.may_remove
        )
        step: dict[str, Any] = {
            "method": self.name,
            "k": self.k,
            "changes": self.changes,
            "realization": self.realization,
            "degrees_changed_by": cost,
            "helpers": found.helpers,
            "probes": probes,
            "least": least,
        }
        return draft.with_network(found.network).noting(**step)

    def _realize_directed(
        self, network: Network, generator: np.random.Generator, progress: Progress
    ) -> tuple[Realization, int]:
        """Try to link people anew until all have their degrees, last the complete network."""
        best: Realization | None = None
        for probe in range(MOST_PROBES):
            progress.report(probe, MOST_PROBES, "protect", probes=probe)
            pairs = find_degree_pairs(
                network.degrees,
                network.in_degrees,
                self.k,
                generator,
                may_remove=self.may_remove,
            )
            found = realize_degree_pairs(
                network, pairs, self.k, generator, progress, only_add=self.only_adds
            )
            if self._is_done(found):
                return found, probe
            best = found if best is None or found.unmet < best.unmet else best
        if network.nodes <= LARGEST_COMPLETE:
            return Realization(_complete(network), 0, 0), MOST_PROBES
        return best or Realization(network, 0, 1), MOST_PROBES

    def _least(self, network: Network) -> DegreeSequence | None:
        """Return the best sequence, even or not, as a lower bound for the result."""
        if network.nodes * self.k > MOST_WORK:
            return None
        return find_optimal_degrees(network.degrees, self.k, may_remove=self.may_remove)

    @property
    def may_remove(self) -> bool:
        return self.changes == "additions-deletions"

    @property
    def only_adds(self) -> bool:
        return self.realization == "supergraph"

    def _find(self, network: Network, degrees: Any, even: bool) -> DegreeSequence | None:
        if self.algorithm == "greedy":
            return find_greedy_degrees(degrees, self.k, may_remove=self.may_remove)
        return find_optimal_degrees(degrees, self.k, may_remove=self.may_remove, even=even)

    def _realize(
        self, network: Network, generator: np.random.Generator, progress: Progress
    ) -> tuple[Realization, int]:
        """Try the best sequence, then more and more disturbed ones, last the complete network."""
        degrees = network.degrees.copy()
        best: Realization | None = None
        for probe in range(MOST_PROBES):
            progress.report(probe, MOST_PROBES, "protect", probes=probe)
            sequence = self._find(network, degrees, even=True)
            if sequence is not None:
                found = self._realize_sequence(network, sequence.degrees, generator, progress)
                if self._is_done(found):
                    return found, probe
                best = found if best is None or found.unmet < best.unmet else best
            degrees = self._disturb(network, generator, probe)
        if network.nodes <= LARGEST_COMPLETE:
            return Realization(_complete(network), 0, 0), MOST_PROBES
        return best or Realization(network, 0, 1), MOST_PROBES

    def _realize_sequence(
        self,
        network: Network,
        degrees: Degrees,
        generator: np.random.Generator,
        progress: Progress,
    ) -> Realization:
        return realize_degrees(
            network,
            degrees,
            self.k,
            generator,
            progress,
            may_remove=self.may_remove,
            only_add=self.only_adds,
        )

    def _try_cores(
        self,
        network: Network,
        found: Realization,
        least: int,
        generator: np.random.Generator,
        progress: Progress,
    ) -> tuple[Realization, int]:
        """Realize sequences that spare a core; return the cheapest, and a bound for all of them."""
        bound = least + (least & 1)
        if _cost(network, found) <= bound:
            return found, bound
        proposals = [*propose_degrees(network, self.k)]
        bound = max([bound, *(own.bound for own in proposals)])
        sequences = {own.degrees.tobytes(): own.degrees for own in proposals}
        for tried, degrees in enumerate(sequences.values()):
            progress.report(tried, len(sequences), "protect", sequences=tried)
            other = self._realize_sequence(network, degrees, generator, progress)
            if self._is_done(other) and _cost(network, other) < _cost(network, found):
                found = other
        return found, bound

    def _is_done(self, found: Realization) -> bool:
        return int(partition_by_degree(found.network).sizes.min(initial=self.k)) >= self.k

    def _disturb(self, network: Network, generator: np.random.Generator, probe: int) -> Any:
        """Give some nodes of low degree one link more than they have."""
        degrees = network.degrees.copy()
        some = min(1 + probe, network.nodes)
        low = np.argsort(degrees + generator.random(network.nodes))[: max(4 * some, self.k)]
        raised = generator.choice(low, min(some, len(low)), replace=False)
        degrees[raised] = np.minimum(degrees[raised] + 1, network.nodes - 1)
        return degrees


def least_links_changed(degrees: NDArray[np.int32], k: int, *, may_remove: bool) -> int | None:
    """Return the fewest links that have to change; None where that is not known.

    Every changed link has two ends, so half of what degrees must change by, rounded up. With
    directions there are two numbers per person, and this says nothing about them.
    """
    if not len(degrees) or k > len(degrees) or len(degrees) * k > MOST_ESTIMATED:
        return None
    best = find_optimal_degrees(degrees, k, may_remove=may_remove)
    return None if best is None else (best.cost + 1) // 2


def _cost(network: Network, found: Realization) -> int:
    """Return by how much degrees changed; with directions those of links from others, too."""
    cost = int(np.abs(found.network.degrees - network.degrees).sum())
    if network.directed:
        cost += int(np.abs(found.network.in_degrees - network.in_degrees).sum())
    return cost


def _complete(network: Network) -> Network:
    if network.directed:
        return network.with_pairs(np.argwhere(~np.eye(network.nodes, dtype=np.bool_)))
    return network.with_pairs(np.column_stack(np.triu_indices(network.nodes, 1)))
