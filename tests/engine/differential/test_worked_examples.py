"""The decks' worked examples of private answers, computed by the parts that answer questions."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import PrivacyPrice, PrivacySetting, parse_question
from deid_portal.engine.differential.budget.composition import parallel, total_price
from deid_portal.engine.differential.diagnostics import local_sensitivity
from deid_portal.engine.differential.lessons.voting import rosenbrock
from deid_portal.engine.differential.mechanisms.exponential import Exponential, utility_bound
from deid_portal.engine.differential.mechanisms.laplace import (
    laplace_density,
    laplace_epsilon,
    laplace_scale,
    laplace_variance,
)
from deid_portal.engine.differential.mechanisms.laplace_with_delta import (
    deck_scale,
    delta_spent,
    tight_scale,
)
from deid_portal.engine.differential.questions.histogram_mean import mean_of_counts
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from tests.engine.vectors import Vector, check, find, vectors


def ask(document: dict[str, Any], neighbours: str = "add_remove", **domain: Any) -> NoisyQuestion:
    setting = PrivacySetting.from_document({"neighbours": neighbours, "domains": {"x": domain}})
    question = parse_question({"column": "x", "epsilon": 1, **document}, setting)
    assert isinstance(question, NoisyQuestion)
    return question


def exact(question: NoisyQuestion, numbers: Sequence[float]) -> list[float]:
    """Return what a question computes before any noise; the portal never shows it."""
    table = Table.from_rows(["x"], [[str(number)] for number in numbers])
    rows = SelectedRows.choose(table, question.setting, question.where)
    (measured,), (noise,) = question.measure(rows), question.noises()
    return [float(one) for one in measured * noise.grid.step]


@vectors("laplace_scale")
def test_scales(vector: Vector) -> None:
    asked = vector["parameters"]
    check(vector, {f"{eps:g}": laplace_scale(asked["delta_f"], eps) for eps in asked["eps"]})


@vectors("laplace_effective_eps")
def test_epsilon_of_two_answers(vector: Vector) -> None:
    check(vector, laplace_epsilon(*vector["input"].values(), vector["parameters"]["b"]))


@vectors("laplace_pdf")
def test_density(vector: Vector) -> None:
    asked = vector["parameters"]
    found = [laplace_density(x, asked["mu"], asked["b"]) for x in vector["input"]["x"]]
    assert found == pytest.approx(vector["expected"])


def test_variance() -> None:
    check(find("s2-laplace-variance"), {"var_lambda_3": laplace_variance(3)})


@vectors("eps_delta_laplace")
def test_laplace_with_a_delta_is_loose_in_the_deck(vector: Vector) -> None:
    change, eps, delta = (vector["parameters"][key] for key in ("delta_f", "eps", "delta"))
    loose, tight = (find_scale(change, eps, delta) for find_scale in (deck_scale, tight_scale))
    found = {
        "b": loose,
        "b_pure": laplace_scale(change, eps),
        "delta_actually_spent": delta_spent(loose, change, eps),
        "delta_pure": delta_spent(laplace_scale(change, eps), change, eps),
        "b_tight": tight,
        "delta_at_b_tight": delta_spent(tight, change, eps),
    }
    check(vector, found)


@vectors("means")
def test_means(vector: Vector) -> None:
    question = ask({"query": "mean", "variant": "bounded-size", "size": 10}, low=0, high=100_000)
    for name, numbers in vector["input"].items():
        (found,) = exact(question, numbers)
        assert found + 50_000 == pytest.approx(vector["expected"][name], rel=1e-6)


@vectors("mean_of")
def test_mean_of_the_histogram_data(vector: Vector) -> None:
    question = ask({"query": "mean", "variant": "bounded-size", "size": 16}, low=1000, high=4000)
    assert exact(question, vector["input"]["x"])[0] + 2500 == pytest.approx(vector["expected"])


@vectors("mean_sensitivity")
def test_sensitivity_of_means(vector: Vector) -> None:
    asked = vector["parameters"]
    bounds = {"low": asked["min"], "high": asked["max"]}
    document = {"query": "mean", "variant": "bounded-size", "size": asked["S"] or 1}
    forecast = ask({**document, "epsilon": asked["eps"]}, **bounds).forecast()
    assert forecast.sensitivity == pytest.approx(vector["expected"]["delta"])
    assert forecast.scale == pytest.approx(vector["expected"]["b"], rel=1e-6)


def test_the_largest_change_of_a_mean_is_reached() -> None:
    vector = find("s1-mean-sensitivity-proof")
    question = ask({"query": "mean", "variant": "bounded-size", "size": 4}, low=1000, high=100_000)
    four, five = ([*[100_000] * 4, *more] for more in ([], [1000]))
    changed = exact(question, four)[0] - exact(question, five)[0]
    check(vector, {"lhs": round(changed, 3), "rhs": (100_000 - 1000) / 5})
    assert changed < question.noises()[0].sensitivity


@vectors("truncated_mean")
def test_truncated_means(vector: Vector) -> None:
    asked = vector["parameters"]
    document = {
        "query": "mean",
        "variant": "truncated",
        "size": asked["S"],
        "lowest": asked["mn"],
        "highest": asked["mx"],
    }
    bounds = {"low": asked["min"], "high": asked["max"]}
    questions = {f"{eps:g}": ask({**document, "epsilon": eps}, **bounds) for eps in asked["eps"]}
    middle = (asked["min"] + asked["max"]) / 2
    (found,) = exact(questions["1"], vector["input"]["x"])
    assert found + middle == pytest.approx(vector["expected"]["truncated"], rel=1e-6)
    assert np.mean(vector["input"]["x"]) == pytest.approx(vector["expected"]["mean"])
    for eps, question in questions.items():
        forecast = question.forecast()
        assert forecast.sensitivity == vector["expected"]["delta"]
        scale = vector["expected"].get("b", {}).get(eps, 2000)
        assert forecast.scale == pytest.approx(scale, rel=1e-6)


def histogram(kind: str) -> NoisyQuestion:
    edges = [1000, 2000, 3000, 4000]
    return ask({"query": kind, "edges": edges}, low=1000, high=4000)


@vectors("histogram")
def test_histogram(vector: Vector) -> None:
    assert exact(histogram("histogram"), vector["input"]["x"]) == vector["expected"]


@vectors("add")
def test_histogram_with_the_printed_noise(vector: Vector) -> None:
    """The noise of the deck goes where ours would."""
    question = histogram("histogram")
    assert (question.forecast().scale, question.epsilon) == (
        pytest.approx(vector["parameters"]["b"]),
        vector["parameters"]["eps"],
    )
    noisy = np.array(vector["input"]["a"]) + np.array(vector["input"]["b"])
    values = question.read((noisy,)).result["values"]
    assert [one["value"] for one in values] == pytest.approx(vector["expected"], abs=0.006)
    assert noisy == pytest.approx(vector["expected"])


@vectors("hist_mean")
def test_mean_of_a_histogram(vector: Vector) -> None:
    counts = np.array(vector["input"]["counts"], float)
    check(vector, mean_of_counts(counts, vector["parameters"]["mid"], 0.0))
    shown = histogram("histogram-mean").read((counts,)).result
    assert shown["value"] == pytest.approx(vector["expected"], abs=10)
    assert shown["interval"][0] <= vector["expected"] <= shown["interval"][1]


def test_closed_buckets_have_other_middles() -> None:
    """Middles of 1000–1999 and so on; the deck's 2437.5 needs buckets that meet."""
    assert mean_of_counts(np.array([5.0, 7, 4]), [1499.5, 2499.5, 3499.5], 0.0) == 2437


