"""When nothing satisfies a plan: the rule that blocks, the nearest miss, what would work."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

Report = Mapping[str, Any]
MOST_SHOWN = 3
MANY, NEARLY_ALL = 0.2, 0.99  # a limit above, or a loss above, is no small change


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
    found = report.get("remedies", [])
    ranked = sorted(found, key=_rank)
    first_of_kind: list[Report] = []
    for own in ranked:
        if own["kind"] not in [other["kind"] for other in first_of_kind]:
            first_of_kind.append(own)
    rest = [own for own in ranked if own not in first_of_kind]
    return [_describe(own, report, rules) for own in [*first_of_kind, *rest][:MOST_SHOWN]]


def _rank(own: Report) -> tuple[bool, int, float]:
    kinds = ("limit", "rule", "level", "method", "column", "without-rule", "secret")
    is_much = own["loss"] > NEARLY_ALL or (own["kind"] == "limit" and own["to"] > MANY)
    return (is_much, kinds.index(own["kind"]), own["loss"])


def _describe(own: Report, report: Report, rules: Rules | None) -> PlanRemedy:
    title, instead, changes = _WORDS[own["kind"]](own)
    rows = report["input"]["rows"]
    share = own["suppressed"] / rows if rows else 0.0
    verdict = _policy(own, share, rules)
    return PlanRemedy(
        title=title,
        instead=instead,
        left_out=f"{people(own['suppressed'])} left out, {percent(share)}"
        if own["suppressed"]
        else "nobody left out",
        loss=f"loss {own['loss']:.2f}",
        policy=verdict[0],
        is_allowed=verdict[1],
        change=write_changes(*changes),
    )


def _policy(own: Report, share: float, rules: Rules | None) -> tuple[str, bool]:
    """Say what the team's policy thinks of a change, as far as it can be told beforehand."""
    if own["kind"] in ("column", "secret"):
        return f"{own['column']} disappears from the release", True
    if rules is None:
        return "", True
    if share > rules.most_left_out:
        return f"The policy allows {percent(rules.most_left_out)} left out", False
    if own["kind"] == "rule" and own.get("parameter") in ("k", "K") and own["to"] < rules.least_k:
        return f"The policy asks for {rules.least_k:,} look-alikes", False
    if own["kind"] == "without-rule" and rules.protect_sensitive and own.get("column"):
        return "The policy wants every sensitive column protected", False
    return "The policy allows it", True


Words = tuple[str, str, list[Change]]


def _limit_words(own: Report) -> Words:
    return (
        f"Allow {percent(own['to'])} left out",
        f"instead of {percent(own['from'])}",
        [LeaveOut(own["to"])],
    )


def _rule_words(own: Report) -> Words:
    about = f" on {own['column']}" if own.get("column") else ""
    return (
        f"Ask for {own['parameter']} {own['to']:g}{about}",
        f"{own['model']}, instead of {own['from']:g}",
        [SetRule(own["model"], own["parameter"], own["to"], own.get("column"))],
    )


def _level_words(own: Report) -> Words:
    return (
        f"Make {own['column']} one step coarser",
        f"{own['level_name']}, instead of level {own['from']}",
        [SetLevel(own["column"], own["to"])],
    )


def _method_words(own: Report) -> Words:
    return (
        "Let the best levels be searched for",
        "instead of levels chosen by hand",
        [UseMethod({"name": own["method"]})],
    )


def _column_words(own: Report) -> Words:
    return (
        f"Leave {own['column']} out of the release",
        "as if it were an identifier",
        [SetRole(own["column"], "identifier")],
    )


def _without_rule_words(own: Report) -> Words:
    about = f" on {own['column']}" if own.get("column") else ""
    return (
        f"Do without {own['model']}{about}",
        "all other rules stay",
        [DropRule(own["model"], own.get("column"))],
    )


def _secret_words(own: Report) -> Words:
    return (
        f"Keep {own['column']} to yourself",
        "the sensitive column is removed, and its rules with it",
        [
            *(DropRule(model, own["column"]) for model in own["models"]),
            SetRole(own["column"], "identifier"),
        ],
    )


_WORDS = {
    "limit": _limit_words,
    "rule": _rule_words,
    "level": _level_words,
    "method": _method_words,
    "column": _column_words,
    "without-rule": _without_rule_words,
    "secret": _secret_words,
}


