"""What a column may hold, declared beforehand and never read from the data.

A number beyond its bounds counts as the bound. A text that was not declared, and a gap unless it
was declared, counts as left out; so does what is no number where numbers are declared, and a date
outside its period. A message such as "the table has 3 undeclared values" would be an answer without
a price.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import read_values
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.text_values import days_in
from deid_portal.engine.table.values import DATE_FORMATS, NUMBER, is_date, is_number, parse_date

LARGEST_NUMBER = 1e15
# Bounds closer together than this are not distinguished by floats.
SMALLEST_WIDTH = 1e-100
NEAREST = 1e-12  # for the larger of the bounds
MOST_VALUES = 10_000
LEFT_OUT = -1

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class NumberDomain:
    """Numbers from `low` to `high`, written with this decimal sign.

    `whole` only decides where buckets and candidates begin; other numbers count as they are.
    """

    low: float
    high: float
    decimal: str = "."
    whole: bool = False

    @classmethod
    def parse(cls, place: Place) -> "NumberDomain":
        place.check_keys(required=("low", "high"), optional=("decimal", "whole"))
        low, high = (float(place[key].number()) for key in ("low", "high"))
        if not low < high:
            place.refuse("the lowest number must be below the highest.")
        if max(abs(low), abs(high)) > LARGEST_NUMBER:
            place.refuse(f"numbers from {-LARGEST_NUMBER:g} to {LARGEST_NUMBER:g} are accepted.")
        if high - low < max(SMALLEST_WIDTH, NEAREST * max(abs(low), abs(high))):
            place.refuse("the bounds are too near each other to be told apart; move them apart.")
        decimal = place["decimal"].choice(tuple(NUMBER)) if "decimal" in place else "."
        whole = place["whole"].value if "whole" in place else False
        if not isinstance(whole, bool):
            place["whole"].refuse("true or false is accepted.")
        if whole and not (low.is_integer() and high.is_integer()):
            place["whole"].refuse("whole numbers have whole bounds.")
        return cls(low, high, decimal, whole)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"low": plain_number(self.low), "high": plain_number(self.high)}
        if self.decimal != ".":
            document["decimal"] = self.decimal
        return document | {"whole": True} if self.whole else document

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def middle(self) -> float:
        return self.low + self.width / 2

    def numbers_of(self, column: Column) -> Numbers:
        """Return the number of each row within the bounds, NaN where there is none.

        Read with the declared decimal sign: the one found in the file depends on all its rows.
        """
        numbers = np.array([self._read(text) for text in column.values] or [np.nan], np.float64)
        return np.clip(numbers, self.low, self.high)[column.codes]

    def _read(self, text: str | None) -> float:
        if text is None or not is_number(text, self.decimal):
            return np.nan
        return float(text.replace(",", "."))

    def read_operand(self, place: Place) -> float | int:
        """Read a number that a condition compares with."""
        number = place.number()
        if not self.low <= number <= self.high:
            place.refuse(
                f"a number within the declared bounds is accepted, {plain_number(self.low)} to "
                f"{plain_number(self.high)}."
            )
        return plain_number(number)

    def number_of(self, operand: Any) -> float:
        return float(operand)


@dataclass(frozen=True)
class DateDomain:
    """Days from `first` to `last`, written in one known way.

    A date outside is left out, not moved to the first or last day, since periods are counted and
    moved dates would be counted in the first and last period.
    """

    first: date
    last: date
    format: str = DATE_FORMATS[0]

    @classmethod
    def parse(cls, place: Place) -> "DateDomain":
        place.check_keys(required=("first", "last"), optional=("format",))
        first, last = (_read_day(place[key]) for key in ("first", "last"))
        if not first < last:
            place.refuse("the first day must be before the last.")
        form = place["format"].choice(DATE_FORMATS) if "format" in place else DATE_FORMATS[0]
        return cls(first, last, form)

    def to_document(self) -> dict[str, Any]:
        days = {"first": self.first.isoformat(), "last": self.last.isoformat()}
        return days if self.format == DATE_FORMATS[0] else days | {"format": self.format}

    def numbers_of(self, column: Column) -> Numbers:
        """Return the day of each row as a number, NaN where there is none within the period.

        Read in the declared way: the one found in a file depends on all its rows.
        """
        days = days_in(column.texts, self.format)
        outside = (days < self.first.toordinal()) | (days > self.last.toordinal())
        return np.asarray(np.where(outside, np.nan, days)[column.codes], np.float64)

    def read_operand(self, place: Place) -> str:
        """Read a day that a condition compares with."""
        day = _read_day(place)
        if not self.first <= day <= self.last:
            place.refuse(
                f"a day of the declared period is accepted, {self.first.isoformat()} to "
                f"{self.last.isoformat()}."
            )
        return day.isoformat()

    def number_of(self, operand: Any) -> float:
        return float(date.fromisoformat(operand).toordinal())


def _read_day(place: Place) -> date:
    text = place.text()
    if not is_date(text, DATE_FORMATS[0]):
        place.refuse("a day is needed, written 2024-03-31.")
    return parse_date(text, DATE_FORMATS[0])


@dataclass(frozen=True)
class ValuesDomain:
    """Texts, None for the gap where it is a category of its own."""

    values: tuple[str | None, ...]

    @classmethod
    def parse(cls, place: Place) -> "ValuesDomain":
        place.check_keys(required=("values",))
        values = read_values(place["values"])
        if len(values) > MOST_VALUES:
            place["values"].refuse(f"at most {MOST_VALUES} values are accepted.")
        return cls(values)

    def to_document(self) -> dict[str, Any]:
        return {"values": list(self.values)}

    def places_of(self, column: Column) -> Indices:
        """Return for each row the place of its value in the list, LEFT_OUT where it has none."""
        known = {value: place for place, value in enumerate(self.values)}
        places = np.array([known.get(text, LEFT_OUT) for text in column.values] or [LEFT_OUT])
        return places.astype(np.int64)[column.codes]


Domain = NumberDomain | DateDomain | ValuesDomain


def parse_domain(place: Place) -> Domain:
    place.check_object()
    if "values" in place:
        return ValuesDomain.parse(place)
    return DateDomain.parse(place) if "first" in place else NumberDomain.parse(place)


def plain_number(number: float) -> float | int:
    """Return a number as people write it: 17, not 17.0."""
    return int(number) if float(number).is_integer() else number


def domain_value_words(value: str | None) -> str:
    return "(missing)" if value is None else value


def domain_values_words(values: Sequence[str | None]) -> str:
    texts = [domain_value_words(value) for value in values]
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
