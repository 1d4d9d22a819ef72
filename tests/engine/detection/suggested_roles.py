"""Roles of all columns at once; the portal looks at columns in parallel while it stores them."""

from deid_portal.engine import Table
from deid_portal.engine.detection import Findings, look_at, suggest_by_looks


def suggest_roles(table: Table) -> Findings:
    return suggest_by_looks(table, [look_at(column) for column in table.columns])
