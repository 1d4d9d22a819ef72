"""Reports the tests of pages share: small enough to check by eye, made by the engine itself."""

from dataclasses import replace
from functools import cache
from typing import Any

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.remedies import find_remedies
from deid_portal.engine.report import Report
from tests.chance import known_secret
from tests.engine.publication.test_details import COLUMNS, TABLE
from tests.engine.tables import document
from tests.patience import PATIENCE

EXACT = {"name": "levels", "levels": {}, "suppression_limit": 0.5}


def make_report(
    table: Table = TABLE, columns: dict[str, Any] | None = None, **changes: Any
) -> Report:
    """Return a report as a run keeps it: with what only the house is told."""
    plan = Plan.from_document(document(columns or COLUMNS, **({"method": EXACT} | changes)))
    outcome = protect(table, plan, secret=known_secret())
    if not outcome.solution:
        remedies = find_remedies(table, plan, outcome.report, seconds=PATIENCE)
        return replace(outcome.report, remedies=remedies)
    return outcome.full_report


@cache
def two_left_out() -> Report:
    """Two towns of ten, and two people who stand alone in theirs and are left out."""
    return make_report()


def of_old(report: Report) -> Report:
    """Return a report as it was before anything was told for the house."""
    new = ("who_pays", "distributions", "spread", "isolation", "examples", "remedies", "sensitive")
    told = report.to_document()
    kept = {key: own for key, own in told.items() if key not in new}
    before = ("column", "level", "freed", "suppressed", "loss")
    if "coarser" in kept:
        kept["coarser"] = [{key: step[key] for key in before} for step in told["coarser"]]
    risk = {key: own for key, own in told["risk"].items() if key in ("before", "after")}
    return Report.from_document(kept | {"risk": risk})
