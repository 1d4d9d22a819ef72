"""Dates made coarser: the month, the quarter, the year, the decade they fall in."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from deid_portal.engine.documents import Place, quoted
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import find_date_format, parse_date
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

# Finest first. Each unit lies wholly inside every later one; a week would not lie in a month.
UNITS = ("month", "quarter", "year", "decade", "century")


@dataclass(frozen=True)
class DateTaxonomy(Recipe):
    """One level per unit, then the root."""

    units: tuple[str, ...]

    kind: ClassVar[str] = "dates"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "DateTaxonomy":
        place.check_keys(required=("dates",))
        units = tuple(item.choice(UNITS) for item in place["dates"].items())
        if not units or list(units) != sorted(set(units), key=UNITS.index):
            place["dates"].refuse(f"one or more of {quoted(UNITS)} are accepted, finest first.")
        return cls(units)

    def to_document(self) -> dict[str, Any]:
        return {"dates": list(self.units)}

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        texts = [text for text in column.values if text is not None]
        form = find_date_format(texts)
        if form is None:
            return {}
        return {text: self._path(parse_date(text, form)) for text in texts}

    def level_names(self, column: Column) -> tuple[str, ...]:
        return ("exact", *self.units, "hidden")

    def _path(self, day: date) -> tuple[str, ...]:
        return (*(label_of(day, unit) for unit in self.units), ROOT_LABEL)


def label_of(day: date, unit: str) -> str:
    """Return how a date reads at a unit: 2024-03, 2024-Q1, 2024, 2020-2029, 2000-2099."""
    match unit:
        case "month":
            return f"{day.year:04}-{day.month:02}"
        case "quarter":
            return f"{day.year:04}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04}"
    span = 10 if unit == "decade" else 100
    first = day.year - day.year % span
    return f"{first:04}-{first + span - 1:04}"
