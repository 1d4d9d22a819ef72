"""What the report page shows, from the report a run stored; nothing is computed from rows here."""

import csv
import io
import json
import zipfile
from dataclasses import dataclass
from itertools import islice
from typing import Any

from deid_portal.common import vault
from deid_portal.engine import EngineError
from deid_portal.plans.composition import compose_chosen_plan
from deid_portal.runs.models import Run

ROWS_SHOWN = 20

# States of a request for review in which its run is spoken for; reviews stand after this room.
OPEN_REQUESTS = ("draft", "submitted", "changes-requested", "approved", "released")


@dataclass(frozen=True)
class ReleasedRows:
    names: list[str]
    rows: list[list[str]]


def first_rows_of(run: Run) -> ReleasedRows:
    """Read the first rows of the release; for stewards only, like everything that shows rows."""
    with vault.open_reader(run.release_file) as stream:
        reader = csv.reader(io.TextIOWrapper(stream, encoding="utf-8", newline=""))
        names = next(reader)
        return ReleasedRows(names, list(islice(reader, ROWS_SHOWN)))


def level_label(column: dict[str, Any]) -> str:
    """Say in words how coarse a quasi-identifier became."""
    level, height = column.get("level"), column.get("height")
    if level is None:
        return "labels of several levels" if column.get("loss") else "exact"
    if level == 0:
        return "exact"
    if level == height:
        return "hidden"
    return column.get("level_name") or f"level {level} of {height}"


def is_of_an_earlier_plan(run: Run) -> bool:
    """True when a run started now would carry out another plan than this one did."""
    if run.dataset.is_forgotten:
        return False  # none can be started
    protection = getattr(run.dataset, "protection", None)
    try:
        return protection is None or (
            compose_chosen_plan(protection).to_plan().sha256 != run.plan_sha256
        )
    except EngineError:
        return True


def pack_recipe(run: Run) -> bytes:
    """Return plan.json and the taxonomies it names as a zip; `manage.py protect` takes them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("plan.json", json.dumps(run.plan, ensure_ascii=False, indent=2) + "\n")
        for name, text in sorted(run.plan_files.items()):
            archive.writestr(name, text)
    return packed.getvalue()
