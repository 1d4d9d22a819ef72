"""No neighbors change what is computed by more than the noise is made for.

Exact numbers, no noise: what the auditor finds by many draws is here found by many tables.
"""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import (
    Neighbours,
    NumberDomain,
    PrivacySetting,
    PrivateQuestion,
)
from deid_portal.engine.differential.mechanisms.discrete_gaussian import DiscreteGaussian
from deid_portal.engine.differential.questions.centred import CentredSum
from deid_portal.engine.differential.questions.choosing_question import ChoosingQuestion
from deid_portal.engine.differential.questions.logistic_regression import (
    LogisticRegression,
    NoisyGradients,
)
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.features import scaled
from deid_portal.engine.differential.selection.rows import SelectedRows
from tests.engine.differential.neighbours import random_pair, worst_pairs
from tests.engine.differential.questions import KINDS, NEIGHBOURS, ask, setting

PERSONS = [None, {"column": "person", "rows": 1}, {"column": "person", "rows": 3}]
WHERE = [{"column": "sex", "is": ["F"]}]


def share_used(question: PrivateQuestion, one: Table, other: Table) -> float:
    """Return the change between two tables as a share of what the price is made for."""
    first, second = (
        SelectedRows.choose(own, question.setting, question.where) for own in (one, other)
    )
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
        prepared = [
            question._prepare(SelectedRows.choose(table, own, ())) for table in (one, other)
        ]
        noise = NoisyGradients(question.clip, 1.0, prepared[0][0].shape[1])
        weights = generator.normal(0, 3, noise.weights)
        first, second = (noise.measure(*parts[:3], weights) for parts in prepared)
        shares.append(float(np.linalg.norm(first - second)) / noise.length)
    assert 0.9 < max(shares) <= 1


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_products_of_a_row_change_by_what_is_proven(columns: int) -> None:
    """Row for row, the sums of products of 1 and some columns: in place of another, or of none."""
    generator = np.random.default_rng(columns)
    first, second = np.triu_indices(columns + 1)
    signs = generator.choice([-1.0, 1.0], (2, 4000, columns))
    shares = generator.uniform(0, 1, (4000, 1)) ** generator.integers(0, 2, (4000, 1))
    rows = np.pad(np.stack([signs[0], signs[1] * shares]), ((0, 0), (0, 0), (1, 0)))
    rows[..., 0] = 1.0
    turned = rows[0] * np.r_[1.0, np.full(columns, -1 / (columns + 1))]
    change = [
        one[:, first] * one[:, second] - rows[0][:, first] * rows[0][:, second]
        for one in (rows[1], turned)
    ]
    most = max(float(np.abs(one).sum(axis=1).max()) for one in change)
    products = (columns + 1) * (columns + 2) / 2
    assert most == pytest.approx(columns * (columns + 2) ** 2 / 2 / (columns + 1))
    assert most < products
    assert max(float((one**2).sum(axis=1).max()) for one in change) <= (columns + 1) ** 2


def test_parts_of_a_price_come_to_no_more_than_the_price() -> None:
    for neighbours in NEIGHBOURS:
        for kind, entry in KINDS:
            question = ask(kind, entry, setting(neighbours), 0.7)
            if isinstance(question, LogisticRegression):
                continue
            parts = (
                question.choosers()
                if isinstance(question, ChoosingQuestion)
                else question.noises()
                if isinstance(question, NoisyQuestion)
                else ()
            )
            assert parts
            total = [sum(part.price.epsilon for part in parts), sum(p.price.delta for p in parts)]
            assert total[0] <= 0.7 * (1 + 1e-12)
            assert total[1] <= question.price.delta * (1 + 1e-12)


def test_rounding_of_bounds_does_not_add_to_what_a_row_weighs() -> None:
    """Far from zero the middle of two bounds is rounded to one of them."""
    low, high = 1e15 - 1, 1e15 - 0.875
    domain = NumberDomain(low, high)
    assert high - domain.middle > domain.width / 2
    centred = CentredSum(domain.width / 2)
    (measured,) = centred.measure(np.array([high]) - domain.middle)
    assert measured * centred.grid.step <= domain.width / 2
    own = PrivacySetting(Neighbours.ADD_REMOVE, domains={"x": domain})
    rows = SelectedRows.choose(Table.from_rows(["x"], [[f"{high:.3f}"], [f"{low:.3f}"]]), own, ())
    assert np.abs(scaled(rows, "x")).max() <= 1
