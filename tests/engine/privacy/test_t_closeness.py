"""Distances of small classes by hand, and against a transport of single records."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from deid_portal.engine.documents import Place
from deid_portal.engine.privacy import SensitiveColumn, TCloseness, WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Classes, reduce_table
from deid_portal.engine.taxonomies import parse_recipe
from tests.engine.tables import document

# Salaries of Li et al., 2007: 3k to 11k, each once in the whole table.
SALARIES = ["3", "4", "5", "6", "7", "8", "9", "10", "11"]
GROUP_OF = {"3": "a", "4": "a", "5": "a", "6": "b", "8": "b", "11": "b"}


def distances(
    rows: list[tuple[str, str | None]], distance: str, tree: dict[str, object] | None = None
) -> dict[str | None, float]:
    """Return the distance of each group from the whole table."""
    table = Table.from_rows(["group", "secret"], rows)
    patterns = reduce_table(table, ["group"], ["secret"], Progress(None))
    recipe = parse_recipe(Place({"tree": tree})) if tree else None
    whole = WholeTable(table.rows, {"secret": SensitiveColumn(table["secret"], recipe)})
    everyone = np.arange(len(patterns.counts), dtype=np.int32)
    classes = Classes(everyone, patterns.counts, patterns.sensitive)
    found = TCloseness(0.1, "secret", distance).distances(classes, whole)
    labels = [table["group"].values[code] for code in patterns.codes[0]]
    return dict(zip(labels, found.tolist(), strict=True))


def test_ordered_distance_of_the_papers_salaries() -> None:
    found = distances([(GROUP_OF.get(pay, "c"), pay) for pay in SALARIES], "ordered")
    assert found["a"] == pytest.approx(0.375)
    assert found["b"] == pytest.approx(0.167, abs=0.0005)


def test_equal_distance_is_half_the_difference() -> None:
    found = distances([("a", "flu"), ("a", "flu"), ("b", "flu"), ("b", None)], "equal")
    assert found == pytest.approx({"a": 0.25, "b": 0.25})


def test_hierarchical_distance_counts_a_move_within_a_group_half() -> None:
    tree: dict[str, object] = {"*": {"x": ["1", "2"], "y": ["3", "4"]}}
    found = distances(
        [("a", "1"), ("a", "2"), ("b", "3"), ("b", "3"), ("b", "4")], "hierarchical", tree
    )
    # Of group a, three fifths move to the other side; what stays is balanced.
    assert found["a"] == pytest.approx(0.6)


TREE: dict[str, Any] = {"*": {"low": ["0", "1"], "mid": ["2", "3", "4"], "high": ["5"]}}
SIDE = {leaf: name for name, leaves in TREE["*"].items() for leaf in leaves}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_distance_is_the_cheapest_transport(distance: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows = [("ab"[generator.integers(0, 2)], str(generator.integers(0, 6))) for _ in range(30)]
    found = distances(rows, distance, TREE)
    whole = [secret for _, secret in rows]
    for group in "ab":
        own = [secret for label, secret in rows if label == group]
        # As many records on both sides, so that each moves as a whole.
        moves = _cheapest_moves(own * len(whole), whole * len(own), distance)
        assert found[group] == pytest.approx(moves / (len(own) * len(whole)))


def _cheapest_moves(have: list[str], want: list[str], distance: str) -> float:
    values = sorted(set(want))
    if distance == "ordered":
        pairs = zip(sorted(have), sorted(want), strict=True)
        steps = sum(abs(values.index(one) - values.index(two)) for one, two in pairs)
        return steps / (len(values) - 1)
    # Near moves first: the best order wherever groups nest.
    left, missing = Counter(have), Counter(want)
    left, missing = left - missing, missing - left
    if distance == "equal":
        return left.total()
    away = Counter(SIDE[secret] for secret in left.elements())
    away.subtract(SIDE[secret] for secret in missing.elements())
    far = sum(count for count in away.values() if count > 0)
    return far + (left.total() - far) / 2


def test_plan_with_closeness_is_kept() -> None:
    rows = [["1", "flu"], ["1", "cancer"], ["2", "flu"], ["2", "flu"]]
    columns = {"zip": {"role": "quasi-identifier"}, "condition": {"role": "sensitive"}}
    closeness = {"model": "t-closeness", "t": 0.2, "column": "condition"}
    outcome = protect(
        Table.from_rows(["zip", "condition"], rows),
        Plan.from_document(document(columns, models=[closeness])),
    )
    assert outcome.report.transformation.levels == {"zip": 1}
    assert outcome.report.models[0].achieved == {"t": 0.0}
    assert outcome.report.models[0].achieved_before == {"t": 0.25}


def test_taxonomy_of_the_sensitive_column_must_cover_it() -> None:
    columns = {
        "zip": {"role": "quasi-identifier"},
        "condition": {"role": "sensitive", "taxonomy": {"tree": {"*": ["flu"]}}},
    }
    table = Table.from_rows(["zip", "condition"], [["1", "flu"], ["1", "cancer"]])
    with pytest.raises(InvalidPlan, match=r"^columns\.condition\.taxonomy: 1 of the 2 values"):
        protect(table, Plan.from_document(document(columns)))


def test_made_up_numbers_stand_where_their_size_puts_them() -> None:
    """Rounding shows 0, 10 and 20 of 1, 9, 11 and 19: all seven stand in one order."""
    rows = [["a", "1"], ["a", "9"], ["b", "11"], ["b", "19"]]
    columns = {"zip": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}}
    closeness = {"model": "t-closeness", "t": 1, "distance": "ordered", "column": "pay"}
    outcome = protect(
        Table.from_rows(["zip", "pay"], rows),
        Plan.from_document(
            document(
                columns,
                models=[closeness],
                method={"name": "rounding", "columns": ["pay"], "base": 10},
            )
        ),
    )
    # In order 0 1 9 10 11 19 20: a shows 0 and 10, b shows 10 and 20.
    from_a = 1 / 2 + 1 / 4 + 0 + 1 / 2 + 1 / 4 + 0
    from_b = 0 + 1 / 4 + 1 / 2 + 0 + 1 / 4 + 1 / 2
    assert outcome.report.models[0].achieved["t"] == pytest.approx(max(from_a, from_b) / 6)
