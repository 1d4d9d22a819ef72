"""Bucketization leaves facts exact and says of a group only which values occur in it."""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.methods.separation.bucketization import Bucketization
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column
from tests.chance import known_secret
from tests.engine.tables import document

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier"},
    "zip": {"role": "quasi-identifier"},
    "condition": {"role": "sensitive"},
}
# Xiao and Tao, 2006, table 1: the microdata of eight patients, without the column of their sex.
PATIENTS = [
    ["23", "11000", "pneumonia"],
    ["27", "13000", "dyspepsia"],
    ["35", "59000", "dyspepsia"],
    ["59", "12000", "pneumonia"],
    ["61", "54000", "flu"],
    ["65", "25000", "gastritis"],
    ["65", "25000", "flu"],
    ["70", "30000", "bronchitis"],
]
secrets = st.lists(st.sampled_from(["a", "b", "c", "d", "e", None]), min_size=2, max_size=40)


def separate(
    rows: list[Any],
    l: int = 2,  # noqa: E741 - the literature's symbol
    models: list[dict[str, Any]] | None = None,
    columns: dict[str, Any] | None = None,
    **changes: Any,
) -> Outcome:
    asked = columns or COLUMNS
    method = {"name": "bucketization", "l": l, "column": "condition", **changes}
    plan = Plan.from_document(document(asked, models=models or [], method=method))
    return protect(Table.from_rows(list(asked), rows), plan, secret=known_secret())


def groups_of(codes: list[int], l: int, seed: int = 1) -> list[list[int]]:  # noqa: E741
    """Return the sensitive values of each group, straight from the method."""
    column = Column.from_cells("condition", [str(code) for code in codes])
    method = Bucketization(l, "condition")
    groups = method.group(column, np.random.default_rng(seed), Progress(None))
    found = defaultdict(list)
    for group, code in zip(groups.tolist(), codes, strict=True):
        found[group].append(code)
    return [found[group] for group in sorted(found)]


def test_the_surest_guess_is_that_of_a_group_not_of_the_row_that_was_found() -> None:
    assert separate(PATIENTS, l=2).report.sensitive["condition"].surest_guess == 0.5


def test_the_example_of_the_paper() -> None:
    """No value belongs to more than 2 of 8 patients, so up to l = 4 is possible."""
    outcome = separate(PATIENTS, l=4)
    released = outcome.released
    assert released is not None
    assert set(released.names) == {"age", "zip", "condition", "group"}
    assert sorted(zip(released["age"].cells(), released["zip"].cells(), strict=True)) == sorted(
        (row[0], row[1]) for row in PATIENTS
    )
    values = defaultdict(list)
    for group, value in zip(released["group"].cells(), released["condition"].cells(), strict=True):
        values[group].append(value)
    assert set(values) == {"1", "2"}
    assert all(len(group) == len(set(group)) == 4 for group in values.values())
    step = outcome.report.steps[0]
    assert {key: step.notes[key] for key in ("groups", "smallest", "largest", "group_column")} == {
        "groups": 2,
        "smallest": 4,
        "largest": 4,
        "group_column": "group",
    }


def test_each_group_draws_from_the_most_frequent_values() -> None:
    # 3 × 0, 2 × 1, 1 × 2: the first group must take 0 and 1, or a 0 would be left over twice.
    assert [sorted(group) for group in groups_of([0, 0, 0, 1, 1, 2], 2)] == [
        [0, 1],
        [0, 1],
        [0, 2],
    ]


def test_what_is_left_joins_a_group_without_its_value() -> None:
    for seed in range(5):
        groups = groups_of([0, 0, 1, 1, 2], 2, seed)
        assert sorted(map(len, groups)) == [2, 3]
        assert all(len(group) == len(set(group)) for group in groups)


