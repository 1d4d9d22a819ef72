"""How long somebody waits for an estimate: `python -m tests.benchmarks.estimate [--rows N]`.

The real portal is started with the demo and a million people like those of the demo. A steward
opens the protection of each, and while a slider moves the page asks what a run would cost. Measured
is the clock from the request to the last byte, on loopback, and the time the web processes spend
computing, which is the same on a busy machine. "New table": nobody has asked about these columns
before, so its patterns have to be counted. "New process": the web processes were replaced, which
load by themselves what estimates need; that takes a second, and then the page is opened. "Later":
one slider position after the other. The answer is printed and kept in
`tests/benchmarks/results/estimate.md`.
"""

import argparse
import http.client
import os
import platform
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from tests.launcher.portal import RunningPortal, running_portal, wait_until
from tests.launcher.world import look_up, tell_portal

RESULTS = Path(__file__).parent / "results" / "estimate.md"
ROWS = 1_000_000
ROUNDS = 5
MOST_MILLISECONDS = {"demo": 300, "million": 1000}
TITLES = {"demo": "demo", "million": "a million rows"}
SLIDER = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25)
TICKS = os.sysconf("SC_CLK_TCK")
MAKE = """
import io
import numpy as np
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset
from deid_portal.engine import Column, ColumnType, Table
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.guide.demo.invented import CONDITIONS, demo_taxonomy
from deid_portal.guide.demo.people import TEAM
from deid_portal.taxonomies.services import set_taxonomy_from_file
from tests.benchmarks.enlarged import enlarge
from tests.engine.tables import adult_table

AGES = {"start": 0, "width": 5, "widen": [2, 2, 5]}
steward, team = User.objects.get(username="steward"), Team.objects.get(name=TEAM)

def sign_in():
    session = SessionStore()
    session[SESSION_KEY] = str(steward.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = steward.get_session_auth_hash()
    session.create()
    print(session.session_key)

def make_million(rows):
    people = enlarge(adult_table(), rows)
    shares = np.array(list(CONDITIONS.values())) / sum(CONDITIONS.values())
    codes = np.random.default_rng(7).choice(len(shares), rows, p=shares).astype(np.int32)
    condition = Column("condition", ColumnType.TEXT, codes, tuple(CONDITIONS))
    content = io.BytesIO()
    write_csv(Table((*people.columns, condition)), content)
    dataset = factories.make_upload(steward, team, content.getvalue())
    reading = keep_dataset(dataset=dataset, kept_by=steward)
    wait_until(lambda: reading.refresh_from_db() or not reading.is_open, "the table is read")
    dataset.refresh_from_db()
    columns = list(dataset.columns.all())
    roles = dict.fromkeys((column.position for column in columns), "quasi-identifier")
    roles[columns[-1].position] = "sensitive"
    tag_columns(dataset=dataset, tagged_by=steward, roles=roles)
    for column in dataset.columns.filter(role="quasi-identifier"):
        if column.name == "age":
            kind, recipe = ColumnTaxonomy.Kind.INTERVALS, {"intervals": AGES}
            set_taxonomy(column=column, changed_by=steward, kind=kind, recipe=recipe)
        else:
            content = demo_taxonomy(column.name)
            set_taxonomy_from_file(column=column, changed_by=steward, content=content)
    print(dataset.id)
"""


@dataclass
class Answer:
    milliseconds: float
    computed: float  # milliseconds of processor time


@dataclass
class Waited:
    """What was waited for one table."""

    new_table: list[Answer] = field(default_factory=list)
    new_process: list[Answer] = field(default_factory=list)
    later: list[Answer] = field(default_factory=list)


