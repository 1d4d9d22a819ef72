"""The parts of a report beyond risk and loss: charts, lists and sentences about the evidence.

Each returns None or an empty list where the report has nothing to say, so that reports made before
a measure existed still open.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.methods import METHODS
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import capital, value_words
from deid_portal.reports.figures import Chart, Report, grouped_bars, ranked_bars

LABELS_SHOWN = 30
COLUMNS_SHOWN = 20


def influence_chart(report: Report) -> Chart | None:
    """Which column hurts most: how much average risk goes away without it."""
    before = _risk_details(report, "before")
    columns = before.get("columns", [])[:COLUMNS_SHOWN]
    if len(columns) < 2:
        return None
    average = before["prosecutor"]["average"]
    worst = columns[0]
    return Chart(
        id="influence",
        title=(
            f"{capital(worst['column'])} hurts most: without it the average risk falls from "
            f"{percent(average)} to {percent(worst['average_risk'])}"
        ),
        caption="Average risk of the original table that goes away with each column, in percent",
        figure=ranked_bars(
            [entry["column"] for entry in columns],
            [100 * entry["average_risk_saved"] for entry in columns],
            "Average risk saved, percentage points",
        ),
        table={
            "columns": ["Without", "Average risk", "One of a kind"],
            "rows": [
                [
                    entry["column"],
                    percent(entry["average_risk"]),
                    thousands(entry["sample_uniques"]),
                ]
                for entry in columns
            ],
        },
    )


def change_chart(report: Report) -> Chart | None:
    """How far the distribution of each column moved."""
    columns = report.get("comparison", {}).get("columns", [])[:COLUMNS_SHOWN]
    if not columns:
        return None
    ranked = sorted(columns, key=lambda entry: -entry["total_variation"])
    most = ranked[0]
    moved = percent(most["total_variation"])
    title = (
        f"{capital(most['column'])} moved most: {moved} of its distribution"
        if most["total_variation"] > 0
        else "No distribution moved"
    )
    return Chart(
        id="change",
        title=title,
        caption="Total variation between each column before and after, a label spread evenly",
        figure=ranked_bars(
            [entry["column"] for entry in ranked],
            [entry["total_variation"] for entry in ranked],
            "Total variation, 0 same to 1 nothing in common",
        ),
        table={
            "columns": ["Column", "Total variation", "Earth mover"],
            "rows": [
                [entry["column"], f"{entry['total_variation']:.4f}", f"{entry['earth_mover']:.4f}"]
                for entry in ranked
            ],
        },
    )


def classifier_chart(report: Report) -> Chart | None:
    answers = report.get("comparison", {}).get("classifiers", [])
    found = [entry for entry in answers if "problem" not in entry]
    if not found:
        return None
    names = [entry["model"] for entry in found]
    best = max(found, key=lambda entry: entry["after"]["mean"])
    return Chart(
        id="classifiers",
        title=(
            f"A classifier is right {percent(best['after']['mean'])} of the time; on the original "
            f"{percent(best['before']['mean'])}, by guessing the most common "
            f"{percent(best['majority'])}"
        ),
        caption="Share classified right, cross-validated, in percent",
        figure=grouped_bars(
            names,
            {
                "Before": [100 * entry["before"]["mean"] for entry in found],
                "After": [100 * entry["after"]["mean"] for entry in found],
            },
            x="",
            y="Right, %",
        ),
        table={
            "columns": ["Classifier", "Before", "After", "Most common"],
            "rows": [
                [
                    entry["model"],
                    percent(entry["before"]["mean"]),
                    percent(entry["after"]["mean"]),
                    percent(entry["majority"]),
                ]
                for entry in found
            ],
        },
    )


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


def _risk_details(report: Report, when: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = report["risk"].get("details", {}).get(when, {})
    return found
