"""Changing a tree step by step. A step is a small document: it can be kept, undone and redone.

{"do": "add", "name": "Warm", "under": 0, "nodes": [4, 7]}   a new group, with nodes moved in
{"do": "rename", "node": 3, "name": "Cold"}
{"do": "move", "nodes": [4, 7], "under": 3}
{"do": "merge", "nodes": [5], "into": 3}            its children join another group
{"do": "dissolve", "nodes": [5]}                    children go up; a value loses its place
{"do": "place", "values": ["teal"], "under": 3}     values without a place get one
{"do": "place each", "places": [["teal", 3]]}       each its own
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.taxonomies.outline import Branch, Outline, groups_above

LONGEST_NAME = 300
Step = Mapping[str, Any]


def apply_step(outline: Outline, step: Step) -> Outline:
    """Return the tree after a step; raises InvalidPlan with a sentence when it cannot be done."""
    changed = _STEPS[step["do"]](_Draft(outline), step).outline()
    if not any(branch.label is not None for branch in changed.values()):
        _refuse("This would leave no value in the tree.")
    changed.check()
    return changed


def replay(outline: Outline, steps: Iterable[Step]) -> Outline:
    for step in steps:
        outline = apply_step(outline, step)
    return outline


class _Draft:
    """The nodes of an outline while one step changes them."""

    def __init__(self, outline: Outline) -> None:
        self.before = outline
        self.branches = dict(outline.branches)
        self.unplaced = dict(outline.unplaced)
        self.next_number = outline.next_number

    def outline(self) -> Outline:
        self._drop_emptied_levels()
        same_height = self.root.level == self.before.height
        names = self.before.level_names if same_height else ()
        return Outline(self.branches, self.unplaced, self.next_number, names)

    @property
    def root(self) -> Branch:
        return next(iter(self.branches.values()))

    def get(self, number: int) -> Branch:
        if number not in self.branches:
            _refuse("This part of the tree was changed meanwhile. Look again, and repeat the step.")
        return self.branches[number]

    def group(self, number: int) -> Branch:
        branch = self.get(number)
        if branch.is_value:
            _refuse("A value can hold nothing. Choose a group.")
        return branch

    def chosen(self, numbers: Sequence[int]) -> list[Branch]:
        """Return the chosen nodes, without those under another chosen node."""
        chosen = {number: self.get(number) for number in dict.fromkeys(numbers)}
        if not chosen:
            _refuse("Choose a value or a group first.")
        if self.root.number in chosen:
            _refuse("The root holds everything; it can be renamed only.")
        return [
            branch
            for branch in chosen.values()
            if not any(group.number in chosen for group in self.above(branch))
        ]

    def above(self, branch: Branch) -> Iterable[Branch]:
        return groups_above(self.branches, branch)

    def children(self, number: int) -> list[Branch]:
        return [branch for branch in self.branches.values() if branch.parent == number]

    def put(self, branches: Iterable[Branch], under: int) -> None:
        """Move nodes under a group, raising it and all above it if it is not high enough."""
        moved = list(branches)
        target = self.group(under)
        numbers = {branch.number for branch in moved}
        if under in numbers or any(group.number in numbers for group in self.above(target)):
            _refuse("A group cannot be put into itself.")
        highest = max((branch.level for branch in moved), default=0)
        self._raise_levels(target.level, highest - target.level + 1, numbers)
        for branch in moved:
            self.branches[branch.number] = replace(self.branches[branch.number], parent=under)

    def add(self, branch: Branch) -> None:
        self.branches[branch.number] = branch
        self.next_number = branch.number + 1

    def make_room(self, under: int, level: int) -> None:
        """Raise a group, if needed, so that it begins above a level."""
        target = self.group(under)
        self._raise_levels(target.level, level - target.level + 1, set())

    def _raise_levels(self, first: int, by: int, kept: set[int]) -> None:
        """Move all nodes from a level on up, except those under the kept nodes."""
        if by <= 0:
            return
        for branch in list(self.branches.values()):
            stays = branch.number in kept or any(
                group.number in kept for group in self.above(branch)
            )
            if branch.level >= first and not stays:
                self.branches[branch.number] = replace(branch, level=branch.level + by)

    def _drop_emptied_levels(self) -> None:
        """Remove levels at which no node begins any more, if one did before the step."""
        begins = {branch.level for branch in self.branches.values()}
        unused_before = set(range(self.before.height)) - {
            branch.level for branch in self.before.branches.values()
        }
        for level in range(self.root.level - 1, 0, -1):
            if level not in begins and level not in unused_before:
                for branch in list(self.branches.values()):
                    if branch.level > level:
                        self.branches[branch.number] = replace(branch, level=branch.level - 1)


def _add(draft: _Draft, step: Step) -> _Draft:
    moved = draft.chosen(step["nodes"]) if step.get("nodes") else []
    under = draft.group(step["under"])
    numbers = {branch.number for branch in moved}
    if under.number in numbers or any(group.number in numbers for group in draft.above(under)):
        _refuse("A group cannot be put into itself.")
    needed = max((branch.level for branch in moved), default=0) + 1
    draft.make_room(under.number, needed)
    level = draft.group(under.number).level - 1
    group = Branch(draft.next_number, under.number, level, _name(step["name"]))
    draft.add(group)
    draft.put((draft.get(branch.number) for branch in moved), group.number)
    return draft


def _rename(draft: _Draft, step: Step) -> _Draft:
    group = draft.get(step["node"])
    if group.is_value:
        _refuse("A value is what stands in the table, so it keeps its name. Rename its group.")
    draft.branches[group.number] = replace(group, label=_name(step["name"]))
    return draft


def _move(draft: _Draft, step: Step) -> _Draft:
    draft.put(draft.chosen(step["nodes"]), step["under"])
    return draft


def _merge(draft: _Draft, step: Step) -> _Draft:
    target = draft.group(step["into"])
    merged = [draft.get(n) for n in dict.fromkeys(step["nodes"]) if n != target.number]
    if not merged:
        _refuse("Choose the groups to merge, and another one they join.")
    if any(branch.is_value for branch in merged):
        _refuse("Only groups can be merged. Move the values instead.")
    for group in merged:
        if group.parent is None or group in draft.above(draft.get(target.number)):
            _refuse("A group cannot be merged into one that lies inside it.")
        draft.put(draft.children(group.number), target.number)
        del draft.branches[group.number]
    return draft


def _dissolve(draft: _Draft, step: Step) -> _Draft:
    for number in dict.fromkeys(step["nodes"]):
        branch = draft.get(number)
        if branch.parent is None:
            _refuse("The root holds everything; it can be renamed only.")
        if branch.is_gap:
            draft.put([branch], draft.root.number)
            continue
        if branch.is_value and branch.rows and branch.label is not None:
            draft.unplaced[branch.label] = branch.rows
        for child in () if branch.is_value else draft.children(number):
            draft.branches[child.number] = replace(child, parent=branch.parent)
        del draft.branches[number]
    return draft


def _place(draft: _Draft, step: Step) -> _Draft:
    return _place_each(draft, [(value, step["under"]) for value in step["values"]])


def _place_each(draft: _Draft, places: Iterable[tuple[str, int]]) -> _Draft:
    chosen = list(places)
    if not chosen:
        _refuse("Choose one or more values without a place first.")
    for value, number in chosen:
        under = draft.group(number)
        if value not in draft.unplaced:
            _refuse("One of these values has a place meanwhile. Look again, and repeat the step.")
        rows = draft.unplaced.pop(value)
        draft.add(Branch(draft.next_number, under.number, 0, value, is_value=True, rows=rows))
    return draft


_STEPS: dict[str, Callable[[_Draft, Step], _Draft]] = {
    "add": _add,
    "rename": _rename,
    "move": _move,
    "merge": _merge,
    "dissolve": _dissolve,
    "place": _place,
    "place each": lambda draft, step: _place_each(draft, step["places"]),
}


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        _refuse(f"Give the group a name of 1 to {LONGEST_NAME} characters.")
    return name


def _refuse(sentence: str) -> NoReturn:
    raise InvalidPlan(sentence)
