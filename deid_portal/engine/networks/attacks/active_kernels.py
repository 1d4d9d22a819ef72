"""The compiled search for a planted path."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.kernels import is_linked


@compiled
def find_paths(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    degrees: NDArray[np.int64],  # of the planted nodes, along the path
    inner: NDArray[np.bool_],  # which of them are linked
    degree_slack: int,
    link_slack: int,
    most_steps: int,
    most_found: int,
) -> tuple[NDArray[np.int32], int]:
    """Walk along every path whose nodes have the right degrees and links to those before them.

    Degrees may be off by `degree_slack` either way, and so many inner links along a path may be
    wrong. The search ends after `most_steps` steps with the paths found until then.
    """
    length = len(degrees)
    nodes = len(offsets) - 1
    found = np.zeros((most_found, length), np.int32)
    path = np.zeros(length, np.int32)
    position = np.zeros(length, np.int64)
    wrong = np.zeros(length + 1, np.int64)
    count, steps = 0, 0
    for start in range(nodes):
        if abs(offsets[start + 1] - offsets[start] - degrees[0]) > degree_slack:
            continue
        path[0] = start
        depth = 1
        position[1] = offsets[start]
        while depth > 0:
            before = path[depth - 1]
            if position[depth] == offsets[before + 1] or steps > most_steps:
                depth -= 1
                continue
            node = neighbors[position[depth]]
            position[depth] += 1
            steps += 1
            if abs(offsets[node + 1] - offsets[node] - degrees[depth]) > degree_slack:
                continue
            mistakes = wrong[depth - 1]
            for place in range(depth):
                if path[place] == node:
                    mistakes = link_slack + 1
                    break
                if place < depth - 1:
                    linked = is_linked(offsets, neighbors, node, path[place])
                    mistakes += linked != inner[place, depth]
                    if mistakes > link_slack:
                        break
            if mistakes > link_slack:
                continue
            path[depth] = node
            wrong[depth] = mistakes
            if depth == length - 1:
                found[count] = path
                count += 1
                if count == most_found:
                    return found, count
                continue
            depth += 1
            position[depth] = offsets[node]
    return found, count
