"""Measuring a release from its cells alone, without knowing how it was made."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled import kernels
from deid_portal.engine.draft.draft import NOBODY, TableDraft
from deid_portal.engine.draft.measured import MeasuredTable
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.privacy import SensitiveColumn, WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.patterns import Classes, Patterns, View, combine, reduce_table
from deid_portal.engine.table.table import Codes, Column, Counts, Table
from deid_portal.engine.table.values import infer_type
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import LabelledColumn
from deid_portal.engine.utility.shown import describe_shown_labels, find_labels, look_behind

GROUP = "\0group"  # no column of a file can be called that


@dataclass(frozen=True, eq=False)
class NoLabels(View):
    """The labels of a release in groups: the records of a group need not share any."""

    def of(self, patterns: Codes) -> Codes:
        raise InvalidPlan(
            "models: a release in groups keeps exact values, so a model that looks at the labels "
            "of a class cannot be measured on it; choose another model or another method."
        )


def measure_draft(draft: TableDraft) -> MeasuredTable:
    """Measure the draft as a release, comparing each cell with the original cell it comes from."""
    problem = draft.problem
    columns = [
        _beside_original(draft, index, _counts(draft, problem.table[name]))
        for index, name in enumerate(problem.names)
    ]
    measured = _measure(problem, draft.whole, draft.table, columns, draft.groups)
    if draft.groups is not None:
        patterns = reduce_table(draft.table, problem.names, (), Progress(None))
        view = _view(problem, draft.table, patterns.codes)
        measured = replace(measured, alike=_classes_of(patterns, view))
    not_drawn = 0 if draft.drawn is None else int((~draft.drawn).sum())
    return replace(measured, rows=_records_to_show(draft), not_drawn=not_drawn)


def _records_to_show(draft: TableDraft) -> int:
    """Return how many records could have been shown; for made-up records, how many there are."""
    if (draft.rows == NOBODY).any():
        return draft.table.rows
    return draft.problem.rows if draft.drawn is None else int(draft.drawn.sum())


def measure_release(
    problem: Problem, whole: WholeTable, released: Table, *, may_be_changed: bool
) -> MeasuredTable:
    """Measure a table without knowing which record is which; rules compare it with `whole`.

    A record is divided among the values its label may stand for, in proportion to their frequency.
    Values that neither the original nor a taxonomy has are refused, unless a method may have made
    them up.
    """
    _check_shape(problem, released)
    if not may_be_changed:
        _check_values(problem, released)
    columns = [
        _without_original(problem, index, released[name])
        for index, name in enumerate(problem.names)
    ]
    return _measure(problem, whole, released, columns, None)


def _measure(
    problem: Problem,
    whole: WholeTable,
    released: Table,
    columns: list[LabelledColumn],
    groups: Codes | None,
) -> MeasuredTable:
    whole, recoded = share_dictionaries(whole, released)
    names = problem.names if groups is None else (GROUP,)
    shown = [released[name] for name in names] if groups is None else [group_numbers(groups)]
    own = {column.name for column in shown}
    shared = Table((*shown, *(column for column in recoded if column.name not in own)))
    patterns = reduce_table(shared, names, list(whole.sensitive), Progress(None))
    view = (
        _view(problem, released, patterns.codes) if groups is None else NoLabels(patterns.codes, [])
    )
    levels = {
        name: int(column.labels.levels[column.shown[0]])
        for name, column in zip(problem.names, columns, strict=True)
        if len(np.unique(column.labels.levels[column.shown])) == 1
    }
    return MeasuredTable(_classes_of(patterns, view), columns, levels, whole, problem.rows)


def _classes_of(patterns: Patterns, view: View) -> Classes:
    """Return the patterns of released cells as classes, one class per pattern."""
    everyone = np.arange(len(patterns.counts), dtype=np.int32)
    return Classes(everyone, patterns.counts, patterns.sensitive, view)


def _check_shape(problem: Problem, released: Table) -> None:
    for name in (*problem.names, *problem.whole.sensitive):
        if name not in released:
            raise InvalidTable(f'The released table has no column "{name}", which the plan needs.')
    if released.rows > problem.rows:
        raise InvalidTable(
            f"The released table has {released.rows} rows, more than the {problem.rows} of the "
            f"original."
        )


def _check_values(problem: Problem, released: Table) -> None:
    for name, taxonomy in zip(problem.names, problem.taxonomies, strict=True):
        places = find_labels(taxonomy, released[name].values)
        unknown = len(released[name].values) - len(places)
        if unknown:
            raise InvalidTable(
                f'{unknown} values of column "{name}" in the released table are not in its '
                f"taxonomy."
            )
    for name, secret in problem.whole.sensitive.items():
        known = set(secret.column.values)
        foreign = sum(text not in known for text in released[name].values)
        if foreign:
            raise InvalidTable(
                f'{foreign} values of column "{name}" in the released table do not occur in the '
                f"original."
            )


def _counts(draft: TableDraft, column: Column) -> Counts:
    if draft.drawn is None:
        return column.counts
    return np.bincount(column.codes[draft.drawn], minlength=len(column.values)).astype(np.int64)


def _beside_original(draft: TableDraft, index: int, counts: Counts) -> LabelledColumn:
    problem, name = draft.problem, draft.problem.names[index]
    original, released, taxonomy = problem.table[name], draft.table[name], problem.taxonomies[index]
    behind = look_behind(original, taxonomy, released.values)
    known = draft.rows >= 0
    shown, values = released.codes[known], original.codes[draft.rows[known]]
    number, first = kernels.number_keys(combine(shown, values))
    return LabelledColumn(
        taxonomy=taxonomy,
        counts=counts if known.all() else np.zeros_like(counts),
        labels=describe_shown_labels(taxonomy, original.counts, behind),
        shown=shown[first],
        values=values[first],
        amounts=np.bincount(number, minlength=len(first)).astype(np.float64),
        weight=problem.weights[index],
    )


def _without_original(problem: Problem, index: int, released: Column) -> LabelledColumn:
    original, taxonomy = problem.table[problem.names[index]], problem.taxonomies[index]
    behind = look_behind(original, taxonomy, released.values)
    shown, values, amounts = [], [], []
    for label, rows in enumerate(released.counts):
        own, shares = _shares(original, behind[label].leaves)
        shown.append(np.full(len(own), label, np.int32))
        values.append(own)
        amounts.append(rows * shares)
    return LabelledColumn(
        taxonomy=taxonomy,
        counts=original.counts,
        labels=describe_shown_labels(taxonomy, original.counts, behind),
        shown=np.concatenate([np.zeros(0, np.int32), *shown]),
        values=np.concatenate([np.zeros(0, np.int32), *values]),
        amounts=np.concatenate([np.zeros(0), *amounts]),
        weight=problem.weights[index],
    )


def _shares(original: Column, behind: Codes | None) -> tuple[Codes, Numbers]:
    """Return the values a label may stand for and the share of a record that falls to each."""
    if behind is None:  # made up, so it may stand for any value
        behind = np.arange(len(original.values), dtype=np.int32)
    own = behind[behind < len(original.values)]
    rows = original.counts[own].astype(np.float64)
    if not rows.sum():
        raise InvalidTable(
            f'Column "{original.name}" of the released table shows a value that no record of the '
            f"original can have."
        )
    return own[rows > 0], rows[rows > 0] / rows.sum()


def _view(problem: Problem, released: Table, codes: Codes) -> View:
    """Number the released labels: those of the taxonomy by its own numbers, others after them."""
    named = [
        _number_labels(taxonomy, released[name].values)
        for name, taxonomy in zip(problem.names, problem.taxonomies, strict=True)
    ]
    return View(codes, [numbers for numbers, _ in named], [strangers for _, strangers in named])


def _number_labels(
    taxonomy: Taxonomy, labels: tuple[str | None, ...]
) -> tuple[Codes, list[str | None]]:
    """Return the number of each label, and the labels the taxonomy does not have."""
    starts = np.cumsum([0, *(len(own) for own in taxonomy.labels)])
    places = find_labels(taxonomy, labels)
    numbers = np.empty(len(labels), np.int32)
    strangers: list[str | None] = []
    for code, text in enumerate(labels):
        if text in places:
            level, place = places[text]
            numbers[code] = starts[level] + place
        else:
            numbers[code] = starts[-1] + len(strangers)
            strangers.append(text)
    return numbers, strangers


def share_dictionaries(whole: WholeTable, released: Table) -> tuple[WholeTable, list[Column]]:
    """Code the released sensitive values as the original's; values made up by a method follow."""
    sensitive, recoded = {}, []
    for name, secret in whole.sensitive.items():
        original, shown = secret.column, released[name]
        known = {text: code for code, text in enumerate(original.values)}
        foreign = [text for text in shown.values if text not in known]
        known |= {text: len(known) + place for place, text in enumerate(foreign)}
        values = tuple(known)
        kind = infer_type(values, original.decimal) if foreign else original.type
        column = Column(name, kind, original.codes, values, original.decimal)
        numbers: NDArray[np.int32] = np.array([known[text] for text in shown.values], np.int32)
        codes = numbers[shown.codes] if len(shown.codes) else shown.codes
        own = Column(name, kind, codes, values, original.decimal)
        recoded.append(own)
        made_up = SensitiveColumn(column, secret.recipe, own.counts)
        sensitive[name] = made_up if foreign else secret
    return replace(whole, sensitive=sensitive), recoded


def group_numbers(groups: Codes) -> Column:
    """Return a column with the group number of each record."""
    count = int(groups.max(initial=-1)) + 1
    return Column(GROUP, infer_type(()), groups, tuple(str(number) for number in range(count)))
