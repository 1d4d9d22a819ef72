"""How pages hold up while many people use them: `python -m tests.benchmarks.load`.

The real portal is started with the demo, two workers compute runs one after the other, and fifty
people on loopback do what browsers do: a run that is watched asks for its progress every second, a
home for its running jobs every two, and every few seconds somebody opens a page. First every page
is asked for by one person while nothing else goes on. A page holds when the 95th of a hundred
answers under load takes at most five times as long as the usual answer without, and no request
fails. The answer is printed and kept in `tests/benchmarks/results/load.md`.
"""

import argparse
import http.client
import os
import platform
import random
import sys
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from tests.launcher.pause import workers_paused
from tests.launcher.portal import RunningPortal, running_portal
from tests.launcher.world import look_up, tell_portal, wait_for
from tests.patience import PATIENCE

RESULTS = Path(__file__).parent / "results" / "load.md"
PEOPLE = 50
SECONDS = 60
ASKED_ALONE = 30
MOST_TIMES = 5
ANSWERS = (200, 286)  # 286 tells a page that there is nothing left to poll for
# Runs enough for two workers and the whole time; the portal is stopped with some of them waiting.
MAKE = """
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset
from deid_portal.guide.demo.people import TEAM

def run_census():
    steward = User.objects.get(username="steward")
    census = Dataset.objects.get(name="Adult census")
    for k in (3, 5, 10, 20):
        protect_census(census, steward, k)
        print("report", start_run(dataset=census, started_by=steward).id)
    print("dataset", census.id)

def protect_census(census, steward, k):
    rules = [{"model": "k-anonymity", "k": k}]
    rules.append({"model": "l-diversity", "variant": "distinct", "l": 3, "column": "condition"})
    method = {"name": "full-domain", "suppression_limit": 0.05, "metric": "loss"}
    choose_protection(dataset=census, chosen_by=steward, rules=rules, method=method)
    census.refresh_from_db()

def sign_in(count, team_name=TEAM):
    team = Team.objects.get(name=team_name)
    for number in range(count):
        person = factories.make_person(f"person-{number}", team, Role.STEWARD)
        session = SessionStore()
        session[SESSION_KEY] = str(person.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = person.get_session_auth_hash()
        session.create()
        print("session", session.session_key)

def prepare_table():
    steward = User.objects.get(username="steward")
    print("table", make_table(steward, Team.objects.get(name=TEAM), columns=9, rows=4000).id)

def keep_workers_busy(table_id, count):
    table = Dataset.objects.get(id=table_id)
    steward = table.created_by
    for k in range(2, 2 + count):
        protect(table, steward, k)
        print("run", start_run(dataset=table, started_by=steward).id)
"""


@dataclass
class Answers:
    """What was asked for and how long it took, by kind of page."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Browser:
    """One person's connection, kept open between requests as a browser keeps it."""

    def __init__(self, address: str, session: str) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(
            str(parts.hostname), parts.port, timeout=PATIENCE
        )
        self._headers = {"Cookie": f"sessionid={session}", "Accept-Encoding": "gzip"}

    def ask(self, path: str, *, as_part: bool) -> int:
        headers = {**self._headers, **({"HX-Request": "true"} if as_part else {})}
        try:
            return self._ask(path, headers)
        except ConnectionError:
            # A connection that lay idle may be closed by the server; browsers open another.
            self._connection.close()
            return self._ask(path, headers)

    def _ask(self, path: str, headers: dict[str, str]) -> int:
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status


@dataclass(frozen=True)
class World:
    """Addresses of the portal under load."""

    address: str
    reports: list[str]
    dataset: str
    runs: list[str]
    sessions: list[str]

    def pages(self) -> dict[str, list[str]]:
        """Return what people open; of several addresses one is taken by chance."""
        return {
            "home": ["/"],
            "report": [f"/runs/{run}/report/" for run in self.reports],
            "report: risk": [f"/runs/{run}/report/risk/" for run in self.reports],
            "report: distributions": [f"/runs/{run}/report/distributions/" for run in self.reports],
            "scenario board": [f"/datasets/{self.dataset}/board/"],
            "list of runs": [f"/datasets/{self.dataset}/runs/"],
            "what happened": ["/notices/"],
        }

    def parts(self) -> dict[str, list[str]]:
        return {"bell": ["/bell/"], "running jobs": ["/running/"]}


