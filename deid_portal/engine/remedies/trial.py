"""Changed plans carried out on trial, as long as there is time."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.draft.measured import MeasuredTable, measure_recoding
from deid_portal.engine.draft.remeasurement import measure_draft
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.evidence.report_builder import measure_table_loss
from deid_portal.engine.methods import Method
from deid_portal.engine.methods.searching_method import SearchingMethod
from deid_portal.engine.plan import Plan
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.protection import generator_of, pose_problem
from deid_portal.engine.randomness.chance import Chance
from deid_portal.engine.release.canonical_order import sort_by_content
from deid_portal.engine.report.remedies import FoundRemedy
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Table

SECONDS_PER_SEARCH = 1.5
ROUNDING = 1e-9  # of numbers of few decimals


@dataclass(frozen=True)
class TrialResult:
    """What a changed plan would release."""

    suppressed: int
    loss: float


class RemediesOutOfTime(Exception):  # noqa: N818 - not an error
    """Enough was tried."""


class RemedyTrial:
    """Carries out changed plans, as long as there is time."""

    def __init__(
        self, table: Table, plan: Plan, progress: ProgressCallback | None, seconds: float
    ) -> None:
        self.plan = replace(plan, methods=tuple(hurry(method) for method in plan.methods))
        sorts = any(method.breaks_ties_by_order for method in plan.methods)
        self._table = sort_by_content(table)[0] if sorts else table
        self._end = perf_counter() + seconds
        self._tried = 0
        self._chance = Chance.in_secret()  # what is drawn on trial tells nothing of a release
        self._progress = Progress(self._tell(progress))
        self.problem = pose_problem(self._table, self.plan, self._progress)

    def _tell(self, progress: ProgressCallback | None) -> ProgressCallback:
        """Whatever an attempt is at, somebody who waits sees the measuring go on."""

        def tell(done: int, total: int, phase: str, **figures: Any) -> None:
            if perf_counter() > self._end and self._tried:
                raise RemediesOutOfTime
            if progress is not None:
                progress(self._tried, self._tried + 1, "measure")

        return tell

    @property
    def rows(self) -> int:
        return self.problem.rows

    def carry_out(self, plan: Plan) -> TrialResult | None:
        """Return what a plan would release; None if nothing satisfies it or it makes no sense."""
        if perf_counter() > self._end:
            raise RemediesOutOfTime
        self._tried += 1
        try:
            problem = self._pose(plan)
            draft = TableDraft.start(problem)
            for place, method in enumerate(plan.methods):
                draft = method.apply(draft, generator_of(self._chance, place), self._progress)
                if not draft.table.rows:
                    return None
            measured = (
                measure_draft(draft) if draft.recoding is None else measure_recoding(draft.recoding)
            )
        except (InvalidPlan, InvalidTable):
            return None
        if not _holds(plan, measured):
            return None
        kept = int(measured.classes.sizes.sum())
        return TrialResult(measured.rows - kept, measure_table_loss(measured))

    def _pose(self, plan: Plan) -> Problem:
        """Only other columns make another problem; counting the table again would take longest."""
        if plan.columns == self.plan.columns:
            return replace(self.problem, models=plan.models)
        return pose_problem(self._table, plan, self._progress)


def hurry(method: Method) -> Method:
    """Return the method with less time to search, and nothing to prove."""
    if not isinstance(method, SearchingMethod):
        return method
    return replace(method, time_limit_seconds=SECONDS_PER_SEARCH, is_trial=True)


def _holds(plan: Plan, measured: MeasuredTable) -> bool:
    classes, whole = measured.classes, measured.whole
    return bool(len(classes.sizes)) and all(
        bool(model.passes(classes, whole).all()) and model.accepts(classes, whole)
        for model in plan.models
    )


def halve_the_range(
    refused: int, works: int, worked: TrialResult, attempt: Callable[[int], TrialResult | None]
) -> tuple[int, TrialResult]:
    """Halve the way between what is refused and what works until nothing lies between."""
    with suppress(RemediesOutOfTime):  # what works so far works
        while works - refused > 1:
            middle = (refused + works) // 2
            found = attempt(middle)
            if found is None:
                refused = middle
            else:
                works, worked = middle, found
    return works, worked


def as_written(number: float) -> float:
    """Return the decimal a person would write."""
    return round(number, 6)


def cheapness(remedy: FoundRemedy) -> tuple[float, int]:
    return remedy.loss, remedy.suppressed
