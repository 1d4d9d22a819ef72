"""Compiled loops that give nodes the degrees they are to have, by adding and removing links.

`wanted` is how many links each node still is to gain, or to lose if below zero. After each loop
`wanted` holds what it could not do.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.changing.link_ledger import Ledger, has_link, set_link
from deid_portal.engine.networks.kernels import is_either

Nodes = NDArray[np.int32]
MOST_TRIED = 20_000
MOST_EXCHANGES_TRIED = 2_000_000


@compiled
def remove_between(
    ledger: Ledger,
    wanted: NDArray[np.int64],
    order: Nodes,
) -> None:
    """Remove links whose ends both have too many."""
    for node in order:
        for position in range(ledger.offsets[node], ledger.offsets[node + 1]):
            if wanted[node] >= 0:
                break
            other = ledger.neighbors[position]
            if wanted[other] < 0 and has_link(ledger, node, other):
                set_link(ledger, node, other, False)
                wanted[node] += 1
                wanted[other] += 1


@compiled
def add_between(
    ledger: Ledger,
    wanted: NDArray[np.int64],
    order: Nodes,
) -> None:
    """Add links whose ends both have too few: who lacks most, with those who lack most.

    Nodes stand in a list per number of links they lack.
    """
    most = 0
    for node in order:
        most = max(most, wanted[node])
    first = np.full(most + 1, -1, np.int32)
    after = np.full(len(wanted), -1, np.int32)
    before = np.full(len(wanted), -1, np.int32)
    for node in order[::-1]:
        if wanted[node] > 0:
            link_in(first, after, before, wanted[node], node)
    height = most
    partners = np.empty(most + 1, np.int32)
    while height > 0:
        node = first[height]
        if node < 0:
            height -= 1
            continue
        link_out(first, after, before, height, node)
        found, level = 0, height
        while level > 0 and found < height:
            other = first[level]
            while other >= 0 and found < height:
                if not has_link(ledger, node, other):
                    partners[found] = other
                    found += 1
                other = after[other]
            level -= 1
        for index in range(found):
            other = partners[index]
            set_link(ledger, node, other, True)
            link_out(first, after, before, wanted[other], other)
            wanted[other] -= 1
            if wanted[other] > 0:
                link_in(first, after, before, wanted[other], other)
        wanted[node] -= found


@compiled
def link_in(first: Nodes, after: Nodes, before: Nodes, level: int, node: int) -> None:
    head = first[level]
    after[node] = head
    before[node] = -1
    if head >= 0:
        before[head] = node
    first[level] = node


@compiled
def link_out(first: Nodes, after: Nodes, before: Nodes, level: int, node: int) -> None:
    if before[node] >= 0:
        after[before[node]] = after[node]
    else:
        first[level] = after[node]
    if after[node] >= 0:
        before[after[node]] = before[node]


@compiled
def turn_links(
    ledger: Ledger,
    wanted: NDArray[np.int64],
    givers: Nodes,
    takers: Nodes,
) -> None:
    """Move an end of a link from a node with too many links to one with too few."""
    place = 0
    for giver in givers:
        position = ledger.offsets[giver]
        while wanted[giver] < 0 and position < ledger.offsets[giver + 1]:
            while place < len(takers) and wanted[takers[place]] <= 0:
                place += 1
            if place == len(takers):
                return
            middle = ledger.neighbors[position]
            position += 1
            if not has_link(ledger, giver, middle):
                continue
            for index in range(place, min(place + 50, len(takers))):
                taker = takers[index]
                if wanted[taker] <= 0 or taker == middle:
                    continue
                if not has_link(ledger, taker, middle):
                    set_link(ledger, giver, middle, False)
                    set_link(ledger, taker, middle, True)
                    wanted[giver] += 1
                    wanted[taker] -= 1
                    break


@compiled
def exchange_ends(
    ledger: Ledger,
    wanted: NDArray[np.int64],
    lacking: Nodes,
    links: NDArray[np.int64],  # links that may be split: link × its two ends
) -> None:
    """Split links so that two nodes that lack a link get one end each.

    Both may be the same node. No other degree changes.
    """
    place, tried = 0, 0
    for first in range(len(lacking)):
        one = lacking[first]
        second = first
        while wanted[one] > 0 and tried < MOST_EXCHANGES_TRIED:
            while second < len(lacking) and wanted[lacking[second]] <= (second == first):
                second += 1
            if second == len(lacking):
                break
            other = lacking[second]
            is_done = False
            for _ in range(len(links)):
                left, right = links[place]
                place = (place + 1) % len(links)
                tried += 1
                is_done = split_link(ledger, one, other, left, right) or split_link(
                    ledger, one, other, right, left
                )
                if is_done or tried >= MOST_EXCHANGES_TRIED:
                    break
            if is_done:
                wanted[one] -= 1
                wanted[other] -= 1
            else:
                second += 1


@compiled
def split_link(ledger: Ledger, one: int, other: int, left: int, right: int) -> bool:
    """Give one node the left end of a link and the other the right end, if both are strangers."""
    if is_either(one, left, right) or is_either(other, left, right):
        return False
    if not has_link(ledger, left, right):
        return False
    if has_link(ledger, one, left) or has_link(ledger, other, right):
        return False
    set_link(ledger, left, right, False)
    set_link(ledger, one, left, True)
    set_link(ledger, other, right, True)
    return True


@compiled
def join_freed(
    ledger: Ledger,
    wanted: NDArray[np.int64],
    giving: Nodes,
) -> None:
    """Take a link from each of two nodes with too many, and link their other ends instead."""
    waiting = -1
    for node in giving:
        while wanted[node] < 0:
            if waiting < 0:
                waiting = node
                if wanted[node] > -2:
                    break
            if not merge_links(ledger, waiting, node):
                return
            wanted[waiting] += 1
            wanted[node] += 1
            waiting = -1


@compiled
def merge_links(
    ledger: Ledger,
    one: int,
    other: int,
) -> bool:
    tried = 0
    for first in range(ledger.offsets[one], ledger.offsets[one + 1]):
        left = ledger.neighbors[first]
        if left == other or not has_link(ledger, one, left):
            continue
        for second in range(ledger.offsets[other], ledger.offsets[other + 1]):
            right = ledger.neighbors[second]
            tried += 1
            if is_either(right, left, one):
                continue
            if not has_link(ledger, other, right):
                continue
            if has_link(ledger, left, right):
                continue
            set_link(ledger, one, left, False)
            set_link(ledger, other, right, False)
            set_link(ledger, left, right, True)
            return True
        if tried > MOST_TRIED:
            return False
    return False


@compiled
def link_with_helpers(
    ledger: Ledger,
    wanted: NDArray[np.int64],
    lacking: Nodes,
    targets: NDArray[np.int64],  # the degree each node is to have; changed for helpers
    counts: NDArray[np.int64],  # nodes that are to have each degree; changed with it
    k: int,
    order: Nodes,
) -> int:
    """Link nodes that lack links with helpers, which then have one link more than their target.

    A helper moves from a class that can spare it to one that stays large enough. Friends of friends
    are tried first. Returns how many helpers were found.
    """
    helpers, place = 0, 0
    for node in lacking:
        while wanted[node] > 0:
            helper = -1
            tried = 0
            for first in range(ledger.offsets[node], ledger.offsets[node + 1]):
                middle = ledger.neighbors[first]
                for second in range(ledger.offsets[middle], ledger.offsets[middle + 1]):
                    tried += 1
                    other = ledger.neighbors[second]
                    if can_help(other, node, wanted, targets, counts, k) and not has_link(
                        ledger, node, other
                    ):
                        helper = other
                        break
                if helper >= 0 or tried > MOST_TRIED // 10:
                    break
            for _ in range(len(order) if helper < 0 else 0):
                other = order[place]
                place = (place + 1) % len(order)
                if can_help(other, node, wanted, targets, counts, k) and not has_link(
                    ledger, node, other
                ):
                    helper = other
                    break
            if helper < 0:
                break
            set_link(ledger, node, helper, True)
            counts[targets[helper]] -= 1
            targets[helper] += 1
            counts[targets[helper]] += 1
            wanted[node] -= 1
            helpers += 1
    return helpers


@compiled
def can_help(
    other: int,
    node: int,
    wanted: NDArray[np.int64],
    targets: NDArray[np.int64],
    counts: NDArray[np.int64],
    k: int,
) -> bool:
    if other == node or wanted[other] != 0:
        return False
    here = counts[targets[other]]
    return bool(here > k and counts[targets[other] + 1] + 1 >= k)
