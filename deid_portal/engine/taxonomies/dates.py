"""Dates made coarser: the month, the year, the decade they fall in, or the age they make."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from deid_portal.engine.documents import Place, quoted
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import find_date_format, parse_date
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

# Finest first. Each unit lies wholly inside every later one; a week would not lie in a month.
CALENDAR_UNITS = ("month", "quarter", "year", "five years", "decade", "century")
YEARS_OF_UNIT = {"five years": 5, "decade": 10, "century": 100}
# Ages and years do not nest: at any day two people of one year of birth have two ages.
AGE_UNITS = ("age", "5-year age", "10-year age", "20-year age")
YEARS_OF_AGE = {"age": 1, "5-year age": 5, "10-year age": 10, "20-year age": 20}
OLDEST = 90  # who is older is in one group with them, as HIPAA asks: there are few


@dataclass(frozen=True)
class DateTaxonomy(Recipe):
    """One level per unit, then the root. Ages are those on the day `as_of`."""

    units: tuple[str, ...]
    as_of: date | None = None

    kind: ClassVar[str] = "dates"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "DateTaxonomy":
        place.check_keys(required=("dates",), optional=("as_of",))
        known = AGE_UNITS if "as_of" in place else CALENDAR_UNITS
        units = tuple(item.choice(known) for item in place["dates"].items())
        if not units or list(units) != sorted(set(units), key=known.index):
            place["dates"].refuse(f"one or more of {quoted(known)} are accepted, finest first.")
        return cls(units, _read_day(place["as_of"]) if "as_of" in place else None)

    def to_document(self) -> dict[str, Any]:
        as_of = {"as_of": self.as_of.isoformat()} if self.as_of else {}
        return {"dates": list(self.units), **as_of}

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        texts = [text for text in column.values if text is not None]
        form = find_date_format(texts)
        if form is None:
            return {}
        return {text: self._path(parse_date(text, form)) for text in texts}

    def level_names(self, column: Column) -> tuple[str, ...]:
        return ("exact", *self.units, "hidden")

    def _path(self, day: date) -> tuple[str, ...]:
        return (*map(self._label_of(day), self.units), ROOT_LABEL)

    def _label_of(self, day: date) -> Callable[[str], str]:
        if self.as_of is None:
            return lambda unit: label_of(day, unit)
        age = age_on(self.as_of, day)
        return lambda unit: age_label(age, YEARS_OF_AGE[unit])


def _read_day(place: Place) -> date:
    try:
        return date.fromisoformat(place.text())
    except ValueError:
        place.refuse("a day is accepted, like 2026-04-01.")


def label_of(day: date, unit: str) -> str:
    """Return how a date reads at a unit: 2024-03, 2024-Q1, 2024, 2020-2024, 2000-2099."""
    match unit:
        case "month":
            return f"{day.year:04}-{day.month:02}"
        case "quarter":
            return f"{day.year:04}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04}"
    span = YEARS_OF_UNIT[unit]
    first = day.year - day.year % span
    return f"{first:04}-{first + span - 1:04}"


def age_on(day: date, born: date) -> int:
    """Return the age in whole years; negative for who is not born yet."""
    had_birthday = (day.month, day.day) >= (born.month, born.day)
    return day.year - born.year - (not had_birthday)


def age_label(age: int, years: int) -> str:
    """Return the band of an age: 44, 40-44, 40-59, 90+; later days of birth are one group."""
    if age < 0:
        return "not born"
    open_from = OLDEST - OLDEST % years
    if age >= open_from:
        return f"{open_from}+"
    first = age - age % years
    return f"{first}-{first + years - 1}" if years > 1 else str(age)
