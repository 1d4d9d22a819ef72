"""Top and bottom coding: numbers beyond a bound are shown as the bound."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.changing_method import check_known_columns
from deid_portal.engine.methods.numeric import numbers_or_refuse
from deid_portal.engine.methods.restating_method import Restate, RestatingMethod
from deid_portal.engine.parameters import ColumnNames, Declared, Parameter
from deid_portal.engine.table.numbers import Numbers, decimals_of, numbers_of
from deid_portal.engine.table.restatement import Restatement
from deid_portal.engine.table.table import Column, Counts
from deid_portal.engine.taxonomies import Recipe

LARGEST = 1e15  # beyond this not every whole number has a float of its own


@dataclass(frozen=True)
class Coding(RestatingMethod):
    """Numbers above `top` are shown as `top`, numbers below `bottom` as `bottom`.

    In place of a number a share of the people may be given: the bound is then the number that so
    many of them, or a few more, reach or pass. The cell holds the bound itself, so taxonomies of
    numbers still cover it.
    """

    columns: tuple[str, ...]
    top: float | None = None
    bottom: float | None = None
    top_share: float | None = None
    bottom_share: float | None = None

    name: ClassVar[str] = "coding"
    title: ClassVar[str] = "Top and bottom coding"
    cites: ClassVar[str] = (
        "A. Hundepool et al., Statistical disclosure control, Wiley, 2012, section 3.3."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter("top", minimum=-LARGEST, maximum=LARGEST, optional=True),
        Parameter("bottom", minimum=-LARGEST, maximum=LARGEST, optional=True),
        Parameter(
            "top_share",
            start=0.01,
            minimum=0,
            maximum=0.5,
            optional=True,
            unusual_below=0.001,
            caution="A share of {value} may be a single person, who would be shown exactly.",
        ),
        Parameter(
            "bottom_share",
            minimum=0,
            maximum=0.5,
            optional=True,
            unusual_below=0.001,
            caution="A share of {value} may be a single person, who would be shown exactly.",
        ),
    )

    @classmethod
    def parse(cls, place: Place) -> Self:
        method = super().parse(place)
        for end in ("top", "bottom"):
            if end in place and f"{end}_share" in place:
                place[f"{end}_share"].refuse(f'this goes without "{end}"; keep one of them.')
        ends = (method.top, method.bottom, method.top_share, method.bottom_share)
        if all(end is None for end in ends):
            place.refuse('at least one of "top", "bottom", "top_share", "bottom_share" is needed.')
        if method.top is not None and method.bottom is not None and method.top < method.bottom:
            place["top"].refuse('a number not below "bottom" is accepted.')
        return method

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)

    def explain(self) -> str:
        return (
            "Very large and very small numbers are shown as the bound you choose, so that nobody "
            "stands out by being the richest, the oldest or the smallest."
        )

    @property
    def restated_columns(self) -> tuple[str, ...]:
        return self.columns

    def restate(self, column: Column, recipe: Recipe | None) -> Restate:
        bottom, top = self._bounds(column.name, numbers_or_refuse(column), column.counts)
        return lambda own: _clamp(own, bottom, top)

    def notes(self, column: Column, restate: Restate) -> dict[str, Any]:
        numbers = numbers_or_refuse(column)
        bottom, top = self._bounds(column.name, numbers, column.counts)
        return {
            "bottom": None if math.isinf(bottom) else bottom,
            "top": None if math.isinf(top) else top,
            "raised": int(column.counts[numbers < bottom].sum()),
            "lowered": int(column.counts[numbers > top].sum()),
        }

    def _bounds(self, name: str, numbers: Numbers, counts: Counts) -> tuple[float, float]:
        bottom = -math.inf if self.bottom is None else self.bottom
        top = math.inf if self.top is None else self.top
        if self.bottom_share is not None:
            bottom = reached_by(numbers, counts, self.bottom_share)
        if self.top_share is not None:
            top = -reached_by(-numbers, counts, self.top_share)
        if bottom > top:
            raise InvalidPlan(
                f'method: the bottom lies above the top in the column "{name}"; choose bounds '
                f"farther apart."
            )
        return bottom, top


def reached_by(numbers: Numbers, counts: Counts, share: float) -> float:
    """Return the smallest number that at least this share of the rows does not exceed.

    Rows without a number do not count. With no rows, or a share of 0, there is no bound: minus
    infinity.
    """
    present = ~np.isnan(numbers) & (counts > 0)
    order = np.flatnonzero(present)[np.argsort(numbers[present], kind="stable")]
    below = np.cumsum(counts[order])
    needed = math.ceil(Decimal(str(share)) * int(below[-1])) if len(order) else 0
    return float(numbers[order[np.searchsorted(below, needed)]]) if needed else -math.inf


def _clamp(column: Column, bottom: float, top: float) -> Restatement:
    """Return all values at or beyond a bound as the bound.

    Values equal to the bound are replaced, too, however they are written: otherwise their spelling
    would show that they were not coded.
    """
    numbers = numbers_of(column)
    low, high = _spell(column, numbers, bottom), _spell(column, numbers, top)
    return Restatement.to_texts(
        [
            low if number <= bottom else high if number >= top else text
            for number, text in zip(numbers, column.values, strict=True)
        ]
    )


def _spell(column: Column, numbers: Numbers, bound: float) -> str | None:
    """Write a bound as the column writes that number, or else with the decimals of the column."""
    if math.isinf(bound):
        return None
    found = np.flatnonzero(numbers == bound)
    if len(found):
        return column.values[int(found[0])]
    text = f"{bound:.{decimals_of(column)}f}"
    if float(text) != bound:
        text = f"{Decimal(repr(bound)).normalize():f}"
    return text.replace(".", column.decimal)
