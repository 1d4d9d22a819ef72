"""A small world inside a running portal: a steward, tables of numbers, runs of them.

Built by a separate process with the portal's settings, which differ from those of the test.
"""

import json
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


# Waits for code and runs it with the names above; a connection may not outlive the database.
LISTEN = """
import contextlib, io, json, sys, traceback
from django.db import connections
for line in sys.stdin:
    told, problem = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(told):
            exec(json.loads(line), dict(globals()))
    except Exception:
        problem = traceback.format_exc()
    connections.close_all()
    print(json.dumps([told.getvalue(), problem]), flush=True)
"""


def tell_portal(portal: RunningPortal, code: str) -> list[str]:
    """Run code that knows the names above in a process of the portal; return what it prints.

    The process is started once: loading the portal takes longer than what it is told.
    """
    if portal.helper is None or portal.helper.poll() is not None:
        portal.helper = subprocess.Popen(
            [sys.executable, "manage.py", "shell", "-v0", "-c", f"{MAKE_WORLD}\n{LISTEN}"],
            cwd=ROOT,
            env=environment(portal.data_dir, **portal.settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    helper = portal.helper
    assert helper.stdin is not None
    assert helper.stdout is not None
    helper.stdin.write(json.dumps(code) + "\n")
    helper.stdin.flush()
    answer = helper.stdout.readline()
    assert answer, "The process that was told has ended; its last words are above."
    printed, problem = json.loads(answer)
    assert not problem, problem
    return str(printed).strip().splitlines()


def look_up(portal: RunningPortal, question: str, *values: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(portal.data_dir / "portal.sqlite3", timeout=PATIENCE)) as database:
        return database.execute(question, values).fetchall()


def wait_for(portal: RunningPortal, question: str, *values: str) -> None:
    """Wait until the first cell of the answer is true."""
    wait_until(lambda: look_up(portal, question, *values)[0][0], question, look_seconds=0.02)