def ask(browser: Browser, answers: Answers, kind: str, path: str, *, as_part: bool) -> int:
    began = time.perf_counter()
    try:
        status = browser.ask(path, as_part=as_part)
    except (OSError, http.client.HTTPException) as error:
        answers.errors[kind].append(type(error).__name__)
        return 0
    if status in ANSWERS:
        answers.seconds[kind].append(time.perf_counter() - began)
    else:
        answers.errors[kind].append(str(status))
    return status


def ask_alone(world: World, times: int) -> Answers:
    """Ask for everything in turn, one request at a time."""
    browser, answers, chance = (
        Browser(world.address, world.sessions[0]),
        Answers(),
        random.Random(1),
    )
    parts = {**world.parts(), "progress of a run": [f"/runs/{world.runs[0]}/progress/"]}
    for turn in range(times + 3):
        kept = answers if turn >= 3 else Answers()  # the first few fill caches and load code
        for kind, paths in world.pages().items():
            ask(browser, kept, kind, chance.choice(paths), as_part=False)
        for kind, paths in parts.items():
            ask(browser, kept, kind, chance.choice(paths), as_part=True)
    return answers


class Person(threading.Thread):
    """Watches a run or the home, and opens a page every few seconds."""

    def __init__(
        self, world: World, number: int, deadline: float, pages: int, answers: Answers
    ) -> None:
        super().__init__(daemon=True)
        self._world, self._deadline, self._answers = world, deadline, answers
        self._pages_to_open = pages
        self._browser = Browser(world.address, world.sessions[number])
        self._chance = random.Random(number)
        self._watches_home = number % 2 == 0
        self._runs = iter(world.runs)
        self._run = next(self._runs)
        self._has_polled = False

    def run(self) -> None:
        time.sleep(self._chance.random() * 2)  # nobody arrives at the same instant
        next_page = time.monotonic() + self._chance.uniform(0, 8)
        while time.monotonic() < self._deadline or not self._has_polled:
            began = time.monotonic()
            if began >= next_page:
                self._open_page()
                next_page = time.monotonic() + self._chance.uniform(4, 12)
            else:
                self._poll()
            pause = 2.0 if self._watches_home else 1.0
            time.sleep(max(0.0, began + pause - time.monotonic()))
        while self._pages_to_open > 0:
            self._open_page()

    def _open_page(self) -> None:
        self._pages_to_open -= 1
        pages = {**self._world.pages(), "bell": self._world.parts()["bell"]}
        kind = self._chance.choice(sorted(pages))
        path = self._chance.choice(pages[kind])
        ask(self._browser, self._answers, kind, path, as_part=kind == "bell")

    def _poll(self) -> None:
        self._has_polled = True
        if self._watches_home:
            ask(self._browser, self._answers, "running jobs", "/running/", as_part=True)
            return
        path = f"/runs/{self._run}/progress/"
        if ask(self._browser, self._answers, "progress of a run", path, as_part=True) == 286:
            self._run = next(self._runs, self._run)


def ask_together(world: World, people: int, seconds: float, pages: int = 0) -> Answers:
    """Let people ask for so long, and until each has opened so many pages."""
    answers, deadline = Answers(), time.monotonic() + seconds
    crowd = [Person(world, number, deadline, pages, answers) for number in range(people)]
    for person in crowd:
        person.start()
    for person in crowd:
        person.join()
    return answers


