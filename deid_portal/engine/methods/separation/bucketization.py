"""Bucketization: exact quasi-identifiers, and sensitive values known only per group."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.methods.separation import kernels
from deid_portal.engine.methods.separation.separating_method import SeparatingMethod, order_rows
from deid_portal.engine.parameters import ColumnName, ColumnNames, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Column, Counts

GROUPS_BETWEEN_REPORTS = 1 << 18
NOBODY: Codes = np.zeros(0, np.int32)


@dataclass(frozen=True)
class Bucketization(SeparatingMethod):
    """Anatomy (Xiao and Tao, 2006): groups of l records with l different sensitive values.

    As long as l values are left, a group gets a random record of each of the l most frequent; what
    is left then, less than l records, joins random groups that do not have their value. That works
    if no value belongs to more than one in l records. A gap is a value like any other.
    """

    l: int  # noqa: E741 - the literature's symbol
    column: str
    together: tuple[str, ...] | None = None

    name: ClassVar[str] = "bucketization"
    title: ClassVar[str] = "Bucketization (Anatomy)"
    numbers_its_groups: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "X. Xiao, Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "l",
            start=3,
            minimum=2,
            whole=True,
            unusual_above=20,
            caution="l = {value} is unusual: few columns have that many equally frequent values.",
        ),
        ColumnName(),
        ColumnNames("together", optional=True),
    )

    def explain(self) -> str:
        return (
            f"All facts stay exact, but {self.column} is only known for groups of at least "
            f"{self.l} people with as many different values, so a person's value is guessed "
            f"rightly at most 1 time in {self.l}. Who is in the table can be seen."
        )

    def check_problem(self, place: Place, problem: Problem) -> None:
        super().check_problem(place, problem)
        column = problem.table[self.column]
        most = int(column.counts.max())
        if most * self.l > problem.rows:
            place["l"].refuse(
                f'the most frequent value of the column "{self.column}" belongs to {most} of '
                f"{problem.rows} records, so at most {problem.rows // most} is possible."
            )

    def group(self, column: Column, generator: np.random.Generator, progress: Progress) -> Codes:
        rows, counts = len(column.codes), column.counts
        if not rows or int(counts.max()) * self.l > rows:
            return NOBODY
        shuffled = generator.permutation(np.arange(rows, dtype=np.int32))
        by_bucket = order_rows(shuffled, column.codes)
        group_of = np.empty(rows, np.int32)
        starts = np.cumsum(counts) - counts
        nexts, groups = self._deal(counts, starts, group_of, progress)
        for start, first, stop in zip(starts, nexts, starts + counts, strict=True):
            for position in range(first, stop):
                free = np.ones(groups, np.bool_)
                free[group_of[start:position]] = False
                group_of[position] = generator.choice(np.flatnonzero(free))
        groups_of_rows = np.empty(rows, np.int32)
        groups_of_rows[by_bucket] = group_of
        return groups_of_rows

    def _deal(
        self, counts: Counts, starts: Counts, group_of: Codes, progress: Progress
    ) -> tuple[Counts, int]:
        """Fill groups from the largest buckets.

        Returns where the remaining records of each bucket start, and the number of groups.
        """
        held, nexts = counts.copy(), starts.copy()
        used = np.flatnonzero(counts)
        heap = used[np.argsort(-counts[used], kind="stable")].astype(np.int32)
        size, groups = len(heap), 0
        while size >= self.l:
            progress.report(groups * self.l, len(group_of), "protect")
            size, groups = kernels.deal(
                heap, size, held, nexts, self.l, groups, GROUPS_BETWEEN_REPORTS, group_of
            )
        return nexts, groups
