"""An example attack: two people find themselves in a release, then others, then a link.

Two people know their numbers of links, which nobody else has, so each finds their own node. Nodes
linked with both of them, or with just one, are identified next, and with them whether they are
linked, which nobody told the two.
"""

from itertools import islice
from typing import Any

import numpy as np

from deid_portal.engine.networks.knowledge import partition_by_degree
from deid_portal.engine.networks.network import Network

MOST_PAIRS = 2000


def tell_walk(network: Network) -> dict[str, Any]:
    """Return the steps of a walk by node numbers of this network; never to be published.

    `found` is False where no two linked people stand alone by their number of links. A pair that
    finds others is taken, the one with fewest links, else the pair with fewest links.
    """
    plain = network.undirected
    alike = partition_by_degree(plain)
    alone = alike.candidates == 1
    pairs = plain.pairs[alone[plain.pairs].all(axis=1)]
    if not len(pairs):
        return {"found": False, "alone": np.flatnonzero(alone).tolist()[:10]}
    degrees = plain.degrees
    fewest = np.argsort(degrees[pairs].sum(axis=1), kind="stable")[:MOST_PAIRS]
    walks = (_walk(plain, pair) for pair in pairs[fewest].tolist())
    found = list(islice(walks, 1))
    found += [own for own in walks if own["re_identified"] and not found[0]["re_identified"]][:1]
    return found[-1]


def _walk(plain: Network, pair: list[int]) -> dict[str, Any]:
    degrees = plain.degrees
    first, second = sorted(pair, key=lambda node: int(degrees[node]))
    around = {node: _row(plain, node) - {first, second} for node in (first, second)}
    common = sorted(around[first] & around[second])
    rest = sorted(around[first] - around[second])
    targets = (common[0], rest[0]) if len(common) == 1 and len(rest) == 1 else None
    return {
        "found": True,
        "first": {"node": first, "degree": int(degrees[first])},
        "second": {"node": second, "degree": int(degrees[second])},
        "common": common,
        "rest": rest,
        "re_identified": targets is not None,
        "link": bool(plain.has_edges(np.array([targets]))[0]) if targets else None,
        "targets": list(targets) if targets else [],
    }


def words_of_walk(walk: dict[str, Any]) -> list[str]:
    """Tell the walk in sentences, without an id."""
    if not walk["found"]:
        return [
            "Nobody finds themselves by their number of links: no two linked people stand alone."
        ]
    first, second = walk["first"]["degree"], walk["second"]["degree"]
    said = [
        f"One person has {_links(first)} and nobody else has as many: that node is theirs.",
        f"Another has {_links(second)} and nobody else has as many: that node is theirs.",
    ]
    common, rest = len(walk["common"]), len(walk["rest"])
    if walk["re_identified"]:
        said.append("Exactly one node is linked with both, so the friend they share is found.")
        said.append("One friend of the first is left, so that friend is found as well.")
        there = "is a" if walk["link"] else "is no"
        said.append(f"And the two learn that there {there} link between these friends.")
    elif common or rest:
        said.append(
            f"{common} nodes are linked with both and {rest} with the first alone; whoever knows "
            f"one thing more about a friend tells them apart."
        )
    return said


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count:,} links"


def _row(network: Network, node: int) -> set[int]:
    return set(network.neighbors[network.offsets[node] : network.offsets[node + 1]].tolist())
