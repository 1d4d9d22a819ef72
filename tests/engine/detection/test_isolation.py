"""One-of-a-kind rows with and without each column, against counting them one by one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, Table
from deid_portal.engine.detection import isolation, measure_isolation
from deid_portal.engine.table.values import ColumnType
from tests.engine.detection.suggested_roles import suggest_roles
from tests.engine.tables import adult_table

cells = st.lists(st.tuples(*[st.sampled_from(["a", "b", None])] * 3), min_size=1, max_size=30)


def _alone(rows: list[tuple[str | None, ...]], places: tuple[int, ...]) -> float:
    counts = Counter(tuple(row[place] for place in places) for row in rows)
    return sum(1 for times in counts.values() if times == 1) / len(rows)


@given(rows=cells)
def test_it_counts_what_counting_one_by_one_finds(rows: list[tuple[str | None, ...]]) -> None:
    table = Table.from_rows(("a", "b", "c"), rows)
    found = measure_isolation(table.columns.__getitem__, (0, 1, 2), len(rows))
    assert found.together == pytest.approx(_alone(rows, (0, 1, 2)))
    assert found.without == pytest.approx(
        {0: _alone(rows, (1, 2)), 1: _alone(rows, (0, 2)), 2: _alone(rows, (0, 1))}
    )


def test_half_of_adult_is_one_of_a_kind_and_a_seventh_without_age() -> None:
    table = adult_table()
    found = measure_isolation(table.columns.__getitem__, range(9), table.rows)
    assert round(100 * found.together, 1) == 51.4
    assert round(found.without[table.names.index("age")] * table.rows) == 4418


def test_a_long_table_is_counted_in_part_and_the_share_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(3)
    columns = [
        Column(f"x{n}", ColumnType.TEXT, chance.integers(0, 60, 20_000), tuple(map(str, range(60))))
        for n in range(3)
    ]
    whole = measure_isolation(columns.__getitem__, range(3), 20_000)
    monkeypatch.setattr(isolation, "ROWS_COUNTED", 2_000)
    part = measure_isolation(columns.__getitem__, range(3), 20_000)
    assert part.together == pytest.approx(whole.together, abs=0.05)
    assert part.without == pytest.approx(whole.without, abs=0.05)


def test_no_column_isolates_nobody() -> None:
    table = Table.from_rows(("a",), [("x",), ("y",)])
    assert measure_isolation(table.columns.__getitem__, (), 2).together == 0


def test_a_suggestion_says_what_goes_with_the_column() -> None:
    table = adult_table()
    found = dict(zip(table.names, suggest_roles(table).suggestions, strict=True))
    assert found["age"].reason.endswith(
        "Without it, one-of-a-kind rows fall from 46\u00a0% to 12\u00a0%."
    )
    assert found["education"].danger == "high"
    assert found["sex"].danger == "some"
    assert found["salary-class"].isolation is None
    pair = found["age"].pair
    assert pair is not None
    assert len(pair.places) == 2
