"""A recoding in rounds: each shows some patterns at its own levels, the rest is suppressed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deid_portal.engine.search.check import Check, Mask
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.rollup import Grouper
from deid_portal.engine.table.patterns import Classes, Pairs, Patterns, View
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import infer_type
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import MeasuredColumn

HIDDEN = -1


@dataclass(frozen=True, eq=False)
class Round:
    """Patterns that are shown at the same levels."""

    levels: Levels
    shown: Mask  # one per pattern


@dataclass(frozen=True, eq=False)
class Recoding:
    """How each pattern is shown. Later rounds show patterns that the first, the base, left out."""

    problem: Problem
    rounds: tuple[Round, ...]

    @classmethod
    def of_check(cls, problem: Problem, check: Check) -> "Recoding":
        shown = check.grouped.spread(~check.suppressed_classes)
        return cls(problem, (Round(check.levels, shown),))

    @property
    def base(self) -> Levels:
        return self.rounds[0].levels

    @cached_property
    def shown(self) -> Mask:
        shown: Mask = np.logical_or.reduce([round.shown for round in self.rounds])
        return shown

    @property
    def suppressed(self) -> int:
        return int(self.problem.patterns.counts[~self.shown].sum())

    @cached_property
    def classes(self) -> Classes:
        """Return the classes a recipient sees: rounds that show the same labels share them."""
        labels = [self._labels(column) for column in range(len(self.problem.names))]
        shown = select_patterns(self.problem.patterns, self.shown)
        codes = np.array([codes[self.shown] for codes in labels], np.int32)
        patterns = replace(shown, codes=codes.reshape(len(labels), len(shown.counts)))
        flat = [_no_levels(codes) for codes in patterns.codes]
        classes = Grouper(patterns, flat).group((0,) * len(flat)).classes
        return replace(classes, view=View(self._nodes()[:, self.shown], flat_nodes(self.problem)))

    @cached_property
    def columns(self) -> list[MeasuredColumn]:
        """Return the quasi-identifiers as a metric sees them."""
        problem, counts = self.problem, self.problem.patterns.counts
        measured = []
        for column, taxonomy in enumerate(problem.taxonomies):
            codes = problem.patterns.codes[column]
            values = len(problem.table[problem.names[column]].values)
            cells = np.zeros((taxonomy.height + 1, values))
            for round in self.rounds:
                shown = np.bincount(codes[round.shown], counts[round.shown], values)
                cells[round.levels[column]] += shown
            everyone = np.bincount(codes, counts, values).astype(np.int64)
            measured.append(MeasuredColumn(taxonomy, everyone, cells, problem.weights[column]))
        return measured

    def levels_of_patterns(self, column: int) -> Codes:
        """Return the level each pattern is shown at, HIDDEN where it is suppressed."""
        levels = np.full(len(self.shown), HIDDEN, np.int32)
        for round in self.rounds:
            levels[round.shown] = round.levels[column]
        return levels

    def show(self, name: str) -> Column:
        """Return a quasi-identifier with every value as the label it is shown as."""
        column, index = self.problem.table[name], self.problem.names.index(name)
        if len(self.rounds) == 1:
            return generalize(column, self.problem.taxonomies[index], self.base[index])
        return self._show_in_rounds(column, index)

    def holds(self) -> bool:
        """Say whether every model holds on the release as a whole."""
        kept, whole = self.classes, self.problem.whole
        return bool(len(kept.sizes)) and all(
            bool(model.passes(kept, whole).all()) and model.accepts(kept, whole)
            for model in self.problem.models
        )

    def _show_in_rounds(self, column: Column, index: int) -> Column:
        taxonomy = self.problem.taxonomies[index]
        levels = sorted({round.levels[index] for round in self.rounds})
        numbers = label_numbers(taxonomy, levels)
        labels = {text: None for level in levels for text in taxonomy.labels[level]}
        level_of_row = self.levels_of_patterns(index)[self.problem.patterns.pattern_of_row]
        codes = np.zeros(len(column.codes), np.int32)
        for level in levels:
            rows = np.flatnonzero(level_of_row == level)
            codes[rows] = numbers[level][taxonomy.codes[level][column.codes[rows]]]
        return Column(column.name, infer_type(tuple(labels)), codes, tuple(labels))

    def _nodes(self) -> Codes:
        """Return the number of the label each pattern shows: column × pattern."""
        nodes = np.zeros(self.problem.patterns.codes.shape, np.int32)
        for column, codes in enumerate(self.problem.patterns.codes):
            for round in self.rounds:
                own = self.problem.taxonomies[column].nodes[round.levels[column]]
                nodes[column, round.shown] = own[codes[round.shown]]
        return nodes

    def _labels(self, column: int) -> Codes:
        """Return a number per pattern for the text it shows."""
        taxonomy = self.problem.taxonomies[column]
        codes = self.problem.patterns.codes[column]
        labels = np.zeros(len(codes), np.int32)
        numbers = label_numbers(taxonomy, [round.levels[column] for round in self.rounds])
        for round in self.rounds:
            level = round.levels[column]
            shown = taxonomy.codes[level][codes[round.shown]]
            labels[round.shown] = numbers[level][shown]
        return labels


def generalize(column: Column, taxonomy: Taxonomy, level: int) -> Column:
    """Return the column with every value as its label at a level."""
    if level == 0:
        return column
    labels = taxonomy.labels[level]
    codes = taxonomy.codes[level][column.codes]
    return Column(column.name, infer_type(labels), codes, labels)


def label_numbers(taxonomy: Taxonomy, levels: Sequence[int]) -> dict[int, Codes]:
    """Number the labels of some levels, the same text on two levels once; per level and code."""
    known: dict[str | None, int] = {}

    def number(labels: Sequence[str | None]) -> Codes:
        return np.array([known.setdefault(text, len(known)) for text in labels], np.int32)

    return {level: number(taxonomy.labels[level]) for level in levels}


def select_patterns(patterns: Patterns, chosen: Mask) -> Patterns:
    """Return some of the patterns, renumbered; they no longer know their rows."""
    numbers = np.cumsum(chosen, dtype=np.int32) - np.int32(1)
    return Patterns(
        patterns.names,
        np.ascontiguousarray(patterns.codes[:, chosen]),  # or kernels are compiled once more
        patterns.counts[chosen],
        np.zeros(0, np.int32),
        {name: _only(pairs, chosen, numbers) for name, pairs in patterns.sensitive.items()},
    )


def _only(pairs: Pairs, chosen: Mask, numbers: Codes) -> Pairs:
    kept = chosen[pairs.groups]
    return Pairs(numbers[pairs.groups[kept]], pairs.codes[kept], pairs.counts[kept])


def flat_nodes(problem: Problem) -> list[Codes]:
    """Return, per column, numbers of labels that stand for themselves."""
    counts = (sum(map(len, taxonomy.labels)) for taxonomy in problem.taxonomies)
    return [np.arange(count, dtype=np.int32) for count in counts]


def _no_levels(codes: Codes) -> Taxonomy:
    """Return a taxonomy that leaves these codes as they are."""
    count = int(codes.max(initial=0)) + 1
    values = tuple(str(code) for code in range(count))
    return Taxonomy(np.arange(count, dtype=np.int32).reshape(1, -1), (values,), ("exact",))
