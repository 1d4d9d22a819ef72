"""The decks' worked examples of microaggregation, from the file."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from deid_portal.engine.methods.microaggregation.microaggregation import Microaggregation
from tests.engine.drafts import carry_out, cells, draft_of, number_table
from tests.engine.methods.groups import as_lists
from tests.engine.methods.test_microaggregation_groups import (
    best_partition,
    run_mdav,
    squared_errors,
)
from tests.engine.vectors import Vector, find, vectors


def rows_of(vector: Vector) -> NDArray[np.float64]:
    return np.array(vector["input"]["X"], np.float64)


def averaged(vector: Vector, algorithm: str) -> NDArray[np.float64]:
    """Return what the method shows of the vector's two columns."""
    first, second = rows_of(vector).astype(int).T.tolist()
    method = Microaggregation(k=vector["parameters"]["k"], algorithm=algorithm, scale="none")
    draft = carry_out(method, draft_of(number_table(x=first, y=second), x=None, y=None))
    return np.array([[float(cell or 0) for cell in cells(draft, name)] for name in "xy"]).T


@vectors("mdav")
def test_mdav(vector: Vector) -> None:
    rows, expected = rows_of(vector), vector["expected"]
    groups = as_lists(run_mdav(rows, vector["parameters"]["k"]))
    assert groups == expected["partition"]
    assert squared_errors(rows, groups) == pytest.approx(expected["sse"], abs=1e-9)
    errors = float(((rows - averaged(vector, "mdav")) ** 2).sum())
    assert errors == pytest.approx(expected["sse"], abs=1e-4)


@vectors("individual_ranking")
def test_individual_ranking(vector: Vector) -> None:
    shown, expected = averaged(vector, "individual-ranking"), vector["expected"]
    assert shown == pytest.approx(np.array(expected["masked"]), abs=1e-6)
    errors = float(((rows_of(vector) - shown) ** 2).sum())
    assert errors == pytest.approx(expected["sse"], abs=1e-4)
    assert min(Counter(map(tuple, shown.tolist())).values()) == expected["k_anonymity_all"]


@vectors("microagg_optimal")
def test_the_best_groups_are_a_bound(vector: Vector) -> None:
    """Trying everything gives what the deck says, and MDAV is never better."""
    rows, said, expected = rows_of(vector), vector["parameters"], vector["expected"]
    best, partition = best_partition(rows, said["k"], said.get("max_size"))
    assert best == pytest.approx(expected["sse"], abs=1e-9)
    if "partition" in expected:
        assert partition == expected["partition"]
    found = as_lists(run_mdav(rows, said["k"]))
    assert squared_errors(rows, found) >= best - 1e-9


def test_one_group_is_the_centroid() -> None:
    vector = find("s1-kconfusion-kanon-centroid")
    assert averaged(vector, "mdav").tolist() == [[0.0, 0.0]] * 4
