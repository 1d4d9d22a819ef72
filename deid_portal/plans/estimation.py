"""Estimating a run before it is started, by a short search on the patterns of the table.

The search is the engine's, stopped after a fraction of a second. What it has found by then is
valid; a run has more time and finds the same or better, so the figures are upper bounds. For the
levels found they are exact, unless the table was sampled.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from operator import le
from time import perf_counter

from deid_portal.datasets.models import Dataset
from deid_portal.engine import EngineError, Plan
from deid_portal.engine.methods.method import Method, RecodingMethod, records_allowed
from deid_portal.engine.methods.restating_method import restating_first
from deid_portal.engine.privacy import SensitiveColumn, WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.search.heuristic import Explorer, SearchOutOfTime
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Lattice, Levels
from deid_portal.engine.search.optimum import LARGEST_PROVABLE_LATTICE
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.patterns import Pairs
from deid_portal.engine.table.table import Table
from deid_portal.engine.utility import METRICS
from deid_portal.plans.basis import AnyPlan
from deid_portal.plans.burdens import GroupBurden, burdens_of
from deid_portal.plans.reduced_tables import ReducedTable, reduced_table
from deid_portal.work.timings import ExpectedTime

# The time of an estimate, including that for loading the patterns, or for counting them the first
# time; some time for the search is left in any case.
SECONDS = 0.15
SECONDS_FOR_MANY = 0.6  # for some 100,000 patterns, since checks take longer
LEAST_SHARE = 0.4
MANY_PATTERNS = 50_000
# Measured times of a run besides the search: reading, writing, comparing before and after.
SECONDS_PER_CELL = 3e-7
SECONDS_AT_LEAST = 1.0
CHECKS_TO_PROVE = 2.5  # times the checks of an estimate, on a table like the demo's


@dataclass(frozen=True)
class RunEstimate:
    """The most a run would leave out and lose, and how long it would take."""

    left_out: float  # share of the rows
    loss: float | None  # None if nobody can be shown
    expectation: ExpectedTime  # of the time
    patterns: int
    milliseconds: int
    is_possible: bool = True
    is_sample: bool = False
    is_proved: bool = False
    is_upper: bool = False  # of a method that does at least as well as the one tried
    rows: int = 0
    burdens: tuple[GroupBurden, ...] = ()  # who would pay

    @property
    def duration(self) -> str:
        """Return the duration of a run in short form: "2 s", "3 min"."""
        seconds = self.expectation.seconds
        return f"{ceil(seconds)}\u00a0s" if seconds < 90 else f"{ceil(seconds / 60)}\u00a0min"

    @property
    def records_left_out(self) -> int:
        return round(self.left_out * self.rows)


class NoEstimate(Exception):  # noqa: N818 - a fact, and its sentence is shown
    """There is no estimate for this plan; the message says why."""


def estimate_table_run(dataset: Dataset, plan: Plan, *, hurry: float = 1.0) -> RunEstimate:
    """Estimate a validated plan; raises NoEstimate with the reason.

    `hurry` is the share of the usual time to use: one of several estimates gets less.
    """
    method = _method_to_try(plan)
    load_kernels()
    started = perf_counter()
    counted = sorted({name for model in plan.models for name in model.counted_columns})
    reduced = reduced_table(dataset, counted)
    problem = _pose(plan, reduced)
    prepared = perf_counter()
    seconds = hurry * _seconds_to_search(problem, spent=prepared - started)
    found = _search(problem, method, seconds, reduced.good_levels)
    searched = perf_counter() - prepared
    if found.best is not None and found.best.levels not in reduced.good_levels:
        reduced.good_levels.append(found.best.levels)
    best = found.best or found.nearest
    loss: float | None = None
    burdens: tuple[GroupBurden, ...] = ()
    if found.best is not None:
        measured = problem.checker(METRICS["loss"]).check(found.best.levels)
        loss = METRICS["loss"].value_of_cost(measured.cost)
        if hurry == 1.0:
            counts = reduced.patterns.counts
            burdens = burdens_of(measured, reduced.columns, counts, reduced.all_rows)
    return RunEstimate(
        left_out=best.suppressed / max(reduced.rows, 1) if best is not None else 1.0,
        loss=loss,
        expectation=expectation_of_run(
            dataset, plan, _seconds_of_run(dataset, method, problem, found, searched)
        ),
        patterns=len(problem.patterns.counts),
        milliseconds=round(1000 * (perf_counter() - started)),
        is_possible=found.best is not None,
        is_sample=reduced.is_sample,
        is_proved=found.optimal,
        is_upper=method.may_beat_estimate,
        rows=reduced.all_rows,
        burdens=burdens,
    )


def expect_table_run(dataset: Dataset, plan: Plan) -> ExpectedTime:
    """Return how long a run of a plan will take; by its cells alone where nothing can be tried."""
    quasi = {column.name for column in dataset.columns.all() if column.is_quasi_identifier}
    if quasi == set(plan.quasi_identifiers):  # what is stored for estimates is of today's roles
        with suppress(NoEstimate, EngineError):
            return estimate_table_run(dataset, plan).expectation
    return expectation_of_run(dataset, plan, max(_seconds_of_cells(dataset), SECONDS_AT_LEAST))


def expectation_of_run(dataset: Dataset, plan: AnyPlan, modelled: float) -> ExpectedTime:
    """Return what is expected of a run, which is compared with runs of the same methods."""
    methods = "+".join(method.name for method in plan.methods)
    return ExpectedTime(f"run {methods}"[:60], modelled, str(dataset.id))


@cache
def load_kernels() -> None:
    """Load compiled code by a search of three rows, once per process."""
    table = Table.from_rows(["a", "b"], [["1", "x"], ["1", "y"], ["2", "x"]])
    document = {
        "plan": 1,
        "columns": {"a": {"role": "quasi-identifier"}, "b": {"role": "sensitive"}},
        "models": [
            {"model": "k-anonymity", "k": 2},
            {"model": "l-diversity", "l": 2, "column": "b"},
            {"model": "t-closeness", "t": 0.5, "column": "b"},
        ],
        "method": {"name": "full-domain", "suppression_limit": 0.5},
    }
    plan = Plan.from_document(document)
    _search(pose_problem(table, plan, Progress(None)), _method_to_try(plan), SECONDS)


def _method_to_try(plan: Plan) -> RecodingMethod:
    slow = [model.name for model in plan.models if not model.can_be_estimated]
    if slow:
        raise NoEstimate(
            f"No estimate for {slow[0]}: checking it takes longer than an estimate may."
        )
    counted = {name for model in plan.models for name in model.counted_columns}
    touched = {*plan.quasi_identifiers, *counted}
    tried: list[RecodingMethod] = []
    for method in plan.methods:
        if _shows_counted(plan, method):
            continue  # the estimate shows these columns alike
        if isinstance(method, RecodingMethod) and method.can_be_estimated:
            tried.append(method)
        elif method.makes_classes or _changes(method, touched):
            raise NoEstimate(f"No estimate for this method ({method.title}).")
    if not tried:
        raise NoEstimate("No estimate: none of these methods makes people look alike.")
    return tried[0]


def _shows_counted(plan: Plan, method: Method) -> bool:
    """Say whether a method comes first and does no more than show sensitive values coarser."""
    if method not in restating_first(plan.methods):
        return False
    return not set(plan.quasi_identifiers) & set(method.restated_columns)


def _changes(method: Method, names: set[str]) -> bool:
    """Say whether a method may change one of these columns, or the rows of the table."""
    columns = method.to_document().get("columns")
    return columns is None or bool(names & set(columns))


def _pose(plan: Plan, reduced: ReducedTable) -> Problem:
    """Pose the engine's problem on patterns instead of rows."""
    planned = {column.name: column for column in plan.columns}
    recipes = [planned[column.name].recipe for column in reduced.columns]
    taxonomies = [
        recipe.build(column) for recipe, column in zip(recipes, reduced.columns, strict=True)
    ]
    sensitive: dict[str, SensitiveColumn] = {}
    pairs: dict[str, Pairs] = {}
    for name, column in reduced.counted.items():
        recipe, own = planned[name].taxonomy, reduced.patterns.sensitive[name]
        for method in restating_first(plan.methods):
            if name in method.restated_columns:
                restatement = method.restate(column, recipe)(column)
                column, own = restatement.of(column), own.relabel(restatement.codes)
        sensitive[name], pairs[name] = SensitiveColumn(column, recipe), own
    return Problem(
        table=Table(reduced.columns),
        names=reduced.patterns.names,
        taxonomies=taxonomies,
        weights=[planned[column.name].weight for column in reduced.columns],
        models=plan.models,
        patterns=replace(reduced.patterns, sensitive=pairs),
        whole=WholeTable(reduced.rows, sensitive),
        recipes=recipes,
    )


