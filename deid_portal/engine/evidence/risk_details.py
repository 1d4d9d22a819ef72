"""Whose risk it is, and how sure a guess of a sensitive value can be."""

from dataclasses import replace

import numpy as np

from deid_portal.engine.draft.measured import MeasuredTable
from deid_portal.engine.draft.remeasurement import GROUP, group_numbers
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.plan import ColumnRole
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.risk import RiskDetails, RiskDetailsBothWays, RiskReport
from deid_portal.engine.report.sensitive import SensitiveRisk
from deid_portal.engine.risk.guesses import measure_surest_guess
from deid_portal.engine.risk.lone_values import ValueVariety
from deid_portal.engine.risk.safe_harbor import check_safe_harbor
from deid_portal.engine.risk.summary import summarize_risk
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.table import Column, Table


def add_risk_details(
    evidence: Evidence, risk: RiskReport, before: MeasuredTable, after: MeasuredTable
) -> RiskReport:
    details = RiskDetailsBothWays(
        _summarize_risk(evidence, before), _summarize_risk(evidence, after)
    )
    return replace(risk, details=details, safe_harbor=check_safe_harbor(evidence.released).findings)


def _summarize_risk(evidence: Evidence, measured: MeasuredTable) -> RiskDetails | None:
    patterns, asked = seen_patterns(evidence.names, measured), evidence.measures
    if patterns is None:
        return None
    return summarize_risk(
        patterns,
        threshold=asked.threshold,
        people=measured.people,
        population_size=asked.population_size or (asked.people.size if asked.people else None),
    )


def measure_sensitive(evidence: Evidence, progress: Progress) -> dict[str, SensitiveRisk]:
    """Return, per released sensitive column, how surely it is guessed and its lone values."""
    columns = [n for n in evidence.plan.names_of(ColumnRole.SENSITIVE) if n in evidence.released]
    released, names = evidence.released, evidence.names
    if evidence.groups is not None:
        # Values were permuted within groups: a row found by its cells has values of others.
        own = (evidence.released[name] for name in columns)
        released, names = Table((group_numbers(evidence.groups), *own)), (GROUP,)
    guesses = measure_surest_guess(released, names, columns, progress)
    return {
        name: _describe_values(share, evidence.original[name], evidence.released[name])
        for name, share in guesses.items()
    }


def _describe_values(share: float, original: Column, released: Column) -> SensitiveRisk:
    before, after = ValueVariety.of(original), ValueVariety.of(released)
    return SensitiveRisk(share, after.records, after.lone, before.lone)


def seen_patterns(names: tuple[str, ...], measured: MeasuredTable) -> Patterns | None:
    """Return the classes of a release as patterns; None if they are not defined by equal cells."""
    if measured.alike is not None:
        return None
    labels = measured.classes.labels
    nothing = np.zeros(0, np.int32)
    return Patterns(names, np.ascontiguousarray(labels), measured.classes.sizes, nothing, {})
