"""The summary of a run: the few entries of its report that lists, boards and policies look at.

Its entries have the names and the places they have in a report, so what reads one can read the
other; before the run has ended there is nothing but what was asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.report.classes import SizeSummary
from deid_portal.engine.report.left_out import PayingGroup
from deid_portal.engine.report.network import LinkCounts, NetworkReport
from deid_portal.engine.report.part import Part, null
from deid_portal.engine.report.risk import RiskFigures, SafeHarborFinding
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.sensitive import SurestGuess
from deid_portal.engine.report.table import ColumnReport, RowCounts
from deid_portal.engine.report.utility import UtilityMeasures


@dataclass(frozen=True)
class AskedProtection(Part):
    """What a plan asks for, as far as a board tells runs apart by it.

    `k` is the number of look-alikes and `limit` the share that may be left out; None where no rule
    or method says so. `way` has the words by which the methods of a network were chosen.
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
    """Groups of a column with the rows left out of them: those that may pay most."""

    column: str
    groups: tuple[PayingGroup, ...]


@dataclass(frozen=True, kw_only=True)
class RunSummary(Part):
    """`plan` has roles and treatments alone; `detail` is what the published plan says of it."""

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
    sensitive: Mapping[str, SurestGuess] | None = None
    detail: Mapping[str, Any] | None = None
    who_pays: tuple[PayingGroups, ...] | None = None
