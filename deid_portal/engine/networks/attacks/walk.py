"""An example attack: two people find themselves in a release, then others, then a link.

Two people know their numbers of links, which nobody else has, so each finds their own node. Nodes
linked with both of them, or with just one, are identified next, and with them whether they are
linked, which nobody told the two.
"""

from dataclasses import replace
from itertools import islice

import numpy as np

from deid_portal.engine.networks.knowledge.knowledge import partition_by_degree
from deid_portal.engine.networks.network import Network
from deid_portal.engine.report.network import NoWalk, Walk, WalkingNode

MOST_PAIRS = 2000


def tell_walk(network: Network) -> Walk | NoWalk:
    """Return the steps of a walk by node numbers of this network; never to be published.

    There is none where no two linked people stand alone by their number of links. A pair that
    finds others is taken, the one with fewest links, else the pair with fewest links.
    """
    plain = network.undirected
    alike = partition_by_degree(plain)
    alone = alike.candidates == 1
    pairs = plain.pairs[alone[plain.pairs].all(axis=1)]
    if not len(pairs):
        return no_walk(tuple(np.flatnonzero(alone).tolist()[:10]))
    degrees = plain.degrees
    fewest = np.argsort(degrees[pairs].sum(axis=1), kind="stable")[:MOST_PAIRS]
    walks = (_walk(plain, pair) for pair in pairs[fewest].tolist())
    found = list(islice(walks, 1))
    found += [own for own in walks if own.re_identified and not found[0].re_identified][:1]
    return replace(found[-1], words=_words_of(found[-1]))


def no_walk(alone: tuple[int, ...] = ()) -> NoWalk:
    words = "Nobody finds themselves by their number of links: no two linked people stand alone."
    return NoWalk(found=False, alone=alone, words=(words,))


def _walk(plain: Network, pair: list[int]) -> Walk:
    degrees = plain.degrees
    first, second = sorted(pair, key=lambda node: int(degrees[node]))
    around = {node: _row(plain, node) - {first, second} for node in (first, second)}
    common = tuple(sorted(around[first] & around[second]))
    rest = tuple(sorted(around[first] - around[second]))
    targets = (common[0], rest[0]) if len(common) == 1 and len(rest) == 1 else ()
    return Walk(
        found=True,
        first=WalkingNode(first, int(degrees[first])),
        second=WalkingNode(second, int(degrees[second])),
        common=common,
        rest=rest,
        re_identified=bool(targets),
        link=bool(plain.has_edges(np.array([targets]))[0]) if targets else None,
        targets=targets,
        words=(),
    )


def _words_of(walk: Walk) -> tuple[str, ...]:
    """Tell the walk in sentences, without an id."""
    first, second = walk.first.degree, walk.second.degree
    said = [
        f"One person has {_links(first)} and nobody else has as many: that node is theirs.",
        f"Another has {_links(second)} and nobody else has as many: that node is theirs.",
    ]
    common, rest = len(walk.common), len(walk.rest)
    if walk.re_identified:
        said.append("Exactly one node is linked with both, so the friend they share is found.")
        said.append("One friend of the first is left, so that friend is found as well.")
        there = "is a" if walk.link else "is no"
        said.append(f"And the two learn that there {there} link between these friends.")
    elif common or rest:
        said.append(
            f"{common} nodes are linked with both and {rest} with the first alone; whoever knows "
            f"one thing more about a friend tells them apart."
        )
    return tuple(said)


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count:,} links"


def _row(network: Network, node: int) -> set[int]:
    return set(network.neighbors[network.offsets[node] : network.offsets[node + 1]].tolist())
