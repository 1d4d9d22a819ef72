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
    degrees: NDArray[np.int32]  # nothing where links have directions


@dataclass(frozen=True)
class ChangeEstimate:
    """A figure in words; without any, it is only known after the run."""

    words: str = "–"
    note: str = "known after the run"
    label: str = "Links changed"


def estimate_share(share: float, links: int) -> ChangeEstimate:
    """Estimate a method that changes a share of the links."""
    return ChangeEstimate(f"{round(share * links):,}", f"about; {percent(share)} of all links")
