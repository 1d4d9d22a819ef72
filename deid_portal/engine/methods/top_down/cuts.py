"""High-dimensional top-down specialization: cuts that move down while every rule still holds.

N. Mohammed, B. Fung, P. Hung and C. Lee, Anonymizing healthcare data: a case study on the blood
transfusion service, KDD 2009. Every column starts at the top of its tree; each step specializes the
node with the best score whose children keep all rules. Rules are anti-monotone, so what is refused
once is refused for good, and each specialization is judged exactly once. A stretch of numbers can
be cut at many places: if the best cut is refused, the next best becomes the candidate.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.methods.top_down.partition import NOWHERE, ClassPartition
from deid_portal.engine.methods.top_down.rules import ProposedSplit, make_rules
from deid_portal.engine.methods.top_down.scores import GainScore, Mask, Score, SquareScore
from deid_portal.engine.methods.top_down.trees import LabelNode, Tree, plant
from deid_portal.engine.privacy.c_t_isolation import CTIsolation
from deid_portal.engine.privacy.delta_presence import DeltaPresence
from deid_portal.engine.privacy.k_concealment import KConcealment
from deid_portal.engine.privacy.k_confusion import KConfusion
from deid_portal.engine.privacy.k_map import KMap
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import infer_type
from deid_portal.engine.taxonomies import Recipe

DIGITS = 9  # scores that agree so far are a tie
MOST_CUTS_TRIED = 32  # per stretch of numbers
# These look people up by labels of taxonomies, which do not include grown ranges.
NEED_TAXONOMIES = (CTIsolation, DeltaPresence, KConcealment, KConfusion, KMap)


@dataclass(frozen=True)
class PerformedSplit:
    """One specialization that was performed."""

    column: str
    label: str | None
    score: float


@dataclass(frozen=True)
class CutNode:
    """A label of the final cut and how many records show it."""

    label: str | None
    records: int


@dataclass(frozen=True, eq=False)
class Cuts:
    """The final cuts: the label that each value of each column is shown as."""

    nodes: tuple[tuple[CutNode, ...], ...]  # per column, in the order of its leaves
    node_of: tuple[Codes, ...]  # per column: code of a value -> its node
    steps: tuple[PerformedSplit, ...]
    judged: int  # specializations looked at

    def show(self, column: Column, index: int) -> Column:
        """Return a column as its cut shows it."""
        labels = [node.label for node in self.nodes[index]]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        label_of = np.array([numbers[label] for label in labels], np.int32)
        codes = label_of[self.node_of[index]][column.codes]
        values = tuple(numbers)
        kind = infer_type(values, column.decimal)
        return Column(column.name, kind, codes, values, column.decimal)


@dataclass(frozen=True, order=True)
class _Candidate:
    """A node that may be specialized: the best score first, then by column and label."""

    rank: float  # the score, negative and rounded
    column: int
    label: tuple[bool, str]
    start: int
    node: LabelNode = field(compare=False)
    position: int = field(compare=False)  # in the cut of its column
    children: Sequence[LabelNode] = field(compare=False)
    score: float = field(compare=False)
    tried: int = field(compare=False)  # ways refused before

    @property
    def bounds(self) -> NDArray[np.int64]:
        return _bounds(self.children)


class Specialization:
    """The cuts of one table on their way down; to be run once."""

    def __init__(self, problem: Problem, class_column: str | None, progress: Progress) -> None:
        """Prepare trees, counts and rules; information gain if a class column is named."""
        self._progress = progress
        self._names = problem.names
        self._columns = [problem.table[name] for name in problem.names]
        self._trees = self._plant_trees(problem)
        self._score = _make_score(problem, self._columns, self._trees, class_column)
        self._rules = make_rules(problem.models, problem.whole, problem.patterns)
        self._least = max([rule.least for rule in self._rules], default=1)
        codes = problem.patterns.codes
        places = [tree.places[own] for tree, own in zip(self._trees, codes, strict=True)]
        self._partition = ClassPartition(
            np.array(places, np.int32).reshape(codes.shape), problem.patterns.counts
        )
        self._cuts: list[dict[int, LabelNode]] = [
            {} for _ in self._names
        ]  # by the first place of each
        self._numbers = [np.zeros(tree.leaf_count, np.int32) for tree in self._trees]
        self._candidates: list[_Candidate] = []
        self._steps: list[PerformedSplit] = []
        self._judged = 0
        self._place_roots()

    def run(self) -> Cuts | None:
        """Move the cuts down as far as the rules allow; None if even the tops break one."""
        start = ProposedSplit(self._partition, self._partition.everything(), self._show_nodes)
        if not self._is_allowed(start):
            return None
        while self._candidates:
            candidate = heapq.heappop(self._candidates)
            current = self._scored(candidate) if self._score.falls else candidate
            if current.rank > candidate.rank:
                heapq.heappush(self._candidates, current)
                continue
            self._report()
            self._judged += 1
            self._try(candidate)
        return self._finish()

    @property
    def scores(self) -> dict[tuple[str, str | None], float]:
        """Return what the candidates score now, by column and label."""
        return {(self._names[own.column], own.node.label): own.score for own in self._candidates}

    def _plant_trees(self, problem: Problem) -> list[Tree]:
        may_grow = not any(isinstance(model, NEED_TAXONOMIES) for model in problem.models)
        recipes: Sequence[Recipe | None] = problem.recipes or [None] * len(self._columns)
        parts = zip(self._columns, problem.taxonomies, recipes, strict=True)
        trees = []
        for index, (column, taxonomy, recipe) in enumerate(parts):
            self._progress.report(0, 1, "protect")
            find_split = partial(self._find_split, index)
            trees.append(plant(column, taxonomy, recipe if may_grow else None, find_split))
        return trees

    def _find_split(self, column: int, start: int, stop: int, refused: Mask) -> int:
        return self._score.find_split(column, start, stop, self._least, refused)

    def _place_roots(self) -> None:
        """Start with the topmost cuts; a taxonomy without one root starts with all of its tops."""
        entering = []
        for column, tree in enumerate(self._trees):
            roots, positions = tree.roots(), [0]
            if len(roots) > 1:
                cells = self._partition.split(column, 0, 0, _child_of(roots), len(roots))
                positions = self._partition.apply(cells, 0).tolist()
            for node, position in zip(roots, positions, strict=True):
                self._show(column, node)
                entering.append((column, node, position))
        for column, node, position in entering:
            self._enter(column, node, position)

    def _show(self, column: int, node: LabelNode) -> None:
        self._cuts[column][node.start] = node
        self._numbers[column][node.start : node.stop] = node.number

    def _enter(self, column: int, node: LabelNode, position: int, tried: int = 0) -> None:
        """Make a node a candidate if it has records and children."""
        children = self._trees[column].children(node) if position != NOWHERE else []
        if children:
            label = (node.label is not None, node.label or "")
            blank = _Candidate(0.0, column, label, node.start, node, position, children, 0.0, tried)
            heapq.heappush(self._candidates, self._scored(blank))

    def _scored(self, candidate: _Candidate) -> _Candidate:
        squares = self._partition.squares(candidate.column, candidate.position)
        score = self._score.score(candidate.column, candidate.bounds, squares)
        return replace(candidate, rank=-round(score, DIGITS), score=score)

    def _try(self, candidate: _Candidate) -> None:
        """Specialize a node if all rules allow it; otherwise it stays in the cut."""
        column, children = candidate.column, candidate.children
        cells = self._partition.split(
            column, candidate.position, candidate.start, _child_of(children), len(children)
        )
        nodes = partial(self._show_nodes, column, children)
        if not self._is_allowed(ProposedSplit(self._partition, cells, nodes)):
            has_another = self._trees[column].refuse(children)
            if has_another and candidate.tried + 1 < MOST_CUTS_TRIED:
                self._enter(column, candidate.node, candidate.position, candidate.tried + 1)
            return
        positions = self._partition.apply(cells, candidate.position).tolist()
        self._steps.append(
            PerformedSplit(self._names[column], candidate.node.label, candidate.score)
        )
        for child, position in zip(children, positions, strict=True):
            self._show(column, child)
            self._enter(column, child, position)

    def _is_allowed(self, proposal: ProposedSplit) -> bool:
        return all(rule.allows(proposal, self._report) for rule in self._rules)

    def _show_nodes(self, column: int = 0, children: Sequence[LabelNode] = ()) -> list[Codes]:
        """Return the number of the label of each value, with these children in the cut."""
        numbers = list(self._numbers)
        if children:
            numbers[column] = numbers[column].copy()
            for child in children:
                numbers[column][child.start : child.stop] = child.number
        return [own[tree.places] for own, tree in zip(numbers, self._trees, strict=True)]

    def _report(self) -> None:
        done = self._judged
        total = done + len(self._candidates) + 1
        self._progress.report(done, total, "protect", specialized=len(self._steps))

    def _finish(self) -> Cuts:
        nodes, node_of = [], []
        for column, tree, by_place in zip(self._columns, self._trees, self._cuts, strict=True):
            cut = sorted(by_place.values(), key=lambda node: node.start)
            starts = np.array([node.start for node in cut])
            own = (np.searchsorted(starts, tree.places, "right") - 1).astype(np.int32)
            records = np.bincount(own, column.counts, len(cut)).astype(np.int64).tolist()
            labels = [node.label for node in cut]
            nodes.append(tuple(map(CutNode, labels, records)))
            node_of.append(own)
        return Cuts(tuple(nodes), tuple(node_of), tuple(self._steps), self._judged)


def _make_score(
    problem: Problem, columns: Sequence[Column], trees: Sequence[Tree], class_column: str | None
) -> Score:
    parts = [
        (column, tree.places, tree.leaf_count) for column, tree in zip(columns, trees, strict=True)
    ]
    if class_column is None:
        return SquareScore(parts)
    return GainScore(parts, problem.table[class_column])


def _bounds(nodes: Sequence[LabelNode]) -> NDArray[np.int64]:
    """Return where each node starts, and where the last one stops."""
    return np.array([*(node.start for node in nodes), nodes[-1].stop], np.int64)


def _child_of(nodes: Sequence[LabelNode]) -> Codes:
    """Return the number of the node each place from the first on is under."""
    return np.repeat(np.arange(len(nodes), dtype=np.int32), np.diff(_bounds(nodes)))
