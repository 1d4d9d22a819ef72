"""Check the plan of a network against the team's policy before a run, as for a table."""

from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.plan import ColumnRole
from deid_portal.engine.wording.numbers import middle_cut, percent
from deid_portal.plans.expectations import AFTER, ROUNDING, Expectation, ExpectationState
from deid_portal.policies.rules import Rules

Told = tuple[ExpectationState, str]


def expect_of_network(rules: Rules, plan: NetworkPlan) -> list[Expectation]:
    """Return the expected outcome of every policy rule, in the policy's order."""
    said = rules.sentences()
    k = max((int(model.k) for model in plan.models), default=None)
    sensitive = [own.name for own in plan.columns if own.role == ColumnRole.SENSITIVE]
    told: dict[str, Told] = {
        "least_k": _look_alikes(rules, k),
        "highest_risk": _risk(rules, k),
        "most_left_out": (ExpectationState.MET, "nobody is left out"),
        "most_left_out_of_group": (ExpectationState.MET, "nobody is left out"),
        "protect_sensitive": _sensitive(sensitive),
        "surest_guess": _sensitive(sensitive),
        "no_identifier_left": (ExpectationState.MET, "ids are always replaced"),
    }
    lines = [
        Expectation(said[name].rstrip("."), *_turned(own))
        for name, own in told.items()
        if name in said
    ]
    if "cross_releases" in said:
        lines.append(Expectation(said["cross_releases"].rstrip("."), AFTER, ExpectationState.LATER))
    return lines


def _turned(told: Told) -> tuple[str, ExpectationState]:
    return told[1], told[0]


def _look_alikes(rules: Rules, k: int | None) -> Told:
    if k is None:
        return ExpectationState.LATER, AFTER
    return (
        ExpectationState.MET if k >= rules.least_k else ExpectationState.FAILS,
        f"you chose {k:,}",
    )


def _risk(rules: Rules, k: int | None) -> Told:
    if k is None:
        return ExpectationState.LATER, AFTER
    is_met = 1 / k <= rules.highest_risk + ROUNDING
    return (
        ExpectationState.MET if is_met else ExpectationState.FAILS,
        f"1 in {k:,} = {percent(1 / k)}",
    )


def _sensitive(columns: list[str]) -> Told:
    """Models of networks do not protect sensitive columns, so releasing one violates this rule."""
    if not columns:
        return ExpectationState.MET, "no column is sensitive"
    return ExpectationState.FAILS, f"{middle_cut(columns[0])} has no such rule"
