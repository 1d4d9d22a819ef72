"""`.env.example` is the list of settings people read: it must have every one, and no other."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.source_trees import HOUSE, ROOT, tree_of


def settings_read(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("env_"):
            yield ast.literal_eval(node.args[0])


@cache
def read_anywhere() -> set[str]:
    return {name for path in HOUSE.rglob("*.py") for name in settings_read(path)}


def example_lines() -> list[str]:
    return (ROOT / ".env.example").read_text().splitlines()


def name_on(line: str) -> str:
    found = re.match(r"([A-Z_]+)=", line)
    return found[1] if found else ""


def test_every_setting_is_in_the_example() -> None:
    assert read_anywhere() - {name_on(line) for line in example_lines()} == set()


def test_the_example_has_no_setting_that_nothing_reads() -> None:
    listed = {name_on(line) for line in example_lines()} - {""}
    assert listed - read_anywhere() == set()


def test_every_setting_in_the_example_has_a_comment() -> None:
    lines = example_lines()
    bare = [
        name_on(line)
        for above, line in pairwise(lines)
        # Settings explained together stand directly under one another.
        if name_on(line) and not (above.startswith("#") or name_on(above))
    ]
    assert bare == []
