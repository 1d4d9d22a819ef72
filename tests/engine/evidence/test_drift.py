"""Two columns of a few rows each; every figure can be checked by eye."""

import numpy as np
import pytest

from deid_portal.engine import Column, ColumnType
from deid_portal.engine.evidence.drift import (
    ColumnDrift,
    DriftBar,
    DriftVerdict,
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
    ("distance", "chance", "verdict"),
    [
        (None, 0.0, DriftVerdict.NOT_COMPARED),
        (0.0, 0.0, DriftVerdict.SAME),
        (0.05, 0.0, DriftVerdict.SAME),
        (0.06, 0.01, DriftVerdict.SHIFTED),
        (0.2, 0.01, DriftVerdict.SHIFTED),
        (0.21, 0.01, DriftVerdict.DIFFERENT),
        (0.3, 0.4, DriftVerdict.SAME),  # no more than chance would make
    ],
)
def test_the_word_for_a_distance(
    distance: float | None, chance: float, verdict: DriftVerdict
) -> None:
    assert judge_drift(distance, chance) == verdict


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
