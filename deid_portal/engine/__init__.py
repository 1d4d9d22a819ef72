"""The privacy engine: a table and a plan in, a released table and a report out.

It knows no web, no queue and no database, prints nothing and keeps no state.
"""

from deid_portal.engine.errors import Cancelled, EngineError, InvalidPlan, InvalidTable
from deid_portal.engine.outcome import Outcome
from deid_portal.engine.plan import Plan, load_plan
from deid_portal.engine.protection import assess, protect
from deid_portal.engine.report import Report
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.version import ENGINE_VERSION

__all__ = [
    "ENGINE_VERSION",
    "Cancelled",
    "Column",
    "ColumnType",
    "EngineError",
    "InvalidPlan",
    "InvalidTable",
    "Outcome",
    "Plan",
    "Report",
    "Table",
    "Taxonomy",
    "assess",
    "load_plan",
    "protect",
]
