"""A run under way: stopped by a person, and killed with its worker, in the real portal."""

import os
import signal
import sqlite3
from contextlib import closing

from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Person
from tests.journeys.reset import forget_killed_workers
from tests.launcher.pause import workers_paused
from tests.launcher.portal import RunningPortal, wait_until
from tests.launcher.world import tell_portal
from tests.patience import PATIENCE

# Columns × 3 levels: so many combinations that a search without shortcuts takes a while.
MAKE_WIDE_TABLE = """
from deid_portal.accounts.models import Team, User
steward = User.objects.get(username="steward")
team = Team.objects.get(name="Population statistics")
table = make_table(steward, team, columns={columns}, rows=3000)
protect(table, steward)
print(table.id)
"""


def _make_wide_table(portal: RunningPortal, columns: int) -> str:
    return tell_portal(portal, MAKE_WIDE_TABLE.format(columns=columns))[-1]


def _look_up(portal: RunningPortal, question: str, *values: str) -> tuple[object, ...]:
    with closing(sqlite3.connect(portal.data_dir / "portal.sqlite3", timeout=PATIENCE)) as database:
        row: tuple[object, ...] = database.execute(question, values).fetchone()
    return row


def _wait_for(portal: RunningPortal, question: str, *values: str) -> None:
    wait_until(lambda: _look_up(portal, question, *values)[0], question, look_seconds=0.01)


def _start(steward: Person, dataset: str) -> str:
    steward.open(f"/datasets/{dataset}/runs/")
    steward.press_next("Start run")
    steward.page.wait_for_url("**/runs/*/")
    return steward.page.url.rstrip("/").rsplit("/", 1)[1]


def test_a_person_stops_a_run(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    run = _start(steward, _make_wide_table(portal, 12))
    page = steward.page
    expect(page.locator("#run-title")).to_contain_text("is looking for")
    _see_progress_that_lives(page)
    expect(page.locator(".key-numbers")).to_contain_text("531,441")
    steward.check_page()
    page.get_by_role("button", name="Stop this run").click()
    expect(page.locator("#run-title")).to_contain_text("was stopped")
    key = _key(run)
    assert _look_up(portal, "SELECT status, solution FROM runs_run WHERE id = ?", key) == (
        "stopped",
        None,
    )
    steward.check_page()


def _see_progress_that_lives(page: Page) -> None:
    """One phase is at work from the first look on; time left, best result and chart follow."""
    expect(page.locator(".phase.is-current")).to_have_count(1)
    expect(page.locator(".phase.is-current")).to_contain_text("Search levels")
    expect(page.locator("#run-box .progress-head")).to_contain_text("left")
    expect(page.locator(".hero-number")).not_to_have_text("0 %")
    expect(page.locator(".key-numbers")).to_contain_text("Best so far")
    expect(page.locator("#trace .js-plotly-plot .scatterlayer path.js-line").first).to_be_visible()
    expect(page.locator("#best-title")).to_be_visible()


def test_a_run_killed_with_its_worker_finishes_once(
    portal: RunningPortal, browser: Browser
) -> None:
    steward = Person(browser, portal.address, "steward")
    run = _start_and_kill(portal, steward)
    key = _key(run)
    _wait_for(portal, "SELECT status = 'finished' FROM runs_run WHERE id = ?", key)
    assert _look_up(portal, "SELECT attempt, solution FROM runs_run WHERE id = ?", key) == (2, 1)
    ended = "SELECT count(*) FROM audit_event WHERE subject_id = ? AND action = 'run.finished'"
    assert _look_up(portal, ended, run) == (1,)
    steward.page.wait_for_url(f"**/runs/{run}/report/")
    expect(steward.page.locator("h1")).to_contain_text("Every person now hides among at least 5")
    forget_killed_workers(portal)


def _start_and_kill(portal: RunningPortal, steward: Person) -> str:
    """Return a run killed at work; on a busy machine one may end before anybody kills it."""
    while True:
        table = _make_wide_table(portal, 11)
        with workers_paused(portal):  # else it might have ended before the page says that it began
            run = _start(steward, table)
        _wait_for(portal, "SELECT status != 'queued' FROM runs_run WHERE id = ?", _key(run))
        _kill_workers(portal)
        if _declare_silent(portal, run):
            return run


def _key(run: str) -> str:
    return run.replace("-", "")


def _kill_workers(portal: RunningPortal) -> None:
    pids = portal.pids("celery", "worker")
    for pid in pids:
        _kill(pid)
    wait_until(lambda: not portal.pids() & pids, "the workers are gone")


def _declare_silent(portal: RunningPortal, run: str) -> bool:
    """Let the sign of life of a running run be an old one; say whether it was running."""
    address = portal.data_dir / "portal.sqlite3"
    with closing(sqlite3.connect(address, timeout=PATIENCE)) as database, database:
        silent = database.execute(
            "UPDATE runs_run SET heartbeat_at = '2000-01-01 00:00:00' "
            "WHERE id = ? AND status = 'running'",
            [_key(run)],
        )
    return silent.rowcount == 1


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
