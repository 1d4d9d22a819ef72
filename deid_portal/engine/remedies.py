"""Changes that would make a plan work which nothing satisfies, each of them tried.

A remedy is only told after its plan was carried out and every rule was found to hold; what it would
leave out and lose is what came out then. The smallest change of each kind is looked for: how many
more may be left out, how much less a rule may ask, which column must say less. Searches on trial
have little time, so on large tables a run of the changed plan may lose a little less than is told.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.draft.measured import MeasuredTable, measure_recoding
from deid_portal.engine.draft.remeasurement import measure_draft
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.evidence.report_builder import measure_table_loss
from deid_portal.engine.methods import Method
from deid_portal.engine.methods.full_domain import FullDomain
from deid_portal.engine.methods.levels import ChosenLevels
from deid_portal.engine.methods.searching_method import SearchingMethod
from deid_portal.engine.parameters import Parameter
from deid_portal.engine.plan import ColumnRole, Plan, Treatment
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.protection import generator_of, pose_problem
from deid_portal.engine.randomness.chance import Chance
from deid_portal.engine.release.canonical_order import sort_by_content
from deid_portal.engine.report import Report
from deid_portal.engine.report.remedies import (
    ColumnRemedy,
    FoundRemedy,
    LevelRemedy,
    LimitRemedy,
    MethodRemedy,
    RuleRemedy,
    SecretRemedy,
    WithoutRuleRemedy,
)
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Table

SECONDS = 20.0
SECONDS_PER_SEARCH = 1.5
STEP_OF_LIMIT = 0.001  # limits are told in tenths of a percent
MOST_LEFT_OUT = 500  # steps: who leaves out more than half releases another table
STEPS_OF_NUMBERS = (0.01, 0.001)
ROUNDING = 1e-9
MOST_COLUMNS = 16  # of which one is left out on trial


@dataclass(frozen=True)
class TrialResult:
    """What a changed plan would release."""

    suppressed: int
    loss: float


class RemediesOutOfTime(Exception):  # noqa: N818 - not an error
    """Enough was tried."""


def find_remedies(
    table: Table,
    plan: Plan,
    report: Report,
    progress: ProgressCallback | None = None,
    *,
    seconds: float = SECONDS,
) -> tuple[FoundRemedy, ...]:
    """Return changes after which the plan has a solution, none if none was found in time.

    `report` is that of the plan as it is. Each entry says what to change (`kind`, and from what to
    what), how many records would be left out and how much detail lost.
    """
    if plan.is_private:
        return ()  # trying would spend a budget again and again
    trial = RemedyTrial(table, plan, progress, seconds)
    found: list[FoundRemedy] = []
    with suppress(RemediesOutOfTime):
        for remedy in _remedies(trial, report):
            found.append(remedy)
    return tuple(found)


class RemedyTrial:
    """Carries out changed plans, as long as there is time."""

    def __init__(
        self, table: Table, plan: Plan, progress: ProgressCallback | None, seconds: float
    ) -> None:
        self.plan = replace(plan, methods=tuple(_hurry(method) for method in plan.methods))
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


def _hurry(method: Method) -> Method:
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


def _remedies(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
    yield from _ask_one_rule_less(trial, report)
    yield from _ask_less(trial, report)
    yield from _show_less(trial)
    yield from _leave_out_more(trial)
    yield from _keep_the_secret(trial, report)
    yield from _leave_out_a_column(trial)


def _leave_out_more(trial: RemedyTrial) -> Iterator[FoundRemedy]:
    """Find the smallest share of records that must be allowed to be left out."""
    places = [
        place
        for place, method in enumerate(trial.plan.methods)
        if hasattr(method, "suppression_limit")
    ]
    if len(places) != 1:
        return
    place, limit = places[0], float(getattr(trial.plan.methods[places[0]], "suppression_limit"))  # noqa: B009

    def attempt(steps: int) -> TrialResult | None:
        return trial.carry_out(_with_limit(trial.plan, place, steps * STEP_OF_LIMIT))

    worked = attempt(MOST_LEFT_OUT)
    if worked is None:
        return
    lowest = math.floor(limit / STEP_OF_LIMIT + ROUNDING)
    highest = math.ceil(worked.suppressed / max(trial.rows, 1) / STEP_OF_LIMIT)
    steps, worked = _narrow(lowest, min(highest, MOST_LEFT_OUT), worked, attempt)
    to = _round(steps * STEP_OF_LIMIT)
    yield LimitRemedy(kind="limit", from_=limit, to=to, **vars(worked))


def _with_limit(plan: Plan, place: int, limit: float) -> Plan:
    method = replace(plan.methods[place], suppression_limit=_round(limit))  # type: ignore[type-var]
    return replace(plan, methods=(*plan.methods[:place], method, *plan.methods[place + 1 :]))


def _ask_less(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
    """Find, per number of a rule that was missed, the most that can be asked instead."""
    judged = report.nearest.models if report.nearest is not None else ()
    for place, (model, entry) in enumerate(zip(trial.plan.models, judged, strict=False)):
        for parameter in model.parameters:
            if entry.holds or not isinstance(parameter, Parameter):
                continue
            asked = getattr(model, parameter.name)
            reached: Any = (entry.achieved or {}).get(parameter.name)
            if _is_number(asked) and _is_number(reached) and asked != reached:
                yield from _relax(trial, place, parameter, reached)


@dataclass(frozen=True)
class RuleAdjustment:
    """A number of a rule, turned step by step from what was asked to what asks for less."""

    asked: float
    step: float
    sign: int
    most: int  # steps until the rule asks for no more than was reached

    @classmethod
    def towards(cls, reached: float, asked: float, parameter: Parameter) -> "RuleAdjustment | None":
        """Return the coarsest dial that has a step to turn; None if there is nowhere to turn."""
        is_whole = isinstance(asked, int) or parameter.whole
        sign = 1 if reached > asked else -1
        end = parameter.maximum if sign > 0 else parameter.minimum
        for step in (1.0,) if is_whole else STEPS_OF_NUMBERS:
            room = abs(end - asked) / step
            wanted = math.ceil(abs(reached - asked) / step - ROUNDING)
            most = min(wanted, math.floor(room + ROUNDING)) if math.isfinite(room) else wanted
            if most > 0:
                return cls(asked, step, sign, most)
        return None

    def at(self, steps: int) -> float:
        """Return a number of few decimals that asks for no more than so many steps would."""
        value = (self.asked + self.sign * steps * self.step) / self.step
        towards = math.ceil if self.sign > 0 else math.floor
        number = towards(value - self.sign * ROUNDING) * self.step
        return round(number) if isinstance(self.asked, int) else _round(number)


def _relax(
    trial: RemedyTrial, place: int, parameter: Parameter, reached: float
) -> Iterator[FoundRemedy]:
    model = trial.plan.models[place]
    dial = RuleAdjustment.towards(reached, getattr(model, parameter.name), parameter)
    if dial is None:
        return

    def attempt(steps: int) -> TrialResult | None:
        return trial.carry_out(_with_number(trial.plan, place, parameter.name, dial.at(steps)))

    # A number may be refused that its range has: recursive l-diversity begins at 2, others at 1.
    numbers = range(dial.most, 0, -1)
    most = next((n for n in numbers if _is_accepted(model, parameter.name, dial.at(n))), 0)
    worked = attempt(most) if most else None
    if worked is None:
        return
    steps, worked = _narrow(0, most, worked, attempt)
    yield RuleRemedy(
        kind="rule",
        model=model.name,
        column=_column_of(model),
        parameter=parameter.name,
        from_=dial.asked,
        to=dial.at(steps),
        **vars(worked),
    )


def _is_accepted(model: PrivacyModel, name: str, value: float) -> bool:
    try:
        type(model).parse(Place({**model.to_document(), name: value}))
    except InvalidPlan:
        return False
    return True


def _with_number(plan: Plan, place: int, name: str, value: float) -> Plan:
    changed = replace(plan.models[place], **{name: value})  # type: ignore[type-var]
    return replace(plan, models=(*plan.models[:place], changed, *plan.models[place + 1 :]))


def _ask_one_rule_less(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
    """Try without each of the rules that were missed."""
    judged = report.nearest.models if report.nearest is not None else ()
    for place, (model, entry) in enumerate(zip(trial.plan.models, judged, strict=False)):
        if entry.holds:
            continue
        kept = (*trial.plan.models[:place], *trial.plan.models[place + 1 :])
        worked = trial.carry_out(replace(trial.plan, models=kept)) if kept else None
        if worked is not None:
            yield WithoutRuleRemedy(
                kind="without-rule", model=model.name, column=_column_of(model), **vars(worked)
            )


def _show_less(trial: RemedyTrial) -> Iterator[FoundRemedy]:
    """Where levels are chosen by hand, try one step coarser in one column; the cheapest first.

    Or let them be searched for.
    """
    methods = trial.plan.methods
    if len(methods) != 1 or not isinstance(methods[0], ChosenLevels):
        return
    chosen, tried = methods[0], []
    for name, taxonomy in zip(trial.problem.names, trial.problem.taxonomies, strict=True):
        level = chosen.levels.get(name, 0)
        if level >= taxonomy.height:
            continue
        coarser = replace(chosen, levels={**chosen.levels, name: level + 1})
        worked = trial.carry_out(replace(trial.plan, methods=(coarser,)))
        if worked is not None:
            tried.append(
                LevelRemedy(
                    kind="level",
                    column=name,
                    from_=level,
                    to=level + 1,
                    level_name=taxonomy.level_names[level + 1],
                    **vars(worked),
                )
            )
    yield from sorted(tried, key=_cheapness)
    searched = _hurry(FullDomain(chosen.suppression_limit))
    worked = trial.carry_out(replace(trial.plan, methods=(searched,)))
    if worked is not None:
        yield MethodRemedy(kind="method", method=FullDomain.name, **vars(worked))


def _keep_the_secret(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
    """Try without the sensitive columns, and their rules, that a missed rule is about."""
    judged = report.nearest.models if report.nearest is not None else ()
    missed = [entry.column for entry in judged if not entry.holds]
    for name in dict.fromkeys(column for column in missed if column):
        models = tuple(own for own in trial.plan.models if own.sensitive_column != name)
        worked = trial.carry_out(replace(_without_column(trial.plan, name), models=models))
        if worked is not None:
            rules = tuple(own.name for own in trial.plan.models if own.sensitive_column == name)
            yield SecretRemedy(kind="secret", column=name, models=rules, **vars(worked))


def _leave_out_a_column(trial: RemedyTrial) -> Iterator[FoundRemedy]:
    """Try without one quasi-identifier; its detail counts as lost. The cheapest comes first."""
    problem = trial.problem
    weights = dict(zip(problem.names, problem.weights, strict=True))
    tried = []
    for name in _worth_leaving_out(trial) if len(weights) > 1 else ():
        worked = trial.carry_out(_without_column(trial.plan, name))
        if worked is not None:
            share = weights[name] / (sum(weights.values()) or 1)
            whole = replace(worked, loss=share + (1 - share) * worked.loss)
            tried.append(ColumnRemedy(kind="column", column=name, **vars(whole)))
    yield from sorted(tried, key=_cheapness)


def _worth_leaving_out(trial: RemedyTrial) -> list[str]:
    """Return the columns of most values first; none for a search, which could have hidden any."""
    if all(isinstance(method, SearchingMethod) for method in trial.plan.methods):
        return []
    problem = trial.problem
    values = {name: int((problem.table[name].counts > 0).sum()) for name in problem.names}
    return sorted(problem.names, key=lambda name: -values[name])[:MOST_COLUMNS]


def _without_column(plan: Plan, name: str) -> Plan:
    columns = tuple(
        replace(
            column,
            role=ColumnRole.IDENTIFIER,
            treatment=Treatment.REMOVE,
            taxonomy=None,
            weight=1.0,
        )
        if column.name == name
        else column
        for column in plan.columns
    )
    return replace(plan, columns=columns)


def _narrow(
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


def _cheapness(remedy: FoundRemedy) -> tuple[float, int]:
    return remedy.loss, remedy.suppressed


def _column_of(model: PrivacyModel) -> str | None:
    """Return the column a rule is about, if it names one."""
    column: str | None = getattr(model, "column", None)
    return column


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _round(number: float) -> float:
    """Return the decimal a person would write."""
    return round(number, 6)
