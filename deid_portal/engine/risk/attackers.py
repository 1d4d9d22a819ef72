"""Prosecutor, journalist and marketer: how likely is a match right?

K. El Emam, Guide to the de-identification of personal health information, 2013. The prosecutor
knows the person is in the table, the journalist knows only that the person is in the population,
the marketer wants as many matches as possible, right on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.grouping import reduce_table
from deid_portal.engine.progress import Progress
from deid_portal.engine.table import Codes, Column, Counts, Table
from deid_portal.engine.utility.metric import Numbers


@dataclass(frozen=True, eq=False)
class AttackerRisk:
    """The chance that one attacker's match is right, over the records of a table.

    `is_bound`: no population is known, so the true risk is at most this.
    """

    attacker: str
    per_class: Numbers  # one chance per class
    highest: float
    lowest: float
    average: float  # over records
    threshold: float
    share_above: float  # of records whose chance is above the threshold
    records_above: int
    is_bound: bool = False

    def per_record(self, class_of_row: Codes) -> Numbers:
        """Return one chance per record."""
        return self.per_class[class_of_row]


def prosecutor(sizes: Counts, threshold: float = 0.2) -> AttackerRisk:
    """1 / size of the person's class in the table."""
    return _summarize("prosecutor", 1 / np.maximum(sizes, 1), sizes, threshold)


def journalist(
    sizes: Counts, population: Counts | None = None, threshold: float = 0.2
) -> AttackerRisk:
    """1 / size of the person's class in the population, over classes that were released.

    `population` holds that size per class of the table. Without it the class in the table stands
    in, an upper bound.
    """
    known = sizes if population is None else population
    _check_population(sizes, known)
    return _summarize("journalist", 1 / np.maximum(known, 1), sizes, threshold, population is None)


def marketer(
    sizes: Counts, population: Counts | None = None, threshold: float = 0.2
) -> AttackerRisk:
    """The expected share of right matches: (1/n) Σ f_j / F_j, classes / n without a population."""
    known = sizes if population is None else population
    _check_population(sizes, known)
    return _summarize("marketer", 1 / np.maximum(known, 1), sizes, threshold, population is None)


def count_in_population(
    table: Table, population: Table, quasi_identifiers: Sequence[str]
) -> tuple[Counts, Counts, Codes]:
    """Return per class of the table its size there and in the population, and the class per row.

    The population must be shown at the same level of detail: a decade matches a decade.
    """
    for name in quasi_identifiers:
        if name not in population:
            raise InvalidTable(f'The population table has no column "{name}".')
    both = Table(tuple(_join(table[name], population[name]) for name in quasi_identifiers))
    patterns = reduce_table(both, quasi_identifiers, (), Progress(None))
    number = patterns.pattern_of_row
    count = len(patterns.counts)
    own = np.bincount(number[: table.rows], minlength=count)
    theirs = np.bincount(number[table.rows :], minlength=count)
    shown = own > 0
    class_of_row = (np.cumsum(shown, dtype=np.int32) - np.int32(1))[number[: table.rows]]
    return own[shown].astype(np.int64), theirs[shown].astype(np.int64), class_of_row


def _summarize(
    attacker: str, chances: Numbers, sizes: Counts, threshold: float, is_bound: bool = False
) -> AttackerRisk:
    rows = int(sizes.sum())
    above = int(sizes[chances > threshold].sum())
    return AttackerRisk(
        attacker=attacker,
        per_class=chances,
        highest=float(chances.max(initial=0.0)),
        lowest=float(chances.min(initial=1.0)) if rows else 0.0,
        average=float(chances @ sizes) / rows if rows else 0.0,
        threshold=threshold,
        share_above=above / rows if rows else 0.0,
        records_above=above,
        is_bound=is_bound,
    )


def _check_population(sizes: Counts, population: Counts) -> None:
    short = int((population < sizes).sum())
    if short:
        raise InvalidTable(
            f"The population has fewer people than the table in {short} classes; the table must "
            f"be a part of it."
        )


def _join(column: Column, other: Column) -> Column:
    """Return both columns below each other, coded with one dictionary."""
    dictionary = {text: code for code, text in enumerate(column.values)}
    numbers = [dictionary.setdefault(text, len(dictionary)) for text in other.values]
    recoded = np.array(numbers, dtype=np.int32)[other.codes] if numbers else other.codes
    codes = np.concatenate([column.codes, recoded])
    return Column(column.name, column.type, codes, tuple(dictionary), column.decimal)
