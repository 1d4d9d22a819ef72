"""The next node of a search: predicted from its checks, and climbing as far as predicted."""

import itertools

import numpy as np
import pytest

from deid_portal.engine.search.lattice import Lattice, Levels, OpenNodes
from deid_portal.engine.search.suppression_forecast import (
    RIDGE,
    SMOOTHING_RECORDS,
    SuppressionForecast,
)


def test_learning_one_by_one_is_least_squares_over_all() -> None:
    generator = np.random.default_rng(3)
    heights = (2, 0, 3)
    forecast = SuppressionForecast(heights)
    rows, logs = [], []
    for _ in range(12):
        levels = tuple(int(generator.integers(0, height + 1)) for height in heights)
        lost = int(generator.integers(0, 500))
        forecast.learn(levels, lost)
        pairs = zip(levels, heights, strict=True)
        steps = [[float(step < level) for step in range(h)] for level, h in pairs]
        rows.append([*itertools.chain(*steps), 1.0])
        logs.append(np.log(lost + SMOOTHING_RECORDS))
    matrix = np.array(rows)
    amounts = np.linalg.solve(
        matrix.T @ matrix + RIDGE * np.eye(matrix.shape[1]), matrix.T @ np.array(logs)
    )
    assert forecast.expect((1, 0, 2)) == pytest.approx(amounts[[0, 2, 3, 5]].sum())
    assert forecast.drops([0, 2]) == pytest.approx(-amounts[:-1])


def test_foresees_what_follows_the_same_rule() -> None:
    forecast = SuppressionForecast((2, 2))
    for levels in 20 * [(0, 0), (1, 0), (2, 0), (0, 1), (0, 2), (1, 1)]:
        forecast.learn(levels, 10 * 10 ** (4 - sum(levels)) - SMOOTHING_RECORDS)
    assert forecast.expect((2, 2)) == pytest.approx(forecast.scale(0), abs=0.3)
    assert forecast.drops([0, 1]) == pytest.approx(4 * [np.log(10)], abs=0.2)  # a tenth is left


def open_nodes(heights: Levels) -> OpenNodes:
    return OpenNodes(
        Lattice(heights), [np.zeros(height + 1) for height in heights], lambda sums: sums
    )


@pytest.mark.parametrize(
    ("limit", "reached"),
    [
        (6.5, (0, 0, 0)),  # the first step would take one
        (5.5, (0, 0, 1)),  # both columns promise the same, the dear one does not fit
        (4.5, (0, 0, 2)),
        (2.5, (1, 0, 2)),
        (0.5, (2, 0, 2)),
        (-9.0, (2, 0, 2)),
    ],
)
def test_climbs_while_more_than_the_limit_is_expected(limit: float, reached: Levels) -> None:
    nodes = open_nodes((2, 0, 2))
    drops = np.array([2.0, 2.0, 1.0, 1.0])  # two steps of the first column, two of the last
    assert nodes.climb((0, 0, 0), drops, 7.0, limit) == reached


def test_climbs_towards_open_combinations() -> None:
    nodes = open_nodes((2, 2))
    nodes.close_finer((2, 0))  # what is left lies above in the second column
    nodes.keep_below(1.0, None, 0.0)
    assert nodes.climb((1, 0), np.ones(4), 5.0, 3.5) == (1, 1)


def test_closes_exactly_one_combination() -> None:
    generator = np.random.default_rng(8)
    heights = (2, 0, 3, 1)
    nodes = open_nodes(heights)
    left = set(itertools.product(*(range(height + 1) for height in heights)))
    for levels in generator.permutation(sorted(left)).tolist():
        nodes.close(tuple(levels))
        left.discard(tuple(levels))
        assert nodes.keep_below(1.0, None, 0.0) == len(left)
        nodes.close(tuple(levels))  # is not there any more
        if left:
            places = np.linspace(0, 1, len(left))
            assert {nodes.pick(place)[0] for place in places} <= left
