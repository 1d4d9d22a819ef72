"""A class has a name of its own in the whole code base."""

import ast
from collections import defaultdict
from pathlib import Path

HOUSE = Path(__file__).parent.parent / "deid_portal"
# Django finds a command by this name; the row of a network is named as what it is about.
TWICE = {"Command", "Network"}
# A part of a report has the name of what it reports.
REPORT = HOUSE / "engine" / "report"


def test_no_class_name_stands_twice() -> None:
    places = defaultdict(list)
    for path in sorted(HOUSE.rglob("*.py")):
        if path.is_relative_to(REPORT) or "migrations" in path.parts:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(HOUSE)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert set(twice) <= TWICE, {name: twice[name] for name in set(twice) - TWICE}
