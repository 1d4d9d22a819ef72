"""Every module of the engine is used by the portal or by the engine's own doors."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.source_trees import HOUSE, tree_of

ENGINE = "deid_portal.engine"
# Nothing but tests uses these yet: their pages and lessons are still to be written.
WAITING = {
    "attacks.belief",
    "attacks.transparency",
    "differential.diagnostics",
    "differential.lessons.voting",
    "differential.local",
    "differential.mechanisms.bounded_laplace",
    "differential.mechanisms.laplace",
    "differential.mechanisms.laplace_with_delta",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(HOUSE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in HOUSE.rglob("*.py")}


def names_in(module: str) -> Iterator[str]:
    """Return everything a module may mean: what it imports and what its registry or text names."""
    for node in ast.walk(tree_of(MODULES[module])):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
            yield f"{module}.{node.value.rpartition('.')[0]}"  # "count.Count" of a registry


def test_nothing_is_kept_for_tests_alone() -> None:
    outside = {module for module in MODULES if not module.startswith(f"{ENGINE}.")}
    reached, found = set[str](), outside
    while found:
        reached |= found
        found = {name for module in found for name in names_in(module)} & set(MODULES) - reached
    unused = {name.removeprefix(f"{ENGINE}.") for name in set(MODULES) - reached}
    empty = {name for name in unused if MODULES[f"{ENGINE}.{name}"].name == "__init__.py"}
    kept = {name for name in unused - empty if not name.startswith("report.")}
    assert kept == WAITING
