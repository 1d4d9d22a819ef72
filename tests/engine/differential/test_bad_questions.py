"""What cannot be asked is refused in one sentence that names the place, before any noise."""

from typing import Any

import pytest

from deid_portal.engine import InvalidPlan
from deid_portal.engine.differential import PrivacySetting, QueryPlan, parse_question
from tests.engine.differential.questions import DOMAINS, setting

AGE = {"column": "age"}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, "neighbours"),
        ({"neighbours": "both", "domains": {}}, "neighbours: accepted are"),
        ({"neighbours": "replace", "domains": {"a": {"low": 2, "high": 1}}}, "domains.a: the low"),
        ({"neighbours": "replace", "domains": {"a": {"low": 1, "high": 1}}}, "domains.a: the low"),
        ({"neighbours": "replace", "domains": {"a": {"low": 1}}}, 'domains.a: "high" is missing'),
        ({"neighbours": "replace", "domains": {"a": {}}}, 'domains.a: "low" is missing'),
        (
            {"neighbours": "replace", "domains": {"a": {"low": 0, "high": float("inf")}}},
            "domains.a.high: a finite number",
        ),
        ({"neighbours": "replace", "domains": {"a": {"low": -1e300, "high": 1e300}}}, "domains.a:"),
        (
            {"neighbours": "replace", "domains": {"a": {"low": 1e15 - 1, "high": 1e15 - 0.875}}},
            "domains.a: the bounds are too near",
        ),
        ({"neighbours": "replace", "domains": {"a": {"low": 0, "high": 1e-320}}}, "too near each"),
        ({"neighbours": "replace", "domains": {"a": {"values": []}}}, "domains.a.values: a list"),
        ({"neighbours": "replace", "domains": {"a": {"values": ["x", "x"]}}}, "domains.a.values:"),
        ({"neighbours": "replace", "domains": {}, "delta": 0.5}, "delta: a number from"),
        ({"neighbours": "replace", "domains": {}, "size": 0}, "size: a whole number"),
        (
            {"neighbours": "replace", "domains": {}, "person": {"column": "p", "rows": 0}},
            "person.rows: a whole number",
        ),
    ],
)
def test_settings(document: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan) as refused:
        PrivacySetting.from_document(document)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"query": "guess"}, "query: accepted are"),
        ({"query": "count", "colour": 1}, '"colour" is not known here'),
        ({"query": "sum"}, '"column" is missing'),
        ({"query": "sum", "column": "height"}, "column: nothing is declared"),
        ({"query": "sum", "column": "sex"}, "column: this column has no bounds"),
        ({"query": "count-by-group", "column": "age"}, "column: this column has no list"),
        ({"query": "histogram", **AGE, "buckets": 10**6}, "buckets: a whole number from 1 to"),
        ({"query": "histogram", **AGE, "edges": [0, 50]}, "edges: the buckets must cover"),
        ({"query": "histogram", **AGE, "edges": [0, 50, 40, 100]}, "edges: numbers that grow"),
        ({"query": "histogram", **AGE}, 'either "buckets" or "edges"'),
        ({"query": "median", **AGE, "step": 1e-6}, "step: this makes 1e+08 candidates"),
        ({"query": "median", **AGE, "step": 0}, "step: a number above 0"),
        ({"query": "quantiles", **AGE, "quantiles": [0.5, 1.5]}, "quantiles: numbers from 0 to 1"),
        ({"query": "median", **AGE, "interval": "both"}, "interval: accepted are"),
        ({"query": "quantiles", **AGE, "quantiles": [0.12345]}, "quantiles[0]: at most three"),
        ({"query": "contingency", "by": []}, "by: a list of 1 to 6 different"),
        ({"query": "mean", **AGE, "variant": "bounded-size"}, "size: say how many rows"),
        ({"query": "mean", **AGE, "variant": "truncated", "lowest": 5}, "highest: this is needed"),
        (
            {"query": "mean", **AGE, "variant": "truncated", "lowest": 9, "highest": 5},
            "lowest: the interval",
        ),
        ({"query": "linear-regression", "target": "age", "features": ["age"]}, "features: the"),
        (
            {"query": "logistic-regression", "target": "sex", "positive": "X", "features": ["age"]},
            "positive: this value is not declared",
        ),
        ({"query": "count", "where": [{"column": "sex", "is": ["X"]}]}, "where[0].is: 1 of these"),
        ({"query": "count", "where": [{"column": "sex", "is": []}]}, "where[0].is: a list of one"),
        ({"query": "count", "where": [{"column": "age", "at_least": 500}]}, "where[0].at_least: a"),
        ({"query": "count", "where": [{"column": "age", "between": [9, 1]}]}, "where[0].between:"),
        ({"query": "count", "where": [{"column": "age"}]}, "where[0]: exactly one of"),
        ({"query": "count", "where": [{"column": "zip", "is": ["1"]}]}, "where[0].column: nothing"),
    ],
)
def test_questions(document: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan) as refused:
        parse_question({"epsilon": 1, **document}, setting())
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["count", "most-common", "logistic-regression"])
@pytest.mark.parametrize("epsilon", [0, -1, 1e6, float("nan")])
def test_prices(kind: str, epsilon: float) -> None:
    entries = {
        "count": {},
        "most-common": {"column": "sex"},
        "logistic-regression": {
            "target": "sex",
            "positive": "F",
            "features": ["age"],
            "size": 9,
        },
    }
    with pytest.raises(InvalidPlan, match=r"^epsilon: a (finite )?number"):
        parse_question({"query": kind, **entries[kind], "epsilon": epsilon}, setting())


def test_rounds_that_no_noise_pays_for_are_refused() -> None:
    entry = {"target": "sex", "positive": "F", "features": ["age"], "size": 9, "epsilon": 1e-4}
    own = setting(delta=1e-12)
    with pytest.raises(InvalidPlan, match="no noise keeps this promise"):
        parse_question({"query": "logistic-regression", **entry}, own)


def test_noise_that_needs_a_delta_says_so() -> None:
    own = PrivacySetting.from_document({"neighbours": "replace", "domains": DOMAINS})
    with pytest.raises(InvalidPlan, match="needs a delta"):
        parse_question({"query": "count", "mechanism": "gaussian", "epsilon": 1}, own)


@pytest.mark.parametrize("accuracy", [{}, {"half_width": 0}, {"half_width": 3, "confidence": 1}, 3])
def test_accuracies(accuracy: Any) -> None:
    with pytest.raises(InvalidPlan, match=r"^accuracy"):
        parse_question({"query": "count", "accuracy": accuracy}, setting())


@pytest.mark.parametrize("document", [None, [], {"plan": 1}, {"plan": 2, "privacy": {}}])
def test_plans(document: Any) -> None:
    with pytest.raises(InvalidPlan):
        QueryPlan.from_document(document)
