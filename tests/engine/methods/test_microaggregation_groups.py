"""The algorithms on plain numbers: published results, hand-made examples, slow definitions."""

import csv
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from deid_portal.engine import Cancelled, Column
from deid_portal.engine.documents import Place
from deid_portal.engine.methods.microaggregation import (
    individual_ranking,
    kernels,
    mdav,
    projected,
    spread_groups,
    univariate_optimal,
)
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import GAP, NUMBER, ORDERED, TREE, Space
from deid_portal.engine.methods.microaggregation.merge_until import find_centres, join_until
from deid_portal.engine.methods.microaggregation.space import describe, lay_out_records
from deid_portal.engine.progress import Progress
from deid_portal.engine.taxonomies import parse_recipe
from tests.engine.methods.groups import as_lists
from tests.engine.tables import DATA

Points = NDArray[np.float64]
QUIET = Progress(None)
# 100 · SSE / SST as published for k = 3, 5, 10.
PUBLISHED = {
    "census": (5.6922, 9.0884, 14.1559),
    "tarragona": (16.9326, 22.4619, 33.1929),
    "eia": (0.4829, 1.6667, 3.8397),
}


def numeric_space(columns: int) -> Space:
    nothing = np.zeros(columns, np.int64)
    return Space(
        np.full(columns, NUMBER),
        np.ones(columns),
        np.full(columns, np.inf),
        nothing,
        nothing,
        nothing,
        np.zeros(0, np.int32),
    )


def run_mdav(rows: Points, k: int, *, blocked: bool = False) -> Groups:
    points = np.ascontiguousarray(rows.T, np.float64)
    return mdav.find_groups(numeric_space(len(points)), points, k, QUIET, blocked=blocked)


def squared_errors(rows: Points, groups: list[list[int]]) -> float:
    return float(sum(((rows[own] - rows[own].mean(axis=0)) ** 2).sum() for own in groups))


def loss(rows: Points, groups: Groups) -> float:
    return 100 * squared_errors(rows, as_lists(groups)) / float(rows.var(axis=0).sum() * len(rows))


def read_standardized(name: str) -> Points:
    with (DATA / "microaggregation" / f"{name}.csv").open(encoding="utf-8") as file:
        rows = np.array(list(csv.reader(file))[1:], np.float64)
    return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0))


@pytest.mark.parametrize("name", PUBLISHED)
def test_loses_what_was_published(name: str) -> None:
    rows = read_standardized(name)
    losses = [loss(rows, run_mdav(rows, k)) for k in (3, 5, 10)]
    assert losses == pytest.approx(PUBLISHED[name], abs=0.0001)


def test_nine_people_by_hand() -> None:
    """The centre is (7, 0). The 20 is farthest, and the 0 is farthest from it."""
    rows = np.array([[0.0, 0], [1, 0], [2, 0], [9, 0], [10, 0], [11, 0], [20, 0], [5, 0], [5, 0]])
    assert as_lists(run_mdav(rows, 3)) == [[0, 1, 2], [3, 7, 8], [4, 5, 6]]


def test_the_last_group_is_smaller_than_two() -> None:
    for count in range(3, 20):
        groups = run_mdav(np.arange(float(count))[:, None], 3)
        assert groups.sizes.min() >= 3
        assert groups.sizes.max() <= 5
    assert as_lists(run_mdav(np.zeros((2, 1)), 3)) == [[0, 1]]


def test_equals_are_taken_in_order() -> None:
    groups = run_mdav(np.zeros((200, 2)), 2)
    assert as_lists(groups) == [[place, place + 1] for place in range(0, 200, 2)]


# The obvious way: look at everybody, every time.

Distance = Callable[[int, float, float], float]


def slow_mdav(
    points: Points, k: int, distance: Distance, centre: Callable[[list[int]], list[float]]
) -> list[list[int]]:
    def far(record: int, place: list[float]) -> float:
        own = points[:, record].tolist()
        return sum(
            distance(column, *pair) for column, pair in enumerate(zip(own, place, strict=True))
        )

    def take(middle: int) -> None:
        place = points[:, middle].tolist()
        near = sorted(left, key=lambda record: (far(record, place), record))[:k]
        groups.append(sorted(near))
        for record in near:
            left.remove(record)

    def farthest(place: list[float]) -> int:
        return min(left, key=lambda record: (-far(record, place), record))

    left = list(range(points.shape[1]))
    groups: list[list[int]] = []
    while len(left) >= 2 * k:
        extreme = farthest(centre(left))
        take(extreme)
        if len(left) >= 2 * k:
            take(farthest(points[:, extreme].tolist()))
    return sorted([*groups, left])


