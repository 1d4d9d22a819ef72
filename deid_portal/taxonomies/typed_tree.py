"""A tree typed as indented lines, and the way back."""

from typing import Any

from deid_portal.engine import InvalidPlan

TAB_WIDTH = 4


def parse_typed_tree(text: str) -> dict[str, Any]:
    """Turn indented lines into the `tree` of a plan; the first line is the root.

    Deeper lines belong to the nearest line above that is indented less. Errors name line numbers.
    """
    root: dict[str, Any] = {}
    open_groups: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    for number, line in enumerate(text.expandtabs(TAB_WIDTH).splitlines(), start=1):
        name = line.strip()
        if not name:
            continue
        indent = len(line) - len(line.lstrip())
        while open_groups[-1][0] >= indent:
            open_groups.pop()
        parent = open_groups[-1][1]
        if parent is root and root:
            raise InvalidPlan(
                f"Line {number} starts a second tree. Indent it, so that all lies under line 1."
            )
        if name in parent:
            raise InvalidPlan(f"Line {number} repeats a name of its group. Every name stands once.")
        parent[name] = {}
        open_groups.append((indent, parent[name]))
    if not root or not next(iter(root.values())):
        raise InvalidPlan("Type the root in the first line and the values indented below it.")
    return root


def write_typed_tree(tree: Any, depth: int = 0) -> str:
    """Write the `tree` of a plan as indented lines."""
    if isinstance(tree, list):
        return "".join(f"{'  ' * depth}{name}\n" for name in tree)
    return "".join(
        f"{'  ' * depth}{name}\n{write_typed_tree(below, depth + 1)}"
        for name, below in tree.items()
    )
