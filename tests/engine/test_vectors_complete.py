"""Every worked example of the decks is exercised by a test, or listed as waiting, never both.

A test exercises a vector by its id, or by its kind through `vectors(…)`; both are read from the
tests' own text, so that no test need be run to know.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.engine.vectors import VECTORS
from tests.engine.waiting_vectors import WAITING

TESTS = Path(__file__).parent.parent
KNOWN = {vector["id"] for vector in VECTORS}
LISTED = [identifier for identifiers in WAITING.values() for identifier in identifiers.split()]


def exercised() -> set[str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("test_*.py"))
    return {identifier for tree in trees for identifier in _ids_in(tree)}


def _ids_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vectors":
        kinds = _constants(*node.args)
        left_out = _constants(*(keyword.value for keyword in node.keywords))
        of_kind = {vector["id"] for vector in VECTORS if vector["check"] in kinds}
        yield from of_kind - left_out
        return
    if isinstance(node, ast.Constant) and node.value in KNOWN:
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _ids_in(child)


def _constants(*nodes: ast.AST) -> set[object]:
    below = (child for node in nodes for child in ast.walk(node))
    return {node.value for node in below if isinstance(node, ast.Constant)}


def test_the_waiting_list_names_vectors_of_the_file_once() -> None:
    assert set(LISTED) <= KNOWN
    assert len(set(LISTED)) == len(LISTED)


def test_every_vector_is_exercised_or_waits() -> None:
    forgotten = KNOWN - exercised() - set(LISTED)
    assert not forgotten, f"no test exercises {sorted(forgotten)}"


def test_what_is_exercised_does_not_wait() -> None:
    done = exercised() & set(LISTED)
    assert not done, f"take {sorted(done)} off the list in waiting_vectors.py"
