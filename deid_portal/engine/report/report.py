"""The report: the protection of a release and its cost, in numbers, never a cell of the table.

The document is specified in `plan-format.md`. The last entries are details by values of the
table, in groups of people, or by single nodes; they are never published.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from deid_portal.engine.report.attacks import AttackFinding, AttackProblem
from deid_portal.engine.report.classes import ClassSizes
from deid_portal.engine.report.distributions import (
    ChangedValue,
    DistributionReport,
    ReleasedLabels,
)
from deid_portal.engine.report.exploration import Exploration
from deid_portal.engine.report.left_out import CoarserStep, GroupsApart, KeptPeople, PayingColumn
from deid_portal.engine.report.network import GroupsBeside, LinksBeside, NetworkReport, Walks
from deid_portal.engine.report.part import NotTold, Part
from deid_portal.engine.report.remedies import FoundRemedy
from deid_portal.engine.report.risk import RiskReport
from deid_portal.engine.report.rules import NearestMiss, RuleVerdict
from deid_portal.engine.report.sensitive import SensitiveRisk, SensitiveSpread
from deid_portal.engine.report.table import ColumnReport, InputSummary, LostColumns, RowCounts
from deid_portal.engine.report.transformation import MethodStep, SearchSummary, Transformation
from deid_portal.engine.report.utility import ReleaseComparison, UtilityMeasures


@dataclass(frozen=True)
class Randomness(Part):
    """Warning in the report of a run with a known seed: its randomness protects nobody."""

    repeatable: bool
    note: str


@dataclass(frozen=True, kw_only=True)
class HouseDetails(Part):
    """Entries of a report that name values or single nodes; for internal use, never published."""

    remedies: tuple[FoundRemedy, ...] | None = None
    who_pays: tuple[PayingColumn, ...] | None = None
    spread: tuple[SensitiveSpread, ...] | None = None
    distributions: DistributionReport | None = None
    released_labels: tuple[ReleasedLabels, ...] | None = None
    examples: Mapping[str, ChangedValue] | None = None
    kept_before: KeptPeople | None = None
    exploration: Exploration | None = None
    walk: Walks | None = None
    beside: LinksBeside | GroupsBeside | None = None


NO_DETAILS = HouseDetails()


@dataclass(frozen=True, kw_only=True)
class Report(Part):
    report: int  # the version of the format
    solution: bool
    plan: Mapping[str, Any]
    plan_sha256: str
    engine: str
    input: InputSummary
    notes: tuple[str, ...]
    rows: RowCounts
    transformation: Transformation
    classes: ClassSizes
    models: tuple[RuleVerdict, ...]
    risk: RiskReport
    utility: UtilityMeasures
    utility_before: UtilityMeasures | None = None
    columns: Mapping[str, ColumnReport]
    network: NetworkReport | None = None
    comparison: ReleaseComparison | None = None
    sensitive: Mapping[str, SensitiveRisk] | None = None
    attacks: tuple[AttackFinding | AttackProblem, ...] | None = None
    isolation: tuple[GroupsApart, ...] | None = None
    search: SearchSummary | None = None
    coarser: tuple[CoarserStep, ...] | None = None
    # Only if the plan has no solution.
    blocked_by: str | None = None
    blocking_model: Mapping[str, Any] | None = None
    nearest: NearestMiss | None = None
    randomness: Randomness | None = None
    # For internal use only (`HouseDetails`).
    remedies: tuple[FoundRemedy, ...] | None = None
    distributions: DistributionReport | None = None
    released_labels: tuple[ReleasedLabels, ...] | None = None
    spread: tuple[SensitiveSpread, ...] | None = None
    examples: Mapping[str, ChangedValue] | None = None
    kept_before: KeptPeople | None = None
    who_pays: tuple[PayingColumn, ...] | None = None
    exploration: Exploration | None = None
    walk: Walks | None = None
    beside: LinksBeside | GroupsBeside | None = None
    note: str | None = None  # which entries were removed for this audience

    def with_details(self, details: HouseDetails) -> "Report":
        """Return the report with the internal details; they replace entries of the same name."""
        told = {name: own for name, own in vars(details).items() if own is not None}
        return replace(self, **told)

    @property
    def told_network(self) -> NetworkReport:
        """Return what is told of a network; a report about a table tells nothing of one."""
        if self.network is None:
            raise NotTold("No network is told of here.")
        return self.network

    @property
    def lost_columns(self) -> LostColumns:
        """Return the columns of which nothing, or nearly nothing, is left."""
        return LostColumns.of(self.columns if self.tells("columns") else {}, self.rows)

    @property
    def hidden_columns(self) -> frozenset[str]:
        """Return the columns that show one label for everybody: there is nothing to compare."""
        return frozenset(self.lost_columns.hidden)

    @property
    def steps(self) -> tuple[MethodStep, ...]:
        """Return the notes of the methods of the plan, in their order."""
        return self.transformation.steps or ()