def numbers_apart(column: int, one: float, other: float) -> float:
    return (one - other) ** 2


@settings(max_examples=40)
@given(st.integers(2, 150), st.integers(1, 3), st.sampled_from([2, 3, 6]), st.integers(0, 99))
def test_skipping_blocks_changes_nothing(rows: int, columns: int, span: int, seed: int) -> None:
    """Whole numbers, so that there are many ties and sums are exact."""
    points = np.random.default_rng(seed).integers(0, span, (columns, rows)).astype(np.float64)
    expected = slow_mdav(
        points,
        3,
        numbers_apart,
        lambda left: [float(own[left].sum() / len(left)) for own in points],
    )
    assert as_lists(run_mdav(points.T, 3)) == sorted(expected)


# A number that may be missing, a rank that may be missing, and leaves of {0 1} {2 3 4} {5}.
MIXED = Space(
    kinds=np.array([NUMBER, ORDERED, TREE]),
    weights=np.array([1.0, 0.25, 4.0]),
    caps=np.array([25.0, 4.0, np.inf]),
    sizes=np.array([0, 5, 6]),
    heights=np.array([0, 0, 2]),
    starts=np.array([0, 0, 5]),
    ancestors=np.array([0] * 5 + [0, 1, 2, 3, 4, 5] + [0, 0, 1, 1, 1, 2], np.int32),
)
BRANCH = [0, 0, 1, 1, 1, 2]


def mixed_apart(column: int, one: float, other: float) -> float:
    if one == other:
        return 0.0
    if column == 2:
        return 4.0 * (0.25 if BRANCH[int(one)] == BRANCH[int(other)] else 1.0)
    if GAP in (one, other):
        return (25.0, 4.0)[column]
    return (one - other) ** 2 * (1.0, 0.25)[column]


