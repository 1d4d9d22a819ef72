"""The parts of a report beyond risk and loss: lists and sentences about the evidence.

Each returns None or an empty list where the report has nothing to say, so that reports made before
a measure existed still open.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.methods import METHODS
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import value_words

Report = Mapping[str, Any]
LABELS_SHOWN = 30


def classifier_problem(report: Report) -> str:
    """Why no classifier could learn, where one was asked for and could not."""
    answers = report.get("comparison", {}).get("classifiers", [])
    return next((str(entry["problem"]) for entry in answers if "problem" in entry), "")


def describe_attacks(report: Report) -> list[dict[str, Any]]:
    """One line per attack that was run: what it got, with its interval, or why it could not."""
    return [_describe_attack(entry) for entry in report.get("attacks", [])]


def _describe_attack(entry: Mapping[str, Any]) -> dict[str, Any]:
    name = str(entry["attack"])
    line = {
        "name": name.replace("-", " ").capitalize(),
        "explain": entry.get("explain", ""),
    }
    if "problem" in entry:
        return line | {"problem": entry["problem"]}
    low, high = entry["interval"]
    is_exact = low == high
    return line | {
        "sentence": entry["sentence"],
        "records": entry["records"],
        "value": percent(entry["value"]),
        "interval": "" if is_exact else f"{percent(low)} to {percent(high)}",
        "control": percent(entry["control_value"]) if entry["control_value"] is not None else "",
        "kind": "ok" if not entry["records"] else "warn",
    }


def describe_steps(report: Report) -> list[dict[str, Any]]:
    """What each method of a plan did, in the order of the plan.

    Levels alone are told by the table of columns already.
    """
    steps = report["transformation"].get("steps", [])
    if len(steps) == 1 and report["transformation"]["levels"]:
        return []
    return [
        {
            "title": _title_of(str(step["method"])),
            "slug": f"method-{step['method']}",
            "facts": list(_facts(step)),
        }
        for step in steps
    ]


def _title_of(name: str) -> str:
    return METHODS[name].title if name in METHODS else name


def _facts(step: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """The plain numbers and words of a step; what is nested stands in report.json."""
    hidden = ("method", "seconds")
    return [
        (name.replace("_", " ").capitalize(), _written(value))
        for name, value in step.items()
        if name not in hidden and isinstance(value, bool | int | float | str)
    ]


def _written(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return thousands(value)
    return value if isinstance(value, str) else f"{value:.4g}"


def describe_randomized(report: Report) -> list[dict[str, Any]]:
    """Columns with randomized cells: how private each cell is, and the shares behind the noise."""
    steps = [step for step in report["transformation"].get("steps", []) if step["method"] == "pram"]
    return [
        _describe_randomized_column(name, figures, is_repeatable="randomness" in report)
        for step in steps
        for name, figures in step.get("columns", {}).items()
        if {"values", "estimated_shares", "standard_errors"} <= figures.keys()
    ]


def _describe_randomized_column(
    name: str, figures: Mapping[str, Any], *, is_repeatable: bool
) -> dict[str, Any]:
    epsilon, values = figures["epsilon"], [value_words(value) for value in figures["values"]]
    without = "none, a seed was used" if is_repeatable else "none, some answers are certain"
    level = f"ε = {epsilon:.3g}" if epsilon is not None else without
    shares = zip(values, figures["estimated_shares"], figures["standard_errors"], strict=True)
    matrix = figures.get("matrix")
    return {
        "name": name,
        "level": level,
        "shares": {
            "columns": ["Value", "Estimated true share", "Standard error"],
            "rows": [[value, percent(share), percent(error, 2)] for value, share, error in shares],
        },
        "matrix": matrix
        and {
            "columns": ["True value", *values],
            "rows": [
                [value, *(f"{chance:.3f}" for chance in row)]
                for value, row in zip(values, matrix, strict=True)
            ],
        },
    }


def describe_cuts(report: Report) -> list[dict[str, Any]]:
    """Per column, the labels in use where levels are mixed, those with most people first."""
    described = []
    for name, labels in report["transformation"].get("cuts", {}).items():
        ranked = sorted(labels, key=lambda entry: -entry["records"])
        most = max((entry["records"] for entry in ranked), default=1)
        described.append(
            {
                "name": name,
                "count": len(ranked),
                "most": max(most, 1),
                "labels": [
                    {"label": value_words(entry["label"]), "records": entry["records"]}
                    for entry in ranked[:LABELS_SHOWN]
                ],
                "left_out": max(len(ranked) - LABELS_SHOWN, 0),
            }
        )
    return described


def safe_harbor_findings(report: Report) -> list[Mapping[str, Any]]:
    return list(report["risk"].get("safe_harbor", []))
