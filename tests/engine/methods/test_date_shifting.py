"""Date shifting: one person, one shift; the form, the time of day and the gaps stay."""

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.date_shifting import DateShifting
from tests.engine.drafts import carry_out, cells, draft_of, reader

date_shifting = reader(DateShifting)
STAYS = Table.from_rows(
    ["patient", "came", "left"],
    [
        ["Ann", "2020-01-30", "2020-02-03"],
        ["Ben", "2020-03-01", None],
        ["Ann", "2021-12-30", "2022-01-02"],
        [None, "2020-05-05", "2020-05-06"],
        [None, "2020-05-05", "2020-05-06"],
    ],
)


def days(texts: list[str | None]) -> list[int | None]:
    return [None if text is None else date.fromisoformat(text).toordinal() for text in texts]


def test_all_dates_of_a_person_move_alike() -> None:
    draft = carry_out(date_shifting(columns=["came", "left"], days=50, person="patient"), STAYS, 3)
    came = np.array(days(cells(draft, "came"))) - np.array(days(list(STAYS["came"].cells())))
    assert came[0] == came[2] != came[1]
    left = days(cells(draft, "left"))
    assert [left[0] - days(cells(draft, "came"))[0], left[1]] == [4, None]  # type: ignore[operator]
    assert came[3] != came[4]  # two rows without a name are not one person
    assert (np.abs(came) <= 50).all()
    assert (came != 0).all()


def test_without_a_person_every_row_moves_by_itself() -> None:
    draft = carry_out(date_shifting(columns=["came", "left"], days=300), STAYS, 4)
    came, left = days(cells(draft, "came")), days(cells(draft, "left"))
    moved = np.array(came) - np.array(days(list(STAYS["came"].cells())))
    assert len(set(moved.tolist())) == 5
    stays = [None if b is None or a is None else b - a for a, b in zip(came, left, strict=True)]
    assert stays == [4, None, 3, 1, 1]


def test_shifts_are_drawn_evenly_without_zero() -> None:
    table = Table.from_rows(["day"], [["2020-01-04"]] * 6000)
    shown = cells(carry_out(date_shifting(columns=["day"], days=3), table), "day")
    counts = {text: shown.count(text) for text in set(shown)}
    expected = ["01", "02", "03", "05", "06", "07"]
    assert sorted(counts, key=str) == [f"2020-01-{day}" for day in expected]
    assert list(counts.values()) == pytest.approx([1000] * 6, rel=0.12)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%d.%m.%Y", "31.12.1999"),
        ("%m/%d/%Y", "12/31/1999"),
        ("%Y-%m-%d %H:%M", "1999-12-31 23:59"),
        ("%Y-%m-%dT%H:%M:%S", "1999-12-31T23:59:58"),
        ("%Y-%m-%d", "0099-12-31"),
    ],
)
def test_the_form_and_the_time_of_day_stay(form: str, text: str) -> None:
    draft = carry_out(date_shifting(columns=["x"], days=2), Table.from_rows(["x"], [[text]]))
    shown = datetime.strptime(str(cells(draft, "x")[0]), form)
    difference = shown - datetime.strptime(text, form)
    assert difference.seconds == 0
    assert 1 <= abs(difference.days) <= 2


def test_the_person_may_be_a_column_that_was_changed_or_rows_that_were_dropped() -> None:
    start = draft_of(STAYS)
    anonymous = start.with_columns(start.table["patient"].take(np.array([1, 1, 1, 1, 1])))
    kept = anonymous.keep(np.array([True, False, True, False, False]))
    came = days(
        cells(carry_out(date_shifting(columns=["came"], days=9, person="patient"), kept), "came")
    )
    assert came[1] - came[0] == 700  # type: ignore[operator]


@pytest.mark.parametrize("cell", ["soon", "2020", "20-29"])
def test_what_is_no_date_is_refused(cell: str) -> None:
    table = Table.from_rows(["x"], [["2020-01-01"], [cell]])
    with pytest.raises(InvalidPlan, match="no dates"):
        carry_out(date_shifting(columns=["x"], days=9), table)


def test_the_end_of_the_calendar_is_refused() -> None:
    table = Table.from_rows(["x"], [["9999-12-30"]] * 20)
    with pytest.raises(InvalidPlan, match="calendar"):
        carry_out(date_shifting(columns=["x"], days=300), table)


@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)) | st.none(), max_size=12))
def test_order_within_a_person_is_kept(dates: list[date | None]) -> None:
    rows = [["one", None if day is None else day.isoformat()] for day in dates]
    method = date_shifting(columns=["day"], days=400, person="who")
    if not any(dates):
        return
    shown = days(cells(carry_out(method, Table.from_rows(["who", "day"], rows)), "day"))
    shifts = {new - old.toordinal() for new, old in zip(shown, dates, strict=True) if new and old}
    assert len(shifts) == 1
    assert [day is None for day in shown] == [day is None for day in dates]