@settings(max_examples=40)
@given(st.integers(2, 120), st.integers(0, 99))
def test_mixed_columns_agree_with_the_definition(rows: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    points = np.array(
        [
            np.where(draw.random(rows) < 0.2, GAP, draw.integers(0, 6, rows)),
            np.where(draw.random(rows) < 0.2, GAP, draw.integers(0, 5, rows)),
            draw.integers(0, 6, rows),
        ]
    )

    def centre(left: list[int]) -> list[float]:
        numbers, ranks, leaves = (own[left] for own in points)
        numbers, ranks = numbers[numbers < GAP], np.sort(ranks[ranks < GAP])
        levels = {
            leaf: sum(mixed_apart(2, leaf, other) ** 0.5 for other in leaves)
            for leaf in set(leaves)
        }
        return [
            float(numbers.sum() / len(numbers)) if len(numbers) else GAP,
            float(ranks[(len(ranks) - 1) // 2]) if len(ranks) else GAP,
            min(levels, key=lambda leaf: (levels[leaf], leaf)),
        ]

    groups = mdav.find_groups(MIXED, points, 3, QUIET)
    assert as_lists(groups) == slow_mdav(points, 3, mixed_apart, centre)


def test_blocks_lose_little_more() -> None:
    draw = np.random.default_rng(5)
    for rows in (draw.normal(size=(12_000, 3)), np.exp(draw.normal(size=(12_000, 3)))):
        whole, blocked = run_mdav(rows, 10), run_mdav(rows, 10, blocked=True)
        assert blocked.sizes.min() >= 10
        assert loss(rows, whole) < loss(rows, blocked) < loss(rows, whole) * 4 / 3


def test_equal_records_can_be_cut_into_blocks() -> None:
    groups = run_mdav(np.zeros((11_000, 1)), 40, blocked=True)
    assert groups.sizes.min() >= 40
    assert groups.sizes.max() < 80


def test_can_be_stopped_on_the_way() -> None:
    reports = []

    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        reports.append(done)
        if done > 0:
            raise Cancelled

    rows = np.random.default_rng(1).normal(size=(60_000, 2))
    points = np.ascontiguousarray(rows.T)
    with pytest.raises(Cancelled):
        mdav.find_groups(numeric_space(2), points, 3, Progress(stop))
    assert 0 < reports[-1] < 60_000


# One column at a time.


def best_partition(
    rows: Points, k: int, largest: int | None = None
) -> tuple[float, list[list[int]]]:
    """Try every division into groups of k to 2k - 1, the group of the first record first."""
    largest = largest or 2 * k - 1

    def divide(left: tuple[int, ...]) -> tuple[float, list[list[int]]]:
        if not left:
            return 0.0, []
        found: tuple[float, list[list[int]]] = (np.inf, [])
        for size in range(k, min(largest, len(left)) + 1):
            for others in combinations(left[1:], size - 1):
                group = [left[0], *others]
                rest = tuple(record for record in left if record not in group)
                if 0 < len(rest) < k:
                    continue
                cost, groups = divide(rest)
                cost += squared_errors(rows, [group])
                if cost < found[0] - 1e-12:
                    found = (cost, [group, *groups])
        return found

    return divide(tuple(range(len(rows))))


@given(st.lists(st.integers(0, 30), min_size=2, max_size=8), st.integers(2, 3))
def test_one_column_is_divided_at_its_best(values: list[int], k: int) -> None:
    rows = np.array(values, np.float64)[:, None]
    groups = univariate_optimal.find_groups(rows[:, 0], k)
    if len(values) < k:
        assert groups.count == 1
        return
    assert groups.sizes.min() >= k
    best, _ = best_partition(rows, k)
    assert squared_errors(rows, as_lists(groups)) == pytest.approx(best, abs=1e-9)


def test_the_best_groups_differ_in_size() -> None:
    values = np.array([1.0, 2, 3, 4, 100, 101, 102])
    assert as_lists(univariate_optimal.find_groups(values, 3)) == [[0, 1, 2, 3], [4, 5, 6]]
    assert as_lists(individual_ranking.find_groups(values, 3)) == [[0, 1, 2], [3, 4, 5, 6]]


@pytest.mark.parametrize("algorithm", [univariate_optimal, individual_ranking])
def test_gaps_are_a_group_of_their_own(algorithm: Any) -> None:
    values = np.array([5.0, GAP, 1, 2, GAP, 6])
    assert as_lists(algorithm.find_groups(values, 2)) == [[0, 5], [1, 4], [2, 3]]
    few = np.array([5.0, GAP, 1, 2])
    assert as_lists(algorithm.find_groups(few, 2)) == [[0, 1], [2, 3]]
    assert algorithm.find_groups(np.array([GAP, GAP, 1.0]), 2).count == 1


def test_large_numbers_stay_exact() -> None:
    values = 1e9 + np.array([0, 0.001, 0.002, 0.5, 0.501, 0.502])
    assert as_lists(univariate_optimal.find_groups(values, 3)) == [[0, 1, 2], [3, 4, 5]]


def test_projects_on_the_direction_of_most_difference() -> None:
    """Three columns rise together, so records stand in the order of any of them."""
    order = np.random.default_rng(2).permutation(12).astype(np.float64)
    points = np.array([order, 2 * order, -order + 12])
    points -= points.mean(axis=1, keepdims=True)
    groups = projected.find_groups(points, 3)
    expected = [np.flatnonzero((order >= low) & (order < low + 3)).tolist() for low in (0, 3, 6, 9)]
    assert as_lists(groups) == sorted(expected)
    summed = projected.project_records(points, projected.SUM)
    assert summed == pytest.approx(points.sum(axis=0))


def test_a_projection_loses_more_than_mdav_where_columns_differ() -> None:
    rows = read_standardized("census")
    groups = projected.find_groups(np.ascontiguousarray(rows.T), 3)
    assert loss(rows, groups) > PUBLISHED["census"][0]
    assert groups.sizes.min() >= 3


# How cells become coordinates.


def test_numbers_alone_count_in_standard_deviations() -> None:
    column = Column.from_cells("a", ["1", "3", None, "5"])
    space, points = lay_out_records([describe(column, None)])
    spread = np.std([1, 3, 5])
    assert points[0] == pytest.approx([-2 / spread, 0, GAP, 2 / spread])
    assert space.caps == pytest.approx([(4 / spread) ** 2])


def test_beside_categories_everything_counts_from_0_to_1() -> None:
    tree = parse_recipe(Place({"tree": {"*": {"x": ["a", "b"], "y": ["c"]}}}))
    attributes = [
        describe(Column.from_cells("number", ["10", "20", "30", None]), None),
        describe(Column.from_cells("rank", ["low", "mid", None, "high"]), None, is_ordered=True),
        describe(Column.from_cells("tree", ["a", "c", "b", None]), tree),
        describe(Column.from_cells("flat", ["p", "q", "p", None]), None),
    ]
    space, points = lay_out_records(attributes)
    apart = np.array(
        [
            [
                [
                    kernels.square_distance(space, column, points[column, one], points[column, two])
                    for two in range(4)
                ]
                for one in range(4)
            ]
            for column in range(4)
        ]
    )
    assert apart[0, 0] == pytest.approx([0, 0.25, 1, 1])
    assert apart[1, 0] == pytest.approx([0, 0.25, 1, 0.25])  # high, low, mid by the alphabet
    assert apart[2, 0] == pytest.approx([0, 1, 0.25, 1])
    assert apart[3, 0] == pytest.approx([0, 1, 0, 1])
    assert apart == pytest.approx(apart.transpose(0, 2, 1))


def test_the_taxonomy_gives_the_order_of_categories() -> None:
    tree = parse_recipe(Place({"tree": {"*": {"little": ["none", "some"], "much": ["all"]}}}))
    column = Column.from_cells("a", ["all", "none", None, "some"])
    assert describe(column, tree, is_ordered=True).places.tolist() == [2, 0, GAP, 1]


def test_masked_digits_are_no_numbers() -> None:
    mask = parse_recipe(Place({"mask": {"from": "right"}}))
    column = Column.from_cells("zip", ["13053", "14850", "13068"])
    attribute = describe(column, mask)
    space, points = lay_out_records([attribute])
    assert attribute.kind == TREE
    near = kernels.square_distance(space, 0, points[0, 0], points[0, 2])
    far = kernels.square_distance(space, 0, points[0, 0], points[0, 1])
    assert 0 < near < far < 1


# Joining groups.


def test_joins_the_nearest_until_all_hold() -> None:
    points = np.array([[0.0, 1, 10, 11, 30, 31]])
    groups = Groups(np.array([0, 0, 1, 1, 2, 2], np.int32))
    space = numeric_space(1)
    assert find_centres(space, points, groups).tolist() == [[0.5, 10.5, 30.5]]
    same = join_until(lambda own: own.sizes >= 2, space, points, groups, QUIET)
    assert as_lists(same) == [[0, 1], [2, 3], [4, 5]]

    def first_needs_four(own: Groups) -> NDArray[np.bool_]:
        answers = np.ones(own.count, np.bool_)
        answers[own.of_record[0]] = own.sizes[own.of_record[0]] >= 4
        return answers

    joined = join_until(first_needs_four, space, points, groups, QUIET)
    assert as_lists(joined) == [[0, 1, 2, 3], [4, 5]]
    together = join_until(lambda own: own.sizes >= 9, space, points, groups, QUIET)
    assert as_lists(together) == [[0, 1, 2, 3, 4, 5]]


# One record of each slice.


def test_every_group_has_one_of_each_slice() -> None:
    """Two blocks of people; the secrets 0 to 11 are cut into four slices of three."""
    places = np.array([0.0, 1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 55])
    secrets = np.arange(12.0)
    groups = spread_groups.find_groups(numeric_space(1), places[None], secrets, 4, QUIET)
    assert as_lists(groups) == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]


@settings(max_examples=40)
@given(st.integers(2, 90), st.integers(2, 6), st.integers(0, 50))
def test_slices_are_shared_out_evenly(rows: int, size: int, seed: int) -> None:
    if rows < size:
        return
    draw = np.random.default_rng(seed)
    points, secrets = draw.normal(size=(2, rows)), draw.integers(0, 5, rows).astype(np.float64)
    groups = spread_groups.find_groups(numeric_space(2), points, secrets, size, QUIET)
    assert groups.count == rows // size
    assert groups.of_record.min() == 0
    assert size <= groups.sizes.min() <= groups.sizes.max() < 2 * size + size // groups.count + 1
    ranks = np.argsort(np.argsort(secrets, kind="stable"))
    slices = ranks * size // rows
    for group in range(groups.count):
        assert len(set(slices[groups.of_record == group].tolist())) == size
