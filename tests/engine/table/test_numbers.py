"""Numbers written as cells and read back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine.table.numbers import number_column, numbers_of
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType, infer_type

LIKE = Column.from_cells("x", ["1"])
COMMA = Column("x", ColumnType.NUMBER, np.zeros(1, np.int32), ("1,5",), ",")


@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")) | st.just(-0.0), max_size=12),
    st.sampled_from([None, 0, 2]),
    st.sampled_from([LIKE, COMMA]),
)
def test_cells_hold_the_rounded_numbers(
    numbers: list[float], decimals: int | None, like: Column
) -> None:
    column = number_column(like, np.array(numbers), decimals)
    back = numbers_of(column)[column.codes] if numbers else np.zeros(0)
    digits = 6 if decimals is None else decimals
    assert back == pytest.approx(np.round(numbers, digits), nan_ok=True, abs=1e-7)
    assert column.type == infer_type(column.values, like.decimal)
    assert column.decimal == like.decimal


def test_numbers_are_written_as_people_write_them() -> None:
    numbers = np.array([1.0, 2.5, -0.0, np.nan, 1e20, -0.001])
    assert list(number_column(LIKE, numbers, None).cells()) == [
        "1",
        "2.5",
        "0",
        None,
        "100000000000000000000",
        "-0.001",
    ]
    assert list(number_column(COMMA, numbers[:3], 2).cells()) == ["1,00", "2,50", "0,00"]


def test_it_says_how_far_it_is() -> None:
    calls: list[int] = []
    number_column(LIKE, np.arange(140_000.0), 0, lambda: calls.append(1))
    assert len(calls) == 3
