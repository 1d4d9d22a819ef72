"""Comparing a plan with the team's policy before a run: met, not met, or only known by a run.

This is advice: a plan that breaks a rule may run, but needs a waiver to be released.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from deid_portal.engine import Plan
from deid_portal.engine.plan import ColumnRole, Treatment
from deid_portal.engine.privacy import MODELS, KAnonymity, sensitive_columns_of
from deid_portal.engine.privacy.highest_risk import HighestRisk
from deid_portal.engine.wording.numbers import middle_cut, percent
from deid_portal.plans.basis import basis_of
from deid_portal.plans.burdens import worst_of
from deid_portal.plans.estimation import RunEstimate
from deid_portal.policies.rules import Rules

AFTER = "after the run"
ROUNDING = 1e-9


class ExpectationState(StrEnum):
    MET = "met"
    FAILS = "fails"
    LATER = "later"


@dataclass(frozen=True)
class Expectation:
    """One rule of the policy, and whether the plan meets it."""

    asks: str
    has: str
    state: ExpectationState


def expect(rules: Rules, plan: Plan, estimate: RunEstimate | None) -> list[Expectation]:
    """Return every rule that releases are checked against, in the policy's order."""
    said = rules.sentences()
    told: dict[str, tuple[ExpectationState, str]] = {
        "least_k": _look_alikes(rules, plan),
        "highest_risk": _risk(rules, plan),
        "most_left_out": _left_out(rules, plan, estimate),
        "most_left_out_of_group": _groups(rules, estimate),
        "protect_sensitive": _sensitive(rules, plan),
        "surest_guess": _guess(rules, plan),
        "no_identifier_left": _identifiers(plan),
    }
    lines = [
        Expectation(said[name].rstrip("."), has, state)
        for name, (state, has) in told.items()
        if name in said
    ]
    later = [name for name in said if name.startswith("attacks.") or name == "cross_releases"]
    return [
        *lines,
        *(Expectation(said[name].rstrip("."), AFTER, ExpectationState.LATER) for name in later),
    ]


def count_states(lines: list[Expectation]) -> dict[str, int]:
    return {state.value: sum(line.state is state for line in lines) for state in ExpectationState}


def unmet_rules_summary(lines: list[Expectation]) -> str:
    """Summarize the unmet rules in a sentence; empty if there are none."""
    fails = sum(line.state is ExpectationState.FAILS for line in lines)
    if not fails:
        return ""
    rules = "One policy rule" if fails == 1 else f"{fails} policy rules"
    return f"{rules} would fail, so a release would need a change or a waiver."


def _state(is_met: bool) -> ExpectationState:
    return ExpectationState.MET if is_met else ExpectationState.FAILS


def _promised_k(plan: Plan) -> int | None:
    """Return the number of look-alikes that the plan guarantees, also by a limit of risk."""
    document = plan.to_document()
    asked = basis_of(document).look_alikes
    risks = [rule["limit"] for rule in document["models"] if rule["model"] == HighestRisk.name]
    by_risk = [int(1 / limit + ROUNDING) for limit in risks if limit]
    return max([*([asked] if asked else []), *by_risk], default=None)


def _knows_everything(plan: Plan) -> bool:
    """Say whether a rule covers intruders who know all quasi-identifiers."""
    if {model.name for model in plan.models} & {KAnonymity.name, HighestRisk.name}:
        return True
    known = [getattr(model, model.columns_known) for model in plan.models if model.columns_known]
    return not known or max(known) >= len(plan.quasi_identifiers)


def _look_alikes(rules: Rules, plan: Plan) -> tuple[ExpectationState, str]:
    k = _promised_k(plan)
    if k is None:
        return ExpectationState.FAILS, "no rule asks for it"
    if not _knows_everything(plan):
        return ExpectationState.LATER, "only for some of the facts; measured after the run"
    return _state(k >= rules.least_k), f"you chose {k:,}"


def _risk(rules: Rules, plan: Plan) -> tuple[ExpectationState, str]:
    k = _promised_k(plan)
    if k is None or not _knows_everything(plan):
        return ExpectationState.LATER, AFTER
    return _state(1 / k <= rules.highest_risk + ROUNDING), f"1 in {k:,} = {percent(1 / k)}"


def _left_out(
    rules: Rules, plan: Plan, estimate: RunEstimate | None
) -> tuple[ExpectationState, str]:
    if estimate is not None and estimate.is_possible:
        is_met = estimate.left_out <= rules.most_left_out + ROUNDING
        return _state(is_met), f"estimate {percent(estimate.left_out)}"
    limit = basis_of(plan.to_document()).limit
    if limit is None:
        return ExpectationState.LATER, AFTER
    return _state(limit <= rules.most_left_out + ROUNDING), f"you allow {percent(limit)}"


def _groups(rules: Rules, estimate: RunEstimate | None) -> tuple[ExpectationState, str]:
    if estimate is None or not estimate.is_possible:
        return ExpectationState.LATER, AFTER
    worst = worst_of(estimate.burdens, rules.smallest_group_judged)
    if worst is None:
        return ExpectationState.MET, "nobody, by the estimate"
    is_met = worst.share <= rules.most_left_out_of_group + ROUNDING
    return _state(is_met), f"{worst.name}, {percent(worst.share, 0)}"


def _rules_about(plan: Plan, column: str) -> list[dict[str, Any]]:
    documents = [model.to_document() for model in plan.models]
    return [own for own in documents if column in sensitive_columns_of(own)]


def _sensitive(rules: Rules, plan: Plan) -> tuple[ExpectationState, str]:
    columns = plan.names_of(ColumnRole.SENSITIVE)
    if not columns:
        return ExpectationState.MET, "no column is sensitive"
    accepted = set(rules.sensitive_models)
    for name in columns:
        about = _rules_about(plan, name)
        if not any(not accepted or own["model"] in accepted for own in about):
            return ExpectationState.FAILS, f"{middle_cut(name)} has no such rule"
    names = ", ".join(middle_cut(name) for name in columns[:3])
    return ExpectationState.MET, f"{names}{' and others' if len(columns) > 3 else ''}"


def _guess(rules: Rules, plan: Plan) -> tuple[ExpectationState, str]:
    """Only some rules guarantee a share; otherwise a run measures it."""
    columns = plan.names_of(ColumnRole.SENSITIVE)
    if not columns:
        return ExpectationState.MET, "no column is sensitive"
    worst = 0.0
    for name in columns:
        shares = [
            own[parameter]
            for own in _rules_about(plan, name)
            if (parameter := MODELS[own["model"]].largest_share)
        ]
        if not shares:
            return ExpectationState.LATER, f"{middle_cut(name)}: measured after the run"
        worst = max(worst, min(shares))
    return _state(worst <= rules.surest_guess + ROUNDING), f"at most {percent(worst)}"


def _identifiers(plan: Plan) -> tuple[ExpectationState, str]:
    identifiers = [column for column in plan.columns if column.role == ColumnRole.IDENTIFIER]
    removed = sum(column.treatment == Treatment.REMOVE for column in identifiers)
    others = len(identifiers) - removed
    if not identifiers:
        return ExpectationState.MET, "no column is one"
    said = [f"{removed:,} removed"] if removed else []
    said += [f"{others:,} replaced or masked"] if others else []
    return ExpectationState.MET, ", ".join(said)
