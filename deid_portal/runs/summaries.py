"""The few numbers of a run that lists, boards and policies look at.

A report is large and sealed; a page about two hundred runs must not open two hundred of them. So
what such a page needs is kept apart, in the shape the report has: whatever reads a report (the
gates of a policy, say) can read this instead. It can hold names of groups, so it is sealed too.
"""

from collections.abc import Mapping
from typing import Any

from deid_portal.plans.basis import NetworkBasis, basis_of

OF_COLUMN = ("role", "released", "level", "height", "level_name", "loss", "distinct_before",
             "distinct_after")  # fmt: skip
OF_CLASSES = ("count", "smallest", "largest", "mean")
OF_RISK = ("prosecutor", "journalist", "marketer", "sample_uniques")


def describe_request(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a plan asks for, as far as a board tells runs apart by it."""
    basis = basis_of(plan)
    return {
        "asked": {
            "k": basis.look_alikes,
            "limit": basis.limit,
            "methods": [method["name"] for method in basis.methods],
            "rules": [_without_values(rule) for rule in basis.rules],
            **({"is_network": True, "way": basis.ways} if isinstance(basis, NetworkBasis) else {}),
        }
    }


def summarize(report: Mapping[str, Any], detail: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Pick from a finished run's report, no solution included.

    `detail` is what the published plan says of detail lost; it is shown instead of the report's own
    to those who see no rows (`reports/visibility.py`).
    """
    plan = report["plan"]
    summary = {
        "solution": report["solution"],
        "input": {"rows": report["input"]["rows"]},
        "plan": {"columns": {name: _roles(own) for name, own in plan["columns"].items()}},
        **describe_request(plan),
    }
    if not report["solution"]:
        return summary
    return summary | {
        "rows": report["rows"],
        "classes": _pick(report["classes"], OF_CLASSES),
        "models": [{**_without_values(rule), "holds": rule["holds"]} for rule in report["models"]],
        "risk": {
            "after": _pick(report["risk"]["after"], OF_RISK),
            "safe_harbor": report["risk"].get("safe_harbor", []),
        },
        "utility": report["utility"],
        "columns": {name: _pick(own, OF_COLUMN) for name, own in report["columns"].items()},
        "levels": report["transformation"].get("levels") or {},
        **({"network": {"links": report["network"]["links"]}} if "network" in report else {}),
        **_pick(report, ("sensitive",)),
        "detail": dict(detail or {}),
        **({"who_pays": _telling(report["who_pays"])} if "who_pays" in report else {}),
    }


def _telling(who_pays: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep of each column the smallest group, and those that pay more than every larger one.

    So the one that pays most is there, whatever size a policy begins to judge at.
    """
    kept = []
    for table in who_pays:
        groups = [group for group in table["groups"] if group["records"]]
        if groups:
            kept.append({"column": table["column"], "groups": _smallest_and_worst(groups)})
    return kept


def _smallest_and_worst(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_size = sorted(groups, key=lambda group: (-group["records"], -group["suppressed"]))
    kept, most = [], -1.0
    for group in by_size:
        share = group["suppressed"] / group["records"]
        if share > most or group is by_size[-1]:
            kept.append(group)
            most = max(most, share)
    return kept


def _pick(part: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: part[name] for name in names if name in part}


def _roles(column: Mapping[str, Any]) -> dict[str, Any]:
    return _pick(column, ("role", "treatment"))


def _without_values(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Keep numbers and words of a rule; of the values it names, the columns they are in."""
    kept = {
        name: value
        for name, value in rule.items()
        if isinstance(value, str | int | float) or name == "columns"
    }
    values = rule.get("values")
    if isinstance(values, Mapping):
        kept["values"] = dict.fromkeys(values)
    return kept
