"""Numbers made coarser: intervals of equal width that widen from level to level."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.table import Column
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL
from deid_portal.engine.values import ColumnType, is_number, parse_number


@dataclass(frozen=True)
class IntervalTaxonomy(Recipe):
    """Level 1 has intervals of `width` from `start` on, both ways; each `widen` joins that many.

    Decimals, not floats, decide where a number falls: 0.3 lies in [0.3, 0.4), always.
    """

    start: Decimal
    width: Decimal
    widen: tuple[int, ...] = ()

    kind: ClassVar[str] = "intervals"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "IntervalTaxonomy":
        place.check_keys(required=("intervals",))
        here = place["intervals"]
        here.check_keys(required=("width",), optional=("start", "widen"))
        start = here["start"].number() if "start" in here else 0
        width = here["width"].number()
        if width <= 0:
            here["width"].refuse("a number above 0 is accepted.")
        widen = tuple(item.integer() for item in here["widen"].items()) if "widen" in here else ()
        if any(factor < 2 for factor in widen):
            here["widen"].refuse("whole numbers of 2 or more are accepted.")
        return cls(Decimal(str(start)), Decimal(str(width)), widen)

    def to_document(self) -> dict[str, Any]:
        start, width = _plain(self.start), _plain(self.width)
        return {"intervals": {"start": start, "width": width, "widen": list(self.widen)}}

    @property
    def widths(self) -> tuple[Decimal, ...]:
        widths = [self.width]
        for factor in self.widen:
            widths.append(widths[-1] * factor)
        return tuple(widths)

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        whole = self._labels_are_whole(column)
        numbers = {
            text: parse_number(text, column.decimal)
            for text in column.values
            if text is not None and is_number(text, column.decimal)
        }
        return {
            text: (*(self._label(number, width, whole) for width in self.widths), ROOT_LABEL)
            for text, number in numbers.items()
        }

    def level_names(self, column: Column) -> tuple[str, ...]:
        return ("exact", *(f"steps of {_plain(width)}" for width in self.widths), "hidden")

    def _labels_are_whole(self, column: Column) -> bool:
        parts = (self.start, self.width)
        return column.type == ColumnType.INTEGER and all(part == int(part) for part in parts)

    def _label(self, number: Decimal, width: Decimal, whole: bool) -> str:
        index = ((number - self.start) / width).to_integral_value(ROUND_FLOOR)
        low = self.start + index * width
        high = low + width
        if whole and low >= 0:
            return f"{int(low)}-{int(high) - 1}" if width > 1 else f"{int(low)}"
        return f"[{_plain(low)}, {_plain(high)})"


def _plain(number: Decimal) -> int | float:
    return int(number) if number == int(number) else float(number)