class Steward:
    """A browser at the protection page of one table."""

    def __init__(self, portal: RunningPortal, session: str, dataset: str) -> None:
        parts = urlsplit(portal.address)
        self._portal = portal
        self._path = f"/datasets/{dataset}/protection/"
        self._connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
        self._cookies = f"sessionid={session}; csrftoken={'c' * 32}"

    def open_page(self) -> None:
        self._ask("GET", self._path, None)

    def move_slider(self, k: int) -> Answer:
        """Ask as the page does when a slider has moved."""
        form = urlencode({"view": "plain", "audience": "partners", "k": k, "facts": 9})
        form += "&" + urlencode({"suppression_percent": 5})
        before, began = computed_by(self._portal), time.perf_counter()
        text = self._ask("POST", f"{self._path}estimate/", form)
        waited = time.perf_counter() - began
        assert "Detail lost" in text, text
        return Answer(1000 * waited, 1000 * (computed_by(self._portal) - before))

    def _ask(self, method: str, path: str, body: str | None) -> str:
        headers = {"Cookie": self._cookies, "X-CSRFToken": "c" * 32, "HX-Request": "true"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, (path, answer.status)
        return text


def computed_by(portal: RunningPortal) -> float:
    """Return the seconds of processor time that the web processes have used."""
    ticks = 0
    for pid in portal.pids("gunicorn"):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def replace_web_processes(portal: RunningPortal) -> None:
    """End both web processes, as an update does, and wait until others are ready."""
    before = serving(portal)
    for pid in before:
        os.kill(pid, signal.SIGTERM)
    wait_until(lambda: len(serving(portal) - before) == len(before), "new web processes are there")
    portal.health()
    wait_until(lambda: is_idle(portal), "the web processes have loaded what they need")


def is_idle(portal: RunningPortal) -> bool:
    before = computed_by(portal)
    time.sleep(0.5)
    return computed_by(portal) - before < 0.02


def serving(portal: RunningPortal) -> set[int]:
    """Return the web processes without the one that started them."""
    pids = portal.pids("gunicorn")
    parents = {
        pid: int(Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[1]) for pid in pids
    }
    return {pid for pid, parent in parents.items() if parent in pids}


def forget_patterns(portal: RunningPortal) -> None:
    for path in (portal.data_dir / "files").rglob("patterns-*"):
        path.unlink()


def wait_for_estimates(portal: RunningPortal, session: str, dataset: str) -> Waited:
    waited = Waited()
    for _ in range(ROUNDS):
        forget_patterns(portal)
        for found in (waited.new_table, waited.new_process):
            replace_web_processes(portal)
            Steward(portal, session, dataset).open_page()
            found.append(Steward(portal, session, dataset).move_slider(SLIDER[0]))
        steward = Steward(portal, session, dataset)
        steward.move_slider(SLIDER[0])
        waited.later += [steward.move_slider(k) for k in SLIDER[1:]]
    return waited


def measure(folder: Path, rows: int) -> tuple[dict[str, Waited], float]:
    with running_portal(folder / "data", DEMO="1", WORKERS="1") as portal:
        session, million = tell_portal(portal, f"{MAKE}\nsign_in()\nmake_million({rows})")
        [(demo,)] = look_up(portal, "SELECT id FROM datasets_dataset WHERE name = 'Adult census'")
        load = os.getloadavg()[0]
        tables = {"demo": str(UUID(demo)), "million": million}
        return {
            name: wait_for_estimates(portal, session, dataset) for name, dataset in tables.items()
        }, load


def write_up(waited: dict[str, Waited], load: float) -> str:
    lines = [
        "# Estimates before a run, measured",
        "",
        "`python -m tests.benchmarks.estimate` wrote this. Milliseconds from the request to the",
        f"last byte, on loopback: the middle and the largest of {ROUNDS} first answers, and of",
        f"{ROUNDS * (len(SLIDER) - 1)} later ones. Computed: processor time of the web processes.",
        "Times: the largest as a multiple of what is allowed.",
        "",
        f"Machine: {os.cpu_count()} cores, load {load:.1f} before, "
        f"Python {platform.python_version()}.",
        "",
        "| table | answer | middle | largest | computed | allowed | times |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in waited.items():
        for kind, answers in vars(found).items():
            lines.append(_line(name, kind.replace("_", " "), answers))
    return "\n".join(lines) + "\n"


def _line(name: str, kind: str, answers: list[Answer]) -> str:
    waits = [answer.milliseconds for answer in answers]
    allowed = MOST_MILLISECONDS[name]
    cells = [
        TITLES[name],
        kind,
        f"{median(waits):.0f}",
        f"{max(waits):.0f}",
        f"{median(answer.computed for answer in answers):.0f}",
        str(allowed),
        f"{max(waits) / allowed:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        waited, load = measure(Path(folder), options.rows)
    text = write_up(waited, load)
    print(text)  # noqa: T201
    if options.rows == ROWS:
        RESULTS.write_text(text, encoding="utf-8")
    slow = any(
        answer.milliseconds > MOST_MILLISECONDS[name]
        for name, found in waited.items()
        for answer in (*found.new_process, *found.later)
    )
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
