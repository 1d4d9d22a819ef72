"""Compiled loops that give nodes their out- and in-degrees by adding and removing directed links.

`outs` and `ins` are how many links each node still is to gain, or to lose if below zero. After each
loop they hold what it could not do.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.changing.link_ledger import Ledger, has_link, set_link

Nodes = NDArray[np.int32]
Wanted = NDArray[np.int64]
MOST_TRIED = 2_000_000


@compiled
def link_lacking(ledger: Ledger, outs: Wanted, ins: Wanted, givers: Nodes, takers: Nodes) -> None:
    """Link who lacks links to others with who lacks links from others, in turns."""
    place = 0
    for giver in givers:
        for _ in range(len(takers)):
            if outs[giver] <= 0:
                break
            taker = takers[place]
            place = (place + 1) % len(takers)
            if ins[taker] > 0 and taker != giver and not has_link(ledger, giver, taker):
                set_link(ledger, giver, taker, True)
                outs[giver] -= 1
                ins[taker] -= 1


@compiled
def cut_between(ledger: Ledger, outs: Wanted, ins: Wanted, givers: Nodes) -> None:
    """Remove links from who has too many to others, to who has too many from others."""
    for giver in givers:
        for position in range(ledger.offsets[giver], ledger.offsets[giver + 1]):
            if outs[giver] >= 0:
                break
            taker = ledger.neighbors[position]
            if ins[taker] < 0 and has_link(ledger, giver, taker):
                set_link(ledger, giver, taker, False)
                outs[giver] += 1
                ins[taker] += 1


@compiled
def hand_over(
    ledger: Ledger,
    rows: NDArray[np.int64],
    neighbors: Nodes,
    wanted: Wanted,
    rich: Nodes,
    poor: Nodes,
    is_out: bool,
) -> None:
    """Give links of who has too many to who lacks some; their other ends stay.

    The rows are those of links to others, or of links from others where in-degrees are seen to.
    """
    place = 0
    for giver in rich:
        for position in range(rows[giver], rows[giver + 1]):
            if wanted[giver] >= 0:
                break
            middle = neighbors[position]
            if not linked(ledger, giver, middle, is_out):
                continue
            for index in range(len(poor)):
                taker = poor[(place + index) % len(poor)]
                if wanted[taker] <= 0 or taker == middle:
                    continue
                if not linked(ledger, taker, middle, is_out):
                    put(ledger, giver, middle, is_out, False)
                    put(ledger, taker, middle, is_out, True)
                    wanted[giver] += 1
                    wanted[taker] -= 1
                    place += index + 1
                    break


@compiled
def linked(ledger: Ledger, one: int, other: int, is_out: bool) -> bool:
    if is_out:
        return bool(has_link(ledger, one, other))
    return bool(has_link(ledger, other, one))


@compiled
def put(ledger: Ledger, one: int, other: int, is_out: bool, wanted: bool) -> None:
    if is_out:
        set_link(ledger, one, other, wanted)
    else:
        set_link(ledger, other, one, wanted)


@compiled
def split_links(
    ledger: Ledger,
    outs: Wanted,
    ins: Wanted,
    givers: Nodes,
    takers: Nodes,
    links: NDArray[np.int32],
) -> None:
    """Take links apart: one gets the end of each, the other its start; no other degree changes."""
    place, tried, second = 0, 0, 0
    for giver in givers:
        while outs[giver] > 0:
            while second < len(takers) and ins[takers[second]] <= 0:
                second += 1
            if second == len(takers) or tried >= MOST_TRIED:
                return
            taker = takers[second]
            is_done = False
            for _ in range(len(links)):
                start, end = links[place]
                place = (place + 1) % len(links)
                tried += 1
                if start == taker or end == giver or not has_link(ledger, start, end):
                    continue
                if has_link(ledger, giver, end) or has_link(ledger, start, taker):
                    continue
                set_link(ledger, start, end, False)
                set_link(ledger, giver, end, True)
                set_link(ledger, start, taker, True)
                outs[giver] -= 1
                ins[taker] -= 1
                is_done = True
                break
            if not is_done:
                break


@compiled
def join_links(
    ledger: Ledger,
    sources: NDArray[np.int64],
    origins: Nodes,
    outs: Wanted,
    ins: Wanted,
    givers: Nodes,
    takers: Nodes,
) -> None:
    """Take a link to others from one and a link from others from another; join their other ends.

    `sources` and `origins` are the rows of links from others.
    """
    second, tried = 0, 0
    for giver in givers:
        while outs[giver] < 0:
            while second < len(takers) and ins[takers[second]] >= 0:
                second += 1
            if second == len(takers) or tried >= MOST_TRIED:
                return
            taker = takers[second]
            is_done = False
            for position in range(ledger.offsets[giver], ledger.offsets[giver + 1]):
                end = ledger.neighbors[position]
                if is_done or end == taker or not has_link(ledger, giver, end):
                    continue
                for row in range(sources[taker], sources[taker + 1]):
                    start = origins[row]
                    tried += 1
                    if start in (giver, end) or not has_link(ledger, start, taker):
                        continue
                    if has_link(ledger, start, end):
                        continue
                    set_link(ledger, giver, end, False)
                    set_link(ledger, start, taker, False)
                    set_link(ledger, start, end, True)
                    outs[giver] += 1
                    ins[taker] += 1
                    is_done = True
                    break
            if not is_done:
                break


@compiled
def link_to_helpers(
    ledger: Ledger,
    wanted: Wanted,
    lacking: Nodes,
    cell_of: NDArray[np.int64],
    counts: NDArray[np.int64],
    above: NDArray[np.int64],
    is_busy: NDArray[np.bool_],
    k: int,
    order: Nodes,
    is_out: bool,
) -> int:
    """Link who lacks links with helpers of large cells, who move on to the next cell by it.

    `above` is the cell with one link more on the helper's side, -1 where nobody has such degrees.
    Returns how many helpers were found.
    """
    helpers, place = 0, 0
    for node in lacking:
        while wanted[node] > 0:
            found = -1
            for _ in range(len(order)):
                other = order[place]
                place = (place + 1) % len(order)
                cell = cell_of[other]
                if other == node or is_busy[other] or above[cell] < 0 or counts[cell] <= k:
                    continue
                if counts[above[cell]] + 1 < k or linked(ledger, node, other, is_out):
                    continue
                found = other
                break
            if found < 0:
                break
            put(ledger, node, found, is_out, True)
            counts[cell_of[found]] -= 1
            cell_of[found] = above[cell_of[found]]
            counts[cell_of[found]] += 1
            wanted[node] -= 1
            helpers += 1
    return helpers
