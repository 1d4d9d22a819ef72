"""Remedies that keep a column in the house: a sensitive one, or a quasi-identifier."""

from collections.abc import Iterator
from dataclasses import replace

from deid_portal.engine.methods.searching_method import SearchingMethod
from deid_portal.engine.plan import ColumnRole, Plan, Treatment
from deid_portal.engine.remedies.trial import RemedyTrial, cheapness
from deid_portal.engine.report import Report
from deid_portal.engine.report.remedies import ColumnRemedy, FoundRemedy, SecretRemedy

MOST_COLUMNS = 16  # of which one is left out on trial


def keep_the_secret(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
    """Try without the sensitive columns, and their rules, that a missed rule is about."""
    judged = report.nearest.models if report.nearest is not None else ()
    missed = [entry.column for entry in judged if not entry.holds]
    for name in dict.fromkeys(column for column in missed if column):
        models = tuple(own for own in trial.plan.models if own.sensitive_column != name)
        worked = trial.carry_out(replace(_without_column(trial.plan, name), models=models))
        if worked is not None:
            rules = tuple(own.name for own in trial.plan.models if own.sensitive_column == name)
            yield SecretRemedy(kind="secret", column=name, models=rules, **vars(worked))


def leave_out_a_column(trial: RemedyTrial) -> Iterator[FoundRemedy]:
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
    yield from sorted(tried, key=cheapness)


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
