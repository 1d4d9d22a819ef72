"""Summaries of runs: the few figures needed by lists, boards and policies.

A report is large and sealed; a page of two hundred runs must not open two hundred reports. So the
entries such pages need are stored separately, with the structure of a report, so that code that
reads reports (such as the gates of a policy) can read summaries. They can hold names of groups, so
they are sealed as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from deid_portal.engine.report import Part, Report
from deid_portal.engine.report.classes import SizeSummary
from deid_portal.engine.report.detail import NO_DETAIL, PublishedDetail
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


def summarize_run(report: Report, detail: PublishedDetail | None = None) -> RunSummary:
    """Return the summary of a finished run, with or without a solution.

    `detail` holds levels and loss computed from the published plan; viewers without row access see
    them instead of those of the report (`reports/visibility.py`).
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
        detail=detail or NO_DETAIL,
        who_pays=None if report.who_pays is None else tuple(_telling_most(report.who_pays)),
    )


def _as(kind: type[Kind], part: Part) -> Kind:
    """Convert a part to a smaller one with a subset of its entries."""
    return kind.from_document(part.to_document())


def _risk(risk: RiskReport) -> RiskSummary:
    return RiskSummary(_as(RiskFigures, risk.after), risk.safe_harbor or ())


def _verdict(rule: RuleVerdict) -> RuleVerdict:
    parameters = _without_values(rule.parameters)
    return replace(rule, parameters=parameters, achieved=None, achieved_before=None)


def _telling_most(who_pays: Sequence[PayingColumn]) -> Iterator[PayingGroups]:
    """Keep, per column, the smallest group and those with a larger share than every larger group.

    So the group with the largest share is included, whatever minimum size a policy sets.
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
    """Keep scalar parameters of a rule, and the columns (not the values) of those by value."""
    kept = {
        name: value
        for name, value in rule.items()
        if isinstance(value, str | int | float) or name == "columns"
    }
    values = rule.get("values")
    if isinstance(values, Mapping):
        kept["values"] = dict.fromkeys(values)
    return kept
