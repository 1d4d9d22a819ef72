"""Rounding: numbers shown as multiples of a base."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import check_known_columns
from deid_portal.engine.methods.numeric import numbers_or_refuse, numbers_per_value
from deid_portal.engine.methods.restating_method import Restate, RestatingMethod
from deid_portal.engine.parameters import Choice, ColumnNames, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.restatement import Restatement
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import infer_type, parse_number
from deid_portal.engine.taxonomies import Recipe


@dataclass(frozen=True)
class Rounding(RestatingMethod):
    """Every number of some columns becomes a multiple of `base`, the nearest or one at random.

    At random it goes to the multiple below or above, the likelier the nearer, so that the mean of
    what is shown is the number itself and totals stay right on average. Computed with decimals,
    so that 0.3 is a multiple of 0.1.
    """

    columns: tuple[str, ...]
    base: float
    kind: str = "nearest"

    name: ClassVar[str] = "rounding"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Rounding"
    cites: ClassVar[str] = (
        "L. Willenborg, T. de Waal, Elements of statistical disclosure control, LNS 155, 2001."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True  # of the kind random; the other draws nothing
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter("base", start=5, minimum=1e-6, maximum=1e12),
        Choice("kind", ("nearest", "random")),
    )

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)

    def explain(self) -> str:
        if self.kind == "random":
            return (
                f"Each number of {self._names} is shown as the multiple of {self.base:,.10g} below "
                f"or above it, drawn so that totals stay right on average."
            )
        return (
            f"Each number of {self._names} is shown as the nearest multiple of {self.base:,.10g}."
        )

    @property
    def _names(self) -> str:
        return " and ".join(self.columns)

    @property
    def goes_by_value(self) -> bool:
        return self.kind == "nearest"

    @property
    def restated_columns(self) -> tuple[str, ...]:
        return self.columns

    def restate(self, column: Column, recipe: Recipe | None) -> Restate:
        numbers_or_refuse(column)  # refuses what cannot be rounded
        return lambda own: _round_to_nearest(own, self._exact_base)

    @property
    def _exact_base(self) -> Decimal:
        return Decimal(str(self.base)).normalize()

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        if self.goes_by_value:
            changed = super().change(draft, generator, progress)
        else:
            changed = self._draw(draft, generator, progress)
        return changed.noting(base=self.base, kind=self.kind, columns=list(self.columns))

    def _draw(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        for index, name in enumerate(self.columns):
            progress.report(index, len(self.columns), "protect")
            numbers_per_value(draft, name)  # refuses what cannot be rounded
            rounded = _round_at_random(draft.table[name], self._exact_base, generator)
            draft = draft.with_columns(rounded)
        return draft


def _round_to_nearest(column: Column, base: Decimal) -> Restatement:
    """Return the nearest multiples; halfway, the even one, so that sums do not drift."""
    multiples = [
        None if steps is None else int(steps.to_integral_value(ROUND_HALF_EVEN))
        for steps in _steps(column, base)
    ]
    return Restatement(*_write(multiples, base, column.decimal))


def _round_at_random(column: Column, base: Decimal, generator: np.random.Generator) -> Column:
    """Return the multiple below or above each number, the nearer the likelier."""
    steps = _steps(column, base)
    below = [None if step is None else int(step.to_integral_value(ROUND_FLOOR)) for step in steps]
    chance_of_above = np.array(
        [
            0.0 if step is None or low is None else float(step - low)
            for step, low in zip(steps, below, strict=True)
        ]
    )
    # A gap is its own neighbor; every other value has the multiple above it as a second one.
    above = [None if low is None else low + 1 for low in below]
    codes, values = _write([*below, *above], base, column.decimal)
    goes_up = generator.random(len(column.codes)) < chance_of_above[column.codes]
    return _column(column, codes[column.codes + goes_up * len(column.values)], values)


def _steps(column: Column, base: Decimal) -> list[Decimal | None]:
    """Return each value in units of the base; None for the gap and for values no row has."""
    return [
        parse_number(text, column.decimal) / base if text is not None and count else None
        for text, count in zip(column.values, column.counts, strict=True)
    ]


def _write(
    multiples: list[int | None], base: Decimal, decimal: str
) -> tuple[Codes, tuple[str | None, ...]]:
    """Return a dictionary of the multiples and the code of each."""
    known = {multiple: code for code, multiple in enumerate(dict.fromkeys(multiples))}
    codes = np.array([known[multiple] for multiple in multiples], np.int32)
    texts = (
        None if multiple is None else f"{multiple * base:f}".replace(".", decimal)
        for multiple in known
    )
    return codes, tuple(texts)


def _column(like: Column, codes: Codes, values: tuple[str | None, ...]) -> Column:
    type = infer_type(values, like.decimal)
    return Column(like.name, type, codes.astype(np.int32), values, like.decimal)