def make_world(portal: RunningPortal, people: int) -> tuple[World, str]:
    lines = tell(portal, f"run_census()\nsign_in({people})\nprepare_table()")
    all_ended = "SELECT count(*) = 0 FROM runs_run WHERE status IN ('queued', 'running')"
    wait_for(portal, all_ended)
    [dataset], [table] = lines["dataset"], lines["table"]
    return World(portal.address, lines["report"], dataset, [], lines["session"]), table


def tell(portal: RunningPortal, code: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in tell_portal(portal, f"{MAKE}\n{code}"):
        kind, _, what = line.partition(" ")
        found[kind].append(what)
    return found


@dataclass(frozen=True)
class Measured:
    people: int
    seconds: float
    alone: Answers
    together: Answers
    machine_load: float
    ended_runs: int


def measure(folder: Path, people: int, seconds: float, alone: int) -> Measured:
    with running_portal(folder / "data", DEMO="1", WORKERS="2") as portal:
        world, table = make_world(portal, people)
        before = os.getloadavg()[0]
        with workers_paused(portal):
            runs = tell(portal, f"keep_workers_busy('{table}', {max(4, int(seconds))})")["run"]
            world = replace(world, runs=runs)
            unloaded = ask_alone(world, alone)
        together = ask_together(world, people, seconds)
        [(ended,)] = look_up(
            portal,
            "SELECT count(*) FROM runs_run WHERE dataset_id = ? AND status = 'finished'",
            table.replace("-", ""),
        )
    return Measured(people, seconds, unloaded, together, before, ended)


def percentile(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def times_slower(measured: Measured, kind: str) -> float:
    usual = percentile(measured.alone.seconds[kind], 0.5)
    return percentile(measured.together.seconds[kind], 0.95) / usual


def write_up(measured: Measured) -> str:
    asked = sum(map(len, measured.together.seconds.values()))
    lines = [
        "# Pages under load, measured",
        "",
        "`python -m tests.benchmarks.load` wrote this. Milliseconds on the clock, from the request",
        "to the last byte, on loopback. Alone: one person asks while the workers are held still.",
        f"Together: {measured.people} people for {measured.seconds:.0f} seconds, two workers",
        f"compute; {measured.ended_runs} runs ended meanwhile, {asked:,} requests were answered.",
        f"A page holds when 95 of 100 answers take at most {MOST_TIMES} times its time alone.",
        "",
        f"Machine: {os.cpu_count()} cores, load {measured.machine_load:.1f} before, "
        f"Python {platform.python_version()}.",
        "",
        "| page | alone p50 | alone p95 | asked | together p50 | together p95 | times | errors |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(measured, kind) for kind in measured.alone.seconds),
    ]
    errors = measured.together.errors.items()
    failures = {kind: sorted(set(found)) for kind, found in errors if found}
    if failures:
        lines += ["", f"Errors: {failures}"]
    return "\n".join(lines) + "\n"


def _line(measured: Measured, kind: str) -> str:
    alone, together = measured.alone.seconds[kind], measured.together.seconds[kind]
    errors = len(measured.together.errors[kind]) + len(measured.alone.errors[kind])
    times = f"{times_slower(measured, kind):.1f}" if together else "–"
    figures = [percentile(alone, 0.5), percentile(alone, 0.95)]
    figures += [percentile(together, 0.5), percentile(together, 0.95)] if together else []
    shown = [f"{1000 * figure:.0f}" for figure in figures]
    cells = [kind, *shown[:2], str(len(together)), *(shown[2:] or ["–", "–"]), times, str(errors)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--alone", type=int, default=ASKED_ALONE)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), options.people, options.seconds, options.alone)
    text = write_up(measured)
    print(text)  # noqa: T201
    if (options.people, options.seconds) == (PEOPLE, SECONDS):
        RESULTS.write_text(text, encoding="utf-8")
    failed = any(measured.together.errors.values()) or any(measured.alone.errors.values())
    slow = any(times_slower(measured, kind) > MOST_TIMES for kind in measured.together.seconds)
    sys.exit(1 if failed or slow else 0)


if __name__ == "__main__":
    main()