@dataclass(frozen=True)
class Miss:
    """What blocked, and how near the best attempt came."""

    sentence: str
    blocked_by: str
    numbers: list[dict[str, str]]
    levels: list[tuple[str, str]]


def describe_miss(report: Report) -> Miss:
    nearest = report.get("nearest")
    if not nearest and "plan" not in report:  # as somebody sees it who sees no rows
        return Miss("Stewards see how near it came and what would work.", "", [], [])
    if not nearest:
        return Miss("Nobody would be left in the release.", "", [], [])
    blocked = report.get("blocking_model") or {"model": str(report["blocked_by"])}
    judged = nearest.get("models", [])
    own = next((rule for rule in judged if not rule["holds"]), None)
    return Miss(
        sentence=_sentence(report, blocked),
        blocked_by=_rule_name(blocked),
        numbers=_numbers(report, blocked, own, judged),
        levels=_levels(report),
    )


def _sentence(report: Report, blocked: Report) -> str:
    without = [own for own in report.get("remedies", []) if own["kind"] == "without-rule"]
    others = [rule for rule in report["models"] if rule["model"] != blocked["model"]]
    if any(own["model"] == blocked["model"] for own in without) and others:
        return f"{listed([_rule_name(rule) for rule in others])} alone would have worked."
    nearest = report["nearest"]
    if nearest["levels"]:
        return "more people would have to be left out than the plan allows."
    return f"{people(nearest['suppressed'])} would be in groups that break it."


def _rule_name(rule: Report) -> str:
    """Name a rule with its number, never with values: k-anonymity 5, t-closeness 0.2 on pay."""
    numbers = [
        f"{rule[name]:g}"
        for name in ("k", "l", "t", "h", "alpha", "beta", "delta", "limit", "K", "C")
        if isinstance(rule.get(name), int | float)
    ]
    about = f" on {rule['column']}" if rule.get("column") else ""
    return " ".join([str(rule["model"]), *numbers[:1]]) + about


def _numbers(
    report: Report, blocked: Report, own: Report | None, judged: list[Report]
) -> list[dict[str, str]]:
    nearest, total = report["nearest"], max(report["input"]["rows"], 1)
    numbers = [
        {
            "label": "Blocked by",
            "value": str(blocked["model"]),
            "note": _asked(blocked),
        }
    ]
    if own is not None:
        numbers.append(
            {
                "label": "Nearest miss",
                "value": _reached(own),
                "note": f"{counted(own['classes_over'], 'group')} of "
                f"{thousands(nearest['classes'])} over the limit"
                if "classes_over" in own
                else "",
            }
        )
    numbers.append(
        {
            "label": "Left out at the nearest miss",
            "value": percent(nearest["suppressed"] / total),
            "note": f"limit {percent(nearest['allowed'] / total)}",
        }
    )
    holding = [rule for rule in judged if rule["holds"]]
    numbers.append(
        {
            "label": "Rules that hold there",
            "value": listed([_short(rule) for rule in holding]) or "none",
            "note": "with nobody left out" if holding else "",
        }
    )
    return numbers


def _asked(rule: Report) -> str:
    asked = {
        name: value
        for name, value in rule.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    about = f"{rule['column']}, " if rule.get("column") else ""
    return f"{about}asked {listed([f'{name} = {value:g}' for name, value in asked.items()])}"


def _reached(rule: Report) -> str:
    for name, value in rule["achieved"].items():
        if isinstance(value, int | float) and value != rule.get(name):
            return f"{name} = {value:.2g}" if isinstance(value, float) else f"{name} = {value}"
    return "–"


def _short(rule: Report) -> str:
    names = [name for name in ("k", "l", "t", "K") if isinstance(rule.get(name), int | float)]
    return f"{names[0]} {rule[names[0]]:g}" if names else str(rule["model"])


def _levels(report: Report) -> list[tuple[str, str]]:
    """Say how coarse each column was in the nearest miss."""
    heights = {name: column.get("height") for name, column in report["columns"].items()}
    words = []
    for name, level in report["nearest"]["levels"].items():
        if level == 0:
            words.append((name, "exact"))
        elif level == heights.get(name):
            words.append((name, "hidden"))
        else:
            words.append((name, f"level {level} of {heights.get(name)}"))
    return words
