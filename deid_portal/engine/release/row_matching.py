"""Matching the records of a released file with original rows.

No measure depends on how records of a class that are equal in every other column are matched; so a
release with one level per column can be matched by its cells alone.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import generalize
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Codes, Column, Table


def match_rows(problem: Problem, released: Table, levels: Mapping[str, int]) -> Codes | None:
    """Return a different original row for each released record; None if there is no such matching.

    `levels` holds the level of each quasi-identifier the release shows at one level throughout.
    """
    if set(levels) != set(problem.names):
        return None
    shared = [column for column in problem.table.columns if column.name in released]
    columns = [_stack(_shown(problem, own, levels), released[own.name]) for own in shared]
    names = [column.name for column in columns]
    both = reduce_table(Table(tuple(columns)), names, (), Progress(None)).pattern_of_row
    theirs, ours = both[: released.rows], both[released.rows :]
    place, own_place = _places(theirs), _places(ours)
    width = np.int64(len(both) + 1)
    known = ours.astype(np.int64) * width + own_place
    order = np.argsort(known, kind="stable")
    wanted = theirs.astype(np.int64) * width + place
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    found = order[at]
    return found.astype(np.int32) if (known[found] == wanted).all() else None


def _shown(problem: Problem, column: Column, levels: Mapping[str, int]) -> Column:
    if column.name not in levels:
        return column
    taxonomy = problem.taxonomies[problem.names.index(column.name)]
    return generalize(column, taxonomy, levels[column.name])


def _stack(original: Column, released: Column) -> Column:
    """Return the released cells and below them the original ones, with one dictionary."""
    known = {text: code for code, text in enumerate(released.values)}
    numbers = [known.setdefault(text, len(known)) for text in original.values]
    recoded = np.array(numbers, np.int32)[original.codes] if numbers else original.codes
    codes = np.concatenate([released.codes, recoded])
    return Column(original.name, original.type, codes, tuple(known))


def _places(numbers: Codes) -> NDArray[np.int64]:
    """Return, per entry, how many equal ones stand before it."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.searchsorted(ordered, ordered)
    places = np.empty(len(numbers), np.int64)
    places[order] = np.arange(len(numbers)) - starts
    return places
