"""Finding people again by what was known of them before: degree, or neighborhood.

The intruder knows the original figure of somebody and looks for nodes of the release that have it;
all of them are as likely. Where the true node is not among them the guess is wrong.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.networks.neighborhoods import Surroundings, code_neighborhoods
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress


def attack_by_degree(original: Network, released: Network, rows: Nodes) -> dict[str, Any]:
    """Look for everybody by their number of links; `rows` is who is behind each released node.

    With directions it is the links to others and those from others.
    """
    known = [
        network.degrees.astype(np.int64) * (network.nodes + 1) + network.in_degrees
        for network in (original, released)
    ]
    return _match(known[0], known[1], rows, "degree")


def attack_by_neighborhood(
    original: Network, released: Network, rows: Nodes, progress: Progress
) -> dict[str, Any]:
    """Look for everybody by how their neighbors are linked.

    Neighborhoods are compared by their codes, which takes a few that differ for equal; the intruder
    is then no better off than this says.
    """
    codes = [
        code_neighborhoods(
            Surroundings.of(network), np.arange(network.nodes, dtype=np.int32), progress
        )
        for network in (original, released)
    ]
    return _match(codes[0], codes[1], rows, "neighbourhood")


def _match(before: NDArray[Any], after: NDArray[Any], rows: Nodes, attack: str) -> dict[str, Any]:
    """Return the share of right guesses, over everybody, without chance."""
    values, codes = np.unique(after, return_inverse=True)
    counts = np.bincount(codes.reshape(-1), minlength=len(values))
    places = np.minimum(np.searchsorted(values, before), len(values) - 1)
    candidates = np.where(values[places] == before, counts[places], 0)
    shown = np.full(len(before), -1, np.int64)
    real = rows >= 0
    shown[rows[real]] = np.flatnonzero(real)
    is_there = shown >= 0
    hit = np.zeros(len(before), np.bool_)
    hit[is_there] = after[shown[is_there]] == before[is_there]
    chances = np.divide(1.0, candidates, out=np.zeros(len(before)), where=hit & (candidates > 0))
    share = float(chances.mean()) if len(before) else 0.0
    return {
        "attack": attack,
        "success": share,
        "interval": list(exactly(share)),
        "people": len(before),
        "found_for_sure": int((chances == 1).sum()),
        "candidates_median": float(np.median(candidates)) if len(before) else 0.0,
    }
