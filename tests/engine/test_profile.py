from deid_portal.engine import Column
from deid_portal.engine.profile import profile_column, profile_table
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


def test_progress_counts_columns() -> None:
    calls: list[tuple[int, int, str]] = []
    profiles = profile_table(
        FOUR, lambda done, total, phase, **_: calls.append((done, total, phase))
    )
    assert [profile.name for profile in profiles] == list(FOUR.names)
    assert calls[-1] == (3, 3, "profile")
