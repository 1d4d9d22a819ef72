"""The two doors of the engine: protect a table by a plan, or only measure it."""

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from deid_portal.engine.checking import Check
from deid_portal.engine.documents import Place
from deid_portal.engine.found import Found
from deid_portal.engine.grouping import Classes, reduce_table
from deid_portal.engine.outcome import Outcome
from deid_portal.engine.plan import Plan
from deid_portal.engine.privacy import Original, SensitiveColumn, Whole
from deid_portal.engine.problem import Problem
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.recoding import Recoding, Round
from deid_portal.engine.releasing import build_release, check_pseudonym_key
from deid_portal.engine.remeasuring import measure_release
from deid_portal.engine.reporting import (
    Measured,
    build_report,
    describe_coarser,
    describe_miss,
    describe_rounds,
    describe_search,
    measure_recoding,
)
from deid_portal.engine.table import Table


def protect(
    table: Table,
    plan: Plan,
    progress: ProgressCallback | None = None,
    *,
    pseudonym_key: bytes | None = None,
) -> Outcome:
    """Carry out a plan.

    `progress(done, total, phase, **figures)` is called at least once a second of work with the
    phases "patterns", "search", "release" and "measure"; it may raise Cancelled. A plan nothing
    satisfies gives an Outcome without a table; a plan or table that makes no sense raises.
    """
    steps = Progress(progress)
    problem = pose_problem(table, plan, steps)
    check_pseudonym_key(table, plan, pseudonym_key)
    steps.report(0, 1, "search")
    started = perf_counter()
    method = plan.methods[0]
    found = method.find(problem, steps)
    searched = describe_search(found, getattr(method, "metric", "loss"), perf_counter() - started)
    steps.report(1, 1, "search", nodes=found.nodes, checked=found.checked, settled=found.nodes)
    if found.best is None:
        return _without_solution(problem, plan, found, searched)
    recoding = found.recoding or Recoding.of_check(problem, found.best)
    released = build_release(recoding, plan, pseudonym_key, steps)
    return _with_solution(recoding, plan, found.best, searched, released, steps)


def assess(table: Table, plan: Plan, released: Table | None = None) -> dict[str, Any]:
    """Measure risk and utility of a table as it is, or of a release made from it.

    Changes nothing. `solution` says whether all models of the plan hold. The cells of a released
    table are found in the taxonomies by their labels; a label on several levels counts as the
    lowest of them.
    """
    problem = pose_problem(table, plan, Progress(None))
    before = _measure_before(problem)
    after = before if released is None else measure_release(problem, released)
    report = build_report(
        plan=plan,
        problem=problem,
        before=before,
        after=after,
        released=table if released is None else released,
        solution=True,
    )
    report["solution"] = all(model["holds"] for model in report["models"])
    return report


def pose_problem(table: Table, plan: Plan, progress: Progress) -> Problem:
    """Check that the plan fits the table and prepare what every method needs."""
    plan.check_table(table)
    table = plan.typed(table)
    quasi = set(plan.quasi_identifiers)
    names = tuple(name for name in table.names if name in quasi)
    planned = {column.name: column for column in plan.columns}
    wanted = {name for model in plan.models for name in model.counted_columns}
    sensitive = [name for name in table.names if name in wanted]
    taxonomies = [planned[name].recipe.build(table[name]) for name in names]
    patterns = reduce_table(table, names, sensitive, progress)
    problem = Problem(
        table=table,
        names=names,
        taxonomies=taxonomies,
        weights=[planned[name].weight for name in names],
        models=plan.models,
        patterns=patterns,
        whole=Whole(
            table.rows,
            {name: SensitiveColumn(table[name], planned[name].taxonomy) for name in sensitive},
            Original(
                [table[name] for name in names],
                taxonomies,
                patterns,
                [planned[name].recipe for name in names],
            ),
        ),
    )
    for method in plan.methods:
        method.check_problem(Place(method.to_document(), "method"), problem)
    return problem


def _with_solution(
    recoding: Recoding,
    plan: Plan,
    base: Check,
    searched: dict[str, Any],
    released: Table,
    progress: Progress,
) -> Outcome:
    problem = recoding.problem
    progress.report(0, 4, "measure")
    before = _measure_before(problem)
    progress.report(1, 4, "measure")
    after = measure_recoding(recoding)
    progress.report(2, 4, "measure")
    report = build_report(
        plan=plan,
        problem=problem,
        before=before,
        after=after,
        released=released,
        solution=True,
    )
    progress.report(3, 4, "measure")
    if len(recoding.rounds) > 1:
        report["transformation"]["rounds"] = describe_rounds(recoding)
    report |= {"search": searched, "coarser": describe_coarser(problem, base)}
    progress.report(1, 1, "measure")
    return Outcome(True, released, report)


def _without_solution(
    problem: Problem, plan: Plan, found: Found, searched: dict[str, Any]
) -> Outcome:
    before = _measure_before(problem)
    columns = [replace(column, cells=np.zeros_like(column.cells)) for column in before.columns]
    empty = Measured(_no_classes(before.classes), columns, {})
    report = build_report(
        plan=plan, problem=problem, before=before, after=empty, released=None, solution=False
    )
    report["search"] = searched
    if found.nearest is not None:
        report |= describe_miss(problem, found, found.nearest)
    return Outcome(False, None, report)


def _measure_before(problem: Problem) -> Measured:
    everyone = np.ones(len(problem.patterns.counts), np.bool_)
    return measure_recoding(Recoding(problem, (Round((0,) * len(problem.names), everyone),)))


def _no_classes(classes: Classes) -> Classes:
    return classes.only(np.zeros(len(classes.sizes), np.bool_))