def _seconds_to_search(problem: Problem, spent: float) -> float:
    seconds = SECONDS_FOR_MANY if len(problem.patterns.counts) > MANY_PATTERNS else SECONDS
    return max(seconds - spent, LEAST_SHARE * seconds)


def _search(
    problem: Problem,
    method: RecodingMethod,
    seconds: float,
    good_levels: Iterable[Levels] = (),
) -> SearchResult:
    rows = problem.patterns.rows
    checker = problem.checker(METRICS[method.metric])
    lattice = Lattice(problem.heights)
    allowed = records_allowed(method.suppression_limit, rows)
    given = method.levels_without_search(problem.names)
    if given is not None:
        found = SearchResult(allowed, nodes=1)
        found.enter(checker.check(given))
        return found
    found = SearchResult(allowed, lattice.size, tolerance=checker.metric.tolerance)
    explorer = Explorer(checker, lattice, found, Progress(None), seconds)
    for good in tuple(good_levels):
        if _fits(good, problem.heights):  # taxonomies may have changed since
            found.enter(checker.check(good))
    found.optimal = False
    with suppress(SearchOutOfTime):
        explorer.explore()
    return found


def _fits(levels: Levels, heights: Levels) -> bool:
    return len(levels) == len(heights) and all(map(le, levels, heights))


def _seconds_of_run(
    dataset: Dataset, method: RecodingMethod, problem: Problem, found: SearchResult, searched: float
) -> float:
    """Estimate the time of a run: processing the cells, and a search with proof of the optimum."""
    searching = searched if found.optimal else searched * CHECKS_TO_PROVE
    searching *= method.searches_again
    if not found.optimal and Lattice(problem.heights).size > LARGEST_PROVABLE_LATTICE:
        searching = getattr(method, "time_limit_seconds", searching)
    return max(_seconds_of_cells(dataset) + searching, SECONDS_AT_LEAST)


def _seconds_of_cells(dataset: Dataset) -> float:
    """Return the usual time for reading, writing and comparing the cells."""
    return dataset.rows * (dataset.column_count or 1) * SECONDS_PER_CELL
