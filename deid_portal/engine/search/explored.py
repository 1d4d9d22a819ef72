"""The combinations a search has checked, for people who want to choose another one."""

from dataclasses import dataclass, field
from heapq import heappush, heappushpop

from deid_portal.engine.search.lattice import Levels

MOST_ALLOWED, MOST_REFUSED = 300, 200


@dataclass(frozen=True, order=True)
class ExploredNode:
    """A combination; a refused one has no cost. The order is that of `ExploredNodes`."""

    rank: float  # the better the higher
    levels: Levels
    suppressed: int = field(compare=False)
    cost: float | None = field(compare=False)


@dataclass
class ExploredNodes:
    """The cheapest of the allowed combinations, and those of the others that missed by least.

    A search may check a million; so many as these can be looked at.
    """

    _allowed: list[ExploredNode] = field(default_factory=list)
    _refused: list[ExploredNode] = field(default_factory=list)
    allowed_count: int = 0

    def note(self, levels: Levels, suppressed: int, cost: float | None) -> None:
        """Take note of a check; without a cost, the combination was refused."""
        if cost is None:
            self._keep(
                self._refused, MOST_REFUSED, ExploredNode(-suppressed, levels, suppressed, None)
            )
            return
        self.allowed_count += 1
        self._keep(self._allowed, MOST_ALLOWED, ExploredNode(-cost, levels, suppressed, cost))

    def _keep(self, heap: list[ExploredNode], most: int, node: ExploredNode) -> None:
        if len(heap) < most:
            heappush(heap, node)
        else:
            heappushpop(heap, node)

    def best_first(self) -> list[ExploredNode]:
        """Return the allowed ones, the cheapest first, then the others; each once."""
        allowed, refused = (sorted(heap, key=_order) for heap in (self._allowed, self._refused))
        return list({node.levels: node for node in (*allowed, *refused)}.values())


def _order(node: ExploredNode) -> tuple[float, int, Levels]:
    """Ties go to the less coarse, as in the search itself."""
    return (-node.rank, sum(node.levels), node.levels)
