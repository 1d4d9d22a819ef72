"""A network with given degrees, as near to another one as can be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks import realization_kernels as loops
from deid_portal.engine.networks.link_ledger import ADDED, FREE, REMOVED
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress


@dataclass(frozen=True, eq=False)
class Realization:
    """What came of it; `unmet` counts links that nodes still lack or have too many."""

    network: Network
    helpers: int  # nodes that got one link more than they were to have
    unmet: int


def realize_degrees(
    network: Network,
    targets: NDArray[np.int64],
    k: int,
    generator: np.random.Generator,
    progress: Progress,
    *,
    may_remove: bool,
    only_add: bool = False,
) -> Realization:
    """Add (and remove) links until every node has its degree.

    Links between two nodes that both lack or both have too many are changed first, since one
    change serves both. What is left is met by turning links over or taking them apart, which
    leaves other degrees as they are. Where links may only be added, nodes of large classes help
    out instead, and move on to the next class: whoever lacks links may be linked with everybody
    else who does.
    """
    work = _Work.begin(network, targets, generator)
    steps = _steps(may_remove, only_add)
    for step, name in enumerate(steps):
        progress.report(step, len(steps) + 1, "protect", lacking=work.unmet)
        getattr(work, name)(k)
        if not work.unmet:
            break
    return work.finish(network)


def _steps(may_remove: bool, only_add: bool) -> tuple[str, ...]:
    if may_remove:
        return ("remove_between", "add_between", "turn", "split", "merge", "lean")
    return ("add_between", "swap", "lean") if only_add else ("add_between", "swap", "split", "lean")


class _Work:
    """The links changed so far, and what is still wanted."""

    def __init__(
        self,
        network: Network,
        wanted: NDArray[np.int64],
        targets: NDArray[np.int64],
        order: Nodes,
    ) -> None:
        self.wanted = wanted
        self.targets = targets
        self.order = order
        self.counts = np.bincount(targets, minlength=network.nodes + 2).astype(np.int64)
        self.helpers = 0
        slots = 1 << int(8 * (np.abs(wanted).sum() + 64)).bit_length()
        self._links = (
            network.offsets,
            network.neighbors,
            np.full(slots, FREE, np.int64),
            np.zeros(slots, np.int8),
        )

    @classmethod
    def begin(
        cls, network: Network, targets: NDArray[np.int64], generator: np.random.Generator
    ) -> "_Work":
        wanted = targets - network.degrees
        order = generator.permutation(network.nodes).astype(np.int32)
        return cls(network, wanted, targets.copy(), order)

    @property
    def unmet(self) -> int:
        return int(np.abs(self.wanted).sum())

    def _who(self, sign: int) -> Nodes:
        """Return who lacks links, or has too many; most first, else in random order."""
        wants = sign * self.wanted[self.order]
        found = self.order[wants > 0]
        return found[np.argsort(-wants[wants > 0], kind="stable")]

    def remove_between(self, k: int) -> None:
        loops.remove_between(*self._links, self.wanted, self._who(-1))

    def add_between(self, k: int) -> None:
        loops.add_between(*self._links, self.wanted, self._who(1))

    def turn(self, k: int) -> None:
        loops.turn_links(*self._links, self.wanted, self._who(-1), self._who(1))

    def swap(self, k: int) -> None:
        if (self._links[3] == ADDED).any():
            loops.swap_into_added(*self._links, self.wanted, self._who(1))

    def split(self, k: int) -> None:
        loops.swap_into_any(*self._links, self.wanted, self._who(1), self.order)

    def merge(self, k: int) -> None:
        loops.join_freed(*self._links, self.wanted, self._who(-1))

    def lean(self, k: int) -> None:
        self.helpers += loops.lean_on_large_classes(
            *self._links, self.wanted, self._who(1), self.targets, self.counts, k, self.order
        )

    def finish(self, network: Network) -> Realization:
        _, _, keys, states = self._links
        kept = network.keys[~np.isin(network.keys, keys[states == REMOVED])]
        whole = np.concatenate([kept, keys[states == ADDED]])
        pairs = np.column_stack([whole // network.nodes, whole % network.nodes])
        changed = network.with_pairs(pairs) if (states != 0).any() else network
        return Realization(changed, self.helpers, self.unmet)
