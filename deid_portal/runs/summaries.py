"""The few numbers of a run that lists, boards and policies look at.

A report is large and sealed; a page about two hundred runs must not open two hundred of them. So
what such a page needs is kept apart, in the shape the report has: whatever reads a report (the
gates of a policy, say) can read this instead. It can hold names of groups, so it is sealed too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from deid_portal.engine.report import Part, Report
from deid_portal.engine.report.classes import SizeSummary
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.report.risk import RiskFigures, RiskReport
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.summary import (
    AskedProtection,
    InputRows,
    NetworkLinks,
    PayingGroups,
    RiskSummary,
    RunSummary,
)
from deid_portal.plans.basis import basis_of

Kind = TypeVar("Kind", bound=Part)


def describe_request(plan: Mapping[str, Any]) -> RunSummary:
    """Return the summary of a run that has not ended."""
    return RunSummary.telling(asked=describe_plan(plan))


def describe_plan(plan: Mapping[str, Any]) -> AskedProtection:
    basis = basis_of(plan)
    return AskedProtection(
        k=basis.look_alikes,
        limit=basis.limit,
        methods=tuple(method["name"] for method in basis.methods),
        rules=tuple(_without_values(rule) for rule in basis.rules),
        way=tuple(basis.ways) or None,
    )


def summarize(report: Report, detail: Mapping[str, Any] | None = None) -> RunSummary:
    """Pick from a finished run's report, no solution included.

    `detail` is what the published plan says of detail lost; it is shown instead of the report's own
    to those who see no rows (`reports/visibility.py`).
    """
    plan = {"columns": {name: _roles(own) for name, own in report.plan["columns"].items()}}
    asked, counted = describe_plan(report.plan), InputRows(report.input.rows)
    if not report.solution:
        return RunSummary.telling(solution=False, input=counted, plan=plan, asked=asked)
    return RunSummary(
        solution=True,
        input=counted,
        plan=plan,
        asked=asked,
        rows=report.rows,
        classes=_as(SizeSummary, report.classes),
        models=tuple(_verdict(rule) for rule in report.models),
        risk=_risk(report.risk),
        utility=report.utility,
        columns=report.columns,
        levels=report.transformation.levels,
        network=NetworkLinks.of(report.network),
        sensitive=report.sensitive,
        detail=dict(detail or {}),
        who_pays=None if report.who_pays is None else tuple(_telling_most(report.who_pays)),
    )


def _as(kind: type[Kind], part: Part) -> Kind:
    """Return the entries of a part that a smaller one has, too."""
    return kind.from_document(part.to_document())


def _risk(risk: RiskReport) -> RiskSummary:
    return RiskSummary(_as(RiskFigures, risk.after), risk.safe_harbor or ())


def _verdict(rule: RuleVerdict) -> RuleVerdict:
    parameters = _without_values(rule.parameters)
    return replace(rule, parameters=parameters, achieved=None, achieved_before=None)


def _telling_most(who_pays: Sequence[PayingColumn]) -> Iterator[PayingGroups]:
    """Keep of each column the smallest group, and those that pay more than every larger one.

    So the one that pays most is there, whatever size a policy begins to judge at.
    """
    for table in who_pays:
        groups = [group for group in table.groups if group.records]
        if groups:
            yield PayingGroups(table.column, tuple(_smallest_and_worst(groups)))


def _smallest_and_worst(groups: list[PayingGroup]) -> list[PayingGroup]:
    by_size = sorted(groups, key=lambda group: (-group.records, -group.suppressed))
    kept, most = [], -1.0
    for group in by_size:
        share = group.suppressed / group.records
        if share > most or group is by_size[-1]:
            kept.append(group)
            most = max(most, share)
    return kept


def _roles(column: Mapping[str, Any]) -> dict[str, Any]:
    return {name: column[name] for name in ("role", "treatment") if name in column}


def _without_values(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Keep numbers and words of a rule; of the values it names, the columns they are in."""
    kept = {
        name: value
        for name, value in rule.items()
        if isinstance(value, str | int | float) or name == "columns"
    }
    values = rule.get("values")
    if isinstance(values, Mapping):
        kept["values"] = dict.fromkeys(values)
    return kept
