"""A network with given out- and in-degrees, as near to another directed one as can be."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.changing import directed_kernels as loops
from deid_portal.engine.networks.changing.degree_pairs import DegreePairs
from deid_portal.engine.networks.changing.link_ledger import SAME, open_ledger
from deid_portal.engine.networks.changing.realization import MOST_TAKEN_APART, Realization
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress


def realize_degree_pairs(
    network: Network,
    pairs: DegreePairs,
    k: int,
    generator: np.random.Generator,
    progress: Progress,
    *,
    only_add: bool = False,
) -> Realization:
    """Add and remove links until every node has its degrees, as for links without directions.

    Links from one who lacks some to others, to one who lacks some from others, serve both. What is
    left is met by taking links apart; if links may only be added, by linking with people of large
    cells, who move on to the next cell.
    """
    work = _DirectedWork(network, pairs, k, generator)
    apart = work.split_added if only_add else work.split
    steps = (work.cut, work.hand_over, work.join, work.link, apart, work.lean)
    for done, step in enumerate(steps):
        progress.report(done, len(steps) + 1, "protect", lacking=work.unmet)
        step()
        if not work.unmet:
            break
    return work.finish()


class _DirectedWork:
    """The links changed so far, and the changes of both degrees still wanted."""

    def __init__(
        self, network: Network, pairs: DegreePairs, k: int, generator: np.random.Generator
    ) -> None:
        self._network, self._k, self._generator = network, k, generator
        self._back = network.with_pairs(network.pairs[:, ::-1])
        self._targets = pairs
        self._outs = pairs.outs - network.degrees
        self._ins = pairs.ins - network.in_degrees
        self._order = generator.permutation(network.nodes).astype(np.int32)
        self._helpers = 0
        self._ledger = open_ledger(network, 2 * self.unmet + 2)

    @property
    def unmet(self) -> int:
        return int(np.abs(self._outs).sum() + np.abs(self._ins).sum())

    def _who(self, wanted: NDArray[np.int64], sign: int) -> Nodes:
        """Return the nodes that lack links, or have too many; most first, ties in random order."""
        own = sign * wanted[self._order]
        found = self._order[own > 0]
        return found[np.argsort(-own[own > 0], kind="stable")]

    def cut(self) -> None:
        loops.cut_between(self._ledger, self._outs, self._ins, self._who(self._outs, -1))

    def hand_over(self) -> None:
        for wanted, rows, is_out in (
            (self._outs, self._network, True),
            (self._ins, self._back, False),
        ):
            rich, poor = self._who(wanted, -1), self._who(wanted, 1)
            if len(rich) and len(poor):
                loops.hand_over(
                    self._ledger, rows.offsets, rows.neighbors, wanted, rich, poor, is_out
                )

    def join(self) -> None:
        loops.join_links(
            self._ledger,
            self._back.offsets,
            self._back.neighbors,
            self._outs,
            self._ins,
            self._who(self._outs, -1),
            self._who(self._ins, -1),
        )

    def link(self) -> None:
        takers = self._who(self._ins, 1)
        if len(takers):
            givers = self._who(self._outs, 1)
            loops.link_lacking(self._ledger, self._outs, self._ins, givers, takers)

    def split(self) -> None:
        drawn = self._generator.permutation(self._network.edges)[:MOST_TAKEN_APART]
        self._split(self._network.pairs[drawn])

    def split_added(self) -> None:
        self._split(self._pairs_of(self._ledger.added).astype(np.int32))

    def _split(self, links: NDArray[np.int32]) -> None:
        givers, takers = self._who(self._outs, 1), self._who(self._ins, 1)
        if len(links):
            loops.split_links(self._ledger, self._outs, self._ins, givers, takers, links)

    def lean(self) -> None:
        """Link who lacks links with helpers of large cells, on both sides."""
        both = np.column_stack([self._targets.outs, self._targets.ins])
        cells, cell_of, counts = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        cell_of = cell_of.reshape(-1).astype(np.int64)
        numbers = {tuple(cell): number for number, cell in enumerate(cells.tolist())}
        counts = counts.astype(np.int64)
        # Who lacks links to others needs helpers who take one more from others, and so on.
        for wanted, is_out in ((self._outs, True), (self._ins, False)):
            step = np.array([0, 1] if is_out else [1, 0])
            above = np.array(
                [numbers.get(tuple(cell), -1) for cell in (cells + step).tolist()], np.int64
            )
            is_busy = (self._outs != 0) | (self._ins != 0)
            self._helpers += loops.link_to_helpers(
                self._ledger,
                wanted,
                self._who(wanted, 1),
                cell_of,
                counts,
                above,
                is_busy,
                self._k,
                self._order,
                is_out,
            )

    def finish(self) -> Realization:
        network, ledger = self._network, self._ledger
        kept = network.keys[~np.isin(network.keys, ledger.removed)]
        pairs = self._pairs_of(np.concatenate([kept, ledger.added]))
        is_changed = bool((ledger.states != SAME).any())
        changed = network.with_pairs(pairs) if is_changed else network
        return Realization(changed, self._helpers, self.unmet)

    def _pairs_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.column_stack([keys // self._network.nodes, keys % self._network.nodes])
