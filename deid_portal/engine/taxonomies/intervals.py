"""Numbers made coarser: intervals of equal width that widen from level to level."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import ColumnType, is_number, parse_number
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.scale import ABOVE, BELOW, Scale
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL, Taxonomy


@dataclass(frozen=True)
class IntervalTaxonomy(Recipe):
    """Level 1 has intervals of `width` from `start` on, both ways; each `widen` joins that many.

    Decimals, not floats, decide where a number falls: 0.3 lies in [0.3, 0.4), always. All below
    `bottom` and all from `top` on are one group each, at every level.
    """

    start: Decimal
    width: Decimal
    widen: tuple[int, ...] = ()
    bottom: Decimal | None = None
    top: Decimal | None = None

    kind: ClassVar[str] = "intervals"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "IntervalTaxonomy":
        place.check_keys(required=("intervals",))
        here = place["intervals"]
        here.check_keys(required=("width",), optional=("start", "widen", "bottom", "top"))
        start = here["start"].number() if "start" in here else 0
        width = here["width"].number()
        if width <= 0:
            here["width"].refuse("a number above 0 is accepted.")
        widen = tuple(item.integer() for item in here["widen"].items()) if "widen" in here else ()
        if any(factor < 2 for factor in widen):
            here["widen"].refuse("whole numbers of 2 or more are accepted.")
        ends = [
            Decimal(str(here[end].number())) if end in here else None for end in ("bottom", "top")
        ]
        if None not in ends and ends[0] >= ends[1]:  # type: ignore[operator]
            here["top"].refuse("a number above the bottom is accepted.")
        return cls(Decimal(str(start)), Decimal(str(width)), widen, *ends)

    def to_document(self) -> dict[str, Any]:
        start, width = _plain(self.start), _plain(self.width)
        ends = {"bottom": self.bottom, "top": self.top}
        given = {name: _plain(end) for name, end in ends.items() if end is not None}
        return {"intervals": {"start": start, "width": width, "widen": list(self.widen), **given}}

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

    def uncovered(self, column: Column) -> list[str]:
        texts = (text for text in column.values if text is not None)
        return [text for text in texts if not is_number(text, column.decimal)]

    def build(self, column: Column) -> Taxonomy:
        """Find the intervals of all numbers at once; labels are made per interval, not value."""
        ends = [end for end in (self.bottom, self.top) if end is not None]
        scale = Scale.of(column, (self.start, *self.widths, *ends))
        if scale is None:
            return super().build(column)
        whole = self._labels_are_whole(column)
        levels: list[tuple[Codes, tuple[str | None, ...]]] = []
        for width in self.widths:
            codes, first = scale.group(self._intervals(scale, width))
            texts = [column.values[place] for place in first]
            levels.append((codes, tuple(self._name(text, column, width, whole) for text in texts)))
        levels.append((np.zeros(len(column.values), np.int32), (ROOT_LABEL,)))
        return Taxonomy.from_levels(column.values, levels, self.level_names(column))

    def _intervals(self, scale: Scale, width: Decimal) -> NDArray[np.int64]:
        """Number the intervals; there is one below `bottom` and one from `top` on."""
        found = (scale.numbers - scale.of_number(self.start)) // scale.of_number(width)
        if self.bottom is not None:
            found[scale.numbers < scale.of_number(self.bottom)] = BELOW
        if self.top is not None:
            found[scale.numbers >= scale.of_number(self.top)] = ABOVE
        return found

    def _name(self, text: str | None, column: Column, width: Decimal, whole: bool) -> str | None:
        if text is None:
            return None
        return self._label(parse_number(text, column.decimal), width, whole)

    def level_names(self, column: Column) -> tuple[str, ...]:
        return ("exact", *(f"steps of {_plain(width)}" for width in self.widths), "hidden")

    def _labels_are_whole(self, column: Column) -> bool:
        parts = (self.start, self.width, self.bottom or 0, self.top or 0)
        return column.type == ColumnType.INTEGER and all(part == int(part) for part in parts)

    def _label(self, number: Decimal, width: Decimal, whole: bool) -> str:
        index = ((number - self.start) / width).to_integral_value(ROUND_FLOOR)
        low = self.start + index * width
        high = low + width
        if self.bottom is not None:
            if number < self.bottom:
                return name_interval(None, self.bottom, whole)
            low = max(low, self.bottom)
        if self.top is not None:
            if number >= self.top:
                return name_interval(self.top, None, whole)
            high = min(high, self.top)
        return name_interval(low, high, whole)


def name_interval(low: Decimal | None, high: Decimal | None, whole: bool) -> str:
    """Return the label of the interval [low, high); None means an open end."""
    if low is None or high is None:
        return f"<{_plain(high or Decimal(0))}" if low is None else f"≥{_plain(low)}"
    if whole and low >= 0:
        return f"{int(low)}-{int(high) - 1}" if high - low > 1 else f"{int(low)}"
    return f"[{_plain(low)}, {_plain(high)})"


def _plain(number: Decimal) -> int | float:
    return int(number) if number == int(number) else float(number)
