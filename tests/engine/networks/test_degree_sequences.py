"""The best degrees are those an exhaustive search finds, and those known of public networks."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine.networks.changing.degree_sequences import (
    find_greedy_degrees,
    find_optimal_degrees,
)
from tests.engine.networks.networks import read_public

DEGREES = st.lists(st.integers(0, 9), min_size=2, max_size=9)
PUBLIC = [
    *(("ca-GrQc", k, *costs) for k, costs in {2: (13, 13), 5: (88, 59), 10: (232, 121),
      25: (757, 339), 50: (2031, 763), 100: (4612, 1482)}.items()),
    ("ego-Facebook", 5, 2032, 1149), ("ego-Facebook", 10, 6140, 2486),
    ("wiki-Vote", 5, 2450, 986), ("wiki-Vote", 10, 5387, 2128),
]  # fmt: skip


@pytest.mark.parametrize(("name", "k", "added", "both"), PUBLIC)
def test_public_networks_have_these_optima(name: str, k: int, added: int, both: int) -> None:
    degrees = read_public(name).degrees
    for may_remove, cost in ((False, added), (True, both)):
        found = find_optimal_degrees(degrees, k, may_remove=may_remove)
        assert found is not None
        assert found.cost == cost
        assert np.abs(found.degrees - degrees).sum() == cost
        assert np.unique(found.degrees, return_counts=True)[1].min() >= k


def try_everything(degrees: list[int], k: int, may_remove: bool, even: bool) -> int | None:
    """Cut the sorted degrees everywhere and give every group every degree."""
    falling = sorted(degrees, reverse=True)

    @cache
    def best(start: int) -> dict[int, int]:
        if start == len(falling):
            return {0: 0}
        found: dict[int, int] = {}
        for end, degree in product(range(start + k, len(falling) + 1), range(12)):
            if not may_remove and degree < falling[start]:
                continue
            cost = sum(abs(own - degree) for own in falling[start:end])
            for parity, rest in best(end).items():
                total = (cost + parity) % 2
                found[total] = min(found.get(total, 10**9), cost + rest)
        return found

    costs = best(0)
    return costs.get(0) if even else min(costs.values())


@settings(max_examples=80, deadline=None)
@given(DEGREES, st.integers(2, 4), st.booleans())
def test_nothing_cheaper_is_found_by_trying_everything(
    degrees: list[int], k: int, may_remove: bool
) -> None:
    if k > len(degrees):
        return
    found = find_optimal_degrees(np.array(degrees, np.int32), k, may_remove=may_remove)
    assert found is not None
    assert found.cost == try_everything(degrees, k, may_remove, even=False)
    even = find_optimal_degrees(np.array(degrees, np.int32), k, may_remove=may_remove, even=True)
    if even is not None:
        assert even.cost % 2 == 0
        assert even.cost >= (try_everything(degrees, k, may_remove, even=True) or 0)


@settings(max_examples=50, deadline=None)
@given(DEGREES, st.integers(2, 4), st.booleans())
def test_the_greedy_way_keeps_the_rule(degrees: list[int], k: int, may_remove: bool) -> None:
    if k > len(degrees):
        return
    given_degrees = np.array(degrees, np.int32)
    found = find_greedy_degrees(given_degrees, k, may_remove=may_remove)
    assert np.unique(found.degrees, return_counts=True)[1].min() >= k
    if not may_remove:
        assert (found.degrees >= given_degrees).all()
