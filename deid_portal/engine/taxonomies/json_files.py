"""A taxonomy as a JSON file: the tree as it is, groups without values and all.

    {"taxonomy": {"name": "*", "level": 2, "children": [
        {"name": "Warm", "level": 1, "children": [{"value": "red"}, {"value": "orange"}]},
        {"value": "blue"}, {"value": null}]},
     "levels": ["exact", "warmth", "hidden"]}

The tree of a plan, {"*": {"Warm": ["red", "orange"], "blue": []}}, is read as well.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.outline import Branch, Label, Outline
from deid_portal.engine.taxonomies.tree import DEEPEST, TreeTaxonomy


def write_json(outline: Outline) -> bytes:
    document: dict[str, Any] = {"taxonomy": _describe(outline, outline.root)}
    if outline.level_names:
        document["levels"] = list(outline.level_names)
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def parse_json(content: bytes, column: Column) -> Outline:
    """Read a JSON file as the taxonomy of a column; errors name the place, never a value."""
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise InvalidPlan("the file is not JSON in UTF-8.") from None
    place = Place(document)
    place.check_object()
    if "taxonomy" not in place:
        entry = document if "tree" in place else {"tree": document}
        return Outline.from_recipe(TreeTaxonomy.parse(Place(entry), None), column)
    place.check_keys(required=("taxonomy",), optional=("levels",))
    rows_of = dict(zip(column.values, column.counts.tolist(), strict=True))
    branches: dict[int, Branch] = {}
    _read(place["taxonomy"], None, rows_of, branches, 0)
    outline = _complete(branches, rows_of)
    names = tuple(name.text() for name in place["levels"].items()) if "levels" in place else ()
    if names and len(names) != outline.height + 1:
        place["levels"].refuse(f"{outline.height + 1} names are accepted, one per level.")
    return replace(outline, level_names=names)


def is_json(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _describe(outline: Outline, branch: Branch) -> dict[str, Any]:
    if branch.is_value:
        return {"value": branch.label}
    children = [_describe(outline, child) for child in outline.children[branch.number]]
    return {"name": branch.label, "level": branch.level, "children": children}


def _read(
    place: Place,
    above: Branch | None,
    rows_of: Mapping[Label, int],
    branches: dict[int, Branch],
    depth: int,
) -> None:
    place.check_object()
    parent = above.number if above else None
    if depth > DEEPEST:
        place.refuse(f"at most {DEEPEST} levels are accepted.")
    if "value" in place and above is not None:
        place.check_keys(required=("value",))
        value = place["value"].value
        label = None if value is None else place["value"].text()
        number = len(branches)
        rows = rows_of.get(label, 0)
        branches[number] = Branch(number, parent, 0, label, is_value=True, rows=rows)
        return
    place.check_keys(required=("name", "level", "children"))
    level = place["level"].integer()
    if not 1 <= level <= DEEPEST or (above is not None and level >= above.level):
        place["level"].refuse("a level lies below that of its group, and above 0.")
    group = Branch(len(branches), parent, level, place["name"].text())
    branches[group.number] = group
    for child in place["children"].items():
        _read(child, group, rows_of, branches, depth + 1)


def _complete(branches: dict[int, Branch], rows_of: Mapping[Label, int]) -> Outline:
    """Check the tree, give the gap its place, and list the values without a place."""
    values = [branch.label for branch in branches.values() if branch.is_value]
    if len(set(values)) != len(values):
        raise InvalidPlan("a value stands in it twice; every value needs exactly one place.")
    if None in rows_of and None not in values:
        number = len(branches)
        branches[number] = Branch(number, 0, 0, None, is_value=True, rows=rows_of[None])
    placed = set(values)
    unplaced = {text: rows for text, rows in rows_of.items() if text and text not in placed}
    outline = Outline(branches, unplaced, len(branches))
    outline.check()
    return outline
