"""Permutation: amounts are mixed among people whose amounts are near, but not too near."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.methods.separation import kernels
from deid_portal.engine.methods.separation.separating_method import SeparatingMethod
from deid_portal.engine.parameters import ColumnName, ColumnNames, Declared
from deid_portal.engine.privacy.k_e_anonymity import DIFFERENT_NUMBERS, NUMBERS_APART
from deid_portal.engine.privacy.model import ROUNDING, check_numeric
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.table.table import Codes, Column

NOBODY: Codes = np.zeros(0, np.int32)
NO_GROUP = -1


@dataclass(frozen=True)
class Permutation(SeparatingMethod):
    """(k, e)-anonymous permutation (Zhang et al., 2007).

    Groups have k different numbers or more, the largest and smallest at least e apart, and the
    widths of all groups add up to the least possible sum, so that sums and averages over some of
    the people stay as exact as they can. Equal numbers stay in one group. A record without a
    number joins the group of a random record with one.
    """

    k: int
    e: float
    column: str
    together: tuple[str, ...] | None = None

    name: ClassVar[str] = "permutation"
    title: ClassVar[str] = "Permutation within groups"
    numbers_its_groups: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "Q. Zhang, N. Koudas, D. Srivastava, T. Yu, Aggregate query answering on anonymized "
        "tables, ICDE 2007."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        DIFFERENT_NUMBERS,
        NUMBERS_APART,
        ColumnName(),
        ColumnNames("together", optional=True),
    )

    def explain(self) -> str:
        return (
            f"All facts stay exact, but {self.column} is mixed within groups of at least {self.k} "
            f"different amounts that lie {self.e:g} or more apart, so a person's own stays "
            f"uncertain. Who is in the table can be seen."
        )

    def check_problem(self, place: Place, problem: Problem) -> None:
        super().check_problem(place, problem)
        check_numeric(place["column"], problem.table, self.column)
        column = problem.table[self.column]
        numbers = np.unique(numbers_of(column)[column.counts > 0])
        numbers = numbers[~np.isnan(numbers)]
        if len(numbers) < self.k:
            place["k"].refuse(
                f'the column "{self.column}" has {len(numbers)} different numbers, so at most as '
                f"many are accepted."
            )
        if float(numbers[-1] - numbers[0]) < self._width:
            place["e"].refuse(
                f'the numbers of the column "{self.column}" do not lie that far apart; choose a '
                f"smaller distance."
            )

    def group(self, column: Column, generator: np.random.Generator, progress: Progress) -> Codes:
        numbers = numbers_of(column)
        known = (column.counts > 0) & ~np.isnan(numbers)
        distinct, place_of_code = np.unique(numbers[known], return_inverse=True)
        starts = kernels.cut_line(distinct, self.k, self._width)
        if not len(starts):
            return NOBODY
        progress.report(1, 4, "protect")
        group_of_code = np.full(len(numbers), NO_GROUP, np.int32)
        group_of_code[known] = np.searchsorted(starts, place_of_code, "right") - 1
        groups = group_of_code[column.codes]
        without = np.flatnonzero(groups == NO_GROUP)
        others = np.flatnonzero(groups != NO_GROUP)
        groups[without] = groups[generator.choice(others, len(without))]
        return groups

    @property
    def _width(self) -> float:
        return self.e * (1 - ROUNDING)
