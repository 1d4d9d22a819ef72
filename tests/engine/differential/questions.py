"""A small table, settings and an example of every kind of question, for the tests of this room."""

from typing import Any

import numpy as np

from deid_portal.engine import Table
from deid_portal.engine.differential import (
    Neighbours,
    PrivacySetting,
    PrivateQuestion,
    parse_question,
)

DOMAINS: dict[str, Any] = {
    "age": {"low": 0, "high": 100},
    "pay": {"low": -50.5, "high": 1000},
    "sex": {"values": ["F", "M"]},
    "ward": {"values": ["A", "B", "C", None]},
    "day": {"first": "2020-11-15", "last": "2022-02-03"},
}
# Per kind, entries beside the price that the table below can be asked with.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "count": [{}, {"mechanism": "laplace"}, {"mechanism": "gaussian"}],
    "count-by-group": [{"column": "ward"}, {"column": "sex", "mechanism": "gaussian"}],
    "sum": [{"column": "pay"}, {"column": "age", "mechanism": "gaussian"}],
    "mean": [
        {"column": "pay"},
        {"column": "age", "mechanism": "gaussian"},
        {"column": "age", "variant": "bounded-size", "size": 20},
        {"column": "age", "variant": "truncated", "size": 20, "lowest": 40, "highest": 60},
        {"column": "age", "variant": "truncated", "lowest": 40, "highest": 60},
    ],
    "variance": [{"column": "age"}],
    "median": [{"column": "age"}, {"column": "pay", "step": 50, "mechanism": "exponential"}],
    "quantiles": [{"column": "age", "quantiles": [0.25, 0.75]}],
    "histogram": [
        {"column": "age", "buckets": 4},
        {"column": "age", "edges": [0, 18, 65, 100], "mechanism": "laplace"},
    ],
    "count-by-period": [{"column": "day"}, {"column": "day", "unit": "year"}],
    "histogram-mean": [{"column": "age", "buckets": 4}],
    "most-common": [{"column": "ward"}, {"column": "sex", "mechanism": "exponential"}],
    "contingency": [{"by": ["sex", "ward"]}],
    "linear-regression": [
        {"target": "pay", "features": ["age"]},
        {"target": "pay", "features": ["age"], "mechanism": "gaussian"},
    ],
    "logistic-regression": [
        {"target": "sex", "positive": "F", "features": ["age", "ward"], "size": 30, "rounds": 5}
    ],
}
NAMES = ["person", "age", "pay", "sex", "ward", "day"]
KINDS = [(kind, entry) for kind, entries in EXAMPLES.items() for entry in entries]


def setting(neighbours: str = "add_remove", **changes: Any) -> PrivacySetting:
    document = {"neighbours": neighbours, "delta": 1e-3, "domains": DOMAINS}
    return PrivacySetting.from_document(document | changes)


def ask(
    kind: str, entry: dict[str, Any], own: PrivacySetting, epsilon: float = 1.0
) -> PrivateQuestion:
    return parse_question({"query": kind, **entry, "epsilon": epsilon}, own)


def random_table(generator: np.random.Generator, rows: int = 30) -> Table:
    """Return people with gaps, numbers beyond their bounds, and texts nobody declared."""
    pick = generator.choice
    cells = [
        [
            str(pick(12)),
            pick(["17", "42.5", "66", "100", "140", "", "old"]),
            pick(["-999", "-50.5", "3e2", "999.25", "1e9", ""]),
            pick(["F", "M", "F", "M", "X", ""]),
            pick(["A", "B", "C", "D", ""]),
            pick(["2020-11-15", "2021-06-30", "2022-02-03", "1999-01-01", "2021-13-01", ""]),
        ]
        for _ in range(rows)
    ]
    return Table.from_rows(
        NAMES,
        [[text or None for text in row] for row in cells],
    )


NEIGHBOURS = [one.value for one in Neighbours]
