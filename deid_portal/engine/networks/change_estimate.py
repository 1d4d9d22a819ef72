"""What a method will change in a network, worked out before a run from what was counted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.wording.numbers import percent


@dataclass(frozen=True, eq=False)
class CountedNetwork:
    """A network before a run: how many people and links, and everybody's number of links."""

    nodes: int
    links: int
    degrees: NDArray[np.int32]  # with directions: links to others; nothing where not counted
    in_degrees: NDArray[np.int32] | None = None  # with directions only

    @property
    def directed(self) -> bool:
        return self.in_degrees is not None

    @property
    def pairs(self) -> int:
        """Return how many links there could be."""
        ordered = self.nodes * (self.nodes - 1)
        return ordered if self.directed else ordered // 2


@dataclass(frozen=True)
class ChangeEstimate:
    """How many links are added and removed, taken together: a range that the run keeps to.

    Without `most` the upper end is not known; without `least`, nothing is before the run.
    """

    least: int | None = None
    most: int | None = None
    note: str = "known after the run"
    label: str = "Links changed"

    @property
    def words(self) -> str:
        if self.least is None:
            return "–"
        if self.most is None:
            return f"{self.least:,} or more"
        if self.least == self.most:
            return f"{self.least:,}"
        return f"{self.least:,} to {self.most:,}"


def estimate_range(least: int, most: int | None, links: int) -> ChangeEstimate:
    """Estimate a number of changed links, said as shares of all links as well."""
    share = percent(least / links if links else 0)
    if most is None:
        return ChangeEstimate(least, None, f"{share} of all links or more, added and removed")
    if least == most:
        return ChangeEstimate(least, most, f"{share} of all links, added and removed")
    highest = percent(most / links if links else 0)
    return ChangeEstimate(least, most, f"{share} to {highest} of all links, added and removed")
