"""A taxonomy as a tree one can change: groups above values, and the values without a place.

Every node says at which level it begins; it reaches up to the level below its parent's. A value
right under the root of a tall tree therefore stays itself on all levels in between, as a padded
row of a file says. This keeps any taxonomy without loss, whatever built it, and lets a node be
moved anywhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.recipe import Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL, Taxonomy

Label = str | None
Path = tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A group, or a value with the rows that hold it. The label None is the gap."""

    number: int
    parent: int | None
    level: int
    label: Label
    is_value: bool = False
    rows: int = 0

    @property
    def is_gap(self) -> bool:
        return self.is_value and self.label is None


@dataclass(frozen=True)
class Outline:
    """All nodes by their number, the root first; numbers are never given twice."""

    branches: dict[int, Branch] = field(repr=False)
    unplaced: dict[str, int] = field(default_factory=dict, repr=False)  # value -> its rows
    next_number: int = 0
    level_names: tuple[str, ...] = ()

    @classmethod
    def from_recipe(cls, recipe: Recipe, column: Column) -> "Outline":
        """Apply a recipe to a column; values it does not cover are listed as unplaced."""
        covered = recipe.paths(column)
        above = next(iter(covered.values()), (ROOT_LABEL,))
        gap = recipe.gap_path(len(above), above[-1] if above else ROOT_LABEL)
        outline = cls.from_covered(covered, column, gap)
        return replace(outline, level_names=tuple(recipe.level_names(column) or ()))

    @classmethod
    def from_covered(
        cls, covered: Mapping[str, Path], column: Column, gap: Path | None = None
    ) -> "Outline":
        """Build a tree from the labels above each value; a gap stays one up to the root."""
        rows_of = dict(zip(column.values, column.counts.tolist(), strict=True))
        above = next(iter(covered.values()), (ROOT_LABEL,))
        if gap is None:
            gap = (*[None] * (len(above) - 1), above[-1])
        paths: list[Path] = [
            (text, *(gap if text is None else covered[text]))
            for text in column.values
            if text is None or text in covered
        ]
        paths += [(text, *path) for text, path in covered.items() if text not in rows_of]
        unplaced = {text: rows for text, rows in rows_of.items() if text and text not in covered}
        return replace(cls.from_paths(paths, rows_of), unplaced=unplaced)

    @classmethod
    def from_paths(cls, paths: Iterable[Path], rows_of: Mapping[Label, int]) -> "Outline":
        """Read one path per value: the value first, then its label at each level, the root last."""
        rows = [path if len(path) > 1 else (*path, ROOT_LABEL) for path in paths]
        height = len(rows[0]) - 1 if rows else 1
        joined = _joined_labels(rows, height)
        numbers: dict[tuple[int, Label], int] = {(height, _root_of(rows)): 0}
        branches = {0: Branch(0, None, height, _root_of(rows))}
        for row in rows:
            parent = 0
            for level in range(height - 1, -1, -1):
                if (level + 1, row[level]) in joined and row[level] == row[level + 1]:
                    continue
                begins = level
                while (begins, row[level]) in joined:
                    begins -= 1
                key = (begins, row[level])
                if key not in numbers:
                    numbers[key] = number = len(branches)
                    is_value = begins == 0
                    held = rows_of.get(row[0], 0) if is_value else 0
                    branches[number] = Branch(number, parent, begins, row[level], is_value, held)
                parent = numbers[key]
        return cls(branches, {}, len(branches))

    @property
    def root(self) -> Branch:
        return next(iter(self.branches.values()))

    @property
    def height(self) -> int:
        return self.root.level

    @cached_property
    def children(self) -> dict[int, list[Branch]]:
        """Return the nodes right under each group, in the order they came."""
        found: dict[int, list[Branch]] = {
            number: [] for number, branch in self.branches.items() if not branch.is_value
        }
        for branch in self.branches.values():
            if branch.parent is not None:
                found[branch.parent].append(branch)
        return found

    @cached_property
    def rows_under(self) -> dict[int, int]:
        """Return the rows beneath each node, its own included."""
        totals = {number: branch.rows for number, branch in self.branches.items()}
        for branch in self.values():
            for group in self.above(branch):
                totals[group.number] += branch.rows
        return totals

    def values(self) -> Iterator[Branch]:
        return (branch for branch in self.branches.values() if branch.is_value)

    def groups(self) -> Iterator[Branch]:
        return (branch for branch in self.branches.values() if not branch.is_value)

    def above(self, branch: Branch) -> Iterator[Branch]:
        return groups_above(self.branches, branch)

    def paths(self) -> list[Path]:
        """Return one path per value, all equally long: what a taxonomy file holds."""
        return [self._path(branch) for branch in self.values()]

    def taxonomy(self) -> Taxonomy:
        """Return the taxonomy of the values that have a place."""
        names = self.level_names if len(self.level_names) == self.height + 1 else None
        return Taxonomy.from_paths(self.paths(), names)

    def check(self) -> None:
        """Refuse a tree in which a name stands for two different things at one level."""
        seen: set[tuple[int, Label]] = set()
        for branch in self.branches.values():
            for level in range(branch.level, self._reach(branch)):
                if (level, branch.label) in seen:
                    raise InvalidPlan(
                        f"At level {level} two nodes would have the same name. "
                        "Rename one of them, or merge them."
                    )
                seen.add((level, branch.label))

    def to_document(self) -> dict[str, Any]:
        """Return everything, with numbers and rows, to be kept beside the taxonomy."""
        return {
            "branches": [
                [b.number, b.parent, b.level, b.label, int(b.is_value), b.rows]
                for b in self.branches.values()
            ],
            "unplaced": list(self.unplaced.items()),
            "next": self.next_number,
            "names": list(self.level_names),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Outline":
        branches = (
            Branch(number, parent, level, label, bool(is_value), rows)
            for number, parent, level, label, is_value, rows in document["branches"]
        )
        return cls(
            {branch.number: branch for branch in branches},
            dict(document["unplaced"]),
            document["next"],
            tuple(document["names"]),
        )

    def _reach(self, branch: Branch) -> int:
        """Return the first level at which a node shows the label of its parent."""
        return branch.level + 1 if branch.parent is None else self.branches[branch.parent].level

    def _path(self, branch: Branch) -> Path:
        labels = [branch.label] * self._reach(branch)
        for group in self.above(branch):
            labels += [group.label] * (self._reach(group) - group.level)
        return tuple(labels)


def groups_above(branches: Mapping[int, Branch], branch: Branch) -> Iterator[Branch]:
    """Yield the groups over a node, the nearest first."""
    while branch.parent is not None:
        branch = branches[branch.parent]
        yield branch


def _root_of(rows: Sequence[Path]) -> Label:
    return rows[0][-1] if rows else ROOT_LABEL


def _joined_labels(rows: Sequence[Path], height: int) -> set[tuple[int, Label]]:
    """Return the labels that only repeat the single label below them; never the root."""
    below: dict[tuple[int, Label], set[Label]] = {}
    for row in rows:
        for level in range(1, height):
            below.setdefault((level, row[level]), set()).add(row[level - 1])
    return {(level, label) for (level, label), found in below.items() if found == {label}}
