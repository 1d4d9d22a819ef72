"""Builds the report of a release from measured tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deid_portal.engine.draft.draft import Search
from deid_portal.engine.draft.measured import MeasuredTable
from deid_portal.engine.plan import ColumnRole, Plan
from deid_portal.engine.privacy import PrivacyModel, WholeTable
from deid_portal.engine.privacy.k_anonymity import asked_k
from deid_portal.engine.report import Report
from deid_portal.engine.report.exploration import (
    CheckedCombination,
    Exploration,
    LevelledColumn,
)
from deid_portal.engine.report.risk import RiskReport
from deid_portal.engine.report.rules import NearestMiss, RuleVerdict
from deid_portal.engine.report.table import ColumnReport, InputSummary, RowCounts
from deid_portal.engine.report.transformation import (
    MethodStep,
    RecodingRound,
    SearchSummary,
    Transformation,
)
from deid_portal.engine.report.utility import UtilityMeasures
from deid_portal.engine.risk.attackers import count_short_classes
from deid_portal.engine.risk.classes import measure_risk, summarize_classes
from deid_portal.engine.search.check import Check
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import Recoding
from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.utility import METRICS, Loss, MeasuredRelease
from deid_portal.engine.version import ENGINE_VERSION

VERSION = 1


def describe_rounds(recoding: Recoding) -> tuple[RecodingRound, ...]:
    """Return the levels and records of each round; the first round is the base."""
    problem = recoding.problem
    return tuple(
        RecodingRound(
            levels=dict(zip(problem.names, round.levels, strict=True)),
            records=int(problem.patterns.counts[round.shown].sum()),
        )
        for round in recoding.rounds
    )


def build_table_report(
    *,
    plan: Plan,
    problem: Problem,
    before: MeasuredTable,
    after: MeasuredTable,
    released: Table | None,
    solution: bool,
) -> Report:
    """Return the report of `plan-format.md`, without the part about the search."""
    return Report(
        report=VERSION,
        solution=solution,
        plan=plan.to_document(),
        plan_sha256=plan.sha256,
        engine=ENGINE_VERSION,
        input=InputSummary(
            rows=problem.rows,
            sha256=problem.table.sha256,
            patterns=len(problem.patterns.counts),
        ),
        notes=(*describe_patterns(problem), *_describe_missing_people(before, after)),
        rows=_count_rows(after),
        transformation=Transformation(levels=dict(after.levels) if solution else {}, cuts={}),
        classes=summarize_classes(after.classes.sizes, before.classes.sizes),
        models=tuple(_judge(model, before, after) for model in plan.models),
        risk=RiskReport(
            before=measure_risk(before.look_alikes.sizes, before.people),
            after=measure_risk(after.look_alikes.sizes, after.people),
        ),
        utility=_utility(plan, after),
        utility_before=_utility(plan, before),
        columns={
            column.name: _describe_column(column.name, plan, problem, after, released)
            for column in problem.table.columns
        },
    )


def _count_rows(after: MeasuredTable) -> RowCounts:
    kept = int(after.classes.sizes.sum())
    return RowCounts(released=kept, suppressed=after.rows - kept, not_drawn=after.not_drawn or None)


def describe_patterns(problem: Problem) -> list[str]:
    """Return a note if all rows differ, since the cost then grows with rows, not with patterns."""
    if problem.rows < 2 or len(problem.patterns.counts) < problem.rows:
        return []
    return [
        "No two rows are alike in the quasi-identifiers, so rows cannot be worked on together and "
        "the run takes longer; a column that differs in every row is best made an identifier."
    ]


def _describe_missing_people(before: MeasuredTable, after: MeasuredTable) -> list[str]:
    """Return a note if some class has fewer people in the population than in the table."""
    states = {"table": before, "release": after}
    return [
        f"The population shows fewer people than the {name} in {short} of its "
        f"{len(state.look_alikes.sizes)} groups; there the people of the {name} are counted, so "
        f"that the risks of journalist and marketer are at most what is said."
        for name, state in states.items()
        if (short := count_short_classes(state.look_alikes.sizes, state.people))
    ]


def describe_search(search: Search) -> SearchSummary:
    """Describe the search; `bound` is the best value that anything not searched could have."""
    found = search.found
    has_bound = not found.optimal and np.isfinite(found.bound)
    return SearchSummary(
        nodes=found.nodes,
        checked=found.checked,
        optimal=found.optimal,
        seconds=round(search.seconds, 3),
        metric=search.metric,
        bound=METRICS[search.metric].value_of_cost(found.bound) if has_bound else None,
    )


def describe_exploration(search: Search) -> Exploration | None:
    """List the combinations that were checked; None if there was nothing to choose from."""
    found, problem = search.found, search.problem
    if found.nodes == 1:
        return None
    value_of = METRICS[search.metric].value_of_cost
    return Exploration(
        metric=search.metric,
        allowed=found.allowed,
        satisfying=found.explored.allowed_count,
        columns=tuple(
            LevelledColumn(name, tuple(taxonomy.level_names))
            for name, taxonomy in zip(problem.names, problem.taxonomies, strict=True)
        ),
        combinations=tuple(
            CheckedCombination(
                node.levels, node.suppressed, None if node.cost is None else value_of(node.cost)
            )
            for node in found.explored.best_first()
        ),
    )


def describe_step(step: Mapping[str, Any], released: Table) -> MethodStep:
    """Return the notes of a method, without values that a later method has hidden."""
    columns = step.get("columns")
    if not isinstance(columns, Mapping):
        return MethodStep.of(step)
    described = {
        name: _still_shown(figures, released[name]) if name in released else {}
        for name, figures in columns.items()
    }
    return MethodStep.of({**step, "columns": described})


def _still_shown(figures: Mapping[str, Any], column: Column) -> dict[str, Any]:
    """Keep the figures that also hold for the column as it is released.

    Others would name values that a later method hid, or count records that it suppressed.
    """
    kept = dict(figures)
    if "values" in kept:
        shown = (list(column.values), column.counts.tolist())
        if (kept["values"], kept["counts"]) != shown:
            return {"epsilon": kept.get("epsilon"), "changed_again": True}
    for bound in ("top", "bottom"):
        numbers = numbers_of(column)[column.counts > 0]
        if kept.get(bound) is not None and not np.isclose(numbers, kept[bound]).any():
            kept[bound] = None
    return kept


def add_table_miss(report: Report, search: Search, nearest: Check) -> Report:
    """Add the blocking model, and by how much the nearest combination violates the plan."""
    problem, allowed = search.problem, search.found.allowed
    told = add_breach(report, problem.models, problem.whole, nearest.classes)
    assert told.nearest is not None  # noqa: S101 - just added
    missed = replace(
        told.nearest,
        levels=dict(zip(problem.names, nearest.levels, strict=True)),
        suppressed=nearest.suppressed,
        allowed=allowed,
        excess=nearest.suppressed - allowed,
    )
    return replace(told, nearest=missed)


def add_breach(
    report: Report, models: Sequence[PrivacyModel], whole: WholeTable, classes: Classes
) -> Report:
    """Add the model that these classes violate most, and the records that violate each model."""
    judged = [_judge_miss(model, whole, classes) for model in models]
    over = [entry.records_over or 0 for entry in judged]
    worst = max(range(len(judged)), key=lambda place: (not judged[place].holds, over[place]))
    return replace(
        report,
        blocked_by=models[worst].name,
        blocking_model=models[worst].to_document(),
        nearest=NearestMiss(
            levels={},
            suppressed=over[worst],
            allowed=0,
            excess=over[worst],
            classes=len(classes.sizes),
            models=tuple(judged),
        ),
    )


def _judge(model: PrivacyModel, before: MeasuredTable, after: MeasuredTable) -> RuleVerdict:
    classes, whole = after.classes, after.whole
    holds = bool(len(classes.sizes)) and bool(model.passes(classes, whole).all())
    return replace(
        RuleVerdict.of(model.to_document()),
        holds=holds and model.accepts(classes, whole),
        achieved=model.achieved(classes, whole),
        achieved_before=model.achieved(before.classes, before.whole),
    )


def _judge_miss(model: PrivacyModel, whole: WholeTable, classes: Classes) -> RuleVerdict:
    broken = ~model.passes(classes, whole)
    return replace(
        RuleVerdict.of(model.to_document()),
        holds=not broken.any() and model.accepts(classes, whole),
        achieved=model.achieved(classes, whole),
        classes_over=int(broken.sum()),
        records_over=int(classes.sizes[broken].sum()),
    )


def measure_table_loss(measured: MeasuredTable) -> float:
    return Loss().value(MeasuredRelease(measured.rows, measured.classes.sizes, measured.columns))


def _utility(plan: Plan, measured: MeasuredTable) -> UtilityMeasures:
    k = asked_k(plan.models)
    release = MeasuredRelease(measured.rows, measured.classes.sizes, measured.columns, k)
    values = {name: metric.value(release) for name, metric in METRICS.items()}
    return UtilityMeasures.telling(**values)


def _describe_column(
    name: str, plan: Plan, problem: Problem, after: MeasuredTable, released: Table | None
) -> ColumnReport:
    planned = plan.column(name)
    shown = released is not None and name in released
    entry = ColumnReport(
        role=planned.role.value if planned else None,
        released=shown,
        distinct_before=int((problem.table[name].counts > 0).sum()),
        distinct_after=int((released[name].counts > 0).sum()) if released and shown else 0,
    )
    if planned is None or planned.role != ColumnRole.QUASI_IDENTIFIER:
        return entry
    index, level = problem.names.index(name), after.levels.get(name)
    taxonomy = problem.taxonomies[index]
    return replace(
        entry,
        level=level,
        height=taxonomy.height,
        level_name=taxonomy.level_names[level] if level is not None else None,
        loss=Loss().column_cost(after.columns[index], after.rows),
    )
