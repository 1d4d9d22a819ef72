"""Widths that are stated before anything is spent, against answers with simulated noise.

The noise is drawn by a generator with a seed, so that the same answers come out every time; that
the real noise has this distribution is the subject of `test_mechanisms.py`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import PrivateQuestion, parse_question
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.differential.noise.noise import GAUSSIAN, GridNoise
from deid_portal.engine.differential.number_words import width_words
from deid_portal.engine.differential.questions.centred import ratio_width
from deid_portal.engine.differential.questions.most_common import MostCommon
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.progress import Progress
from tests.engine.differential.questions import setting

ROWS, DRAWS, PROMISED = 400, 300, 0.95
ROUNDING = 1.02  # intervals are rounded outwards, by a hundredth of their half width at each end
NUMBERS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "spread evenly": lambda chance: chance.uniform(0, 100, ROWS),
    "all at a bound": lambda chance: np.full(ROWS, 100.0),
    "at both bounds": lambda chance: np.repeat([0.0, 100.0], ROWS // 2),
    "few values": lambda chance: chance.choice([20.0, 21.0, 60.0], ROWS),
}


@pytest.fixture(autouse=True)
def _known_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(14)

    def release(noise: GridNoise, exact: np.ndarray) -> np.ndarray:
        draw = chance.normal if noise.kind == GAUSSIAN else chance.laplace
        steps = np.rint(draw(0, noise.mechanism.scale, np.shape(exact)))
        return (np.asarray(exact) + steps) * noise.grid.step

    def choose(chooser: NoisyMax, scores: np.ndarray) -> int:
        draw = chance.exponential if chooser.name == "noisy-max" else chance.gumbel
        return int(np.argmax(scores + draw(scale=chooser.scale, size=len(scores))))

    monkeypatch.setattr(GridNoise, "release", release)
    monkeypatch.setattr(NoisyMax, "choose", choose)


def table(numbers: np.ndarray) -> Table:
    return Table.from_rows(["age"], [[f"{number:.3f}"] for number in numbers])


def answers(question: PrivateQuestion, own: Table, draws: int = DRAWS) -> list[dict[str, Any]]:
    rows = SelectedRows.choose(own, question.setting, ())
    return [dict(question.ask(rows, Progress(None)).result) for _ in range(draws)]


def share_of(hits: list[bool]) -> float:
    return sum(hits) / len(hits)


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize(
    ("document", "truth"),
    [
        ({"query": "mean"}, np.mean),
        ({"query": "mean", "mechanism": "gaussian"}, np.mean),
        ({"query": "variance"}, np.var),
        ({"query": "histogram-mean", "buckets": 5}, np.mean),
    ],
    ids=["mean", "gaussian", "variance", "histogram"],
)
def test_an_answer_is_as_near_as_was_said(
    document: dict[str, Any], truth: Callable[[np.ndarray], float], numbers: str
) -> None:
    """Both the answer and its interval stay within the width, in 19 of 20 cases at least."""
    cells = NUMBERS[numbers](np.random.default_rng(3))
    question = parse_question({**document, "column": "age", "epsilon": 1.5}, setting())
    width = question.forecast(PROMISED, ROWS).half_width
    assert width is not None
    right = float(truth(cells))
    near, short = [], []
    for found in answers(question, table(cells)):
        low, high = found["interval"]
        near.append(abs(found["value"] - right) <= width * ROUNDING)
        short.append((high - low) / 2 <= width * ROUNDING)
    assert share_of([a and b for a, b in zip(near, short, strict=True)]) >= PROMISED
    # … and asking for this width costs no more than what it was said for.
    assert question.with_accuracy(width, PROMISED, ROWS).epsilon <= 1.5 * (1 + 1e-5)


def test_a_stated_width_is_not_needlessly_wide() -> None:
    """For numbers at a bound, which are worst, half of it would break the promise."""
    cells = NUMBERS["all at a bound"](np.random.default_rng(3))
    question = parse_question({"query": "mean", "column": "age", "epsilon": 1.5}, setting())
    width = question.forecast(PROMISED, ROWS).half_width
    assert width is not None
    found = [one["interval"] for one in answers(question, table(cells))]
    assert share_of([(high - low) / 2 <= width / 2 for low, high in found]) < PROMISED


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("interval", ["values", "ranks"])
def test_a_quantile_is_as_near_in_rank_as_was_said(numbers: str, interval: str) -> None:
    cells = np.sort(NUMBERS[numbers](np.random.default_rng(3)))
    document = {"query": "median", "column": "age", "interval": interval, "epsilon": 1.5}
    question = parse_question(document, setting())
    forecast = question.forecast(PROMISED, ROWS)
    assert forecast.half_width is not None
    off = int(forecast.half_width / 100 * ROWS) + 1
    least, most = cells[ROWS // 2 - 1 - off], cells[min(ROWS // 2 + off, ROWS - 1)]
    held = []
    for found in answers(question, table(cells)):
        ends = found["interval"] or (found["value"], found["value"])
        # Numbers count as the nearest whole one.
        held.append(least - 0.5 <= min(ends) <= max(ends) <= most + 0.5)
    assert share_of(held) >= PROMISED


def test_no_value_leads_by_more_than_was_said() -> None:
    own = setting(domains={"ward": {"values": ["A", "B", "C", "D"]}})
    counts = {"A": 100, "B": 98, "C": 90, "D": 60}
    rows = [[ward] for ward, count in counts.items() for _ in range(count)]
    question = parse_question({"query": "most-common", "column": "ward", "epsilon": 0.4}, own)
    assert isinstance(question, MostCommon)
    behind = question.forecast(PROMISED).half_width
    found = answers(question, Table.from_rows(["ward"], rows))
    assert behind is not None
    assert share_of([100 - counts[one["value"]] <= behind for one in found]) >= PROMISED
    assert question.with_accuracy(behind).epsilon <= 0.4 * (1 + 1e-5)


def test_more_rows_never_make_a_width_wider() -> None:
    widths = [ratio_width(20.0, 4.0, 50.0, rows) for rows in (1, 5, 8, 9, 20, 100, 10_000)]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 100.0  # all that is declared


def test_the_example_of_a_line_holds_for_such_a_table() -> None:
    """Rows spread evenly, with nothing to explain: intervals are as wide as was said."""
    chance = np.random.default_rng(5)
    cells = np.column_stack([chance.uniform(0, 100, 2000), chance.uniform(-50.5, 1000, 2000)])
    own = Table.from_rows(["age", "pay"], [[f"{one:.3f}" for one in row] for row in cells])
    document = {"query": "linear-regression", "target": "pay", "features": ["age"], "epsilon": 1.0}
    question = parse_question(document, setting())
    example = question.forecast(rows=2000).example
    low = float(example.split("age ±")[1].split(" ")[0])
    found = [one["intervals"]["age"] for one in answers(question, own, 9)]
    measured = np.median([(high - low) / 2 for low, high in found])
    assert measured == pytest.approx(low, rel=0.15)


def test_widths_are_written_without_exponents_and_never_too_small() -> None:
    written = [width_words(width) for width in (0.0, 3.0, 0.07253, 53_860.2, 5991.46, 1.2345e-7)]
    assert written == ["0", "3", "0.0726", "53,900", "6,000", "0.000000124"]
