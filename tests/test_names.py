"""A class, and a function other rooms can import, has a name of its own in the whole code base."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from tests.source_trees import HOUSE, tree_of

# Django finds a command by this name; the row of a network is named as what it is about.
CLASSES_TWICE = {"Command", "Network"}
# Every algorithm of microaggregation is a module with this function, called by the module's name.
FUNCTIONS_TWICE = {"find_groups"}
# Named by their address, their command or the name in the queue, which already say the subject.
FOUND_BY_ADDRESS = {"views", "views.py", "urls.py", "management", "tasks.py"}


def test_no_class_name_stands_twice() -> None:
    places = defaultdict(list)
    for path, node in _definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(path)
    _check(places, CLASSES_TWICE)


def test_no_function_name_has_two_meanings() -> None:
    places = defaultdict(list)
    for path, node in _definitions():
        is_shared = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if is_shared and FOUND_BY_ADDRESS.isdisjoint(Path(path).parts):
            places[node.name].append(path)
    _check(places, FUNCTIONS_TWICE)


@cache
def _definitions() -> list[tuple[str, ast.ClassDef | ast.FunctionDef]]:
    """Return what modules define at their top, with the place."""
    found = []
    for path in sorted(HOUSE.rglob("*.py")):
        if "migrations" in path.parts:
            continue
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.append((str(path.relative_to(HOUSE)), node))
    return found


def _check(places: dict[str, list[str]], allowed: set[str]) -> None:
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert set(twice) <= allowed, {name: twice[name] for name in set(twice) - allowed}
