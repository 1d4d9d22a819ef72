"""A small world inside a running portal: a steward, tables of numbers, runs of them.

Built by a separate process with the portal's settings, which differ from those of the test.
"""

import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import Any

from tests.launcher.portal import ROOT, RunningPortal, environment, wait_until
from tests.patience import PATIENCE

MAKE_WORLD = """
import random
from deid_portal.accounts.models import Role
from deid_portal.plans.services import choose_protection
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from deid_portal.datasets.services import keep_dataset, tag_columns
from deid_portal.runs.services import start_run
from tests import factories
from tests.launcher.portal import wait_until

def make_table(steward, team, columns, rows):
    "A table whose search has no shortcuts, so that it takes a while."
    chance = random.Random(1)
    lines = [",".join(f"c{number}" for number in range(columns))]
    lines += [",".join(str(chance.randrange(8)) for _ in range(columns)) for _ in range(rows)]
    dataset = factories.make_upload(steward, team, "\\n".join(lines).encode())
    reading = keep_dataset(dataset=dataset, kept_by=steward)
    wait_until(lambda: reading.refresh_from_db() or not reading.is_open, "the table is read")
    dataset.refresh_from_db()
    roles = dict.fromkeys(range(columns), "quasi-identifier")
    tag_columns(dataset=dataset, tagged_by=steward, roles=roles)
    halves = {"intervals": {"start": 0, "width": 4, "widen": []}}
    for column in dataset.columns.all():
        kind = ColumnTaxonomy.Kind.INTERVALS
        set_taxonomy(column=column, changed_by=steward, kind=kind, recipe=halves)
    return dataset

def protect(dataset, steward, k=5):
    method = {"name": "full-domain", "suppression_limit": 0.5, "metric": "average_class_size"}
    rules = [{"model": "k-anonymity", "k": k}]
    choose_protection(dataset=dataset, chosen_by=steward, rules=rules, method=method)
    dataset.refresh_from_db()

def make_steward(name, team_name):
    team = factories.make_team(team_name)
    return factories.make_person(name, team, Role.STEWARD), team
"""


# A process that takes its time to end would let a run that it has started end as well.
END_AT_ONCE = """
import os, sys
sys.stdout.flush()
os._exit(0)
"""


def tell_portal(portal: RunningPortal, code: str, **settings: str) -> list[str]:
    """Run code that knows the names above in a process of the portal; return what it prints."""
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", f"{MAKE_WORLD}\n{code}\n{END_AT_ONCE}"],
        cwd=ROOT,
        env={**environment(portal.data_dir, **portal.settings), **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()


def look_up(portal: RunningPortal, question: str, *values: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(portal.data_dir / "portal.sqlite3", timeout=PATIENCE)) as database:
        return database.execute(question, values).fetchall()


def wait_for(portal: RunningPortal, question: str, *values: str) -> None:
    """Wait until the first cell of the answer is true."""
    wait_until(lambda: look_up(portal, question, *values)[0][0], question, look_seconds=0.02)
