"""Data for pages of reports, read from the stored report; nothing is computed from rows here."""

import csv
import io
import json
import zipfile
from dataclasses import dataclass
from itertools import islice

from deid_portal.engine import EngineError
from deid_portal.engine.files.csv.writer import COMMA
from deid_portal.plans.subjects import PlannedSubject
from deid_portal.runs.models import Run
from deid_portal.vault import vault

ROWS_PER_PAGE = 40
MOST_PAGES = 20  # later rows are only in the file; reading up to them takes too long

# Review states that reserve the run (as text, since `reviews` must not be imported here).
OPEN_REQUESTS = ("draft", "submitted", "changes-requested", "approved", "released")


@dataclass(frozen=True)
class ReleasedRows:
    """A page of released rows."""

    names: list[str]
    rows: list[list[str]]
    page: int
    pages: int

    @property
    def first(self) -> int:
        return (self.page - 1) * ROWS_PER_PAGE + 1

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1


def released_rows_of(run: Run, page: int = 1) -> ReleasedRows:
    """Read one page of released rows; for stewards only."""
    released = run.finished_report.rows.released
    pages = min(max(-(-released // ROWS_PER_PAGE), 1), MOST_PAGES)
    page = min(max(page, 1), pages)
    start = (page - 1) * ROWS_PER_PAGE
    with vault.open_reader(run.release_file) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        reader = csv.reader(text, delimiter=run.publication.delimiter or COMMA)
        names = next(reader)
        rows = list(islice(reader, start, start + ROWS_PER_PAGE))
    return ReleasedRows(names, rows, page, pages)


def is_of_an_earlier_plan(run: Run) -> bool:
    """True if the current plan of the dataset differs from the one this run carried out."""
    if run.dataset.is_forgotten:
        return False  # no run can be started any more
    protection = getattr(run.dataset, "protection", None)
    try:
        return protection is None or (
            PlannedSubject.of(run.dataset).compose().to_plan().sha256 != run.plan_sha256
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
