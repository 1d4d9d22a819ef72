"""Reports the tests of pages share: small enough to check by eye, made by the engine itself."""

from functools import cache
from typing import Any

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.remedies import find_remedies
from tests.chance import known_secret
from tests.engine.publication.test_details import COLUMNS, TABLE
from tests.engine.tables import document

EXACT = {"name": "levels", "levels": {}, "suppression_limit": 0.5}


def make_report(
    table: Table = TABLE, columns: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """Return a report as a run keeps it: with what only the house is told."""
    plan = Plan.from_document(document(columns or COLUMNS, **({"method": EXACT} | changes)))
    outcome = protect(table, plan, secret=known_secret())
    if not outcome.solution:
        remedies = find_remedies(table, plan, outcome.report)
        return {**outcome.report, "remedies": remedies}
    return {**outcome.report, **outcome.details}


@cache
def two_left_out() -> dict[str, Any]:
    """Two towns of ten, and two people who stand alone in theirs and are left out."""
    return make_report()


def of_old(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report as it was before anything was told for the house."""
    new = ("who_pays", "distributions", "spread", "isolation", "examples", "remedies", "sensitive")
    kept = {key: own for key, own in report.items() if key not in new}
    before = ("column", "level", "freed", "suppressed", "loss")
    if "coarser" in kept:
        kept["coarser"] = [{key: step[key] for key in before} for step in report["coarser"]]
    risk = {key: own for key, own in report["risk"].items() if key in ("before", "after")}
    return kept | {"risk": risk}
