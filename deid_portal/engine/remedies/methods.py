"""Remedies that change the method: more left out, or levels that show less."""

import math
from collections.abc import Iterator
from dataclasses import replace

from deid_portal.engine.methods.full_domain import FullDomain
from deid_portal.engine.methods.levels import ChosenLevels
from deid_portal.engine.plan import Plan
from deid_portal.engine.remedies.trial import (
    ROUNDING,
    RemedyTrial,
    TrialResult,
    as_written,
    cheapness,
    halve_the_range,
    hurry,
)
from deid_portal.engine.report.remedies import FoundRemedy, LevelRemedy, LimitRemedy, MethodRemedy

STEP_OF_LIMIT = 0.001  # limits are told in tenths of a percent
MOST_LEFT_OUT = 500  # steps: who leaves out more than half releases another table


def leave_out_more(trial: RemedyTrial) -> Iterator[FoundRemedy]:
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
    steps, worked = halve_the_range(lowest, min(highest, MOST_LEFT_OUT), worked, attempt)
    to = as_written(steps * STEP_OF_LIMIT)
    yield LimitRemedy(kind="limit", from_=limit, to=to, **vars(worked))


def _with_limit(plan: Plan, place: int, limit: float) -> Plan:
    method = replace(plan.methods[place], suppression_limit=as_written(limit))  # type: ignore[type-var]
    return replace(plan, methods=(*plan.methods[:place], method, *plan.methods[place + 1 :]))


def show_less(trial: RemedyTrial) -> Iterator[FoundRemedy]:
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
    yield from sorted(tried, key=cheapness)
    searched = hurry(FullDomain(chosen.suppression_limit))
    worked = trial.carry_out(replace(trial.plan, methods=(searched,)))
    if worked is not None:
        yield MethodRemedy(kind="method", method=FullDomain.name, **vars(worked))
