"""A network with given degrees, as near to another one as can be."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.changing import realization_kernels as loops
from deid_portal.engine.networks.changing.link_ledger import SAME, open_ledger
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress

MOST_TAKEN_APART = 200_000
MOST_RAISED = 4  # extra links of raised classes, per link wanted


@dataclass(frozen=True, eq=False)
class Realization:
    """The result; `unmet` counts links that nodes still lack or have too many."""

    network: Network
    helpers: int  # nodes with one link more than their target
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

    Links between two nodes that both lack or both have too many are changed first, since one change
    serves both. The rest is met by moving or splitting links, which keeps all other degrees. If
    links may only be added, nodes of large classes are linked instead and move on to the next
    class, finally whole classes, since nodes that lack links can be linked with all other nodes
    that do.
    """
    work = _Work(network, targets, k, generator)
    steps = _steps(may_remove, only_add)
    for done, step in enumerate(steps):
        progress.report(done, len(steps) + 1, "protect", lacking=work.unmet)
        step(work)
        if not work.unmet:
            break
    return work.finish()


class _Work:
    """The links changed so far, and the changes of degree still wanted."""

    def __init__(
        self,
        network: Network,
        targets: NDArray[np.int64],
        k: int,
        generator: np.random.Generator,
    ) -> None:
        self._network = network
        self._k = k
        self._generator = generator
        self._targets = targets.copy()
        self._counts = np.bincount(targets, minlength=network.nodes + 2).astype(np.int64)
        self._order = generator.permutation(network.nodes).astype(np.int32)
        self._wanted = targets - network.degrees
        self._helpers = 0
        self._room = MOST_RAISED * self.unmet
        self._ledger = open_ledger(network, self.unmet + self._room)

    @property
    def unmet(self) -> int:
        return int(np.abs(self._wanted).sum())

    def _who(self, sign: int) -> Nodes:
        """Return the nodes that lack links, or have too many; most first, ties in random order."""
        wants = sign * self._wanted[self._order]
        found = self._order[wants > 0]
        return found[np.argsort(-wants[wants > 0], kind="stable")]

    def remove_between(self) -> None:
        loops.remove_between(self._ledger, self._wanted, self._who(-1))

    def add_between(self) -> None:
        loops.add_between(self._ledger, self._wanted, self._who(1))

    def turn(self) -> None:
        loops.turn_links(self._ledger, self._wanted, self._who(-1), self._who(1))

    def take_added_apart(self) -> None:
        self._exchange(self._pairs_of(self._ledger.added))

    def take_any_apart(self) -> None:
        drawn = self._generator.permutation(self._network.edges)[:MOST_TAKEN_APART]
        self._exchange(self._pairs_of(self._network.keys[drawn]))

    def merge(self) -> None:
        loops.join_freed(self._ledger, self._wanted, self._who(-1))

    def lean(self) -> None:
        """Raise nodes of large classes, one by one, and then whole classes."""
        self._lean_on_nodes()
        while self.unmet and self._raise_class():
            self.add_between()
            self._lean_on_nodes()

    def finish(self) -> Realization:
        network, ledger = self._network, self._ledger
        kept = network.keys[~np.isin(network.keys, ledger.removed)]
        pairs = self._pairs_of(np.concatenate([kept, ledger.added]))
        is_changed = bool((ledger.states != SAME).any())
        changed = network.with_pairs(pairs) if is_changed else network
        return Realization(changed, self._helpers, self.unmet)

    def _exchange(self, links: NDArray[np.int64]) -> None:
        if len(links):
            loops.exchange_ends(self._ledger, self._wanted, self._who(1), links)

    def _lean_on_nodes(self) -> None:
        self._helpers += loops.link_with_helpers(
            self._ledger,
            self._wanted,
            self._who(1),
            self._targets,
            self._counts,
            self._k,
            self._order,
        )

    def _raise_class(self) -> bool:
        """Raise a whole class by one link: the largest that the lacking links can serve."""
        lacking = int(np.maximum(self._wanted, 0).sum())
        sizes = self._counts[: self._network.nodes - 1].copy()
        sizes[sizes > min(lacking, self._room)] = 0
        chosen = int(sizes.argmax()) if len(sizes) else 0
        if not len(sizes) or not sizes[chosen]:
            return False
        members = self._targets == chosen
        self._room -= int(sizes[chosen])
        self._helpers += int(sizes[chosen])
        self._targets[members] += 1
        self._wanted[members] += 1
        self._counts[chosen + 1] += self._counts[chosen]
        self._counts[chosen] = 0
        return True

    def _pairs_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.column_stack([keys // self._network.nodes, keys % self._network.nodes])


def _steps(may_remove: bool, only_add: bool) -> tuple[Callable[[_Work], None], ...]:
    if may_remove:
        return (
            _Work.remove_between,
            _Work.add_between,
            _Work.turn,
            _Work.take_any_apart,
            _Work.merge,
            _Work.lean,
        )
    apart = () if only_add else (_Work.take_any_apart,)
    return (_Work.add_between, _Work.take_added_apart, *apart, _Work.lean)
