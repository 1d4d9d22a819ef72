"""Every model that may stop top-down stops it where it must, and nowhere else."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deid_portal.engine.compiled.kernels import sum_by_number
from deid_portal.engine.methods.top_down.cuts import Cuts, Specialization
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.privacy.projections import number_columns
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.patterns import Classes, Pairs, View
from deid_portal.engine.table.table import Codes
from tests.engine.privacy.test_every_privacy_model import EXAMPLES, example_id, model_of
from tests.engine.tables import random_problem

Levels = list[Codes]  # per column: the level each value is shown at
MONOTONE = [example for example in EXAMPLES if model_of(example).is_monotone]


@pytest.mark.parametrize("example", MONOTONE, ids=example_id)
def test_it_stops_where_the_next_step_breaks_the_model(example: dict[str, Any]) -> None:
    judged = 0
    for seed in range(8):
        problem = random_problem(np.random.default_rng(seed), [model_of(example)])
        cuts = Specialization(problem, None, Progress(None)).run()
        if cuts is None:
            tops = [np.full(own.leaf_count, own.height) for own in problem.taxonomies]
            assert not holds(problem, tops)
            continue
        judged += cuts.judged
        levels = read_levels(problem, cuts)
        assert holds(problem, levels)
        for finer in opened_once(problem, levels):
            assert not holds(problem, finer)
    assert judged


def holds(problem: Problem, levels: Levels) -> bool:
    """Ask the model about the whole table, every value at its level."""
    shown = [
        np.array(taxonomy.nodes)[own, np.arange(len(own))].astype(np.int32)
        for taxonomy, own in zip(problem.taxonomies, levels, strict=True)
    ]
    patterns = problem.patterns
    labels = View(patterns.codes, shown).of(np.arange(len(patterns.counts), dtype=np.int32))
    numbers = number_columns(labels, range(len(labels)))
    _, members = np.unique(numbers, return_index=True)
    sensitive: dict[str, Pairs] = {
        name: pairs.regroup(numbers) for name, pairs in patterns.sensitive.items()
    }
    sizes = sum_by_number(numbers, patterns.counts, len(members))
    view = View(patterns.codes, shown)
    classes = Classes(members.astype(np.int32), sizes, sensitive, view)
    model: PrivacyModel = problem.models[0]
    passes = model.passes(classes, problem.whole)
    return bool(passes.all()) and model.accepts(classes, problem.whole)


def read_levels(problem: Problem, cuts: Cuts) -> Levels:
    """Find the labels of the cuts in the taxonomies: the lowest level with these leaves."""
    levels = []
    for taxonomy, nodes, node_of in zip(problem.taxonomies, cuts.nodes, cuts.node_of, strict=True):
        own = np.zeros(len(node_of), np.int32)
        for number, node in enumerate(nodes):
            under = np.flatnonzero(node_of == number)
            own[under] = next(
                level
                for level, codes in enumerate(taxonomy.codes)
                if taxonomy.labels[level][codes[under[0]]] == node.label
            )
            assert (
                taxonomy.codes[own[under[0]]][under] == taxonomy.codes[own[under[0]]][under[0]]
            ).all()
        levels.append(own)
    return levels


def opened_once(problem: Problem, levels: Levels) -> Iterator[Levels]:
    """Yield what one more step could make of the cuts: some label shown one level lower."""
    for column, (taxonomy, own) in enumerate(zip(problem.taxonomies, levels, strict=True)):
        shown = np.array(taxonomy.nodes)[own, np.arange(len(own))]
        for label in np.unique(shown[own > 0]):
            lower = own - (shown == label)
            yield [lower if place == column else other for place, other in enumerate(levels)]
