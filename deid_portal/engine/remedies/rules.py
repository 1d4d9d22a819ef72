"""Remedies that change the rules of a plan: one of them left out, or one that asks for less."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Parameter
from deid_portal.engine.plan import Plan
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.remedies.trial import (
    ROUNDING,
    RemedyTrial,
    TrialResult,
    as_written,
    halve_the_range,
)
from deid_portal.engine.report import Report
from deid_portal.engine.report.remedies import FoundRemedy, RuleRemedy, WithoutRuleRemedy

STEPS_OF_NUMBERS = (0.01, 0.001)


def ask_one_rule_less(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
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


def ask_less(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
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
        return round(number) if isinstance(self.asked, int) else as_written(number)


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
    steps, worked = halve_the_range(0, most, worked, attempt)
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


def _column_of(model: PrivacyModel) -> str | None:
    """Return the column a rule is about, if it names one."""
    column: str | None = getattr(model, "column", None)
    return column


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
