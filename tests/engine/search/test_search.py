"""Each way of searching finds what exhaustive evaluation finds, ties included."""

import itertools
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan
from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.privacy import AverageRisk, KAnonymity, LDiversity, PrivacyModel, TCloseness
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.search import optimum
from deid_portal.engine.search.heuristic import Explorer
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Lattice, Levels, OpenNodes
from deid_portal.engine.search.optimum import find_optimum, search_exhaustively
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.utility import METRICS
from tests.engine.tables import (
    adult_columns,
    adult_table,
    document,
    random_problem,
    read_adult,
)

MODELS: list[list[PrivacyModel]] = [
    [KAnonymity(2)],
    [KAnonymity(5)],
    [LDiversity(2, "secret")],
    [KAnonymity(3), LDiversity(3, "secret")],
    [LDiversity(1.6, "secret", "probabilistic")],
    [KAnonymity(2), LDiversity(2.2, "secret", "entropy")],
    [LDiversity(2, "secret", "recursive", c=1.5)],
    [KAnonymity(3), TCloseness(0.3, "secret")],
    [TCloseness(0.2, "secret", "ordered")],
    [KAnonymity(2), TCloseness(0.25, "secret", "hierarchical")],
    [AverageRisk(0.2)],
    [KAnonymity(2), AverageRisk(0.15)],
]


def exhaustive(problem: Problem, metric: str, allowed: int) -> SearchResult:
    checker = problem.checker(METRICS[metric])
    lattice = Lattice(problem.heights)
    found = SearchResult(allowed, lattice.size, tolerance=checker.metric.tolerance)
    search_exhaustively(checker, lattice, found, Progress(None))
    assert found.checked == lattice.size
    return found


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("models", MODELS, ids=str)
def test_search_agrees_with_exhaustive_evaluation(metric: str, models: list[PrivacyModel]) -> None:
    for seed in range(12):
        generator = np.random.default_rng(seed)
        problem = random_problem(generator, models)
        allowed = records_allowed(float(generator.choice([0, 0.1, 0.4, 1.0])), problem.rows)
        found = find_optimum(problem.checker(METRICS[metric]), allowed, Progress(None))
        expected = exhaustive(problem, metric, allowed)
        assert (found.best is None) == (expected.best is None)
        assert found.optimal
        if found.best is not None and expected.best is not None:
            assert found.best.levels == expected.best.levels
            assert found.best.suppressed == expected.best.suppressed
            assert found.best.cost == pytest.approx(expected.best.cost)
            assert found.checked <= expected.checked


@pytest.mark.parametrize("metric", ["loss", "entropy", "discernibility"])
def test_climbing_to_coarser_combinations_misses_nothing(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    climbs = []
    climb = OpenNodes.climb

    def count(nodes: OpenNodes, levels: Levels, *forecast: Any) -> Levels:
        reached = climb(nodes, levels, *forecast)
        climbs.append(reached != levels)
        return reached

    monkeypatch.setattr(OpenNodes, "climb", count)
    for seed, limit in itertools.product(range(6), (0.0, 0.02, 0.1, 1.0)):
        problem = random_problem(np.random.default_rng(seed), [KAnonymity(6)], rows=300)
        allowed = records_allowed(limit, problem.rows)
        found = find_optimum(problem.checker(METRICS[metric]), allowed, Progress(None))
        expected = exhaustive(problem, metric, allowed)
        assert found.best is not None
        assert expected.best is not None
        assert found.best.levels == expected.best.levels
    assert any(climbs)


def test_nearest_miss_suppresses_fewest() -> None:
    problem = random_problem(np.random.default_rng(4), [LDiversity(4, "secret")], rows=9)
    found = find_optimum(problem.checker(METRICS["loss"]), 0, Progress(None))
    expected = exhaustive(problem, "loss", 0)
    if found.best is None:
        assert found.nearest is not None
        assert expected.nearest is not None
        assert found.nearest.suppressed == expected.nearest.suppressed


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("models", MODELS, ids=str)
def test_exploring_branches_agrees_with_exhaustive_evaluation(
    metric: str, models: list[PrivacyModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimum, "LARGEST_PROVABLE_LATTICE", 0)
    for seed in range(4):
        generator = np.random.default_rng(seed)
        problem = random_problem(generator, models)
        allowed = records_allowed(float(generator.choice([0, 0.1, 0.4, 1.0])), problem.rows)
        found = find_optimum(problem.checker(METRICS[metric]), allowed, Progress(None))
        expected = exhaustive(problem, metric, allowed)
        assert found.optimal
        assert (found.best is None) == (expected.best is None)
        if found.best is not None and expected.best is not None:
            assert found.best.levels == expected.best.levels


def test_without_time_the_answer_is_valid_and_says_it_is_not_proved() -> None:
    problem = random_problem(np.random.default_rng(7), [KAnonymity(3)], rows=80)
    lattice = Lattice(problem.heights)
    found = SearchResult(20, lattice.size)
    Explorer(problem.checker(METRICS["loss"]), lattice, found, Progress(None), 0.0).explore()
    assert not found.optimal
    assert found.best is not None
    assert found.best.suppressed <= 20
    best = exhaustive(problem, "loss", 20).best
    assert best is not None
    assert found.bound <= best.cost <= found.best.cost


@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_cutting_boxes_proves_the_optimum_on_adult(limit: float) -> None:
    columns = adult_columns(["sex", "age", "race", "marital-status", "education", "workclass"])
    plan = Plan.from_document(document(columns, other_columns="remove"), read_file=read_adult)
    problem = pose_problem(adult_table(), plan, Progress(None))
    lattice = Lattice(problem.heights)
    found = SearchResult(records_allowed(limit, problem.rows), lattice.size, tolerance=1e-11)
    checker = problem.checker(METRICS["loss"])
    Explorer(checker, lattice, found, Progress(None), seconds=600).explore()
    expected = find_optimum(checker, found.allowed, Progress(None))
    assert found.optimal
    assert found.best is not None
    assert expected.best is not None
    assert found.best.levels == expected.best.levels
    assert found.bound == found.best.cost
    assert found.checked < lattice.size / 2


def test_an_impossible_top_is_a_proof() -> None:
    problem = random_problem(np.random.default_rng(1), [LDiversity(5, "secret")])
    lattice = Lattice(problem.heights)
    found = SearchResult(0, lattice.size)
    Explorer(problem.checker(METRICS["loss"]), lattice, found, Progress(None), 1.0).explore()
    assert found.best is None
    assert found.optimal


@pytest.mark.parametrize(
    ("limit", "rows", "allowed"),
    [
        (0, 10, 0),
        (0.05, 30162, 1508),
        (0.07, 100, 7),
        (0.29, 100, 29),
        (1 / 3, 3, 1),
        (0.1, 9, 0),
        (1, 10, 9),
        (1.0, 0, 0),
    ],
)
def test_limit_is_exact_and_never_allows_everyone(limit: float, rows: int, allowed: int) -> None:
    assert records_allowed(limit, rows) == allowed
