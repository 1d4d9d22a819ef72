"""What of a report a person may see.

What must never happen: somebody who is not a steward of the dataset reads a value that fewer than
five people have, a count of fewer than five, or what a single group of look-alikes shows; or works
out who was left out. Before beside after tells that by subtraction, so the people of the release
are compared with themselves, people left out are told by groups of five or more, and every other
figure about the original is rounded to what five people make of it. Every page and the document
itself take the report from here, so nothing is left to the templates.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.accounts.models import User
from deid_portal.datasets.permissions import can_see_values
from deid_portal.runs.chance import honest_report
from deid_portal.runs.models import Run

SMALLEST_COUNT = 5
Cells = list[list[float | None]]
Report = Mapping[str, Any]


def report_seen_by(person: User, run: Run) -> dict[str, Any]:
    report = honest_report(run)
    return report if can_see_values(person, run.dataset) else without_values(report)


def without_values(report: Report) -> dict[str, Any]:
    """Return the report for those who see counts and charts, never values of few people."""
    # Rules and trees name values; walk and drawings of a network are told of single people.
    seen = {key: own for key, own in report.items() if key not in ("plan", "walk", "beside")}
    seen["models"] = [_without_named_values(rule) for rule in report.get("models", [])]
    seen["transformation"] = _without_rare_labels(report.get("transformation", {}))
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
    return _without_people_left_out(seen)


def _without_people_left_out(seen: dict[str, Any]) -> dict[str, Any]:
    """Take out what only subtracting would tell, where anybody was left out at all."""
    if "who_pays" in seen:
        seen["who_pays"] = [_without_small_groups(entry) for entry in seen["who_pays"]]
    if not seen.get("rows", {}).get("suppressed"):
        return seen
    if "distributions" in seen:
        seen["distributions"] = _of_people_kept(seen["distributions"])
    if "coarser" in seen:
        seen["coarser"] = [own for own in seen["coarser"] if not 0 < own["freed"] < SMALLEST_COUNT]
    step = _step_of(seen["input"]["rows"])
    for part in ("comparison", "utility", "utility_before", "spread"):
        if part in seen:
            seen[part] = _rounded(seen[part], step)
    seen["models"] = [_with_rounded_reach(rule, step) for rule in seen["models"]]
    seen["risk"] = _with_rounded_past(seen["risk"], step)
    return seen


def _step_of(rows: int) -> float:
    """Return 0.01, 0.02, 0.05, 0.1 …: the least that is the share of five people or more."""
    share = min(max(SMALLEST_COUNT / max(rows, 1), 0.01), 1.0)
    power = 10.0 ** math.floor(math.log10(share))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= share - 1e-12)


def _rounded(document: Any, step: float) -> Any:
    """Round every share and measure in a part of a report; whole numbers stay."""
    if isinstance(document, float):
        return round(round(document / step) * step, 6)
    if isinstance(document, Mapping):
        return {key: _rounded(own, step) for key, own in document.items()}
    if isinstance(document, list | tuple):
        return [_rounded(own, step) for own in document]
    return document


def _with_rounded_reach(rule: Report, step: float) -> dict[str, Any]:
    measured = ("achieved", "achieved_before")
    return {**rule, **{key: _rounded(rule[key], step) for key in measured if key in rule}}


def _with_rounded_past(risk: Report, step: float) -> dict[str, Any]:
    rounded = {**risk, "before": _rounded(risk["before"], step)}
    if "details" in risk:
        before = _rounded(risk["details"]["before"], step)
        rounded["details"] = {**risk["details"], "before": before}
    return rounded


def _of_people_kept(distributions: Report) -> dict[str, Any]:
    """Return distributions that compare the people of the release with themselves.

    Reports of before did not count them, so there nothing can be compared.
    """
    columns, pairs = (
        [
            {**own, "before": own["kept"], "is_kept": True}
            for own in distributions[part]
            if "kept" in own
        ]
        for part in ("columns", "pairs")
    )
    return {**distributions, "columns": columns, "pairs": pairs}


def _without_named_values(rule: Report) -> dict[str, Any]:
    return {key: own for key, own in rule.items() if key != "values"}


def _without_rare_labels(transformation: Report) -> dict[str, Any]:
    cuts = {
        name: [label for label in labels if label["records"] >= SMALLEST_COUNT]
        for name, labels in transformation.get("cuts", {}).items()
    }
    return {**transformation, "cuts": cuts}


def _without_small_groups(entry: Report) -> dict[str, Any]:
    """Return a column's groups, with fewer than five people left out told as "few" (None).

    All of them together are known, so one such group never stands alone: the next one is "few"
    with it. Reports of old told groups of any size; the engine merges small ones itself now.
    """
    groups = [dict(own) for own in entry["groups"] if own["records"] >= SMALLEST_COUNT]
    if not any(own["suppressed"] for own in groups):
        return {**entry, "groups": groups}
    few = [own for own in groups if own["suppressed"] < SMALLEST_COUNT]
    if any(own["suppressed"] for own in few):
        others = [own for own in groups if own not in few]
        if len(few) == 1 and others:
            few.append(min(others, key=lambda own: own["suppressed"]))
        for own in few:
            # Of these only the people of the release are counted: everybody less those tells it.
            own |= {"records": own["records"] - own["suppressed"], "suppressed": None}
    for own in groups:
        own["loss"] = _rounded(own["loss"], _step_of(own["records"]))
    return {**entry, "groups": groups}


def _without_small_spread(entry: Report) -> dict[str, Any]:
    worst = []
    for group in entry["worst"]:
        told = {key: own for key, own in group.items() if key != "labels"}
        told["counts"] = hide_small([group["counts"]])[0]
        told["most"] = group["most"] if group["most"] >= SMALLEST_COUNT else None
        worst.append(told)
    return {**entry, "worst": worst}


def _without_small_cells(distributions: Report) -> dict[str, Any]:
    told = ("before", "after", "kept")
    pairs = [
        {**pair, **{when: hide_small(pair[when]) for when in told if when in pair}}
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
