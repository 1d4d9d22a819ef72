"""Of many checks the best are kept, in order, and no more than can be looked at."""

import numpy as np

from deid_portal.engine.search.explored import MOST_ALLOWED, MOST_REFUSED, ExploredNodes


def test_the_cheapest_allowed_and_the_nearest_of_the_others_are_kept() -> None:
    costs = np.random.default_rng(1).permutation(2000)
    nodes = ExploredNodes()
    for place, cost in enumerate(costs.tolist()):
        if place % 2:
            nodes.note((place, 0), 0, cost / 2000)
        else:
            nodes.note((place, 0), cost, None)
    found = nodes.best_first()
    allowed = [node.cost for node in found if node.cost is not None]
    refused = [node.suppressed for node in found if node.cost is None]
    assert found[: len(allowed)] == [node for node in found if node.cost is not None]
    assert allowed == sorted(costs[1::2] / 2000)[:MOST_ALLOWED]
    assert refused == sorted(costs[::2])[:MOST_REFUSED]
    assert nodes.allowed_count == 1000


def test_a_combination_checked_twice_is_told_once() -> None:
    nodes = ExploredNodes()
    for _ in range(3):
        nodes.note((1, 2), 4, 0.5)
    assert [node.levels for node in nodes.best_first()] == [(1, 2)]
