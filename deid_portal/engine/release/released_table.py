"""Building the table that leaves.

What must never happen: a column the plan removes, a suppressed record, an original quasi-identifier
below its level, or the order of the input reaches the release. So the table is built from an
explicit list of columns, and its rows are sorted by their released cells: an order that adds no
information to the cells and depends on no secret.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.plan import ColumnPlan, Plan, Treatment
from deid_portal.engine.progress import Progress
from deid_portal.engine.release.masks import mask
from deid_portal.engine.release.pseudonyms import pseudonymize
from deid_portal.engine.table.table import Codes, Column, Table

Rows = NDArray[np.intp]
WORD_BITS = 63
DIGIT_BITS = 16


def build_released_table(
    draft: TableDraft, plan: Plan, pseudonym_key: bytes | None, progress: Progress
) -> tuple[Table, Codes]:
    """Return the released table, sorted, and the original row of each of its records.

    The table holds the kept rows and shows each column as the plan says. The original rows are
    never released.
    """
    given = draft.table.columns
    columns: list[Column] = []
    steps = 2 * len(given) + 1
    for step, column in enumerate(given):
        progress.report(step, steps, "release")
        planned = plan.column(column.name)
        was_made = column.name not in draft.problem.table  # by a method, such as a group number
        if was_made or (planned is not None and not planned.is_removed):
            columns.append(drop_unused(_show(column, planned, pseudonym_key)))
    order = sorted_order(
        columns, draft.table.rows, lambda: progress.report(len(given), steps, "release")
    )
    for index, column in enumerate(columns):
        progress.report(len(given) + 1 + index, steps, "release")
        columns[index] = column.take(order)
    progress.report(steps, steps, "release")
    return Table(tuple(columns)), draft.rows[order]


def check_pseudonym_key(table: Table, plan: Plan, key: bytes | None) -> None:
    """Refuse a missing key before any work is done."""
    for column in plan.columns:
        if column.is_pseudonym:
            pseudonymize(table[column.name].take(slice(0, 0)), key)


def sorted_order(columns: list[Column], rows: int, report: Callable[[], None]) -> Rows:
    """Return the rows ordered by their text, first column first, the gap before any text.

    Sorts by 16 bits at a time, the last first, each time keeping the order so far: numpy counts
    such short numbers instead of comparing them, and `report` is called in between.
    """
    order = np.arange(rows)
    for word in reversed(_pack_ranks(columns, rows, report)):
        for shift in range(0, int(word.max(initial=0)).bit_length(), DIGIT_BITS):
            report()
            digits = (word >> np.uint64(shift)).astype(np.uint16)
            order = order[np.argsort(digits[order], kind="stable")]
    return order


def _pack_ranks(
    columns: list[Column], rows: int, report: Callable[[], None]
) -> list[NDArray[np.uint64]]:
    """Return the ranks of all columns side by side, the first column in the highest bits."""
    words: list[NDArray[np.uint64]] = []
    used = WORD_BITS + 1
    for column in columns:
        report()
        bits = max(len(column.values) - 1, 1).bit_length()
        if used + bits > WORD_BITS:
            words.append(np.zeros(rows, np.uint64))
            used = 0
        words[-1] = (words[-1] << np.uint64(bits)) | _ranks(column).astype(np.uint64)
        used += bits
    return words


def _show(column: Column, planned: ColumnPlan | None, pseudonym_key: bytes | None) -> Column:
    if planned is not None and planned.is_pseudonym:
        return pseudonymize(column, pseudonym_key)
    if planned is not None and planned.treatment == Treatment.MASK:
        return mask(column)
    return column


def drop_unused(column: Column) -> Column:
    """Return the column with a dictionary of only the values it still shows.

    A dictionary with the values of suppressed records would release them.
    """
    used = np.flatnonzero(column.counts)
    numbers = np.zeros(len(column.values), np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    values = tuple(column.values[code] for code in used)
    return Column(column.name, column.type, numbers[column.codes], values, column.decimal)


def _ranks(column: Column) -> Codes:
    order = sorted(range(len(column.values)), key=column.sort_key)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks[column.codes]
