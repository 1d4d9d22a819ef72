"""The summary of a run: the few entries of its report that lists, boards and policies need.

Names and nesting are those of a report, so code that reads one can read the other. Before the run
has ended it holds only what the plan asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.report.classes import SizeSummary
from deid_portal.engine.report.detail import PublishedDetail
from deid_portal.engine.report.left_out import PayingGroup
from deid_portal.engine.report.network import LinkCounts, NetworkReport
from deid_portal.engine.report.part import Part, null
from deid_portal.engine.report.risk import RiskFigures, SafeHarborFinding
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.sensitive import SensitiveRisk
from deid_portal.engine.report.table import ColumnReport, RowCounts
from deid_portal.engine.report.utility import UtilityMeasures


@dataclass(frozen=True)
class AskedProtection(Part):
    """The parts of a plan by which boards distinguish runs.

    `k` is the class size asked for and `limit` the suppression limit; None if no rule or method
    sets it. `way` describes the method of a network, in words.
    """

    k: int | None = null()
    limit: float | None = null()
    methods: tuple[str, ...] = ()
    rules: tuple[Mapping[str, Any], ...] = ()
    way: tuple[str, ...] | None = None


@dataclass(frozen=True)
class InputRows(Part):
    rows: int


@dataclass(frozen=True)
class RiskSummary(Part):
    after: RiskFigures
    safe_harbor: tuple[SafeHarborFinding, ...] | None = None


@dataclass(frozen=True)
class NetworkLinks(Part):
    links: LinkCounts

    @classmethod
    def of(cls, network: NetworkReport | None) -> "NetworkLinks | None":
        return cls(network.links) if network else None


@dataclass(frozen=True)
class PayingGroups(Part):
    """The groups of a column that may have the largest share of suppressed records."""

    column: str
    groups: tuple[PayingGroup, ...]


@dataclass(frozen=True, kw_only=True)
class RunSummary(Part):
    """`plan` holds roles and treatments only; `detail` is computed from the published plan."""

    solution: bool | None = None
    input: InputRows
    plan: Mapping[str, Any]
    asked: AskedProtection = AskedProtection()
    rows: RowCounts
    classes: SizeSummary
    models: tuple[RuleVerdict, ...]
    risk: RiskSummary
    utility: UtilityMeasures
    columns: Mapping[str, ColumnReport]
    levels: Mapping[str, int] | None = None
    network: NetworkLinks | None = None
    sensitive: Mapping[str, SensitiveRisk] | None = None
    detail: PublishedDetail | None = None
    who_pays: tuple[PayingGroups, ...] | None = None
