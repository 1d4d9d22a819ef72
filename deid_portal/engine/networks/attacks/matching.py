"""Re-identifying nodes by what is known of people: degree, or neighborhood.

The intruder knows the original figure of somebody and looks for nodes of the release that have it;
all of them are as likely. Where the true node is not among them the guess is wrong.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.networks.knowledge.neighborhoods import Surroundings, code_neighborhoods
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.network import MatchingAttack


def attack_by_degree(original: Network, released: Network, rows: Nodes) -> MatchingAttack:
    """Look for everybody by their number of links; `rows` is who is behind each released node."""
    return _describe(match_by_degree(original, released, rows), "degree")


def attack_by_neighborhood(
    original: Network, released: Network, rows: Nodes, progress: Progress
) -> MatchingAttack:
    """Look for everybody by how their neighbors are linked.

    Neighborhoods are compared by their codes, which takes a few that differ for equal; the intruder
    is then no better off than this says.
    """
    matched = match_by_neighborhood(original, released, rows, progress)
    return _describe(matched, "neighbourhood")


@dataclass(frozen=True, eq=False)
class NodeGuesses:
    """Per original node: among how many nodes the intruder guesses, and the chance to be right."""

    candidates: NDArray[np.int64]  # released nodes that match the person; 0: none
    chances: NDArray[np.float64]  # of taking the right one; 0 where it is not among them

    @property
    def share(self) -> float:
        return float(self.chances.mean()) if len(self.chances) else 0.0

    @property
    def found_for_sure(self) -> int:
        return int((self.chances == 1).sum())


def match_by_degree(original: Network, released: Network, rows: Nodes) -> NodeGuesses:
    """Look for everybody by their number of links; with directions, by those to and from others."""
    base = max(original.nodes, released.nodes) + 1
    before, after = (
        network.degrees.astype(np.int64) * base + network.in_degrees
        for network in (original, released)
    )
    return match(before, after, rows)


def match_by_neighborhood(
    original: Network, released: Network, rows: Nodes, progress: Progress
) -> NodeGuesses:
    """Look for everybody by how their neighbors are linked."""
    codes = [
        code_neighborhoods(
            Surroundings.of(network), np.arange(network.nodes, dtype=np.int32), progress
        )
        for network in (original, released)
    ]
    return match(codes[0], codes[1], rows)


def match(before: NDArray[Any], after: NDArray[Any], rows: Nodes) -> NodeGuesses:
    """Compare what was known of people with what nodes show; over everybody, without chance."""
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
    return NodeGuesses(candidates, chances)


def _describe(matched: NodeGuesses, attack: str) -> MatchingAttack:
    share = matched.share
    return MatchingAttack(
        attack=attack,
        success=share,
        interval=exactly(share),
        people=len(matched.chances),
        found_for_sure=matched.found_for_sure,
        candidates_median=float(np.median(matched.candidates)) if len(matched.chances) else 0.0,
    )
