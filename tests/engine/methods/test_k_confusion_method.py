from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.k_confusion import KConfusionRelease
from deid_portal.engine.methods.microaggregation.rotation import rotate_groups
from deid_portal.engine.progress import Progress
from tests.engine.drafts import carry_out, cells, draft_of, number_table, reader
from tests.engine.tables import document
from tests.engine.vectors import find

read = reader(KConfusionRelease)
QUIET = Progress(None)


def rotate(points: Any, numbers: list[int], seed: int = 1) -> Any:
    groups = Groups(np.array(numbers, np.int32))
    return rotate_groups(np.asarray(points, float), groups, np.random.default_rng(seed), QUIET)


@settings(max_examples=30)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(3, 6), st.integers(0, 99))
def test_groups_keep_mean_and_covariance(columns: int, count: int, size: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    points = draw.normal(size=(columns, count * size + 1)) * 100
    numbers = [*draw.permutation(np.repeat(np.arange(count), size)).tolist(), count - 1]
    rotated = rotate(points, numbers, seed)
    for group in range(count):
        own = np.array(numbers) == group
        before, after = points[:, own], rotated[:, own]
        assert after.mean(axis=1) == pytest.approx(before.mean(axis=1), abs=1e-9)
        assert np.cov(after) == pytest.approx(np.cov(before), abs=1e-7)
        assert not np.isclose(before, after).any()


def test_the_deck_s_four_points_keep_what_the_deck_keeps() -> None:
    vector = find("s1-kconfusion-x")
    points = np.array(vector["input"]["X"], float).T
    rotated = rotate(points, [0, 0, 0, 0])
    assert rotated.mean(axis=1) == pytest.approx(vector["expected"]["mean"], abs=1e-9)
    assert rotated.var(axis=1, ddof=1) == pytest.approx(vector["expected"]["var"])


def test_a_record_is_as_likely_one_member_s_as_another_s() -> None:
    """Whoever links each person to the nearest record is right one time in three."""
    points = np.array([[0.0, 10, 50], [0, 20, 10]])
    hits = np.zeros(3)
    rounds = 3000
    draw = np.random.default_rng(7)
    groups = Groups(np.zeros(3, np.int32))
    for _ in range(rounds):
        rotated = rotate_groups(points, groups, draw, QUIET)
        apart = ((points[:, :, None] - rotated[:, None, :]) ** 2).sum(axis=0)
        hits += apart.argmin(axis=1) == np.arange(3)
    # Five standard deviations of a share of 3000.
    assert hits / rounds == pytest.approx([1 / 3] * 3, abs=5 * np.sqrt(2 / 9 / rounds))


def test_all_of_a_group_get_the_gap_of_one() -> None:
    table = number_table(a=[1, 2, None, 101, 102, 103], b=[1, 2, 3, 101, 102, 103])
    draft = carry_out(read(k=3), draft_of(table, a=None, b=None))
    assert cells(draft, "a")[:3] == [None] * 3
    assert None not in cells(draft, "a")[3:]
    assert draft.steps[0]["blanked_cells"] == 2
    assert draft.steps[0]["smallest_group"] == 3


def test_the_whole_table_keeps_means_and_variances_nearly() -> None:
    """Exactly but for the six decimals."""
    draw = np.random.default_rng(3)
    table = number_table(a=draw.integers(0, 99, 60).tolist(), b=draw.integers(0, 9, 60).tolist())
    draft = carry_out(read(k=4), draft_of(table, a=None, b=None))
    before, after = (
        np.array([[float(cell or 0) for cell in own[name].cells()] for name in "ab"])
        for own in (table, draft.table)
    )
    assert after.mean(axis=1) == pytest.approx(before.mean(axis=1), abs=1e-5)
    assert np.cov(after) == pytest.approx(np.cov(before), abs=1e-3)
    assert draft.steps[0]["information_loss"] > 0


def test_decimals_and_dates() -> None:
    rows = [["01.02.2020", "1"], ["03.02.2020", "4"], ["28.02.2020", "9"]]
    draft = carry_out(
        read(k=3, decimals=0), draft_of(Table.from_rows(["day", "n"], rows), day=None, n=None)
    )
    assert all(cell and len(cell) == 10 for cell in cells(draft, "day"))
    assert all(cell and "." not in cell for cell in cells(draft, "n"))


def test_the_last_of_all_days_is_not_passed() -> None:
    rows = [["9999-12-31"], ["2020-01-01"], ["9999-12-30"]]
    table = Table.from_rows(["day"], rows)
    for seed in range(5):
        assert len(cells(carry_out(read(k=3), draft_of(table, day=None), seed), "day")) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": {"name": "k-confusion", "columns": ["b"]}}, r"^method\.columns: columns of nu"),
        ({"method": {"name": "k-confusion", "k": 9}}, r"^method\.k: the table has 3 rows"),
        ({"method": {"name": "k-confusion", "k": 2}}, r"^method\.k: a whole number of 3 or more"),
        ({"models": [{"model": "k-concealment", "k": 2}]}, "k-concealment looks for labels"),
        ({"models": [{"model": "k-confusion", "k": 2}]}, "leave it out"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], message: str) -> None:
    table = Table.from_rows(["a", "b"], [["1", "x"], ["2", "y"], ["3", "z"]])
    columns = {"a": {"role": "quasi-identifier"}, "b": {"role": "insensitive"}}
    asked = document(columns, models=[], method={"name": "k-confusion"}) | changes
    with pytest.raises(InvalidPlan, match=message):
        protect(table, Plan.from_document(asked))
