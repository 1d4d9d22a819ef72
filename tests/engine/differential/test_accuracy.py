"""How exact answers about Adult are, against closed forms, with real noise.

Each figure is measured once, over 12,000 repetitions, and must lie within five standard errors of
the closed form. That is narrower than three standard errors of the usual 4,000 repetitions would
be, and by chance a figure misses it less than once in a million runs, where three standard errors
are missed once in 370. Coverages must not lie further than that below what is promised. All checks
here together raise a false alarm less than once in 20,000 runs: `CHECKS` times 6 in 10 million. A
scale that is wrong by a tenth is found, which is tested, too: over 25,000 repetitions, since 12,000
would miss it once in 150 runs.
"""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import PrivacySetting, answer, parse_question
from deid_portal.engine.differential.local import respond
from deid_portal.engine.differential.number_words import interval_around, rounded_outwards
from deid_portal.engine.differential.questions.linear_regression import LinearRegression
from deid_portal.engine.differential.questions.most_common import MostCommon
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.questions.quantiles import Median, Quantiles
from deid_portal.engine.differential.selection.domains import NumberDomain, ValuesDomain
from deid_portal.engine.differential.selection.rows import SelectedRows
from tests.engine.differential.auditor import repeated
from tests.engine.tables import adult_table

ROWS, REPEATS, SURE = 30_162, 12_000, 5
REPEATS_TO_FIND = 25_000
COVERED = 500  # answers with an interval
CHECKS = 60  # figures and coverages below
SETTING = PrivacySetting.from_document(
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
    (exact,) = question.measure(SelectedRows.choose(table, SETTING, question.where))
    (noise,) = question.noises()
    return noise.release(np.tile(exact, (repeats, 1)))[:, 0] - exact[0] * noise.grid.step


def is_near(measured: float, expected: float, error: float) -> bool:
    return abs(measured - expected) <= SURE * error


def share_beyond(
    question: NoisyQuestion, table: Table, width: float, repeats: int = REPEATS
) -> float:
    return float((np.abs(errors(question, table, repeats)) > width).mean())


def error_of_share(share: float, repeats: int = REPEATS) -> float:
    return sqrt(share * (1 - share) / repeats)


def is_covered(hits: list[bool], promised: float = 0.95) -> bool:
    """Say whether so many hits may come from something that is as sure as promised."""
    return float(np.mean(hits)) >= promised - SURE * error_of_share(promised, len(hits))


def test_false_alarms_are_rare() -> None:
    assert 2 * NormalDist().cdf(-SURE) * CHECKS < 5e-5
    assert SURE / sqrt(REPEATS) < 3 / sqrt(4000)


@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_a_scale_that_is_a_tenth_off_is_rarely_missed(wrong: float) -> None:
    share = exp(-LN20 / wrong)
    far = abs(share - 0.05) - SURE * error_of_share(0.05, REPEATS_TO_FIND)
    assert far > SURE * error_of_share(share, REPEATS_TO_FIND)


def test_a_count_with_laplace_noise(adult: Table) -> None:
    question = ask({"query": "count", "mechanism": "laplace", "epsilon": 1})
    assert question.forecast().half_width == pytest.approx(2.996, abs=5e-4)
    assert is_near(share_beyond(question, adult, LN20), 0.05, error_of_share(0.05))


def test_a_count_in_whole_numbers(adult: Table) -> None:
    question = ask({"query": "count", "epsilon": 1})
    tail = 2 * exp(-3) / (1 + exp(-1))  # P[|noise| ≥ 3]
    assert question.forecast().half_width == 3
    assert is_near(share_beyond(question, adult, 2.996), tail, error_of_share(tail))


def test_a_count_with_gaussian_noise(adult: Table) -> None:
    question = ask({"query": "count", "mechanism": "gaussian", "epsilon": 1})
    assert question.forecast().scale == pytest.approx(3.731, abs=5e-4)
    error = 3.731 / sqrt(2 * REPEATS)
    assert is_near(float(errors(question, adult).std()), 3.731, error)


def test_a_mean_of_a_known_number_of_rows(adult: Table) -> None:
    document = {"query": "mean", "variant": "bounded-size", "column": "age", "epsilon": 0.1}
    question = ask(document)
    assert question.forecast().half_width == pytest.approx(0.0725, abs=5e-5)
    assert is_near(share_beyond(question, adult, 0.0725), 0.05, error_of_share(0.05))


def test_randomized_response_tells_the_truth_as_often_as_epsilon_says() -> None:
    say, truth = respond(1.0, 2), exp(1) / (1 + exp(1))
    assert truth == pytest.approx(0.7311, abs=5e-5)
    said = repeated(say, 0, REPEATS)
    assert is_near(float((said == 0).mean()), truth, error_of_share(truth))


@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_a_scale_that_is_a_tenth_off_is_found_out(adult: Table, wrong: float) -> None:
    mutant = ask({"query": "count", "mechanism": "laplace", "epsilon": 1 / wrong})
    share = share_beyond(mutant, adult, LN20, REPEATS_TO_FIND)
    assert not is_near(share, 0.05, error_of_share(0.05, REPEATS_TO_FIND))
    mutant = ask({"query": "count", "mechanism": "gaussian", "epsilon": 1 / wrong})
    assert not is_near(float(errors(mutant, adult).std()), 3.731, 3.731 / sqrt(2 * REPEATS))


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
    rows = SelectedRows.choose(adult, SETTING, ())
    right = float(truth(rows.numbers("age")))

    draws = [
        noise.release(np.tile(exact, (COVERED, 1)))
        for noise, exact in zip(question.noises(), question.measure(rows), strict=True)
    ]
    read = [question.read(tuple(part[one] for part in draws)) for one in range(COVERED)]
    intervals = [reading.result["interval"] for reading in read]
    assert is_covered([low <= right <= high for low, high in intervals])


RANKED = [("noisy-max", 0.01), ("exponential", 0.01), ("noisy-max", 0.0005)]


@pytest.mark.parametrize(("mechanism", "epsilon"), RANKED)
@pytest.mark.parametrize("interval", ["values", "ranks"])
def test_quantiles_are_as_near_as_promised(
    adult: Table, mechanism: str, epsilon: float, interval: str
) -> None:
    """Ranks of what is named, and intervals, for quantiles near the ends and in the middle."""
    shares = (0.02, 0.5, 0.9)
    document = {"query": "quantiles", "column": "age", "quantiles": list(shares)}
    question = parse_question(
        {**document, "interval": interval, "mechanism": mechanism, "epsilon": epsilon}, SETTING
    )
    assert isinstance(question, Quantiles)
    rows = SelectedRows.choose(adult, SETTING, ())
    choosers, scores = question.choosers(), question.score(rows)
    pairs = zip(choosers, scores, strict=True)
    chosen = np.column_stack(
        [repeated(one.measurement(), own.tolist(), COVERED) for one, own in pairs]
    )
    each = len(choosers) // len(shares)
    for part in range(0, len(choosers), each):
        limit = choosers[part].falls_short(question.candidates - 1, 0.05)
        assert is_covered([-scores[part][place] < limit for place in chosen[:, part]])
    if interval == "ranks":
        return
    ages = np.sort(rows.numbers("age"))
    found = [question.read(tuple(run)).result["intervals"] for run in chosen.tolist()]
    for number, share in enumerate(shares):
        # Whatever lies between the two numbers around the wanted rank may be called the quantile.
        ends = ages[int(np.ceil(share * ROWS)) - 1], ages[int(share * ROWS)]
        assert is_covered([one[number][0] <= ends[0] <= ends[1] <= one[number][1] for one in found])


def test_too_few_rows_for_a_median_give_everything_declared() -> None:
    table = Table.from_rows(["age"], [["40"], ["50"], ["60"]])
    question = parse_question({"query": "median", "column": "age", "epsilon": 0.001}, SETTING)
    assert isinstance(question, Median)
    scores = question.score(SelectedRows.choose(table, SETTING, ()))
    assert [int(own.argmax()) for own in scores] == [50 - 17, 0, 90 - 17]
    assert [int((own == 0).sum()) for own in scores] == [1, 1, 1]


def test_numbers_between_candidates_count_as_the_nearest() -> None:
    """Else a pile of rows between two candidates would leave none with the wanted rank."""
    setting = replace(SETTING, domains={"x": NumberDomain(0.0, 10.0)})
    table = Table.from_rows(["x"], [["4.6"]] * 30 + [[None]])
    document = {"query": "median", "column": "x", "interval": "ranks", "epsilon": 1}
    question = parse_question(document, setting)
    assert isinstance(question, Median)
    (scores,) = question.score(SelectedRows.choose(table, setting, ()))
    assert scores.tolist() == [*[-15_000] * 5, 0, *[-15_000] * 5]


@pytest.mark.parametrize("mechanism", ["noisy-max", "exponential"])
@pytest.mark.parametrize("counts", [[100, 99, 98, 90], [60, 60, 60, 0], [50, 40, 40, 40]])
def test_no_value_is_more_common_than_said(mechanism: str, counts: list[int]) -> None:
    setting = replace(SETTING, domains={"x": ValuesDomain(("a", "b", "c", "d"))})
    document = {"query": "most-common", "column": "x", "mechanism": mechanism, "epsilon": 0.3}
    question = parse_question(document, setting)
    assert isinstance(question, MostCommon)
    own, (chooser,) = np.array(counts), question.choosers()
    behind = max(counts) - own[repeated(chooser.measurement(), counts, COVERED)]
    assert is_covered((behind <= question.behind(0.95)).tolist())
    assert question.read((1,)).details["behind"] == [0, question.behind(0.95)]


def lines(epsilon: float, mechanism: str, rows: int) -> tuple[list[Any], np.ndarray]:
    """Return fits of a line through made-up rows, and the true one."""
    generator = np.random.default_rng(8)
    first, second = generator.uniform(0, 10, rows), generator.normal(50, 10, rows)
    target = 3 + 2 * first - 0.5 * second + generator.normal(0, 5, rows)
    setting = PrivacySetting.from_document(
        {
            "neighbours": "add_remove",
            "delta": 1e-5,
            "domains": {
                "a": {"low": 0, "high": 10},
                "b": {"low": 0, "high": 100},
                "y": {"low": -100, "high": 100},
            },
        }
    )
    cells = [
        [f"{number:.3f}" for number in one] for one in np.column_stack([first, second, target])
    ]
    document = {"query": "linear-regression", "target": "y", "features": ["a", "b"]}
    question = parse_question({**document, "epsilon": epsilon, "mechanism": mechanism}, setting)
    assert isinstance(question, LinearRegression)
    table = Table.from_rows(["a", "b", "y"], cells)
    (exact,) = question.measure(SelectedRows.choose(table, setting, ()))
    (noise,) = question.noises()
    drawn = noise.release(np.tile(exact, (COVERED, 1)))
    numbers = np.array(cells, float)
    inputs = np.column_stack([np.ones(rows), numbers[:, :2]])
    truth = np.linalg.lstsq(inputs, numbers[:, 2], rcond=None)[0]
    return [question.read((one,)).result for one in drawn], truth


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_intervals_of_a_line_hold_the_true_one(mechanism: str) -> None:
    found, truth = lines(1.0, mechanism, 20_000)
    held = []
    for one in found:
        assert one["intervals"] is not None
        ends = np.array(list(one["intervals"].values()))
        held.append(bool(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).all()))
        points = np.array(list(one["coefficients"].values()))
        assert ((ends[:, 0] <= points) & (points <= ends[:, 1])).all()
    assert is_covered(held)
    widths = np.array([np.diff(list(one["intervals"].values())).ravel() for one in found])
    assert np.median(widths, axis=0)[1] < 1  # of a slope of 2: no use otherwise


