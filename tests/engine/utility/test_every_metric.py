"""One contract over all metrics, then the numbers of four rows by hand."""

import math

import numpy as np
import pytest

from deid_portal.engine import protect
from deid_portal.engine.draft.measured import MeasuredTable, measure_recoding
from deid_portal.engine.privacy import KAnonymity
from deid_portal.engine.search.check import Check, Mask
from deid_portal.engine.search.lattice import Lattice
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import Recoding, Round
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import METRICS, MeasuredRelease, Metric
from deid_portal.engine.utility.entropy import Entropy
from deid_portal.engine.utility.metric import SeparableMetric
from tests.engine.tables import FOUR, four_plan, random_problem

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())
every_separable_metric = pytest.mark.parametrize(
    "metric", [m for m in METRICS.values() if isinstance(m, SeparableMetric)], ids=lambda m: m.name
)


def measure_levels(problem: Problem, check: Check, kept_classes: Mask) -> MeasuredTable:
    """Measure the table at one combination of levels with some classes left out."""
    shown = Round(check.levels, check.grouped.spread(kept_classes))
    return measure_recoding(Recoding(problem, (shown,)))


@every_metric
def test_explains_itself_and_cites_its_source(metric: Metric) -> None:
    assert metric.explain().endswith(".")
    assert len(metric.cites) > 20


@every_separable_metric
def test_original_table_loses_nothing(metric: SeparableMetric) -> None:
    for seed in range(5):
        problem = random_problem(np.random.default_rng(seed), [])
        bottom = problem.checker(metric).check((0,) * len(problem.names))
        assert bottom.cost == pytest.approx(0)


@every_separable_metric
def test_full_suppression_is_the_worst(metric: SeparableMetric) -> None:
    for seed in range(5):
        problem = random_problem(np.random.default_rng(seed), [])
        top = problem.checker(metric).check(problem.heights)
        nobody = np.zeros(len(top.classes.sizes), np.bool_)
        gone = measure_levels(problem, top, nobody)
        worst = metric.value(MeasuredRelease(problem.rows, gone.classes.sizes, gone.columns))
        assert _cost(metric, worst) >= top.cost - 1e-9
        if metric.name in ("loss", "precision", "entropy"):
            assert _cost(metric, worst) == pytest.approx(1)


@every_metric
def test_search_and_report_agree(metric: Metric) -> None:
    """The cost a search adds up class by class is the value a report measures column by column."""
    for seed in range(8):
        problem = random_problem(np.random.default_rng(seed), [KAnonymity(3)])
        checker = problem.checker(metric)
        for levels in list(np.ndindex(Lattice(problem.heights).shape))[:20]:
            check = checker.check(tuple(levels))
            if not np.isfinite(check.cost):
                continue
            after = measure_levels(problem, check, ~check.suppressed_classes)
            release = MeasuredRelease(problem.rows, after.classes.sizes, after.columns, k=checker.k)
            assert metric.value(release) == pytest.approx(metric.value_of_cost(check.cost))


@every_separable_metric
def test_never_falls_from_level_to_level(metric: SeparableMetric) -> None:
    for seed in range(8):
        problem = random_problem(np.random.default_rng(seed), [])
        for taxonomy, name in zip(problem.taxonomies, problem.names, strict=True):
            costs = metric.costs(taxonomy, problem.table[name].counts)
            assert (np.diff(costs[:-1], axis=0) >= -1e-12).all()
            assert (costs[-1] >= costs[:-1] - 1e-12).all()


def test_four_rows_by_hand() -> None:
    """zip 13053 ×2 and 13068 ×2 at level 1 of 5, age hidden, nobody left out."""
    levels = {"name": "levels", "levels": {"zip": 1, "age": 1}}
    utility = protect(FOUR, four_plan(method=levels)).report.utility
    assert utility.precision == pytest.approx(1 - (1 / 5 + 1) / 2)
    assert utility.loss == pytest.approx((0 + 1) / 2)
    assert utility.iloss == pytest.approx((0 + 2 / 3) / 2)
    assert utility.discernibility == 8
    assert utility.average_class_size == 1
    assert utility.entropy == pytest.approx((0 + 1) / 2)


def test_entropy_weighs_rare_values_more() -> None:
    counts = np.array([6, 2])
    taxonomy = Taxonomy.from_paths([["a", "*"], ["b", "*"]])
    costs = Entropy().costs(taxonomy, counts)
    bits = [math.log2(8 / 6), math.log2(8 / 2)]
    mean = (6 * bits[0] + 2 * bits[1]) / 8
    assert costs[1] == pytest.approx([bit / mean for bit in bits])


def _cost(metric: Metric, value: float) -> float:
    return metric.value_of_cost(value)  # its own inverse: 1 - (1 - x), or x
