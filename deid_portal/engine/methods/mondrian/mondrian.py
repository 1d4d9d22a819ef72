"""Mondrian: the table is cut in two, the halves again, as long as the rules allow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.draft.remeasurement import measure_draft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.methods.mondrian.axes import Axis, axis_of
from deid_portal.engine.methods.mondrian.partition import BoxPartition, Divider, Parts
from deid_portal.engine.methods.mondrian.rules import (
    BoxModelRule,
    counted_diversity,
    judging,
    least_records,
    pairs_of_rows,
)
from deid_portal.engine.parameters import Declared, Flag
from deid_portal.engine.privacy.l_diversity import LDiversity
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Column, Counts
from deid_portal.engine.table.values import infer_type


@dataclass(frozen=True)
class Mondrian(ChangingMethod):
    """Multidimensional partitioning by the median (LeFevre et al., 2006).

    A part of the table is cut in its widest column, or the next widest that can be cut, if every
    part then keeps every model. Numbers and dates are cut where half of the records lie on each
    side, values of a taxonomy into the children of their label. The widths count from 0 to 1 and
    are multiplied with the weights of the plan; of equal ones the first column is taken. A strict
    cut keeps equal values together; a relaxed one shares those in the middle between both sides.

    Models that judge the release as a whole are asked at the end: while one says no, all is done
    again with parts of at least twice as many records. Nobody is suppressed.
    """

    relaxed: bool = False

    name: ClassVar[str] = "mondrian"
    title: ClassVar[str] = "Mondrian"
    is_in_plain_view: ClassVar[bool] = True
    can_be_swept: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "K. LeFevre, D. DeWitt, R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006."
    )
    breaks_ties_by_order: ClassVar[bool] = True
    makes_classes: ClassVar[bool] = True
    leaves_out_nobody: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (Flag("relaxed"),)

    def explain(self) -> str:
        how = "shared between both sides" if self.relaxed else "kept together"
        return (
            f"People are divided at the middle of the column in which they differ most, and again, "
            f"until a smaller group would break a rule; those with equal values are {how}. Every "
            f"group shows its own ranges."
        )

    def check_problem(self, place: Place, problem: Problem) -> None:
        for model in problem.models:
            if model.needs_labels:
                place.refuse(
                    f"{model.name} looks for labels of a taxonomy, and mondrian shows ranges; "
                    f"choose full-domain or local-recoding, or another model."
                )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        problem = draft.pose(progress)
        if not _is_allowed(problem):
            return draft.keep(np.zeros(draft.table.rows, np.bool_))
        axes = [
            axis_of(problem.table[name], taxonomy, recipe)
            for name, taxonomy, recipe in zip(
                problem.names, problem.taxonomies, problem.recipes, strict=True
            )
        ]
        least = least_records(problem.models)
        while True:
            partition = self._divide(problem, axes, least, progress)
            shown = list(self._show(problem, axes, partition, progress))
            changed = draft.with_columns(*shown)
            if partition.count == 1 or _is_accepted(changed):
                return changed.noting(
                    least_records=least,
                    groups=partition.count,
                    labels={column.name: len(column.values) for column in shown},
                )
            least *= 2

    def _show(
        self, problem: Problem, axes: Sequence[Axis], partition: BoxPartition, progress: Progress
    ) -> Iterator[Column]:
        """Return the quasi-identifiers with every value as the label of its box."""
        box_of_row = partition.box_of
        if not self.relaxed:
            box_of_row = box_of_row[problem.patterns.pattern_of_row]
        bounds = zip(partition.low, partition.high, strict=True)
        for name, axis, (low, high) in zip(problem.names, axes, bounds, strict=True):
            progress.report(0, 1, "protect", classes=partition.count)
            column = problem.table[name]
            code_of_box, labels = _label_boxes(axis, low, high)
            kind = infer_type(labels, column.decimal)
            yield Column(name, kind, code_of_box[box_of_row], labels, column.decimal)

    def _divide(
        self, problem: Problem, axes: Sequence[Axis], least: int, progress: Progress
    ) -> BoxPartition:
        """Divide patterns; or rows, if a cut may separate equal ones."""
        diversity, patterns = counted_diversity(problem.models), problem.patterns
        if diversity is not None and not self.relaxed:
            return self._divide_pairs(problem, axes, least, diversity, progress)
        codes: Sequence[Codes] = list(patterns.codes)
        weights, sensitive = patterns.counts, patterns.sensitive
        if self.relaxed:
            codes = [problem.table[name].codes for name in problem.names]
            weights, sensitive = np.ones(problem.rows, np.int64), pairs_of_rows(problem)
        divider = self._divider(problem, axes, codes, weights, least, progress)
        if diversity is not None:
            secrets = problem.table[diversity.column].codes
            return divider.divide_by_counts(progress, secrets, int(diversity.l))
        if judging(problem.models):
            return divider.divide_by_rule(BoxModelRule(problem, sensitive), progress)
        return divider.divide_by_counts(progress)

    def _divide_pairs(
        self,
        problem: Problem,
        axes: Sequence[Axis],
        least: int,
        diversity: LDiversity,
        progress: Progress,
    ) -> BoxPartition:
        """Divide patterns, with one tuple for each sensitive value of a pattern.

        All tuples of a pattern have the same places, so a strict cut never separates them.
        """
        patterns = problem.patterns
        pairs = patterns.sensitive[diversity.column]
        codes = [own[pairs.groups] for own in patterns.codes]
        divider = self._divider(problem, axes, codes, pairs.counts, least, progress)
        divided = divider.divide_by_counts(progress, pairs.codes, int(diversity.l))
        box_of_pattern = np.empty(len(patterns.counts), np.int32)
        box_of_pattern[pairs.groups] = divided.box_of
        return replace(divided, box_of=box_of_pattern)

    def _divider(
        self,
        problem: Problem,
        axes: Sequence[Axis],
        codes: Sequence[Codes],
        weights: Counts,
        least: int,
        progress: Progress,
    ) -> Divider:
        places = np.empty((len(axes), len(weights)), np.int32)
        for index, (axis, own) in enumerate(zip(axes, codes, strict=True)):
            progress.report(0, 1, "protect")
            places[index] = axis.places[own]
        return Divider(axes, places, weights, problem.weights, least=least, relaxed=self.relaxed)


def _is_allowed(problem: Problem) -> bool:
    """Say whether the models hold with all records in one class.

    If a monotone model does not, it holds for no partition. Another model may hold for some
    partition, but not at every cut on the way there.
    """
    patterns = problem.patterns
    together = Parts(
        np.zeros(len(patterns.counts), np.int32),
        np.zeros(1, np.int32),
        np.array([problem.rows], np.int64),
    )
    rule = BoxModelRule(problem, patterns.sensitive)
    return problem.rows >= least_records(problem.models) and bool(rule(together).all())


def _is_accepted(draft: TableDraft) -> bool:
    """Ask the models that judge a release as a whole."""
    judges = [model for model in draft.problem.models if model.judges_release]
    if not judges:
        return True
    measured = measure_draft(draft)
    return all(model.accepts(measured.classes, measured.whole) for model in judges)


def _label_boxes(axis: Axis, low: Codes, high: Codes) -> tuple[Codes, tuple[str | None, ...]]:
    """Return the number of each box's label, and the labels."""
    bounds, number_of_box = np.unique(low.astype(np.int64) << 32 | high, return_inverse=True)
    texts = (axis.label(int(key) >> 32, int(key) & 0xFFFFFFFF) for key in bounds)
    known: dict[str | None, int] = {}
    codes = np.array([known.setdefault(text, len(known)) for text in texts], np.int32)
    return codes[number_of_box], tuple(known)