def test_too_much_noise_for_a_line_is_said() -> None:
    found, _ = lines(0.01, "laplace", 100)
    assert float(np.mean([one["intervals"] is None for one in found])) > 0.9


@pytest.mark.parametrize("weights", [[1, 1], [1, 0.3], [1, 1, 1], [1] * 6, [1, 0.5, 0.2, 0.1]])
def test_weighted_sums_of_laplace_noise_are_no_wider_than_one_of_them(weights: list[float]) -> None:
    """What the intervals of a line stand on: P[|Σ wX| > √Σw²·q] ≤ P[|X| > q], q the half width.

    Computed exactly: the characteristic function of a sum is ∏ 1/(1 + w²t²).
    """
    own = np.array(weights) / np.linalg.norm(weights)
    step = 0.005
    times = np.arange(step / 2, 500, step)
    transform = 1 / np.prod(1 + np.outer(own**2, times**2), axis=0)
    for chance in (0.05, 0.05 / 3, 0.05 / 21, 1e-4):
        width = -log(chance)
        inside = 2 / pi * float((np.sin(times * width) / times * transform).sum()) * step
        assert 1 - inside <= chance * (1 + 1e-3)


def test_odds_are_as_far_off_as_the_made_up_table_says() -> None:
    """Every kind of row is in the class as often as not, so all true coefficients are zero."""
    domains = {
        "age": {"low": 0, "high": 100},
        "ward": {"values": ["A", "B"]},
        "ill": {"values": ["no", "yes"]},
    }
    setting = PrivacySetting.from_document(
        {"neighbours": "add_remove", "delta": 1e-5, "domains": domains}
    )
    kinds = [(age, ward, ill) for age in range(101) for ward in "AB" for ill in ("no", "yes")]
    table = Table.from_rows(["age", "ward", "ill"], [[f"{a}", w, i] for a, w, i in kinds * 3])
    document = {"query": "logistic-regression", "target": "ill", "positive": "yes", "epsilon": 1}
    features = {"features": ["age", "ward"], "size": table.rows}
    question = parse_question({**document, **features}, setting)
    low, high = map(float, question.forecast().example.split("between ")[1].split(" ")[0:3:2])
    assert low * high == pytest.approx(1, abs=0.05)
    found = [answer(table, question).to_document()["coefficients"] for _ in range(8)]
    numbers = [one[name] for one in found for name in ("age", "ward is B")]
    assert sum(low <= exp(number) <= high for number in numbers) >= 10  # of 16
    assert max(map(abs, numbers)) > log(high) / 10


def test_intervals_are_never_rounded_to_be_shorter() -> None:
    assert rounded_outwards(0.12344, 0.98761, 0.5) == [0.123, 0.988]
    assert rounded_outwards(-3, 7, 5) == [-3, 7]
    for number in np.random.default_rng(2).normal(0, 100, 200):
        low, high = interval_around(float(number), 2.345)
        assert low <= number - 2.345 < number + 2.345 <= high
