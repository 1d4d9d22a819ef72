"""Prosecutor, journalist and marketer: how likely is a match right?

K. El Emam, Guide to the de-identification of personal health information, 2013. The prosecutor
knows the person is in the table, the journalist knows only that the person is in the population,
the marketer wants as many matches as possible, right on average. With F_j people of the population
and f_j records of the release in class j they are right with 1 / f_j, with 1 / F_j, and for
(1/n) Σ f_j / F_j of all records (F. Dankar and K. El Emam, A method for evaluating marketer
re-identification risk, PAIS 2010).

The people of a release are people of its population, so F_j is at least f_j. If a population table
shows fewer (or none), it is out of date or incomplete, or the release shows changed values; then
f_j is used for F_j, and the risk is an upper bound.
"""

from dataclasses import dataclass

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True, eq=False)
class AttackerRisk:
    """The chance that one attacker's match is right, over the records of a table.

    `is_bound`: the population of some class is not known, so the true risk is at most this.
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


def prosecutor(sizes: Counts, threshold: float = 0.2) -> AttackerRisk:
    """1 / size of the person's class in the table."""
    return _summarize("prosecutor", sizes, sizes, threshold)


def journalist(
    sizes: Counts, population: Counts | None = None, threshold: float = 0.2
) -> AttackerRisk:
    """1 / size of the person's class in the population, over classes that were released.

    `population` holds that size per class of the table, None where no population is known.
    """
    return _summarize("journalist", sizes, population, threshold)


def marketer(
    sizes: Counts, population: Counts | None = None, threshold: float = 0.2
) -> AttackerRisk:
    """The expected share of right matches: (1/n) Σ f_j / F_j, classes / n without a population."""
    return _summarize("marketer", sizes, population, threshold)


def count_short_classes(sizes: Counts, population: Counts | None) -> int:
    """Return in how many classes the population shows fewer people than the table."""
    return 0 if population is None else int((population < sizes).sum())


def _summarize(
    attacker: str, sizes: Counts, population: Counts | None, threshold: float
) -> AttackerRisk:
    people = np.maximum(sizes if population is None else np.maximum(population, sizes), 1)
    chances = 1 / people
    rows = int(sizes.sum())
    above = int(sizes[chances > threshold].sum())
    return AttackerRisk(
        attacker=attacker,
        per_class=chances,
        highest=float(chances.max()) if rows else 0.0,
        lowest=float(chances.min()) if rows else 0.0,
        # Not a mean of `chances`, so that it is exactly classes / rows without a population.
        average=float((sizes / people).sum()) / rows if rows else 0.0,
        threshold=threshold,
        share_above=above / rows if rows else 0.0,
        records_above=above,
        is_bound=population is None or bool(count_short_classes(sizes, population)),
    )
