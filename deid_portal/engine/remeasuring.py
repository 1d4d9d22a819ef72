"""Measuring a release from its cells alone, without knowing how it was made."""

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.grouping import Classes, View, reduce_table
from deid_portal.engine.problem import Problem
from deid_portal.engine.progress import Progress
from deid_portal.engine.reporting import Measured
from deid_portal.engine.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import MeasuredColumn
from deid_portal.engine.utility.metric import Numbers


def measure_release(problem: Problem, released: Table) -> Measured:
    """Group the released records and find each of their cells in its taxonomy."""
    _check_shape(problem, released)
    sensitive = list(problem.whole.sensitive)
    shared = Table(
        tuple(
            [released[name] for name in problem.names]
            + [_recode(released[name], problem.table[name]) for name in sensitive]
        )
    )
    patterns = reduce_table(shared, problem.names, sensitive, Progress(None))
    everyone = np.arange(len(patterns.counts), dtype=np.int32)
    columns = [
        _measure_column(problem, index, released[name]) for index, name in enumerate(problem.names)
    ]
    levels = {
        name: int(np.flatnonzero(column.cells.any(axis=1))[0])
        for name, column in zip(problem.names, columns, strict=True)
        if column.cells.any(axis=1).sum() == 1
    }
    view = View(patterns.codes, _nodes(problem, released))
    return Measured(Classes(everyone, patterns.counts, patterns.sensitive, view), columns, levels)


def _check_shape(problem: Problem, released: Table) -> None:
    for name in (*problem.names, *problem.whole.sensitive):
        if name not in released:
            raise InvalidTable(f'The released table has no column "{name}", which the plan needs.')
    if released.rows > problem.rows:
        raise InvalidTable(
            f"The released table has {released.rows} rows, more than the {problem.rows} of the "
            f"original."
        )


def _measure_column(problem: Problem, index: int, released: Column) -> MeasuredColumn:
    column = problem.table[problem.names[index]]
    taxonomy = problem.taxonomies[index]
    places = _find_labels(taxonomy)
    unknown = [text for text in released.values if text not in places]
    if unknown:
        raise InvalidTable(
            f'{len(unknown)} values of column "{column.name}" in the released table are not in '
            f"its taxonomy."
        )
    cells = np.zeros((taxonomy.height + 1, len(column.values)))
    for text, rows in zip(released.values, released.counts, strict=True):
        level, code = places[text]
        cells[level] += rows * _share_of_leaves(taxonomy, column, level, code)
    return MeasuredColumn(taxonomy, column.counts, cells, problem.weights[index])


def _nodes(problem: Problem, released: Table) -> list[Codes]:
    """Return, per quasi-identifier, the number of the label each released value is."""
    found = []
    for name, taxonomy in zip(problem.names, problem.taxonomies, strict=True):
        starts = np.cumsum([0, *(len(labels) for labels in taxonomy.labels)])
        places = _find_labels(taxonomy)
        own = [places[text] for text in released[name].values]
        found.append(np.array([starts[level] + code for level, code in own], np.int32))
    return found


def _find_labels(taxonomy: Taxonomy) -> dict[str | None, tuple[int, int]]:
    """Return the lowest level, and the code there, at which each label stands."""
    places: dict[str | None, tuple[int, int]] = {}
    for level, labels in enumerate(taxonomy.labels):
        for code, label in enumerate(labels):
            places.setdefault(label, (level, code))
    return places


def _share_of_leaves(taxonomy: Taxonomy, column: Column, level: int, code: int) -> Numbers:
    """Return how a record with this label spreads over the values it may have had."""
    under = taxonomy.codes[level, : len(column.values)] == code
    rows = np.where(under, column.counts, 0).astype(np.float64)
    if not rows.sum():
        raise InvalidTable(
            f'Column "{column.name}" of the released table shows a value that no record of the '
            f"original can have."
        )
    share: Numbers = rows / rows.sum()
    return share


def _recode(released: Column, original: Column) -> Column:
    """Return a released column coded with the original's dictionary."""
    known = {text: code for code, text in enumerate(original.values)}
    foreign = sum(1 for text in released.values if text not in known)
    if foreign:
        raise InvalidTable(
            f'{foreign} values of column "{released.name}" in the released table do not occur in '
            f"the original."
        )
    numbers: Codes = np.array([known[text] for text in released.values], dtype=np.int32)
    codes = numbers[released.codes] if len(released.codes) else released.codes
    return Column(released.name, original.type, codes, original.values, original.decimal)
