"""Pages of runs without a solution: the blocking rule, the nearest miss, and remedies."""

from dataclasses import dataclass
from typing import Any

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
from deid_portal.engine.report.rules import NearestMiss, RuleVerdict
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import counted, listed, people
from deid_portal.plans.changes import (
    Change,
    DropRule,
    LeaveOut,
    SetLevel,
    SetRole,
    SetRule,
    UseMethod,
    write_changes,
)
from deid_portal.policies.rules import Rules
from deid_portal.reports.verdicts import ReportNumber

MOST_SHOWN = 3
MANY, NEARLY_ALL = 0.2, 0.99  # remedies with a larger limit or loss are listed last


@dataclass(frozen=True)
class PlanRemedy:
    title: str
    instead: str
    left_out: str
    loss: str
    policy: str
    is_allowed: bool
    change: str  # what "Try this change" sends


def describe_remedies(report: Report, rules: Rules | None = None) -> list[PlanRemedy]:
    """Return up to three changes that were tried and worked, of different kinds if possible."""
    ranked = sorted(report.remedies or (), key=_rank)
    first_of_kind: list[FoundRemedy] = []
    for own in ranked:
        if own.kind not in [other.kind for other in first_of_kind]:
            first_of_kind.append(own)
    rest = [own for own in ranked if own not in first_of_kind]
    return [_describe(own, report, rules) for own in [*first_of_kind, *rest][:MOST_SHOWN]]


def _rank(own: FoundRemedy) -> tuple[bool, int, float]:
    kinds = ("limit", "rule", "level", "method", "column", "without-rule", "secret")
    is_much = own.loss > NEARLY_ALL or (isinstance(own, LimitRemedy) and own.to > MANY)
    return (is_much, kinds.index(own.kind), own.loss)


def _describe(own: FoundRemedy, report: Report, rules: Rules | None) -> PlanRemedy:
    title, instead, changes = _words(own)
    rows = report.input.rows
    share = own.suppressed / rows if rows else 0.0
    verdict = _policy(own, share, rules)
    return PlanRemedy(
        title=title,
        instead=instead,
        left_out=f"{people(own.suppressed)} left out, {percent(share)}"
        if own.suppressed
        else "nobody left out",
        loss=f"loss {own.loss:.2f}",
        policy=verdict[0],
        is_allowed=verdict[1],
        change=write_changes(*changes),
    )


def _policy(own: FoundRemedy, share: float, rules: Rules | None) -> tuple[str, bool]:
    """Say whether the team's policy allows a change, as far as known before a run."""
    if isinstance(own, ColumnRemedy | SecretRemedy):
        return f"{own.column} disappears from the release", True
    if rules is None:
        return "", True
    if share > rules.most_left_out:
        return f"The policy allows {percent(rules.most_left_out)} left out", False
    if _asks_for_fewer(own, rules.least_k):
        return f"The policy asks for {rules.least_k:,} look-alikes", False
    if isinstance(own, WithoutRuleRemedy) and rules.protect_sensitive and own.column:
        return "The policy wants every sensitive column protected", False
    return "The policy allows it", True


def _asks_for_fewer(own: FoundRemedy, least_k: int) -> bool:
    """Say whether the remedy lowers k below the minimum of the policy."""
    return isinstance(own, RuleRemedy) and own.parameter in ("k", "K") and own.to < least_k


Words = tuple[str, str, list[Change]]


def _words(own: FoundRemedy) -> Words:
    """Return the title of the change, what it replaces, and the change itself."""
    match own:
        case LimitRemedy():
            return _limit_words(own)
        case RuleRemedy():
            return _rule_words(own)
        case LevelRemedy():
            return _level_words(own)
        case MethodRemedy():
            return _method_words(own)
        case ColumnRemedy():
            return _column_words(own)
        case WithoutRuleRemedy():
            return _without_rule_words(own)
        case SecretRemedy():
            return _secret_words(own)


def _limit_words(own: LimitRemedy) -> Words:
    return (
        f"Allow {percent(own.to)} left out",
        f"instead of {percent(own.from_)}",
        [LeaveOut(own.to)],
    )


def _rule_words(own: RuleRemedy) -> Words:
    about = f" on {own.column}" if own.column else ""
    return (
        f"Ask for {own.parameter} {own.to:g}{about}",
        f"{own.model}, instead of {own.from_:g}",
        [SetRule(own.model, own.parameter, own.to, own.column)],
    )


def _level_words(own: LevelRemedy) -> Words:
    return (
        f"Make {own.column} one step coarser",
        f"{own.level_name}, instead of level {own.from_}",
        [SetLevel(own.column, own.to)],
    )


def _method_words(own: MethodRemedy) -> Words:
    return (
        "Let the best levels be searched for",
        "instead of levels chosen by hand",
        [UseMethod({"name": own.method})],
    )


