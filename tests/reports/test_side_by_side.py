"""Rows before and after: put together rightly, for stewards alone, and on record."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.selectors import table_of
from deid_portal.reports.side_by_side import CellChange, PairedTables, view_side_by_side
from deid_portal.runs import origins as kept
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def address(run: Run) -> str:
    return reverse("reports:section", args=[run.id, "side-by-side"])


def test_every_released_row_stands_beside_its_original(run: Run) -> None:
    shown = view_side_by_side(run, {})
    assert shown is not None
    original = table_of(run.dataset).head(100)
    names = [column.name for column in shown.columns]
    assert names == list(table_of(run.dataset).names)
    before = [[cell.before for cell in row.cells] for row in shown.rows]
    assert sorted(before) == sorted([[cell or "(missing)" for cell in row] for row in original])
    with_same = [
        (cell.before, cell.after)
        for row in shown.rows
        for cell in row.cells
        if cell.change == CellChange.SAME
    ]
    assert with_same
    assert all(one == other for one, other in with_same)


def test_a_group_holds_those_who_look_alike(run: Run) -> None:
    whole = view_side_by_side(run, {})
    assert whole is not None
    assert [row.group for row in whole.rows] == sorted(row.group for row in whole.rows)
    quasi = [
        place
        for place, column in enumerate(whole.columns)
        if run.finished_report.columns[column.name].role == "quasi-identifier"
    ]
    sizes = []
    for group in range(1, whole.group_count + 1):
        shown = view_side_by_side(run, {"group": str(group)})
        assert shown is not None
        assert {row.group for row in shown.rows} == {group}
        assert len({tuple(row.cells[place].after for place in quasi) for row in shown.rows}) == 1
        sizes.append(shown.group_size)
    assert sizes == sorted(sizes)
    assert sum(sizes) == run.finished_report.rows.released
    assert sizes[0] == run.finished_report.classes.smallest


def test_who_was_left_out_is_in_no_group(run: Run) -> None:
    tables = PairedTables.of(run)
    assert tables is not None
    fewer = replace(tables, origins=tables.origins[:-3], groups=tables.groups[:-3])
    assert sorted(fewer.left_out.tolist()) == sorted(tables.origins[-3:].tolist())
    for row in fewer.pair_left_out(fewer.left_out):
        assert row.group == 0
        assert {cell.change for cell in row.cells} == {CellChange.REMOVED}
        assert {cell.after for cell in row.cells} == {""}


def test_a_pseudonym_is_not_shown_beside_whom_it_stands_for(run: Run) -> None:
    tables = PairedTables.of(run)
    assert tables is not None
    name = tables.released.names[0]
    hidden = replace(tables, pseudonyms=frozenset([name]))
    place = [column.name for column in hidden.shown_columns].index(name)
    told = {row.cells[place].after for row in hidden.pair(hidden.released_in_order())}
    assert told == {"(pseudonym)"}


def test_only_stewards_look_and_every_look_is_on_record(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    page = signed_in(cast.teammate).get(address(run), {"group": "1"}).content.decode()
    assert "Group 1:" in page
    event = Event.objects.get(action="run.rows_compared")
    assert event.actor_id == cast.teammate.id
    assert event.facts == {"rows": "released", "page": 1, "group": 1}
    for person, status in ((cast.reviewer, 403), (cast.analyst, 404), (cast.outsider, 404)):
        assert signed_in(person).get(address(run)).status_code == status
    summary = signed_in(cast.reviewer).get(reverse("reports:report", args=[run.id]))
    assert "Side by side" not in summary.content.decode()
    assert Event.objects.filter(action="run.rows_compared").count() == 1


def test_what_makes_no_sense_shows_all_rows(cast: Cast, run: Run, signed_in: SignIn) -> None:
    for asked in ({"group": "999"}, {"group": "x", "page": "x"}, {"rows": "x", "page": "-1"}):
        page = signed_in(cast.steward).get(address(run), asked).content.decode()
        assert "Every row beside what became of it" in page


def test_rows_that_were_not_kept_are_not_put_together(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    kept.delete_origins(run, run.attempt)
    assert view_side_by_side(run, {}) is None
    page = signed_in(cast.steward).get(address(run)).content.decode()
    assert "cannot be put beside those of the table" in page
    assert not Event.objects.filter(action="run.rows_compared").exists()
