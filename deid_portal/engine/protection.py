"""The two doors of the engine: protect a table by a plan, or only measure it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import NOBODY, TableDraft
from deid_portal.engine.draft.measured import MeasuredTable, measure_recoding
from deid_portal.engine.draft.remeasurement import measure_draft, measure_release
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.evidence.findings import add_findings, find_for_the_house
from deid_portal.engine.evidence.report_builder import (
    add_breach,
    add_table_miss,
    build_table_report,
    describe_exploration,
    describe_rounds,
    describe_search,
    describe_step,
)
from deid_portal.engine.evidence.suppression_causes import describe_coarser, describe_groups_apart
from deid_portal.engine.methods import Method, RecodingMethod
from deid_portal.engine.methods.restating_method import restating_first
from deid_portal.engine.outcome import Outcome
from deid_portal.engine.plan import Plan
from deid_portal.engine.privacy import WholeTable
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.randomness.chance import Chance
from deid_portal.engine.randomness.seeds import admit_repeatable
from deid_portal.engine.release.canonical_order import sort_by_content
from deid_portal.engine.release.released_table import build_released_table, check_pseudonym_key
from deid_portal.engine.release.row_matching import match_rows
from deid_portal.engine.report import Report
from deid_portal.engine.report.exploration import Exploration
from deid_portal.engine.report.transformation import RecodingRound, SearchSummary
from deid_portal.engine.search.problem import Problem, ReleasedColumnPlan
from deid_portal.engine.search.recoding import Recoding, Round
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Codes, Table

if TYPE_CHECKING:
    from pandas import DataFrame

CELLS_MOVED = (
    "Loss and the other measures of detail count how coarse cells became, not how far they were "
    "moved; the comparison of the columns before and after shows that."
)


def protect(
    table: "Table | DataFrame",
    plan: Plan | dict[str, Any],
    progress: ProgressCallback | None = None,
    *,
    pseudonym_key: bytes | None = None,
    secret: bytes | None = None,
    is_repeatable: bool = False,
) -> Outcome:
    """Carry out a plan, which may be a document, on a table, which may be a data frame of pandas.

    Chance comes from `secret`, 32 random bytes that nobody else may ever see; without it, from
    fresh ones that are forgotten. A plan with a seed that would undo its protection is refused
    unless it is confirmed with `is_repeatable`, for tests of a pipeline; the report then says so.

    `progress(done, total, phase, **figures)` is called at least once a second of work with the
    phases "patterns", "search" or "protect", "release" and "measure"; it may raise Cancelled. A
    plan nothing satisfies gives an Outcome without a table; a plan or table that makes no sense
    raises.
    """
    table, plan = as_table(table), as_plan(plan)
    chance = plan.chance(secret, is_confirmed=is_repeatable)
    outcome = _protect_in_order(table, plan, Progress(progress), pseudonym_key, chance)
    outcome = _with_pandas_types(outcome, table)
    if not chance.is_repeatable:
        return outcome
    return replace(outcome, report=admit_repeatable(outcome.report))


def as_table(given: "Table | DataFrame") -> Table:
    return given if isinstance(given, Table) else Table.from_pandas(given)


def as_plan(given: Plan | dict[str, Any]) -> Plan:
    return given if isinstance(given, Plan) else Plan.from_document(given)


def _with_pandas_types(outcome: Outcome, table: Table) -> Outcome:
    """Let the columns of the release have the types of the data frame the table was made of."""
    if outcome.released is None or not table.pandas_types:
        return outcome
    from deid_portal.engine.table.frames import types_of_release  # pandas takes long to start

    types = types_of_release(table.pandas_types, outcome.released)
    return replace(outcome, released=replace(outcome.released, pandas_types=types))


def _protect_in_order(
    table: Table, plan: Plan, steps: Progress, pseudonym_key: bytes | None, chance: Chance
) -> Outcome:
    """Protect rows in an order of their own where the method would break ties by that of input."""
    if any(method.breaks_ties_by_order for method in plan.methods):
        arranged, order = sort_by_content(table)
        outcome = _protect(arranged, plan, steps, pseudonym_key, chance)
        return replace(
            outcome, rows=None if outcome.rows is None else _rows_of(order, outcome.rows)
        )
    return _protect(table, plan, steps, pseudonym_key, chance)


def _protect(
    table: Table, plan: Plan, steps: Progress, pseudonym_key: bytes | None, chance: Chance
) -> Outcome:
    problem = pose_problem(table, plan, steps)
    check_pseudonym_key(table, plan, pseudonym_key)
    draft = TableDraft.start(problem)
    for place, method in enumerate(plan.methods):
        before, draft = draft, method.apply(draft, generator_of(chance, place), steps)
        if not draft.table.rows:
            return _nobody_left(plan, before, draft)
    released, rows = build_released_table(draft, plan, pseudonym_key, steps)
    return _measured(plan, draft, released, rows, steps)


def _rows_of(order: Codes, rows: Codes) -> Codes:
    """Return the rows of the table as it came; made-up records have none."""
    return np.where(rows == NOBODY, NOBODY, order[rows]).astype(np.int32)


def assess(
    table: "Table | DataFrame",
    plan: Plan | dict[str, Any],
    released: "Table | DataFrame | None" = None,
) -> Report:
    """Measure risk and utility of a table as it is, or of a release made from it.

    Changes nothing. `solution` says whether all models of the plan hold. The cells of a released
    table are found in the taxonomies by their labels; a label on several levels counts as the
    lowest of them.
    """
    table, plan = as_table(table), as_plan(plan)
    released = None if released is None else as_table(released)
    problem = pose_problem(table, plan, Progress(None))
    before = after = _measure_before(problem)
    if released is not None:
        may_be_changed = _changes_cells(plan.methods)
        after = measure_release(
            problem, whole_as_shown(problem, plan), released, may_be_changed=may_be_changed
        )
    shown = table if released is None else released
    report = build_table_report(
        plan=plan, problem=problem, before=before, after=after, released=shown, solution=True
    )
    report = replace(report, solution=all(rule.holds for rule in report.models))
    rows: Codes | None = np.arange(table.rows, dtype=np.int32)
    if released is not None:
        rows = match_rows(problem, released, after.levels)
    evidence = Evidence(plan, problem, problem.table if released is None else released, rows)
    return add_findings(evidence, report, before, after, Progress(None))


def pose_problem(table: Table, plan: Plan, progress: Progress) -> Problem:
    """Check that the plan fits the table and prepare what every method needs."""
    plan.check_table(table)
    quasi = set(plan.quasi_identifiers)
    problem = Problem.pose(
        plan.typed(table),
        {column.name: column.recipe for column in plan.columns if column.name in quasi},
        {column.name: column.weight for column in plan.columns},
        plan.models,
        {column.name: column.taxonomy for column in plan.columns},
        progress,
    )
    problem = replace(problem, released=_released_columns(plan)).with_populations(plan.populations)
    for index, method in enumerate(plan.methods):
        path = "method" if len(plan.methods) == 1 else f"method[{index}]"
        method.check_problem(Place(method.to_document(), path), problem)
    return problem


def _released_columns(plan: Plan) -> dict[str, ReleasedColumnPlan]:
    return {
        column.name: ReleasedColumnPlan(column.treatment is not None, column.type, column.taxonomy)
        for column in plan.columns
        if not column.is_removed
    }


def whole_as_shown(problem: Problem, plan: Plan) -> WholeTable:
    """Return the whole table with its sensitive values as the plan shows them in every row."""
    draft = TableDraft.start(problem)
    for method in restating_first(plan.methods):
        draft = method.apply(draft, np.random.default_rng(0), Progress(None))
    return draft.whole


def generator_of(chance: Chance, place: int) -> np.random.Generator:
    """Return the random numbers of one method of a chain."""
    return chance.generator(f"method {place}")


def _changes_cells(methods: Sequence[Method]) -> bool:
    return not all(isinstance(method, RecodingMethod) for method in methods)


def _measured(
    plan: Plan,
    draft: TableDraft,
    released: Table,
    rows: Codes,
    progress: Progress,
) -> Outcome:
    """Measure the release; if a model does not hold on it, nothing is released."""
    problem = draft.problem
    progress.report(0, 4, "measure")
    before = _measure_before(problem)
    progress.report(1, 4, "measure")
    after = _measure_after(draft)
    progress.report(2, 4, "measure")
    report = build_table_report(
        plan=plan, problem=problem, before=before, after=after, released=released, solution=True
    )
    progress.report(3, 4, "measure")
    groups, restated = _groups_of(draft, rows), draft.whole_restated
    evidence = Evidence(plan, problem, released, rows, draft.drawn, groups, restated)
    report = _add_methods(report, plan, draft)
    report = _add_search(add_findings(evidence, report, before, after, progress), draft)
    if not all(rule.holds for rule in report.models):
        nothing = _report_of_nothing(plan, draft)
        missed = add_breach(nothing, plan.models, after.whole, after.classes)
        return Outcome(False, None, missed)
    details = replace(find_for_the_house(evidence, progress), exploration=_explored_by(draft))
    progress.report(1, 1, "measure")
    return Outcome(True, released, report, rows, details)


def _measure_after(draft: TableDraft) -> MeasuredTable:
    """Measure what leaves. Levels alone say all about a table that was only recoded, and once.

    Other cells are looked at anew. So are those of several rounds: a gap is one at every level, so
    records of two rounds may look alike.
    """
    if draft.recoding is None:
        return measure_draft(draft)
    measured = measure_recoding(draft.recoding)
    if len(draft.recoding.rounds) > 1:
        return replace(measured, classes=measure_draft(draft).classes)
    return measured


def _nobody_left(plan: Plan, before: TableDraft, draft: TableDraft) -> Outcome:
    """Say what stood in the way of the method after which there was nobody left."""
    report = _report_of_nothing(plan, draft)
    search = draft.search if draft.search is not before.search else None
    if search is not None and search.found.nearest is not None:
        report = add_table_miss(report, search, search.found.nearest)
    elif search is None and plan.models:
        measured = measure_draft(before)
        report = add_breach(report, plan.models, measured.whole, measured.classes)
    return Outcome(False, None, report)


def _report_of_nothing(plan: Plan, draft: TableDraft) -> Report:
    """Return the report of a plan that nothing satisfies, but for what stood in its way."""
    problem = draft.problem
    before = _measure_before(problem)
    hidden = np.zeros(len(problem.patterns.counts), np.bool_)
    nothing = Recoding(problem, (Round((0,) * len(problem.names), hidden),))
    empty = replace(before, classes=_no_classes(before.classes), columns=nothing.columns, levels={})
    report = build_table_report(
        plan=plan, problem=problem, before=before, after=empty, released=None, solution=False
    )
    return replace(report, search=_search_of(draft))


def _groups_of(draft: TableDraft, rows: Codes) -> Codes | None:
    """Return the group of each released record, where equal cells are not what makes one."""
    if draft.groups is None:
        return None
    group_of = np.zeros(draft.problem.rows, np.int32)
    group_of[draft.rows] = draft.groups
    return group_of[rows]


def _search_of(draft: TableDraft) -> SearchSummary | None:
    return None if draft.search is None else describe_search(draft.search)


def _explored_by(draft: TableDraft) -> Exploration | None:
    return None if draft.search is None else describe_exploration(draft.search)


def _add_search(report: Report, draft: TableDraft) -> Report:
    """Add the search of a method that has one, and what one step coarser would change.

    Where several combinations of levels are mixed, no single step says what would change.
    """
    if draft.search is None:
        return report
    report, found = replace(report, search=_search_of(draft)), draft.search.found
    if found.best is None or found.recoding is not None:
        return report
    coarser = describe_coarser(draft.search.problem, found.best)
    return replace(report, coarser=coarser, isolation=describe_groups_apart(found.best))


def _add_methods(report: Report, plan: Plan, draft: TableDraft) -> Report:
    """Add what the methods did: labels, steps and rounds, and how far numbers were moved."""
    steps = tuple(describe_step(step, draft.table) for step in draft.steps)
    made = replace(
        report.transformation, cuts=draft.cuts, steps=steps or None, rounds=_rounds_of(draft)
    )
    moved = (CELLS_MOVED,) if any(method.moves_cells for method in plan.methods) else ()
    return replace(
        report,
        notes=(*report.notes, *moved),
        transformation=made,
        utility=replace(report.utility, information_loss=_information_loss(draft)),
    )


def _rounds_of(draft: TableDraft) -> tuple[RecodingRound, ...] | None:
    if draft.recoding is None or len(draft.recoding.rounds) < 2:
        return None
    return describe_rounds(draft.recoding)


def _information_loss(draft: TableDraft) -> float | None:
    """Return 100 · SSE/SST of the last step that measured it."""
    measured = [step["information_loss"] for step in draft.steps if "information_loss" in step]
    return measured[-1] if measured else None


def _measure_before(problem: Problem) -> MeasuredTable:
    everyone = np.ones(len(problem.patterns.counts), np.bool_)
    return measure_recoding(Recoding(problem, (Round((0,) * len(problem.names), everyone),)))


def _no_classes(classes: Classes) -> Classes:
    return classes.only(np.zeros(len(classes.sizes), np.bool_))
