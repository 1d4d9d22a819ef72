"""Rounding: multiples of the base, exactly, and totals that stay right on average."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.rounding import Rounding
from tests.engine.drafts import carry_out, cells, number_table, reader

rounding = reader(Rounding)


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (5, ["10", "10", "15", None, "0", "-5"]),
        (10, ["10", "10", "10", None, "0", "0"]),  # 13 and 12 to 10, −3 to 0
        (0.5, ["12.0", "12.0", "13.0", None, "0.0", "-3.0"]),
    ],
)
def test_numbers_become_the_nearest_multiple(base: float, expected: list[str | None]) -> None:
    table = number_table(x=[12, 12, 13, None, 0, -3])
    assert cells(carry_out(rounding(columns=["x"], base=base), table), "x") == expected


def test_halfway_goes_to_the_even_multiple() -> None:
    table = number_table(x=[5, 15, 25, 35])
    shown = cells(carry_out(rounding(columns=["x"], base=10), table), "x")
    assert shown == ["0", "20", "20", "40"]


def test_tenths_are_exact() -> None:
    """As floats 0.3 / 0.1 is less than 3 and would be rounded down to 0.2 now and then."""
    table = Table.from_rows(["x"], [["0.3"], ["0.7"], ["1.1"]])
    for kind in ("nearest", "random"):
        draft = carry_out(rounding(columns=["x"], base=0.1, kind=kind), table)
        assert cells(draft, "x") == ["0.3", "0.7", "1.1"]


@given(
    st.lists(st.decimals(-1000, 1000, places=2) | st.none(), max_size=20),
    st.sampled_from([0.05, 1, 3, 250]),
    st.integers(0, 9),
)
def test_at_random_goes_to_a_neighbor(
    numbers: list[Decimal | None], base: float, seed: int
) -> None:
    texts = [None if number is None else f"{number}" for number in numbers]
    table = Table.from_rows(["x"], [[text] for text in texts])
    draft = carry_out(rounding(columns=["x"], base=base, kind="random"), table, seed)
    exact = Decimal(str(base))
    for number, shown in zip(numbers, cells(draft, "x"), strict=True):
        assert (number is None) == (shown is None)
        if number is not None:
            assert Decimal(str(shown)) % exact == 0
            assert abs(Decimal(str(shown)) - number) < exact


def test_at_random_is_right_on_average() -> None:
    table = number_table(x=[13] * 4000)
    shown = cells(carry_out(rounding(columns=["x"], base=10, kind="random"), table), "x")
    assert set(shown) == {"10", "20"}
    assert shown.count("20") / 4000 == pytest.approx(0.3, abs=0.03)


def test_texts_are_refused() -> None:
    table = Table.from_rows(["x"], [["1"], ["many"]])
    with pytest.raises(InvalidPlan, match="no numbers"):
        carry_out(rounding(columns=["x"], base=5), table)


def test_a_base_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"method\.base"):
        rounding(columns=["x"], base=0)


@pytest.mark.parametrize("kind", ["nearest", "random"])
@pytest.mark.parametrize("column", [[], [None], [7]])
def test_small_columns_are_survived(kind: str, column: list[float | int | None]) -> None:
    draft = carry_out(rounding(columns=["x"], base=1, kind=kind), number_table(x=column))
    assert cells(draft, "x") == [None if cell is None else str(cell) for cell in column]
