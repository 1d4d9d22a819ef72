"""Which rows of a person count."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.differential import PersonUnit
from deid_portal.engine.differential.selection.rows import keep_some_of_each

cells = st.tuples(st.sampled_from(["1", "2", "3", None]), st.sampled_from("abcdef"))


def kept(rows: list[tuple[str | None, str]], limit: int) -> list[tuple[str | None, str]]:
    table = Table.from_rows(["person", "value"], rows)
    mask = keep_some_of_each(table, PersonUnit("person", limit), table.names)
    return sorted((row for row, stays in zip(rows, mask, strict=True) if stays), key=str)


@given(st.lists(cells, max_size=30), st.integers(1, 4), st.randoms())
def test_the_order_of_rows_makes_no_difference(
    rows: list[tuple[str | None, str]], limit: int, chance: np.random.Generator
) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert kept(rows, limit) == kept(shuffled, limit)


@given(st.lists(cells, max_size=30), st.integers(1, 4))
def test_nobody_has_more_rows_than_the_cap_and_nobody_changes_another(
    rows: list[tuple[str | None, str]], limit: int
) -> None:
    everybody = kept(rows, limit)
    for person in ("1", "2", "3"):
        own = [row for row in rows if row[0] == person]
        assert [row for row in everybody if row[0] == person] == kept(own, limit)
        assert len(kept(own, limit)) == min(limit, len(own))
    assert all(person is not None for person, _ in everybody)


def test_small_numbers_are_not_kept_more_often() -> None:
    """A choice by the order of cells would move every mean down."""
    rows = [(str(person), str(number)) for person in range(300) for number in range(10, 20)]
    numbers = [int(number) for _, number in kept(rows, 1)]
    assert 14 < np.mean(numbers) < 15
