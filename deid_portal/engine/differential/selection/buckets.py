"""Buckets for numbers: fixed beforehand, side by side, covering everything declared."""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.differential.selection.domains import (
    LEFT_OUT,
    Indices,
    NumberDomain,
    plain_number,
)
from deid_portal.engine.documents import Place
from deid_portal.engine.table.numbers import Numbers

MOST_BUCKETS = 10_000


def equal_edges(domain: NumberDomain, buckets: int) -> tuple[float, ...]:
    """Return the edges of so many equally wide buckets; of whole numbers they are whole.

    The last bucket holds the upper bound, too; none is narrower than one whole number.
    """
    if not domain.whole:
        return tuple(float(edge) for edge in np.linspace(domain.low, domain.high, buckets + 1))
    wanted = min(buckets, int(domain.width))
    edges = np.floor(np.linspace(domain.low, domain.high, wanted + 1) + 0.5)
    return tuple(float(edge) for edge in edges)


def check_edges(place: Place, edges: Sequence[float], domain: NumberDomain) -> None:
    """Refuse buckets that do not cover the domain: people outside them could be distinguished."""
    if edges[0] != domain.low or edges[-1] != domain.high:
        place.refuse(
            f"the buckets must cover everything from {plain_number(domain.low)} to "
            f"{plain_number(domain.high)}, the declared bounds."
        )


def find_buckets(numbers: Numbers, edges: Sequence[float]) -> Indices:
    """Return the bucket of each number, LEFT_OUT for NaN.

    A bucket holds its lower edge and not its upper one, but for the last, which holds both.
    """
    found = np.searchsorted(np.array(edges[1:-1]), numbers, side="right")
    return np.where(np.isnan(numbers), LEFT_OUT, found).astype(np.int64)


def middles(edges: Sequence[float]) -> Numbers:
    return np.asarray((np.array(edges[:-1]) + np.array(edges[1:])) / 2, np.float64)
