"""No neighbors change what is computed by more than the noise is made for.

Exact numbers, no noise: what the auditor finds by many draws is here found by many tables.
"""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import Question
from deid_portal.engine.differential.mechanisms.discrete_gaussian import DiscreteGaussian
from deid_portal.engine.differential.questions.choosing import ChoosingQuestion
from deid_portal.engine.differential.questions.logistic_regression import (
    LogisticRegression,
    NoisyGradients,
)
from deid_portal.engine.differential.questions.noisy import NoisyQuestion
from deid_portal.engine.differential.rows import Rows
from tests.engine.differential.neighbours import random_pair, worst_pairs
from tests.engine.differential.questions import KINDS, NEIGHBOURS, ask, setting

PERSONS = [None, {"column": "person", "rows": 1}, {"column": "person", "rows": 3}]
WHERE = [{"column": "sex", "is": ["F"]}]


def share_used(question: Question, one: Table, other: Table) -> float:
    """Return the change between two tables as a share of what the price is made for."""
    first, second = (Rows.choose(own, question.setting, question.where) for own in (one, other))
    if isinstance(question, NoisyQuestion):
        pairs = zip(
            question.noises(), question.measure(first), question.measure(second), strict=True
        )
        return max(used(noise.mechanism, a, b) for noise, a, b in pairs)
    assert isinstance(question, ChoosingQuestion)
    shares = []
    for chooser, a, b in zip(
        question.choosers(), question.score(first), question.score(second), strict=True
    ):
        if chooser.monotonic:
            assert (a >= b).all() or (a <= b).all()
        shares.append(float(np.abs(a - b).max()) / chooser.sensitivity)
    return max(shares)


def used(mechanism: Any, one: Any, other: Any) -> float:
    norm = 2 if isinstance(mechanism, DiscreteGaussian) else 1
    return float(np.linalg.norm((one - other).astype(float), norm)) / mechanism.sensitivity


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("person", PERSONS)
@pytest.mark.parametrize(("kind", "entry"), KINDS)
def test_no_neighbours_differ_by_more(
    kind: str, entry: dict[str, Any], person: Any, neighbours: str
) -> None:
    generator = np.random.default_rng(4)
    own = setting(neighbours, person=person)
    for where in ([], WHERE):
        question = ask(kind, {**entry, "where": where}, own)
        if isinstance(question, LogisticRegression):
            return  # what changes is a gradient, below
        pairs = [*worst_pairs(own), *(random_pair(generator, own) for _ in range(8))]
        shares = [share_used(question, *pair) for pair in pairs]
        assert max(shares) <= 1
    assert kind == "mean" or max(shares) > 0.3


@pytest.mark.parametrize("person", PERSONS)
def test_one_person_changes_gradients_by_their_longest(person: Any) -> None:
    generator = np.random.default_rng(5)
    own = setting(person=person)
    entry = {"target": "sex", "positive": "F", "features": ["age", "pay", "ward"], "size": 20}
    question = ask("logistic-regression", {**entry, "clip": 0.5}, own)
    assert isinstance(question, LogisticRegression)
    shares = []
    for one, other in (*worst_pairs(own), *(random_pair(generator, own) for _ in range(20))):
        prepared = [question._prepare(Rows.choose(table, own, ())) for table in (one, other)]
        noise = NoisyGradients(question.clip, 1.0, prepared[0][0].shape[1])
        weights = generator.normal(0, 3, noise.weights)
        first, second = (noise.measure(*parts[:3], weights) for parts in prepared)
        shares.append(float(np.linalg.norm(first - second)) / noise.length)
    assert 0.9 < max(shares) <= 1
