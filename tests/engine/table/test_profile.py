import math
from collections import Counter
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, ColumnType
from deid_portal.engine.table.profile import profile_column
from deid_portal.engine.table.values import infer_type
from tests.engine.tables import FOUR


def test_counts_gaps_uniques_and_the_rarest() -> None:
    profile = profile_column(FOUR["age"])
    assert (profile.rows, profile.missing, profile.distinct) == (4, 1, 2)
    assert (profile.uniques, profile.rarest) == (1, 1)
    assert profile.most_frequent == (("28", 2), ("35", 1))
    assert (profile.minimum, profile.maximum) == (28, 35)


def test_histogram_has_at_most_sixteen_bars_and_all_rows() -> None:
    columns = [
        Column.from_cells("text", [f"v{number % 40}" for number in range(400)]),
        Column.from_cells("integer", [str(number % 90) for number in range(400)]),
        Column.from_cells("number", [f"{number / 8}" for number in range(400)]),
        Column.from_cells("date", [f"20{number % 30 + 10}-01-15" for number in range(400)]),
        Column.from_cells("one", ["7"] * 400),
    ]
    for column in columns:
        bars = profile_column(column).histogram
        assert len(bars) <= 16
        assert sum(rows for _, rows in bars) == 400


def test_column_of_gaps_only() -> None:
    profile = profile_column(Column.from_cells("a", [None, None]))
    assert (profile.missing, profile.distinct, profile.rarest, profile.histogram) == (2, 0, 0, ())


@given(
    st.lists(
        st.none()
        | st.integers(-30, 30).map(str)
        | st.decimals(-9, 9, places=1).map(str)
        | st.dates(date(2019, 1, 1), date(2021, 1, 1)).map(str)
        | st.text("abcé", min_size=1, max_size=2),
        max_size=60,
    ),
    st.sampled_from([None, "integer", "number", "date"]),
)
def test_profile_is_what_counting_one_by_one_gives(
    cells: list[str | None], kind: str | None
) -> None:
    kept = cells if kind is None else [c for c in cells if c is None or infer_type([c]) == kind]
    column = Column.from_cells("x", kept)
    profile = profile_column(column)
    counts = Counter(cell for cell in kept if cell is not None)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    assert (profile.rows, profile.missing) == (len(kept), kept.count(None))
    assert profile.distinct == len(counts)
    assert profile.uniques == sum(1 for rows in counts.values() if rows == 1)
    assert profile.rarest == min(counts.values(), default=0)
    assert profile.most_frequent == tuple(ordered[:12])
    assert sum(rows for _, rows in profile.histogram) == counts.total()
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        numbers = [float(text) for text, rows in counts.items() for _ in range(rows)]
        products = [float(text) * rows for text, rows in counts.items()]
        assert (profile.minimum, profile.maximum) == (min(numbers), max(numbers))
        assert profile.mean == math.fsum(products) / len(numbers)
    elif column.type != ColumnType.DATE:
        assert profile.histogram[:15] == tuple(ordered[:15])


def test_numbers_beyond_all_floats_are_counted_as_values() -> None:
    column = Column.from_cells("x", ["1e999", *(str(number) for number in range(30))])
    profile = profile_column(column)
    assert (profile.type, profile.distinct) == (ColumnType.NUMBER, 31)
    assert (profile.minimum, profile.mean) == (None, None)
    assert sum(rows for _, rows in profile.histogram) == 31