def _column_words(own: ColumnRemedy) -> Words:
    return (
        f"Leave {own.column} out of the release",
        "as if it were an identifier",
        [SetRole(own.column, "identifier")],
    )


def _without_rule_words(own: WithoutRuleRemedy) -> Words:
    about = f" on {own.column}" if own.column else ""
    return (
        f"Do without {own.model}{about}",
        "all other rules stay",
        [DropRule(own.model, own.column)],
    )


def _secret_words(own: SecretRemedy) -> Words:
    return (
        f"Keep {own.column} to yourself",
        "the sensitive column is removed, and its rules with it",
        [
            *(DropRule(model, own.column) for model in own.models),
            SetRole(own.column, "identifier"),
        ],
    )


@dataclass(frozen=True)
class Miss:
    """The blocking rule and the nearest miss."""

    sentence: str
    blocked_by: str
    numbers: list[ReportNumber]
    levels: list[tuple[str, str]]


def describe_miss(report: Report) -> Miss:
    nearest = report.nearest
    if nearest is None and not report.tells("plan"):  # the viewer has no row access
        return Miss("Stewards see how near it came and what would work.", "", [], [])
    if nearest is None:
        return Miss("Nobody would be left in the release.", "", [], [])
    blocking = report.blocking_model or {"model": str(report.blocked_by)}
    blocked = RuleVerdict.from_document(blocking)
    return Miss(
        sentence=_sentence(report, nearest, blocked),
        blocked_by=_rule_name(blocked),
        numbers=_numbers(report, nearest, blocked),
        levels=_levels(report, nearest),
    )


def _sentence(report: Report, nearest: NearestMiss, blocked: RuleVerdict) -> str:
    without = [own for own in report.remedies or () if isinstance(own, WithoutRuleRemedy)]
    others = [rule for rule in report.models if rule.model != blocked.model]
    if any(own.model == blocked.model for own in without) and others:
        return f"{listed([_rule_name(rule) for rule in others])} alone would have worked."
    if nearest.levels:
        return "more people would have to be left out than the plan allows."
    return f"{people(nearest.suppressed)} would be in groups that break it."


def _rule_name(rule: RuleVerdict) -> str:
    """Return the rule with its parameter, without values: k-anonymity 5, t-closeness 0.2 on pay."""
    numbers = [
        f"{rule.parameters[name]:g}"
        for name in ("k", "l", "t", "h", "alpha", "beta", "delta", "limit", "K", "C")
        if isinstance(rule.parameters.get(name), int | float)
    ]
    about = f" on {rule.column}" if rule.column else ""
    return " ".join([rule.model, *numbers[:1]]) + about


def _numbers(report: Report, nearest: NearestMiss, blocked: RuleVerdict) -> list[ReportNumber]:
    total = max(report.input.rows, 1)
    judged = nearest.models if nearest.tells("models") else ()
    missed = [_missed_number(rule, nearest) for rule in judged if not rule.holds]
    holding = [rule for rule in judged if rule.holds]
    return [
        ReportNumber("Blocked by", blocked.model, note=_asked(blocked)),
        *missed[:1],
        ReportNumber(
            "Left out at the nearest miss",
            percent(nearest.suppressed / total),
            note=f"limit {percent(nearest.allowed / total)}",
        ),
        ReportNumber(
            "Rules that hold there",
            listed([_short(rule) for rule in holding]) or "none",
            note="with nobody left out" if holding else "",
        ),
    ]


def _missed_number(rule: RuleVerdict, nearest: NearestMiss) -> ReportNumber:
    over, groups = rule.classes_over, thousands(nearest.classes)
    note = "" if over is None else f"{counted(over, 'group')} of {groups} over the limit"
    return ReportNumber("Nearest miss", _reached(rule), note=note)


def _asked(rule: RuleVerdict) -> str:
    asked = {name: own for name, own in rule.parameters.items() if _is_number(own)}
    about = f"{rule.column}, " if rule.column else ""
    return f"{about}asked {listed([f'{name} = {value:g}' for name, value in asked.items()])}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _reached(rule: RuleVerdict) -> str:
    for name, value in (rule.achieved or {}).items():
        if isinstance(value, int | float) and value != rule.parameters.get(name):
            return f"{name} = {value:.2g}" if isinstance(value, float) else f"{name} = {value}"
    return "–"


def _short(rule: RuleVerdict) -> str:
    own = rule.parameters
    names = [name for name in ("k", "l", "t", "K") if isinstance(own.get(name), int | float)]
    return f"{names[0]} {own[names[0]]:g}" if names else rule.model


def _levels(report: Report, nearest: NearestMiss) -> list[tuple[str, str]]:
    """Return the level of each column in the nearest miss."""
    heights = {name: column.height for name, column in report.columns.items()}
    return [(name, _level_name(own, heights.get(name))) for name, own in nearest.levels.items()]


def _level_name(level: int, height: int | None) -> str:
    if level == 0:
        return "exact"
    return "hidden" if level == height else f"level {level} of {height}"
