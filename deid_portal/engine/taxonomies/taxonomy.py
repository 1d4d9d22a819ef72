"""A taxonomy as an array: level × leaf → code of the label at that level."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.table import Codes, Column, Counts

ROOT_LABEL = "*"


@dataclass(frozen=True)
class TaxonomyNode:
    """A label of the tree with the rows beneath it; `hidden` children were left out."""

    label: str | None
    level: int
    rows: int
    children: tuple["TaxonomyNode", ...]
    hidden: int = 0


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Every label of a column at every level of detail.

    Leaves are numbered so that leaf i is value i of the column's dictionary; values a taxonomy
    knows but the table does not hold follow after them and count as leaves too. Level 0 is the
    value itself, the last level the root. A gap is a leaf of its own that stays a gap (None) at
    every level below the root, unless the taxonomy gives it a place.
    """

    codes: Codes  # level × leaf -> code at that level
    labels: tuple[tuple[str | None, ...], ...]  # one label per code, per level
    level_names: tuple[str, ...]  # one word per level, "exact" first

    @classmethod
    def from_paths(
        cls, paths: Sequence[Sequence[str | None]], level_names: Sequence[str] | None = None
    ) -> "Taxonomy":
        """Build from one path per leaf: the value, then its label at each level."""
        levels = list(zip(*paths, strict=True))
        encoded = [encode(labels) for labels in levels[1:]]
        first = np.arange(len(paths), dtype=np.int32)
        codes = np.array([first, *(codes for codes, _ in encoded)], dtype=np.int32)
        labels = (tuple(levels[0]) if levels else (), *(labels for _, labels in encoded))
        return cls(codes.reshape(-1, len(paths)), labels, tuple(level_names or _names(len(levels))))

    @classmethod
    def from_levels(
        cls,
        values: Sequence[str | None],
        levels: Sequence[tuple[Codes, Sequence[str | None]]],
        level_names: Sequence[str] | None = None,
    ) -> "Taxonomy":
        """Build from the codes and labels of each level above the values."""
        first = np.arange(len(values), dtype=np.int32)
        codes = np.array([first, *(codes for codes, _ in levels)], dtype=np.int32)
        labels = (tuple(values), *(tuple(labels) for _, labels in levels))
        names = tuple(level_names or _names(len(labels)))
        return cls(codes.reshape(-1, len(values)), labels, names)

    @property
    def height(self) -> int:
        """Return the highest level; 0 if the column cannot be made coarser."""
        return len(self.labels) - 1

    @property
    def leaf_count(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def leaves(self) -> tuple[Counts, ...]:
        """Return how many leaves stand under each label, per level."""
        return tuple(
            np.bincount(codes, minlength=len(labels)).astype(np.int64)
            for codes, labels in zip(self.codes, self.labels, strict=True)
        )

    @cached_property
    def nodes(self) -> tuple[Codes, ...]:
        """Return the number of each leaf's label, per level; no two levels share a number."""
        starts = np.cumsum([0, *(len(labels) for labels in self.labels)])
        return tuple(
            (codes + start).astype(np.int32)
            for codes, start in zip(self.codes, starts, strict=False)
        )

    def lost_share(self, level: int) -> NDArray[np.float64]:
        """Return (leaves - 1) / (all leaves - 1) per leaf: the share of detail lost there."""
        under = self.leaves[level][self.codes[level]]
        share: NDArray[np.float64] = (under - 1) / max(self.leaf_count - 1, 1)
        return share

    def rows_per_label(self, column: Column, level: int) -> Counts:
        """Count the rows of the column under each label of a level."""
        own = self.codes[level, : len(column.values)]
        counts = np.bincount(own, weights=column.counts, minlength=len(self.labels[level]))
        return counts.astype(np.int64)

    def tree(self, column: Column, limit: int = 2000) -> TaxonomyNode:
        """Return the nested labels with row counts, at most about `limit` nodes of them.

        Labels with most rows come first; when the tree is larger than the limit, each group keeps
        as many children as its level allows and says how many it hides.
        """
        budget = max(limit // max(self.height, 1), 8)
        rows = [self.rows_per_label(column, level) for level in range(self.height + 1)]
        nodes: dict[int, TaxonomyNode] = {}
        for level in range(self.height + 1):
            most = budget if level < self.height else limit
            kept = np.argsort(-rows[level], kind="stable")[:most]
            nodes = self._nodes_of_level(level, rows[level], kept.tolist(), nodes)
        if len(nodes) == 1:
            return next(iter(nodes.values()))
        ordered = tuple(sorted(nodes.values(), key=_most_rows_first))
        return TaxonomyNode(None, self.height + 1, int(column.counts.sum()), ordered[:limit])

    def _nodes_of_level(
        self, level: int, rows: Counts, kept: Sequence[int], below: dict[int, TaxonomyNode]
    ) -> dict[int, TaxonomyNode]:
        """Make the nodes of a level, with the nodes made of the level below as children."""
        children: dict[int, list[TaxonomyNode]] = {code: [] for code in kept}
        hidden = np.zeros(len(self.labels[level]), np.int64)
        if level:
            parents = self._parents(level)
            hidden += np.bincount(parents, minlength=len(hidden))
            for code, node in below.items():
                hidden[parents[code]] -= 1
                children.get(int(parents[code]), []).append(node)
        return {
            code: TaxonomyNode(
                self.labels[level][code],
                level,
                int(rows[code]),
                tuple(sorted(children[code], key=_most_rows_first)),
                int(hidden[code]),
            )
            for code in kept
        }

    def _parents(self, level: int) -> Codes:
        """Return the label of this level above each label of the one below."""
        parents = np.zeros(len(self.labels[level - 1]), dtype=np.int32)
        parents[self.codes[level - 1]] = self.codes[level]
        return parents


@dataclass(frozen=True)
class LevelEffect:
    """What one level does to one column alone."""

    level: int
    name: str
    values_left: int
    smallest_group: int  # rows under the rarest label
    loss: float  # mean share of detail lost, as in the metric `loss`


def effect_of_levels(column: Column, taxonomy: Taxonomy) -> list[LevelEffect]:
    """Return, per level, how many values are left, the smallest group and the detail lost."""
    return effect_on_counts(column.counts, taxonomy)


def effect_on_counts(counts: Counts, taxonomy: Taxonomy) -> list[LevelEffect]:
    """Measure the levels against rows per leaf; leaves beyond the counts are not in the table."""
    effects = []
    for level, name in enumerate(taxonomy.level_names):
        own = taxonomy.codes[level, : len(counts)]
        rows = np.bincount(own, weights=counts, minlength=len(taxonomy.labels[level]))
        present = rows[rows > 0]
        lost = taxonomy.lost_share(level)[: len(counts)]
        loss = float(lost @ counts) / max(int(counts.sum()), 1)
        smallest = int(present.min()) if len(present) else 0
        effects.append(LevelEffect(level, name, len(present), smallest, loss))
    return effects


def encode(labels: Sequence[str | None]) -> tuple[Codes, tuple[str | None, ...]]:
    """Number labels in the order they appear; return the number of each and the labels."""
    dictionary: dict[str | None, int] = {}
    codes = [dictionary.setdefault(label, len(dictionary)) for label in labels]
    return np.array(codes, dtype=np.int32), tuple(dictionary)


def _names(levels: int) -> list[str]:
    middle = [f"level {level}" for level in range(1, levels - 1)]
    return ["exact", *middle, "hidden"][: max(levels, 1)]


def _most_rows_first(node: TaxonomyNode) -> tuple[int, str]:
    return (-node.rows, node.label or "")