@vectors("compose")
def test_composition(vector: Vector) -> None:
    prices = [PrivacyPrice(epsilon) for epsilon in vector["input"]["eps"]]
    found = {"sequential": total_price(prices).epsilon, "parallel": parallel(prices).epsilon}
    check(vector, found)


def test_three_questions_of_sensitivity_two() -> None:
    prices = [PrivacyPrice(2.0)] * 3
    check(find("s3-sens-three-seq-2"), {"total": total_price(prices).epsilon})


@vectors("exp_mech")
def test_chances_of_the_exponential_mechanism(vector: Vector) -> None:
    asked, scores = vector["parameters"], vector["input"]["scores"]
    mechanism = Exponential(asked["Delta"], asked["eps"])
    chances = mechanism.probabilities(np.array(list(scores.values()), float))
    check(vector, dict(zip(scores, chances, strict=True)))


@vectors("exp_mech_utility")
def test_utility_of_the_exponential_mechanism(vector: Vector) -> None:
    candidates, t = vector["parameters"]["R"], vector["parameters"]["t"]
    found = {
        "coef_ln": utility_bound(2.0, candidates, t),
        "prob": 1 - math.exp(-t),
        "coef_log10": 2 * (math.log10(candidates) + t),  # the slide's slip
    }
    check(vector, found)


def test_utility_holds_with_the_decks_chance() -> None:
    vector = find("s2-expmech-prob95")
    scores = np.array([10.0, 0, 0, 0])
    mechanism = Exponential(1, 1.0)
    missed = utility_bound(mechanism.scale, 4, 3)
    chance = mechanism.probabilities(scores)[scores > 10 - missed].sum()
    check(vector, {"p": 1 - math.exp(-3)})
    assert chance >= vector["expected"]["p"]


