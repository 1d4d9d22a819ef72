"""The report: what a release promises and what it cost, in numbers without a single cell of it.

The document is that of `plan-format.md`. The last entries are details that are told by
values of the table, in groups of people, or by single nodes; they never leave the house.
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
from deid_portal.engine.report.left_out import CoarserStep, GroupsApart, KeptPeople, PayingColumn
from deid_portal.engine.report.network import GroupsBeside, LinksBeside, NetworkReport, Walks
from deid_portal.engine.report.part import NotTold, Part
from deid_portal.engine.report.remedies import FoundRemedy
from deid_portal.engine.report.risk import RiskReport
from deid_portal.engine.report.rules import NearestMiss, RuleVerdict
from deid_portal.engine.report.sensitive import SensitiveSpread, SurestGuess
from deid_portal.engine.report.table import ColumnReport, InputSummary, RowCounts
from deid_portal.engine.report.transformation import MethodStep, SearchSummary, Transformation
from deid_portal.engine.report.utility import ReleaseComparison, UtilityMeasures


@dataclass(frozen=True)
class Randomness(Part):
    """What a report says of a run that can be repeated, and so protects nobody by chance."""

    repeatable: bool
    note: str


@dataclass(frozen=True, kw_only=True)
class HouseDetails(Part):
    """Entries of a report that name values, or nodes one by one, and never leave the house."""

    remedies: tuple[FoundRemedy, ...] | None = None
    who_pays: tuple[PayingColumn, ...] | None = None
    spread: tuple[SensitiveSpread, ...] | None = None
    distributions: DistributionReport | None = None
    released_labels: tuple[ReleasedLabels, ...] | None = None
    examples: Mapping[str, ChangedValue] | None = None
    kept_before: KeptPeople | None = None
    walk: Walks | None = None
    beside: LinksBeside | GroupsBeside | None = None


NO_DETAILS = HouseDetails()


@dataclass(frozen=True, kw_only=True)
class Report(Part):
    report: int  # the version of its form
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
    sensitive: Mapping[str, SurestGuess] | None = None
    attacks: tuple[AttackFinding | AttackProblem, ...] | None = None
    isolation: tuple[GroupsApart, ...] | None = None
    search: SearchSummary | None = None
    coarser: tuple[CoarserStep, ...] | None = None
    # Where there is no solution.
    blocked_by: str | None = None
    blocking_model: Mapping[str, Any] | None = None
    nearest: NearestMiss | None = None
    randomness: Randomness | None = None
    # For the house alone.
    remedies: tuple[FoundRemedy, ...] | None = None
    distributions: DistributionReport | None = None
    released_labels: tuple[ReleasedLabels, ...] | None = None
    spread: tuple[SensitiveSpread, ...] | None = None
    examples: Mapping[str, ChangedValue] | None = None
    kept_before: KeptPeople | None = None
    who_pays: tuple[PayingColumn, ...] | None = None
    walk: Walks | None = None
    beside: LinksBeside | GroupsBeside | None = None
    note: str | None = None  # what was left out of it for those who read it

    def with_details(self, details: HouseDetails) -> "Report":
        """Return the report with everything the house knows; what is told twice is told in full."""
        told = {name: own for name, own in vars(details).items() if own is not None}
        return replace(self, **told)

    @property
    def told_network(self) -> NetworkReport:
        """Return what is told of a network; a report about a table tells nothing of one."""
        if self.network is None:
            raise NotTold("No network is told of here.")
        return self.network

    @property
    def steps(self) -> tuple[MethodStep, ...]:
        """Return what the methods of the plan noted."""
        return self.transformation.steps or ()
