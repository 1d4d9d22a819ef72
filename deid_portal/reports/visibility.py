"""What of a report a person may see.

What must never happen: somebody who is not a steward of the dataset reads a value that fewer than
five people have, a count of fewer than five, or what a single group of look-alikes shows. Every
page and the document itself take the report from here, so nothing is left to the templates.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.accounts.models import User
from deid_portal.datasets.permissions import can_see_values
from deid_portal.runs.models import Run

SMALLEST_COUNT = 5
Cells = list[list[float | None]]


def report_seen_by(person: User, run: Run) -> dict[str, Any]:
    report: dict[str, Any] = run.report
    return report if can_see_values(person, run.dataset) else without_values(report)


def without_values(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report for those who see counts and charts, never values of few people."""
    # Rules and trees name values; walk and drawings of a network are told of single people.
    seen = {key: own for key, own in report.items() if key not in ("plan", "walk", "beside")}
    seen["models"] = [_without_named_values(rule) for rule in report.get("models", [])]
    seen["transformation"] = _without_rare_labels(report.get("transformation", {}))
    if "who_pays" in report:
        seen["who_pays"] = [_without_small_groups(entry) for entry in report["who_pays"]]
    if "examples" in report:
        seen["examples"] = {
            name: example
            for name, example in report["examples"].items()
            if example["people"] >= SMALLEST_COUNT
        }
    if "spread" in report:
        seen["spread"] = [_without_small_spread(entry) for entry in report["spread"]]
    if "distributions" in report:
        seen["distributions"] = _without_small_cells(report["distributions"])
    return seen


def _without_named_values(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {key: own for key, own in rule.items() if key != "values"}


def _without_rare_labels(transformation: Mapping[str, Any]) -> dict[str, Any]:
    cuts = {
        name: [label for label in labels if label["records"] >= SMALLEST_COUNT]
        for name, labels in transformation.get("cuts", {}).items()
    }
    return {**transformation, "cuts": cuts}


def _without_small_groups(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Reports of old told groups of any size; the engine merges small ones itself now."""
    groups = [group for group in entry["groups"] if group["records"] >= SMALLEST_COUNT]
    return {**entry, "groups": groups}


def _without_small_spread(entry: Mapping[str, Any]) -> dict[str, Any]:
    worst = []
    for group in entry["worst"]:
        told = {key: own for key, own in group.items() if key != "labels"}
        told["counts"] = hide_small([group["counts"]])[0]
        told["most"] = group["most"] if group["most"] >= SMALLEST_COUNT else None
        worst.append(told)
    return {**entry, "worst": worst}


def _without_small_cells(distributions: Mapping[str, Any]) -> dict[str, Any]:
    pairs = [
        {**pair, "before": hide_small(pair["before"]), "after": hide_small(pair["after"])}
        for pair in distributions["pairs"]
    ]
    return {**distributions, "pairs": pairs}


def hide_small(cells: Sequence[Sequence[float]]) -> Cells:
    """Return counts without those of fewer than five people, None in their place.

    Totals are known, so where one alone is hidden in a row or column, the smallest of the others
    is hidden with it; otherwise subtracting would bring it back.
    """
    hidden: Cells = [
        [None if 0 < count < SMALLEST_COUNT else count for count in row] for row in cells
    ]
    while (place := _lonely(hidden)) is not None:
        row, column = place
        hidden[row][column] = None
    return hidden


def _lonely(cells: Cells) -> tuple[int, int] | None:
    """Return the cell to hide beside one that is hidden alone in its row or column, if any."""
    lines: list[list[tuple[int, int]]] = [
        [(r, c) for c in range(len(row))] for r, row in enumerate(cells)
    ]
    if len(cells) > 1:
        lines += [list(line) for line in zip(*lines, strict=True)]
    for line in lines:
        counts = {place: cells[place[0]][place[1]] for place in line}
        shown = {place: count for place, count in counts.items() if count}
        if len([count for count in counts.values() if count is None]) == 1 and shown:
            return min(shown, key=lambda place: shown[place])
    return None
