"""Noise: as much as asked, right on average, and gaps stay gaps."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.perturbation.noise import Noise
from deid_portal.engine.methods.perturbation.noisy_numbers import (
    add_correlated_noise,
    covariance_of,
)
from deid_portal.engine.table.numbers import Numbers, decimals_of, numbers_of
from tests.engine.drafts import carry_out, cells, number_table, reader

noise = reader(Noise)
SALARIES = number_table(salary=[1000, 2000, None, 3000, 2500], age=[25, 31, 40, None, 52])


def many(rows: int = 8_000) -> Table:
    """Return two related columns of many rows."""
    generator = np.random.default_rng(7)
    first = generator.normal(1000, 100, rows)
    second = 0.5 * first + generator.normal(0, 30, rows)
    return number_table(first=np.round(first, 2).tolist(), second=np.round(second, 2).tolist())


def as_numbers(table: Table) -> Numbers:
    return np.column_stack([numbers_of(column)[column.codes] for column in table.columns])


def test_additive_noise_has_the_deviation_asked_for() -> None:
    table = many()
    draft = carry_out(noise(columns=["first"], scale=0.5), table)
    added = as_numbers(draft.table)[:, 0] - as_numbers(table)[:, 0]
    assert added.std() == pytest.approx(50, rel=0.04)
    assert added.mean() == pytest.approx(0, abs=2.5)
    assert draft.steps[0]["noise_deviation"]["first"] == pytest.approx(50, rel=0.04)
    assert cells(draft, "second") == list(table["second"].cells())


def test_multiplicative_noise_has_mean_one_and_keeps_signs_and_zeros() -> None:
    table = number_table(x=[10_000.5] * 8_000 + [-3.0, 0.0])
    shown = as_numbers(
        carry_out(noise(columns=["x"], scale=0.2, kind="multiplicative"), table).table
    )
    factors = shown[:8_000, 0] / 10_000.5
    assert factors.mean() == pytest.approx(1, abs=0.005)
    assert factors.std() == pytest.approx(0.2, rel=0.04)
    assert shown[8_000, 0] < 0
    assert shown[8_001, 0] == 0


def test_correlated_noise_keeps_means_and_covariances() -> None:
    table = many()
    before = as_numbers(table)
    draft = carry_out(noise(columns=["first", "second"], scale=1.0, kind="correlated"), table)
    after = as_numbers(draft.table)
    assert after.mean(axis=0) == pytest.approx(before.mean(axis=0), rel=0.005)
    assert covariance_of(after) == pytest.approx(covariance_of(before), rel=0.06)
    assert np.corrcoef(before[:, 0], after[:, 0])[0, 1] == pytest.approx(np.sqrt(0.5), abs=0.02)


@pytest.mark.parametrize("kind", ["additive", "correlated", "multiplicative"])
def test_the_report_says_how_far_numbers_move(kind: str) -> None:
    table = many()
    draft = carry_out(noise(columns=["first", "second"], scale=0.6, kind=kind), table)
    moved = (as_numbers(draft.table) - as_numbers(table)).std(axis=0)
    said = draft.steps[0]["noise_deviation"]
    assert list(said.values()) == pytest.approx(moved, rel=0.05)


def test_additive_noise_weakens_relations_where_correlated_does_not() -> None:
    table = many()
    kinds = {
        kind: as_numbers(
            carry_out(noise(columns=["first", "second"], scale=1, kind=kind), table).table
        )
        for kind in ("additive", "correlated")
    }
    relation = {kind: np.corrcoef(numbers.T)[0, 1] for kind, numbers in kinds.items()}
    assert relation["correlated"] == pytest.approx(np.corrcoef(as_numbers(table).T)[0, 1], abs=0.02)
    assert relation["additive"] < 0.5


@pytest.mark.parametrize("kind", ["additive", "correlated", "multiplicative"])
def test_gaps_stay_and_whole_numbers_stay_whole(kind: str) -> None:
    draft = carry_out(noise(columns=["salary", "age"], scale=0.3, kind=kind), SALARIES)
    assert [cell is None for cell in cells(draft, "salary")] == [0, 0, 1, 0, 0]
    assert [cell is None for cell in cells(draft, "age")] == [0, 0, 0, 1, 0]
    assert all(decimals_of(column) == 0 for column in draft.table.columns)
    assert cells(draft, "salary") != list(SALARIES["salary"].cells())
    json.dumps(draft.steps, allow_nan=False)


@pytest.mark.parametrize("kind", ["additive", "correlated", "multiplicative"])
@pytest.mark.parametrize("column", [[5], [5, 5, 5], [None, None], [None, 3]])
def test_columns_with_nothing_to_spread_are_survived(
    kind: str, column: list[float | int | None]
) -> None:
    table = number_table(x=column)
    draft = carry_out(noise(columns=["x"], scale=0.5, kind=kind), table)
    assert [cell is None for cell in cells(draft, "x")] == [cell is None for cell in column]
    if kind != "multiplicative":
        assert cells(draft, "x") == list(table["x"].cells())


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=3, max_size=20))
def test_columns_that_depend_on_each_other_still_do(rows: list[tuple[float, float]]) -> None:
    """A column and its double have a covariance that cannot be inverted; the noise fits it."""
    first = np.array([row[0] for row in rows])
    noisy = add_correlated_noise(np.column_stack([first, 2 * first]), 0.7, np.random.default_rng(2))
    assert noisy[:, 1] == pytest.approx(2 * noisy[:, 0], abs=1e-3)


def test_a_decimal_comma_is_kept() -> None:
    table = Table.from_rows(["x"], [["1.25"], ["2.50"], ["9.75"]])
    column = table["x"]
    comma = Table(
        (
            type(column)(
                "x",
                column.type,
                column.codes,
                tuple(str(text).replace(".", ",") for text in column.values),
                ",",
            ),
        )
    )
    shown = cells(carry_out(noise(columns=["x"], scale=0.1), comma), "x")
    assert all(cell is not None and "," in cell and len(cell.split(",")[1]) == 2 for cell in shown)


def test_texts_are_refused_without_naming_them() -> None:
    table = Table.from_rows(["x"], [["1"], ["[2, 3)"], [None]])
    with pytest.raises(InvalidPlan, match='1 values of the column "x" are no numbers'):
        carry_out(noise(columns=["x"], scale=0.1), table)


def test_a_scale_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"method\.scale"):
        noise(columns=["x"], scale=0)
