"""A synthetic table: made-up records drawn from private counts of the real ones.

What must never happen: anything of the table but the noisy counts reaches the made-up records. So
which values a column may hold comes from the plan and never from the table, the noise comes from
OpenDP and no seed, and nothing may come before this method.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import NOBODY, TableDraft
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.methods.private_tables.pair_tree import fit, measure, sample
from deid_portal.engine.methods.private_tables.private_counts import PrivateCounter
from deid_portal.engine.parameters import (
    Choice,
    ColumnNames,
    Declared,
    Parameter,
    RangesByColumn,
    ValuesByColumn,
)
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.numbers import number_column, numbers_of
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.table.values import infer_type
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, TreeTaxonomy

MOST_CATEGORIES = 2000
Values = tuple[str | None, ...]
Range = tuple[float, float, float]
NOTE = (
    "SYNTHETIC: every record of this table is made up. The table alone is ε-differentially "
    "private, for neighbors that differ by one row; the figures of this report about the original "
    "are not covered. Rules and risks about look-alikes say nothing about people here."
)


@dataclass(frozen=True)
class Synthetic(ChangingMethod):
    """Noisy counts of every column and of some pairs of columns, and records drawn to fit them.

    What a column may hold is declared: by `values`, by `ranges` of numbers, or by a taxonomy that
    lists its values; columns in `gaps` may also be missing. `pairs` says which columns are counted
    together: those that belong together most, found with a part of ε, or each with the one before
    it. Without `records` there are as many as the noisy counts say.
    """

    epsilon: float
    values: Mapping[str, Values | None] | None = None
    ranges: Mapping[str, Range] | None = None
    gaps: tuple[str, ...] | None = None
    pairs: str = "learned"
    records: int | None = None

    name: ClassVar[str] = "synthetic"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Synthetic table"
    cites: ClassVar[str] = (
        "R. McKenna, G. Miklau, D. Sheldon, Winning the NIST contest: a scalable and general "
        "approach to differentially private synthetic data, J. Privacy and Confidentiality 11(3), "
        "2021."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    is_private: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "epsilon",
            start=1,
            minimum=0.001,
            maximum=20,
            unusual_above=5,
            caution="ε = {value} is a weak promise: beliefs may change by a large factor.",
        ),
        ValuesByColumn("values"),
        RangesByColumn("ranges"),
        ColumnNames("gaps", optional=True),
        Choice("pairs", ("learned", "in-order")),
        Parameter("records", minimum=1, maximum=100_000_000, whole=True, optional=True),
    )

    @classmethod
    def parse(cls, place: Place) -> Self:
        method = super().parse(place)
        for name in set(method.values or ()) & set(method.ranges or ()):
            place["ranges"][name].refuse('this column stands in "values" too; keep one of them.')
        for name, values in (method.values or {}).items():
            if values is None:
                place["values"][name].refuse("the values of the column must be listed.")
        return method

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        for key in ("values", "ranges", "gaps"):
            check_known_columns(place[key], getattr(self, key) or (), roles)

    def check_problem(self, place: Place, problem: Problem) -> None:
        if any(column.is_pseudonym for column in problem.released.values()):
            place.refuse("made-up records have no pseudonyms; remove identifiers for this method.")
        if not problem.released:
            place.refuse("no column leaves, so there is nothing to make up.")
        for name, column in problem.released.items():
            domain = self._domain(name, column.taxonomy)
            if domain is None:
                place.refuse(
                    f'it must be declared what the column "{name}" may hold, since looking it up '
                    f'in the table would not be private: list it in "values" or "ranges", give '
                    f"the column a taxonomy that lists its values, or leave the column out."
                )
            if domain.size > MOST_CATEGORIES:
                place.refuse(
                    f'the column "{name}" may hold {domain.size} values, more than the '
                    f"{MOST_CATEGORIES} that can be counted; choose a larger step or leave it out."
                )

    def explain(self) -> str:
        return (
            f"All records are made up: drawn so that counts of columns and pairs of columns are "
            f"about right, with noise that hides every single person (ε = {self.epsilon:g}). Rules "
            f"about look-alikes say nothing about people here."
        )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        if not draft.is_untouched or draft.steps:
            raise InvalidPlan(
                "method: synthetic must come first; what was done before would not be private."
            )
        columns = [
            column for column in draft.table.columns if column.name in draft.problem.released
        ]
        domains = [self._domain_of(column, draft.problem) for column in columns]
        counter = PrivateCounter()
        measured = measure(
            [domain.encode(column) for domain, column in zip(domains, columns, strict=True)],
            [domain.size for domain in domains],
            self.epsilon,
            self.pairs == "learned",
            counter,
            progress,
        )
        tree = fit(measured)
        drawn = sample(tree, self.records or tree.rows, generator)
        made = [
            domain.decode(column, codes, generator)
            for domain, column, codes in zip(domains, columns, drawn, strict=True)
        ]
        names = [column.name for column in columns]
        return _made_up(draft, made).noting(
            synthetic=True,
            note=NOTE,
            epsilon=self.epsilon,
            epsilon_spent=counter.spent,
            records=self.records or tree.rows,
            categories={domain.name: domain.size for domain in domains},
            pairs=[[names[first], names[second]] for first, second in measured.pairs],
        )

    def _domain_of(self, column: Column, problem: Problem) -> "Domain":
        domain = self._domain(column.name, problem.released[column.name].taxonomy)
        if domain is None:
            raise InvalidPlan(f'method: what the column "{column.name}" may hold is not declared.')
        return domain

    def _domain(self, name: str, taxonomy: Recipe | None) -> "Domain | None":
        """Return what the plan lets a column hold; None where it does not say."""
        has_gaps = name in (self.gaps or ())
        if self.ranges is not None and name in self.ranges:
            return Numeric(name, has_gaps, *self.ranges[name])
        values = (self.values or {}).get(name) or _listed_in(taxonomy)
        if values is None:
            return None
        if has_gaps and None not in values:
            values = (*values, None)
        return CategoryDomain(name, values)


class Domain(ABC):
    """What a column may hold, numbered; nothing of it comes from the table."""

    name: str

    @property
    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def encode(self, column: Column) -> Codes:
        """Return the number of each cell."""

    @abstractmethod
    def decode(self, like: Column, codes: Codes, generator: np.random.Generator) -> Column:
        """Return a column of cells with these numbers."""


@dataclass(frozen=True)
class CategoryDomain(Domain):
    """One number per value."""

    name: str
    values: Values

    @property
    def size(self) -> int:
        return len(self.values)

    def encode(self, column: Column) -> Codes:
        numbers = {value: code for code, value in enumerate(self.values)}
        _check_all_known(column, np.array([value in numbers for value in column.values]))
        codes = np.array([numbers.get(value, 0) for value in column.values], np.int32)
        return codes[column.codes]

    def decode(self, like: Column, codes: Codes, generator: np.random.Generator) -> Column:
        type = infer_type(self.values, like.decimal)
        return Column(self.name, type, codes, self.values, like.decimal)


@dataclass(frozen=True)
class Numeric(Domain):
    """One number per step of a range, the last for the gap; what lies outside counts at its end."""

    name: str
    has_gaps: bool
    lowest: float
    highest: float
    step: float

    @property
    def steps(self) -> int:
        low, high, step = self._decimals()
        return int((high - low) // step) + 1

    @property
    def size(self) -> int:
        return self.steps + self.has_gaps

    def encode(self, column: Column) -> Codes:
        numbers = numbers_of(column)
        known = ~np.isnan(numbers)
        if self.has_gaps and column.gap is not None:
            known[column.gap] = True
        _check_all_known(column, known)
        places = np.floor((numbers - self.lowest) / self.step + 1e-9)
        inside = np.clip(np.nan_to_num(places), 0, self.steps - 1)
        codes = np.where(np.isnan(numbers), self.steps, inside).astype(np.int32)
        return codes[column.codes]

    def decode(self, like: Column, codes: Codes, generator: np.random.Generator) -> Column:
        """Draw a number within each step, with as many decimals as the range is given with."""
        parts = self._decimals()
        digits = max(0, *(-int(part.normalize().as_tuple().exponent) for part in parts))
        unit = 10.0**-digits
        choices = max(round(self.step / unit), 1)
        within = generator.integers(0, choices, len(codes)) * unit
        numbers = np.minimum(self.lowest + codes * self.step + within, self.highest)
        return number_column(like, np.where(codes == self.steps, np.nan, numbers), digits)

    def _decimals(self) -> tuple[Decimal, Decimal, Decimal]:
        return (
            Decimal(repr(self.lowest)),
            Decimal(repr(self.highest)),
            Decimal(repr(self.step)),
        )


def _check_all_known(column: Column, known: NDArray[np.bool_]) -> None:
    strangers = int((~known & (column.counts > 0)).sum())
    if strangers:
        raise InvalidPlan(
            f'method: {strangers} values of the column "{column.name}" are not among what is '
            f'declared for it; declare them too, and name the column in "gaps" if cells are '
            f"missing."
        )


def _listed_in(taxonomy: Recipe | None) -> Values | None:
    """Return the values a taxonomy lists; None for one that is only a rule."""
    if isinstance(taxonomy, TreeTaxonomy):
        return tuple(path[0] for path in taxonomy.leaf_paths)
    if isinstance(taxonomy, FileTaxonomy):
        return tuple(row[0] or None for row in taxonomy.rows)
    return None


def _made_up(draft: TableDraft, columns: list[Column]) -> TableDraft:
    """Return a draft of records that come from nobody."""
    table = Table(tuple(columns))
    nobody = np.full(table.rows, NOBODY, np.int32)
    return replace(draft, table=table, rows=nobody, groups=None, drawn=None, recoding=None)
