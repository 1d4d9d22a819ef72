"""The decks' worked examples (`tests/data/vectors.json`), and how a test takes its own."""

import json
from collections.abc import Collection
from math import isclose
from typing import Any

import pytest

from deid_portal.engine import Table
from tests.engine.tables import DATA

Vector = dict[str, Any]
VECTORS: list[Vector] = json.loads((DATA / "vectors.json").read_text(encoding="utf-8"))["vectors"]


def vectors(*checks: str, without: Collection[str] = ()) -> pytest.MarkDecorator:
    """Run a test with every vector of these kinds, except for some ids."""
    chosen = [
        vector for vector in VECTORS if vector["check"] in checks and vector["id"] not in without
    ]
    assert chosen
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def find(identifier: str) -> Vector:
    return next(vector for vector in VECTORS if vector["id"] == identifier)


def read_table(document: dict[str, Any]) -> Table:
    rows = [[None if cell is None else str(cell) for cell in row] for row in document["rows"]]
    return Table.from_rows([str(name) for name in document["columns"]], rows)


def check(vector: Vector, found: Any) -> None:
    """Compare everything the vector expects; it may expect less than was found."""
    compare(vector["expected"], found, vector["tolerance"])


def compare(expected: Any, found: Any, tolerance: float) -> None:
    if isinstance(expected, dict):
        for key, part in expected.items():
            compare(part, found[key], tolerance)
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        assert isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
    else:
        assert found == expected
