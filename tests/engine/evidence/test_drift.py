"""Two columns of a few rows each; every figure can be checked by eye."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from deid_portal.engine import Column, ColumnType
from deid_portal.engine.evidence.difference_tests import (
    Difference,
    compare_counts,
    compare_numbers,
)
from deid_portal.engine.evidence.drift import (
    ColumnDrift,
    DriftBar,
    DriftVerdict,
    are_same_rows,
    judge_drift,
    measure_column_drift,
)


def column(cells: list[str | None], type: ColumnType | None = None) -> Column:
    return Column.from_cells("x", cells, type)


def compare(before: list[str | None], after: list[str | None]) -> ColumnDrift:
    return measure_column_drift(column(before), column(after))


def test_equal_columns_have_not_drifted() -> None:
    drift = compare(["a", "b", "b", None], ["b", None, "a", "b"])
    assert (drift.distance, drift.verdict) == (0, DriftVerdict.SAME)
    assert (drift.new_values, drift.new_rows, drift.gone_values) == (0, 0, 0)


def test_the_distance_of_words_is_the_share_that_would_have_to_change() -> None:
    # a: 2/4 and 1/4, b: 2/4 and 2/4, c: 0 and 1/4; half of the differences is a quarter.
    drift = compare(["a", "a", "b", "b"], ["a", "b", "b", "c"])
    assert drift.distance == pytest.approx(0.25)
    assert (drift.new_values, drift.new_rows, drift.gone_values) == (1, 1, 0)


def test_a_gap_is_a_value_but_no_new_one() -> None:
    drift = compare(["a", "a", "b", "b"], ["a", "b", "b", None])
    assert drift.distance == pytest.approx(0.25)
    assert drift.new_values == 0


def test_the_distance_of_numbers_is_the_largest_gap_between_the_curves() -> None:
    # Up to 2: three of four before, one of four after.
    drift = compare(["1", "1", "2", "9"], ["2", "8", "9", "9"])
    assert drift.distance == pytest.approx(0.5)


def test_numbers_and_whole_numbers_can_be_compared() -> None:
    drift = measure_column_drift(
        column(["1", "2"], ColumnType.INTEGER), column(["1", "2.0"], ColumnType.NUMBER)
    )
    assert drift.distance == 0


def test_dates_are_compared_by_their_days_whatever_their_form() -> None:
    drift = compare(["2026-01-01", "2026-01-02"], ["01.01.2026", "02.01.2026"])
    assert drift.distance == 0
    assert [bar.label for bar in drift.bars] == ["2026-01-01", "2026-01-02"]


def test_missing_numbers_count_even_if_the_others_are_the_same() -> None:
    drift = compare(["1", "2", "3", "4"], ["1", "2", None, None])
    # The curves of what is there differ by half, and half is missing.
    assert drift.distance == pytest.approx(0.5)
    gaps = [bar for bar in drift.bars if bar.label is None]
    assert gaps == [DriftBar(None, 0, 2)]


def test_a_column_of_names_is_not_compared() -> None:
    people = [f"person {number}" for number in range(40)]
    others = [f"somebody {number}" for number in range(40)]
    drift = measure_column_drift(column([*people]), column([*others]))
    assert (drift.distance, drift.verdict) == (None, DriftVerdict.NOT_COMPARED)
    assert drift.new_values == 40


def test_an_empty_table_is_not_compared() -> None:
    assert compare([], ["a"]).verdict == DriftVerdict.NOT_COMPARED
    assert compare([None], [None]).distance == 0


@pytest.mark.parametrize(
    ("distance", "p", "verdict"),
    [
        (0.0, 1.0, DriftVerdict.SAME),
        (0.3, 0.02, DriftVerdict.SAME),  # no more than chance would make
        (0.01, 0.001, DriftVerdict.SHIFTED),
        (0.2, 0.001, DriftVerdict.SHIFTED),
        (0.21, 0.001, DriftVerdict.DIFFERENT),
    ],
)
def test_the_word_for_a_difference(distance: float, p: float, verdict: DriftVerdict) -> None:
    assert judge_drift(Difference(distance, p, 0.1)) == verdict
    assert judge_drift(None) == DriftVerdict.NOT_COMPARED


COLUMNS = 15
ROWS = 30_000


def ages(generator: np.random.Generator, rows: int = ROWS) -> NDArray[np.int64]:
    return np.clip(generator.normal(45, 13.6, rows), 17, 95).astype(np.int64)


def measure(before: NDArray[Any], after: NDArray[Any], type: ColumnType) -> ColumnDrift:
    pair = (column([str(cell) for cell in own], type) for own in (before, after))
    return measure_column_drift(*pair, COLUMNS)


def test_five_years_more_for_a_tenth_are_seen_in_a_table_of_thousands() -> None:
    """Of other people, where it is as large as what is said to be seen in four of five cases."""
    verdicts = []
    for number in range(10):
        chance = np.random.default_rng(number)
        before, after = ages(chance), ages(chance)
        after[: ROWS // 10] += 5
        found = measure(before, after, ColumnType.INTEGER)
        verdicts.append(found.verdict)
        assert found.difference is not None
        assert found.difference.shift_unseen == pytest.approx(0.5, abs=0.03)
    assert verdicts.count(DriftVerdict.SHIFTED) >= 5
    assert DriftVerdict.DIFFERENT not in verdicts


def test_five_years_more_in_the_same_rows_are_counted_however_few() -> None:
    before = ages(np.random.default_rng(1), 3_000)
    after = before.copy()
    after[:300] += 5
    found = measure(before, after, ColumnType.INTEGER)
    assert (found.verdict, found.moved) == (DriftVerdict.SAME, 300)  # nothing a test could see
    assert found.with_same_rows(3_000).verdict == DriftVerdict.SHIFTED
    few = replace(found, moved=14)
    assert few.with_same_rows(3_000).verdict == DriftVerdict.SAME


def test_rows_are_the_same_people_if_names_or_most_columns_agree_in_their_places() -> None:
    chance = np.random.default_rng(1)
    names = np.array([f"person {number}" for number in range(400)])
    jobs = chance.choice(["cook", "nurse", "clerk"], 400)
    agreeing, other = (
        measure(jobs, jobs, ColumnType.TEXT),
        measure(jobs, chance.permutation(jobs), ColumnType.TEXT),
    )
    assert are_same_rows([measure(names, names, ColumnType.TEXT), other, other])
    assert are_same_rows([agreeing, agreeing, agreeing, other])
    assert not are_same_rows([agreeing, agreeing, other])
    assert not are_same_rows([other, other, other, agreeing])
    assert measure(jobs, jobs[:300], ColumnType.TEXT).moved is None


@pytest.mark.parametrize("rows", [3_000, ROWS])
def test_a_new_value_in_500_rows_is_seen(rows: int) -> None:
    chance = np.random.default_rng(2)
    before, after = (
        chance.choice(["a", "b", "c", "d"], rows, p=[0.4, 0.3, 0.2, 0.1]) for _ in range(2)
    )
    after = np.where(np.arange(rows) < 500, "new", after)
    found = measure(before, after, ColumnType.TEXT)
    assert found.verdict in (DriftVerdict.SHIFTED, DriftVerdict.DIFFERENT)
    assert (found.new_values, found.new_rows) == (1, 500)


@pytest.mark.parametrize("is_number", [True, False])
def test_what_is_said_to_be_seen_is_seen_in_four_of_five_cases(is_number: bool) -> None:
    """A bulk of rows moves from one half of the values to the other, by the least that is said."""
    seen = []
    for number in range(40):
        chance = np.random.default_rng(number)
        before, after = (chance.integers(0, 2, 4_000) for _ in range(2))
        type = ColumnType.INTEGER if is_number else ColumnType.TEXT
        said = measure(before, before, type).difference
        assert said is not None
        moving = np.flatnonzero(after == 0)[: round(said.visible_from * 4_000)]
        after[moving] = 1
        found = measure(before, after, type)
        assert found.difference is not None
        seen.append(found.difference.is_seen)
    assert sum(seen) >= 28  # at 80 %, fewer are seen once in seventy such tries


def test_tests_agree_with_those_of_another_library() -> None:
    chance = np.random.default_rng(3)
    before, after = (chance.poisson(4 + more, 900) for more in (0.0, 0.2))
    points = np.union1d(before, after)
    rows = np.array([[(own == point).sum() for point in points] for own in (before, after)])
    none = np.zeros(2, np.int64)
    found = compare_numbers(points.astype(float), rows, none)
    curves = stats.ks_2samp(before, after, method="asymp")
    ranks = stats.mannwhitneyu(before, after, method="asymptotic", use_continuity=False)
    assert found.distance == pytest.approx(curves.statistic)
    assert found.p == pytest.approx(3 * min(curves.pvalue, ranks.pvalue), rel=1e-3)
    words = np.array([[50, 30, 20], [30, 40, 30]])
    table = stats.chi2_contingency(words, correction=False)
    assert compare_counts(words).p == pytest.approx(2 * table.pvalue)
    assert compare_counts(words, 5).p == pytest.approx(10 * table.pvalue)


def test_missing_cells_alone_can_be_the_difference() -> None:
    rows = np.array([[500, 500], [450, 450]])
    found = compare_numbers(np.array([1.0, 2.0]), rows, np.array([0, 100]))
    assert found.is_seen
    assert found.distance == pytest.approx(0.1)
    nothing_left = compare_numbers(np.array([1.0]), np.array([[50], [0]]), np.array([0, 50]))
    assert (nothing_left.is_seen, nothing_left.distance) == (True, 1)


@pytest.mark.parametrize("is_number", [True, False])
def test_two_samples_of_one_source_are_called_the_same(is_number: bool) -> None:
    """Chance alone exceeds its limit in one of a hundred."""
    generator = np.random.default_rng(7)
    verdicts = []
    for rows in (20, 200, 2000):
        for _ in range(20):
            pair = []
            for _ in range(2):
                cells = generator.integers(0, 30, rows) if is_number else generator.zipf(1.5, rows)
                texts = [str(cell) if is_number else f"value {cell % 40}" for cell in cells]
                pair.append(column([*texts]))
            verdicts.append(measure_column_drift(*pair).verdict)
    assert verdicts.count(DriftVerdict.SAME) >= len(verdicts) - 1


def test_another_source_is_called_different() -> None:
    generator = np.random.default_rng(7)
    young = [str(age) for age in generator.integers(20, 40, 500)]
    old = [str(age) for age in generator.integers(35, 70, 500)]
    drift = measure_column_drift(column([*young]), column([*old]))
    assert drift.verdict == DriftVerdict.DIFFERENT
    assert drift.distance is not None
    assert drift.distance > 0.7


def test_the_bars_of_both_tables_stand_side_by_side() -> None:
    drift = compare(["a", "a", "b", None], ["b", "c", "c", "c"])
    assert drift.bars == (
        DriftBar("c", 0, 3),
        DriftBar("a", 2, 0),
        DriftBar("b", 1, 1),
        DriftBar(None, 1, 0),
    )


def test_many_words_share_the_last_bar() -> None:
    many: list[str | None] = [f"v{n}" for n in range(30) for _ in range(30 - n)]
    drift = compare(many, many)
    assert len(drift.bars) == 16
    assert drift.bars[-1].label == "other values"
    assert sum(bar.before for bar in drift.bars) == len(many)


def test_an_outlier_does_not_flatten_the_picture() -> None:
    numbers: list[str | None] = [str(n % 100) for n in range(1000)]
    drift = compare(numbers, [*numbers, "99999999"])
    assert len(drift.bars) == 15
    assert sum(bar.after for bar in drift.bars) == 1001
    assert max(bar.after for bar in drift.bars) < 200
    assert [bar.label for bar in drift.bars[:3]] == ["0", "7", "14"]


def test_every_row_is_in_a_bar_of_numbers() -> None:
    drift = compare(["-5", "0", "3"], ["1", "2", None])
    assert sum(bar.before for bar in drift.bars) == 3
    assert sum(bar.after for bar in drift.bars) == 3
