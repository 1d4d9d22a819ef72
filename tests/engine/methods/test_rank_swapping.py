"""Rank swapping: the same values, nobody's far from home, and not by the order of the table."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.errors import Cancelled, InvalidPlan
from deid_portal.engine.methods.perturbation.rank_partners import swap_ranks
from deid_portal.engine.methods.perturbation.rank_swapping import RankSwapping
from deid_portal.engine.progress import Progress
from tests.engine.drafts import carry_out, cells, number_table, reader

rank_swapping = reader(RankSwapping)


@given(
    st.lists(st.integers(0, 30) | st.none(), max_size=40),
    st.integers(1, 12),
    st.integers(0, 2**32),
)
def test_pairs_change_places_within_the_window(
    numbers: list[int | None], window: int, seed: int
) -> None:
    positions = np.array([np.nan if number is None else number for number in numbers], np.float64)
    giver = swap_ranks(positions, window, np.random.default_rng(seed), Progress(None))
    rows = np.arange(len(numbers))
    assert (giver[giver] == rows).all()
    assert (giver[np.isnan(positions)] == rows[np.isnan(positions)]).all()
    ordered = np.sort(positions[~np.isnan(positions)])
    for row in np.flatnonzero(~np.isnan(positions)):
        own = np.searchsorted(ordered, positions[row], "right") - 1
        other = np.searchsorted(ordered, positions[giver[row]], "left")
        assert other - own <= window  # the nearest the two can stand, given ties


def test_everybody_but_an_odd_one_out_finds_a_partner() -> None:
    for rows in range(1, 30):
        giver = swap_ranks(
            np.arange(rows, dtype=np.float64), 5, np.random.default_rng(rows), Progress(None)
        )
        alone = int((giver == np.arange(rows)).sum())
        assert alone % 2 == rows % 2
        assert alone <= 3


def test_every_partner_in_the_window_is_equally_likely() -> None:
    """The lowest of six with a window of three meets each of the next three a third of times."""
    partners = [
        int(swap_ranks(np.arange(6.0), 3, np.random.default_rng(seed), Progress(None))[0])
        for seed in range(3000)
    ]
    counts = np.bincount(partners, minlength=6)
    assert counts[[0, 4, 5]].sum() == 0
    assert counts[1:4] == pytest.approx([1000] * 3, rel=0.1)


def test_values_stay_and_columns_move_apart() -> None:
    table = number_table(a=list(range(1000)), b=list(range(1000)))
    draft = carry_out(rank_swapping(columns=["a", "b"], window=5), table)
    for name in ("a", "b"):
        assert sorted(cells(draft, name)) == sorted(table[name].cells())  # type: ignore[type-var]
        moved = [abs(int(str(cell)) - row) for row, cell in enumerate(cells(draft, name))]
        assert 0 < max(moved) <= 50
    assert cells(draft, "a") != cells(draft, "b")
    step = draft.steps[0]["columns"]["a"]
    assert step == {"ranks": 50, "changed_share": pytest.approx(1.0, abs=0.05)}


def test_dates_are_ranked_as_dates_and_texts_by_the_alphabet() -> None:
    table = Table.from_rows(
        ["born", "town"],
        [["31.12.1999", "b"], ["01.01.2000", "a"], ["02.01.2000", "d"], ["01.02.2000", "c"]],
    )
    draft = carry_out(rank_swapping(columns=["born", "town"], window=25), table)
    assert cells(draft, "born") == ["01.01.2000", "31.12.1999", "01.02.2000", "02.01.2000"]
    assert cells(draft, "town") == ["a", "b", "c", "d"]


@pytest.mark.parametrize("column", [[7], [7, 7, 7], [None, None], [None, 7]])
def test_small_and_even_columns_are_survived(column: list[float | int | None]) -> None:
    draft = carry_out(rank_swapping(columns=["x"], window=10), number_table(x=column))
    assert cells(draft, "x") == [None if cell is None else str(cell) for cell in column]


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"method\.window"):
        rank_swapping(columns=["x"], window=0)


def test_it_can_be_stopped_and_repeated() -> None:
    table = number_table(x=list(range(100)))
    method = rank_swapping(columns=["x"], window=10)
    first, again, other = (cells(carry_out(method, table, seed), "x") for seed in (1, 1, 2))
    assert first == again != other

    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        carry_out(method, table, progress=stop)