@given(secrets, st.integers(2, 4), st.integers(0, 3))
@settings(max_examples=100)
def test_groups_have_different_values_only(
    cells: list[str | None],
    l: int,  # noqa: E741
    seed: int,
) -> None:
    column = Column.from_cells("condition", cells)
    groups = Bucketization(l, "condition").group(
        column, np.random.default_rng(seed), Progress(None)
    )
    if max(Counter(cells).values()) * l > len(cells):
        assert not len(groups)
        return
    sizes = np.bincount(groups)
    pairs = set(zip(groups.tolist(), cells, strict=True))
    assert len(pairs) == len(cells)  # no value twice in a group
    assert sizes.min() >= l
    assert len(sizes) == (len(cells) - (sizes - l).sum()) // l
    assert (sizes - l).sum() < l  # less than l records were left over


def test_values_are_mixed_within_groups_only_and_move_together() -> None:
    rows = [[str(n), "1", f"c{n % 5}", f"drug {n % 5}"] for n in range(200)]
    columns = COLUMNS | {"drug": {"role": "sensitive"}}
    outcome = separate(rows, l=3, columns=columns, together=["drug"])
    released = outcome.released
    assert released is not None
    assert outcome.rows is not None
    own = [rows[row] for row in outcome.rows]
    cells = released.head(released.rows)
    assert all(row[2][1:] == row[3].split()[1] for row in cells if row[2] and row[3])
    moved = sum(row[2] != before[2] for row, before in zip(cells, own, strict=True))
    assert moved > 100  # of 200: a third stays by chance
    by_group: dict[str | None, list[Any]] = defaultdict(list)
    for row, before in zip(cells, own, strict=True):
        by_group[row[-1]].append((row[2], before[2]))
    for pairs in by_group.values():
        assert sorted(new for new, _ in pairs) == sorted(old for _, old in pairs)


def test_models_about_values_are_measured_on_groups() -> None:
    diverse = {"model": "l-diversity", "variant": "probabilistic", "l": 4, "column": "condition"}
    outcome = separate(PATIENTS, l=4, models=[diverse])
    assert outcome.solution
    assert outcome.report.models[0].achieved == {"l": 4.0}
    close = {"model": "t-closeness", "t": 0.05, "column": "condition"}
    assert not separate(PATIENTS, l=2, models=[close]).solution


def test_the_column_of_groups_takes_a_free_name() -> None:
    columns = COLUMNS | {"group": {"role": "insensitive"}}
    outcome = separate([[*row, "x"] for row in PATIENTS], columns=columns)
    assert outcome.released is not None
    assert outcome.released.names == ("age", "zip", "condition", "group", "group_2")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"l": 5}, "belongs to 2 of 8 records, so at most 4 is possible"),
        ({"column": "age"}, 'the plan has "condition"'),
        ({"models": [{"model": "k-anonymity", "k": 2}]}, "leaves quasi-identifiers exact"),
        (
            {"columns": COLUMNS | {"zip": {"role": "sensitive"}}},
            '"zip" would stay beside exact quasi-identifiers',
        ),
        ({"together": ["condition"]}, 'name other columns than "column"'),
    ],
)
def test_refusals_say_what_to_do(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        separate(PATIENTS, **changes)


def test_an_earlier_method_may_leave_too_few() -> None:
    """Where the table that comes is fine but what is left of it is not, there is no solution."""
    rows = [[str(n), "1", "ab"[n % 2]] for n in range(20)]
    columns = COLUMNS
    methods = [
        {"name": "sampling", "share": 0.2},
        {"name": "bucketization", "l": 2, "column": "condition"},
    ]
    table = Table.from_rows(list(columns), rows)
    plan = Plan.from_document(document(columns, models=[], method=methods))
    answers = {protect(table, plan, secret=known_secret(own)).solution for own in range(8)}
    assert answers == {True, False}


def test_risk_is_that_of_the_exact_cells_not_of_the_groups() -> None:
    """Groups hide what is sensitive; who has exact cells of their own is still found by them."""
    report = separate(PATIENTS).report
    assert report.classes.smallest >= 2
    assert report.risk.after.prosecutor.highest == 1.0
