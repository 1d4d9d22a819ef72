"""Translating the form around the tree into edit steps of the engine."""

from typing import Any

from django.http import QueryDict

from deid_portal.engine import InvalidPlan
from deid_portal.engine.taxonomies import Branch, Outline, propose_places

ACTIONS = ("add", "rename", "move", "merge", "dissolve", "place", "propose places")


def read_steps(data: QueryDict, outline: Outline) -> list[dict[str, Any]]:
    """Return the steps for the pressed button, the ticked nodes and values and the two fields.

    If nothing is ticked, the focused node (`at`) is meant.
    """
    action = data.get("do", "")
    nodes = _numbers(data.getlist("node")) or _numbers([data.get("at", "")])
    values = list(outline.unplaced) if data.get("every_value") else data.getlist("value")
    if action == "propose places":
        return [_propose(outline)]
    if action == "place":
        return [_place(values, data.get("place_under", ""))]
    if action == "move" and values:
        moved = _numbers(data.getlist("node"))
        steps = [_place(values, data.get("under", ""))]
        return [*steps, _move(moved, data.get("under", ""))] if moved else steps
    if action == "move":
        return [_move(nodes, data.get("under", ""))]
    if action == "merge":
        return [{"do": "merge", "nodes": nodes, "into": _group(data.get("under", ""))}]
    if action == "dissolve":
        return [{"do": "dissolve", "nodes": nodes}]
    if action == "rename":
        return [_rename(nodes, data.get("name", ""))]
    return [_add(outline, _numbers(data.getlist("node")), nodes, data.get("name", ""))]


def node_to_show(steps: list[dict[str, Any]], before: Outline, after: Outline) -> int:
    """Return the node to focus after the steps: the changed one, else the nearest."""
    step = steps[-1]
    candidates = [step.get("node"), *step.get("nodes", ()), step.get("into"), step.get("under")]
    candidates += [group for _, group in step.get("places", ())]
    if step["do"] == "add":
        candidates.insert(0, before.next_number)
    gone = [before.branches[n] for n in candidates if n in before.branches]
    candidates += [group.number for branch in gone for group in before.above(branch)]
    return next((n for n in candidates if n in after.branches), after.root.number)


def say(steps: list[dict[str, Any]]) -> str:
    """Describe the steps without naming values."""
    step = steps[-1]
    count = len(step.get("nodes") or step.get("values") or step.get("places") or ())
    parts = "1 entry" if count == 1 else f"{count:,} entries"
    placed = "1 value" if count == 1 else f"{count:,} values"
    return {
        "add": "A new group was added.",
        "rename": "The group was renamed.",
        "move": f"{parts} moved.",
        "merge": f"{parts} merged.",
        "dissolve": f"{parts} dissolved or taken out.",
        "place": f"{placed} placed.",
        "place each": f"{placed} placed beside what resembles them. Undo takes it back.",
    }[step["do"]]


def _propose(outline: Outline) -> dict[str, Any]:
    places = propose_places(outline)
    if not places:
        raise InvalidPlan("Nothing in the tree resembles these values. Choose their groups.")
    return {"do": "place each", "places": places}


def _add(outline: Outline, ticked: list[int], nodes: list[int], name: str) -> dict[str, Any]:
    """A new group: around the ticked nodes, else inside the focused group."""
    if ticked:
        return {"do": "add", "name": name, "nodes": ticked, "under": _common(outline, ticked)}
    at = outline.branches.get(nodes[0] if nodes else outline.root.number, outline.root)
    under = at.parent if at.is_value else at.number
    return {"do": "add", "name": name, "nodes": [], "under": under}


def _common(outline: Outline, numbers: list[int]) -> int:
    """Return the nearest group that holds all of these nodes."""
    ways = [
        [group.number for group in outline.above(branch)] for branch in _known(outline, numbers)
    ]
    shared = [number for number in ways[0] if all(number in way for way in ways)] if ways else []
    return next((n for n in shared if n not in numbers), outline.root.number)


def _known(outline: Outline, numbers: list[int]) -> list[Branch]:
    return [outline.branches[number] for number in numbers if number in outline.branches]


def _rename(nodes: list[int], name: str) -> dict[str, Any]:
    if len(nodes) != 1:
        raise InvalidPlan("Choose the one group to rename.")
    return {"do": "rename", "node": nodes[0], "name": name}


def _move(nodes: list[int], under: str) -> dict[str, Any]:
    return {"do": "move", "nodes": nodes, "under": _group(under)}


def _place(values: list[str], under: str) -> dict[str, Any]:
    return {"do": "place", "values": values, "under": _group(under)}


def _group(text: str) -> int:
    if not text.isdecimal():
        raise InvalidPlan("Choose the group it belongs to.")
    return int(text)


def _numbers(texts: list[str]) -> list[int]:
    return [int(text) for text in texts if text.isdecimal()]
