"""Which rows of a tree are shown: of the open groups, a window around the focus."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deid_portal.engine.taxonomies import Branch, Outline
from deid_portal.taxonomies.selectors import VALUES_SHOWN_OPEN

CHILDREN_SHOWN = 100
# More rows than this are drawn window by window: a browser is slow with thousands of them.
WINDOW = 250
FOUND_SHOWN = 100
GROUPS_OFFERED = 500
DEEPEST_INDENT = 7
INDENT = "\u00a0\u00a0\u00a0"
LONGEST_OFFER = 60
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True)
class TreeRow:
    """A shown node, or the line "more" for children that are not shown."""

    branch: Branch
    depth: int
    rows: int
    position: int  # among its siblings, from 1
    siblings: int
    is_open: bool = False
    child_count: int = 0
    left_out: int = 0  # of a line "more": how many children of the branch are not drawn

    @property
    def indent(self) -> int:
        return min(self.depth, DEEPEST_INDENT)


@dataclass(frozen=True)
class OfferedGroup:
    """A group as a choice of the list "move to"."""

    number: int
    words: str


@dataclass(frozen=True)
class TreeDrawing:
    rows: list[TreeRow]
    open: str  # the open groups, as the page sends them back
    find: str
    found: int
    groups: list[OfferedGroup]
    node_count: int
    start: int = 0  # the first row drawn, of all that are open
    total: int = 0

    @property
    def before(self) -> int:
        return self.start

    @property
    def after(self) -> int:
        return self.total - self.start - len(self.rows)

    @property
    def earlier(self) -> int:
        return max(self.start - WINDOW, 0)

    @property
    def later(self) -> int:
        return self.start + WINDOW


def draw_tree(outline: Outline, asked: Mapping[str, str], is_ordered: bool) -> TreeDrawing:
    """Return the requested rows: `open` groups, one to `toggle`, a text to `find`.

    The window begins at row `from`; without that, it holds the node to `reveal` or to toggle.
    """
    shown = _read_open(asked.get("open"), outline)
    _toggle(shown, asked.get("toggle", ""), outline)
    for number in asked.get("reveal", "").split("."):
        _reveal(shown, number, outline)
    find = asked.get("find", "").strip()
    found: set[int] = set()
    if find:
        found = {branch.number for branch in _matching(outline, find)}
    opened = _ways_to(outline, found) if find else shown
    kept = found | opened.keys() if find else None
    every = list(_rows(outline, outline.root, opened, kept, is_ordered, 0, 1, 1))
    start = _first_drawn(every, asked)
    rows = every[start : start + WINDOW]
    depths = {row.branch.number: row.depth for row in rows}
    return TreeDrawing(
        rows,
        ".".join(f"{number}x{count}" for number, count in shown.items()),
        find,
        len(found),
        _groups(outline, depths),
        len(outline.branches),
        start,
        len(every),
    )


def _first_drawn(rows: list[TreeRow], asked: Mapping[str, str]) -> int:
    last = max(len(rows) - WINDOW, 0)
    if asked.get("from", "").isdecimal():
        return min(int(asked["from"]), last)
    around = asked.get("reveal") or asked.get("toggle", "").removeprefix("more-")
    index = next((i for i, row in enumerate(rows) if str(row.branch.number) == around), 0)
    return min(index - WINDOW // 2, last) if index >= WINDOW else 0


def _read_open(text: str | None, outline: Outline) -> dict[int, int]:
    """Read `0x100.7x200`: the groups that are open and how many children each shows."""
    if text is None:
        few = sum(1 for _ in outline.values()) <= VALUES_SHOWN_OPEN
        opened = [branch.number for branch in outline.groups()] if few else [outline.root.number]
        return dict.fromkeys(opened, CHILDREN_SHOWN)
    pairs = (part.split("x") for part in text.split(".") if part)
    numbers = {
        int(pair[0]): int(pair[1])
        for pair in pairs
        if len(pair) == 2 and all(part.isdecimal() for part in pair)
    }
    return {number: count for number, count in numbers.items() if number in outline.children}


def _toggle(shown: dict[int, int], asked: str, outline: Outline) -> None:
    """Open or close a group; `more-7` shows further children, `all` and `none` say it for all."""
    if asked in ("all", "none"):
        shown.clear()
        groups = [branch.number for branch in outline.groups()] if asked == "all" else [0]
        shown.update(dict.fromkeys(groups, CHILDREN_SHOWN))
        return
    number = int(digits) if (digits := asked.removeprefix("more-")).isdecimal() else -1
    if number not in outline.children:
        return
    if asked.startswith("more-"):
        shown[number] = shown.get(number, 0) + CHILDREN_SHOWN
    elif shown.pop(number, None) is None:
        shown[number] = CHILDREN_SHOWN


def _reveal(shown: dict[int, int], text: str, outline: Outline) -> None:
    """Open the groups above a node that was just changed."""
    branch = outline.branches.get(int(text)) if text.isdecimal() else None
    for group in outline.above(branch) if branch else ():
        shown.setdefault(group.number, CHILDREN_SHOWN)


def _matching(outline: Outline, find: str) -> list[Branch]:
    wanted = find.casefold()
    hits = (b for b in outline.branches.values() if b.label and wanted in b.label.casefold())
    return [branch for branch, _ in zip(hits, range(FOUND_SHOWN), strict=False)]


def _ways_to(outline: Outline, found: set[int]) -> dict[int, int]:
    ways = {outline.root.number: len(outline.branches)}
    for number in found:
        for group in outline.above(outline.branches[number]):
            ways[group.number] = len(outline.branches)
    return ways


def _rows(
    outline: Outline,
    branch: Branch,
    opened: Mapping[int, int],
    kept: set[int] | None,
    is_ordered: bool,
    depth: int,
    position: int,
    siblings: int,
) -> Iterator[TreeRow]:
    children = [] if branch.is_value else outline.children[branch.number]
    if kept is not None:
        children = [child for child in children if child.number in kept]
    is_open = branch.number in opened and bool(children)
    rows = outline.rows_under[branch.number]
    yield TreeRow(branch, depth, rows, position, siblings, is_open, len(children))
    if not is_open:
        return
    ordered = sorted(children, key=lambda child: _order(outline, child, is_ordered))
    drawn = ordered[: opened[branch.number]]
    for place, child in enumerate(drawn, start=1):
        yield from _rows(outline, child, opened, kept, is_ordered, depth + 1, place, len(ordered))
    if len(drawn) < len(ordered):
        rest = len(ordered) - len(drawn)
        yield TreeRow(branch, depth + 1, 0, 0, 0, left_out=rest)


def _order(outline: Outline, branch: Branch, is_ordered: bool) -> tuple[float, str]:
    """Numbers and dates in their own order, everything else with most rows first."""
    label = branch.label or ""
    if not is_ordered:
        return (-outline.rows_under[branch.number], label)
    number = NUMBER.search(label)
    sign = -1.0 if label.startswith(("-", "[-")) else 1.0
    value = sign * float(number.group().replace(",", ".")) if number else float("inf")
    return (value if label else float("inf"), label)


def _groups(outline: Outline, depths: Mapping[int, int]) -> list[OfferedGroup]:
    """List the groups in the order of the tree; of very many only those that are drawn."""
    offered: list[OfferedGroup] = []
    few = len(outline.children) <= GROUPS_OFFERED
    waiting = [(outline.root, 0)]
    while waiting:
        branch, depth = waiting.pop()
        if few or branch.number in depths:
            name = (branch.label or "")[:LONGEST_OFFER]
            offered.append(OfferedGroup(branch.number, f"{INDENT * depth}{name}"))
        below = [child for child in outline.children[branch.number] if not child.is_value]
        waiting += [(child, depth + 1) for child in reversed(below)]
    return offered