def test_what_epsilon_means() -> None:
    """An ε of ln 2 or ln 3 makes any answer at most 2 or 3 times likelier for one of neighbors."""
    vector = find("s2-eps-choices")
    for name, epsilon in (("ln2", math.log(2)), ("ln3", math.log(3))):
        scale = laplace_scale(1, epsilon)
        ratio = laplace_density(-5, 0, scale) / laplace_density(-5, 1, scale)
        assert ratio == pytest.approx(vector["expected"][name])


@vectors("revenue")
def test_prices_of_apples_are_scores(vector: Vector) -> None:
    """No price is nearly the best one: noise on the price would be useless, a choice is not."""
    worth = np.array(vector["input"]["valuations_cents"])
    revenue = {
        f"{price / 100:.2f}": price * int((worth >= price).sum()) / 100
        for price in vector["parameters"]["prices_cents"]
    }
    check(vector, revenue)
    chances = Exponential(402, 2000.0).probabilities(100 * np.array(list(revenue.values())))
    assert chances.argmax() == 2


@vectors("leave_one_out")
def test_local_sensitivity_is_a_diagnosis_only(vector: Vector) -> None:
    found = local_sensitivity(vector["input"]["x"])
    assert list(found.without) == vector["expected"]["f_without"]
    assert (found.answer, found.value) == (14, vector["expected"]["local_sensitivity"])
    assert "This is not private" in found.words


@vectors("rosenbrock")
def test_objective_of_the_swarm(vector: Vector) -> None:
    found = [rosenbrock(*point) for point in vector["input"]["x"]]
    assert found == pytest.approx(vector["expected"])


def test_neighbours_by_replacement_differ_in_one_row() -> None:
    vector = find("s0-adjacent-pair")
    first, second = [1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0]
    check(vector, {"differing_rows": sum(a != b for a, b in zip(first, second, strict=True))})
    question = ask({"query": "sum"}, "replace", low=0, high=1)
    changed = exact(question, first)[0] - exact(question, second)[0]
    assert changed == question.noises()[0].sensitivity


QUERIES: dict[str, Callable[[tuple[Any, ...]], Sequence[float]]] = {
    "sum": lambda rows: [sum(rows)],
    "count_pos": lambda rows: [sum(row > 0 for row in rows)],
    "hist": lambda rows: [rows.count(value) for value in (0, 1, 2)],
    "mean": lambda rows: [sum(rows) / len(rows)],
    "median": lambda rows: [sorted(rows)[(len(rows) - 1) // 2]],
    "two_counts": lambda rows: [sum(row[part] for row in rows) for part in (0, 1)],
    "three_counts": lambda rows: [sum(row[part] for row in rows) for part in (0, 1, 2)],
}


def searched(query: str, domain: list[Any], size: int, replaces: bool) -> float:
    """Return the largest change between all neighbors over a small domain."""
    values = [tuple(value) if isinstance(value, list) else value for value in domain]
    changes = [
        sum(abs(a - b) for a, b in zip(QUERIES[query](one), QUERIES[query](other), strict=True))
        for one, other in all_neighbours(values, size, replaces)
    ]
    return max(changes)


def all_neighbours(values: list[Any], size: int, replaces: bool) -> Iterator[tuple[Any, Any]]:
    for rest in combinations_with_replacement(values, size - 1):
        for value in values:
            others = [(*rest, other) for other in values] if replaces else [rest]
            yield from (((*rest, value), other) for other in others if other)


def declared(query: str, domain: list[Any], size: int, neighbours: str) -> float:
    """Return the sensitivity that the noise of our questions goes by."""
    bounds = {"low": min(domain), "high": max(domain)} if not isinstance(domain[0], list) else {}
    match query:
        case "sum":
            return ask({"query": "sum"}, neighbours, **bounds).noises()[0].sensitivity
        case "hist":
            values = {"values": [str(value) for value in domain]}
            question = ask({"query": "count-by-group"}, neighbours, **values)
            return question.noises()[0].sensitivity
        case "mean":
            document = {"query": "mean", "variant": "bounded-size", "size": size}
            return ask(document, neighbours, **bounds).noises()[0].sensitivity
        case "median":  # too much for noise, hence the exponential mechanism
            return float(bounds["high"] - bounds["low"])
        case _:  # counts of people who may be in several: their sensitivities add up
            counts = {"count_pos": 1, "two_counts": 2, "three_counts": 3}[query]
            setting = PrivacySetting.from_document({"neighbours": neighbours, "domains": {}})
            one = parse_question({"query": "count", "epsilon": 1}, setting)
            return counts * one.forecast().sensitivity


@vectors("sensitivity")
def test_sensitivities(vector: Vector) -> None:
    asked = (vector["parameters"]["query"], vector["input"]["domain"], vector["parameters"]["n"])
    for neighbours, expected in vector["expected"].items():
        assert searched(*asked, neighbours == "replace") == pytest.approx(expected)
        assert declared(*asked, neighbours) == pytest.approx(expected)
