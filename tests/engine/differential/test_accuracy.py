"""How exact answers about Adult are, against closed forms, with real noise.

A figure agrees if it lies within three standard errors of the closed form in one of three
independent measurements. By chance all three miss less than once in 10⁷ times for each of the
figures below, so false alarms stay far below one in 10,000 runs; a wrong scale misses every time.
"""

from collections.abc import Callable
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import Setting, parse_question
from deid_portal.engine.differential.local import respond
from deid_portal.engine.differential.questions.choosing import ChoosingQuestion
from deid_portal.engine.differential.questions.noisy import NoisyQuestion
from deid_portal.engine.differential.rows import Rows
from tests.engine.tables import adult_table

ROWS, REPEATS = 30_162, 4000
SETTING = Setting.from_document(
    {
        "neighbours": "replace",
        "size": ROWS,
        "delta": 1e-5,
        "domains": {"age": {"low": 17, "high": 90}},
    }
)
LN20 = log(20)


@pytest.fixture(scope="module")
def adult() -> Table:
    table = adult_table()
    assert table.rows == ROWS
    return table


def ask(document: dict[str, Any]) -> NoisyQuestion:
    question = parse_question(document, SETTING)
    assert isinstance(question, NoisyQuestion)
    return question


def errors(question: NoisyQuestion, table: Table, repeats: int = REPEATS) -> np.ndarray:
    """Return how far the noisy numbers of a question lie from the true ones, many times."""
    (exact,) = question.measure(Rows.choose(table, SETTING, question.where))
    (noise,) = question.noises()
    return noise.release(np.tile(exact, (repeats, 1)))[:, 0] - exact[0] * noise.grid.step


def agrees(measure: Callable[[], float], expected: float, error: float) -> bool:
    return any(abs(measure() - expected) <= 3 * error for _ in range(3))


def share_beyond(question: NoisyQuestion, table: Table, width: float) -> Callable[[], float]:
    return lambda: float((np.abs(errors(question, table)) > width).mean())


def error_of_share(share: float, repeats: int = REPEATS) -> float:
    return sqrt(share * (1 - share) / repeats)


def test_a_count_with_laplace_noise(adult: Table) -> None:
    question = ask({"query": "count", "mechanism": "laplace", "epsilon": 1})
    assert question.forecast().half_width == pytest.approx(2.996, abs=5e-4)
    assert agrees(share_beyond(question, adult, LN20), 0.05, error_of_share(0.05))


def test_a_count_in_whole_numbers(adult: Table) -> None:
    question = ask({"query": "count", "epsilon": 1})
    tail = 2 * exp(-3) / (1 + exp(-1))  # P[|noise| ≥ 3]
    assert question.forecast().half_width == 3
    assert agrees(share_beyond(question, adult, 2.996), tail, error_of_share(tail))


def test_a_count_with_gaussian_noise(adult: Table) -> None:
    question = ask({"query": "count", "mechanism": "gaussian", "epsilon": 1})
    assert question.forecast().scale == pytest.approx(3.731, abs=5e-4)
    assert agrees(lambda: float(errors(question, adult).std()), 3.731, 3.731 / sqrt(2 * REPEATS))


def test_a_mean_of_a_known_number_of_rows(adult: Table) -> None:
    document = {"query": "mean", "variant": "bounded-size", "column": "age", "epsilon": 0.1}
    question = ask(document)
    assert question.forecast().half_width == pytest.approx(0.0725, abs=5e-5)
    assert agrees(share_beyond(question, adult, 0.0725), 0.05, error_of_share(0.05))


def test_randomized_response_tells_the_truth_as_often_as_epsilon_says() -> None:
    say, truth = respond(1.0, 2), exp(1) / (1 + exp(1))
    assert truth == pytest.approx(0.7311, abs=5e-5)
    share = lambda: float(np.mean([say(0) == 0 for _ in range(2000)]))  # noqa: E731
    assert agrees(share, truth, error_of_share(truth, 2000))


@pytest.mark.parametrize(
    ("document", "truth"),
    [
        ({"query": "mean", "column": "age"}, lambda age: age.mean()),
        ({"query": "variance", "column": "age"}, lambda age: age.var()),
        (
            {"query": "mean", "variant": "truncated", "column": "age", "lowest": 30, "highest": 40},
            lambda age: age.mean(),
        ),
        ({"query": "histogram-mean", "column": "age", "buckets": 8}, lambda age: age.mean()),
    ],
)
def test_intervals_hold_what_they_promise(
    adult: Table, document: dict[str, Any], truth: Callable[[np.ndarray], float]
) -> None:
    """Made of noisy numbers, they cover the truth at least 95 times in a hundred."""
    question = ask({**document, "epsilon": 0.01})
    rows = Rows.choose(adult, SETTING, ())
    right = float(truth(rows.numbers("age")))

    def covered(repeats: int = 300) -> float:
        draws = [
            noise.release(np.tile(exact, (repeats, 1)))
            for noise, exact in zip(question.noises(), question.measure(rows), strict=True)
        ]
        read = [question.read(tuple(part[one] for part in draws)) for one in range(repeats)]
        intervals = [reading.result["interval"] for reading in read]
        return float(np.mean([low <= right <= high for low, high in intervals]))

    assert any(covered() >= 0.95 - 3 * error_of_share(0.95, 300) for _ in range(3))


def test_ranks_of_a_median_are_as_near_as_promised(adult: Table) -> None:
    question = parse_question({"query": "median", "column": "age", "epsilon": 0.01}, SETTING)
    assert isinstance(question, ChoosingQuestion)
    (scores,) = question.score(Rows.choose(adult, SETTING, ()))
    (chooser,) = question.choosers()
    choose, own = chooser.measurement(), scores.tolist()
    limit = chooser.falls_short(question.candidates, 0.05)

    def missed() -> float:
        return float(np.mean([-own[int(choose(own))] > limit for _ in range(300)]))

    assert any(missed() <= 0.05 + 3 * error_of_share(0.05, 300) for _ in range(3))
