"""Finding the values that a released label may stand for, as a human reader would.

`476**` stands for every text with these first characters, `[20, 30)`, `20-29`, `<30`, `≥40` for
numbers, `[2001-03-01, 2001-05-31]` for everything between two values, `{a, b}` for one of both.
"""

import re
from functools import cached_property

import numpy as np

from deid_portal.engine.table.numbers import Numbers, numbers_of, positions_of
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import is_number
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

NUMBER = r"[+-]?\d+(?:\.\d+)?"
INTERVAL = re.compile(
    rf"(?P<open>[\[(\]])?\s*(?P<low>{NUMBER})\s*(?:,|;|-|–|\.\.)\s*(?P<high>{NUMBER})\s*(?P<close>[\])\[])?\Z"
)
BETWEEN = re.compile(r"(?P<open>[\[(])(?P<low>.+), (?P<high>.+)(?P<close>[\])])\Z", re.DOTALL)
COMPARISON = re.compile(rf"(?P<sign><=|>=|<|>|≤|≥)\s*(?P<bound>{NUMBER})\Z")
LISTED = re.compile(r"\{(?P<inside>.+)\}\Z", re.DOTALL)
NOTHING: Codes = np.zeros(0, np.int32)


class LabelReader:
    """Finds the values of one column behind a label."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._own = {text: code for code, text in enumerate(column.values)}
        self._masks: dict[tuple[int, ...], dict[str, list[int]]] = {}

    def read(self, label: str | None) -> Codes:
        """Return the codes of the values a label may stand for; none if it cannot be read."""
        if label in self._own:
            return np.array([self._own[label]], np.int32)
        if label is None:
            return NOTHING
        if label == ROOT_LABEL:
            return np.arange(len(self._column.values), dtype=np.int32)
        if is_number(label, self._column.decimal):
            return NOTHING  # e.g. 1,5 with a decimal comma, which is not the range from 1 to 5
        for reading in (self._read_range, self._read_list, self._read_mask):
            found = reading(label)
            if found is not None:
                return found
        return NOTHING

    @cached_property
    def _numbers(self) -> "_Ordered":
        return _Ordered(numbers_of(self._column))

    @cached_property
    def _positions(self) -> "_Ordered":
        return _Ordered(positions_of(self._column))

    def _read_range(self, label: str) -> Codes | None:
        if len(self._numbers.codes):
            comparison, interval = COMPARISON.match(label), INTERVAL.match(label)
            if comparison:
                return self._numbers.compare(comparison["sign"], float(comparison["bound"]))
            if interval:
                return self._numbers.between(
                    float(interval["low"]),
                    float(interval["high"]),
                    with_low=interval["open"] not in ("(", "]"),
                    with_high=interval["close"] not in (")", "["),
                )
        between = BETWEEN.match(label)
        if between and between["low"] in self._own and between["high"] in self._own:
            low, high = (self._positions.of[self._own[between[end]]] for end in ("low", "high"))
            with_low, with_high = between["open"] == "[", between["close"] == "]"
            return self._positions.between(low, high, with_low=with_low, with_high=with_high)
        return None

    def _read_list(self, label: str) -> Codes | None:
        listed = LISTED.match(label)
        if not listed:
            return None
        codes = [self._own.get(text) for text in listed["inside"].split(", ")]
        found = [code for code in codes if code is not None]
        return np.array(found, np.int32) if len(found) == len(codes) else None

    def _read_mask(self, label: str) -> Codes | None:
        """Read stars as one hidden character each; a text without any stands only for itself."""
        stars = tuple(place for place, sign in enumerate(label) if sign == "*")
        if not stars:
            return None
        shape = (len(label), *stars)
        if shape not in self._masks:
            self._masks[shape] = self._hide(len(label), stars)
        return np.array(self._masks[shape].get(label, []), np.int32)

    def _hide(self, length: int, stars: tuple[int, ...]) -> dict[str, list[int]]:
        """Return the values of this length, grouped by how they look behind these stars."""
        found: dict[str, list[int]] = {}
        for code, text in enumerate(self._column.values):
            if text is not None and len(text) == length:
                signs = list(text)
                for place in stars:
                    signs[place] = "*"
                found.setdefault("".join(signs), []).append(code)
        return found


class _Ordered:
    """The values of a column that have a position, in the order of these."""

    def __init__(self, of: Numbers) -> None:
        self.of = of  # position of each code, NaN without one
        order = np.argsort(of, kind="stable").astype(np.int32)
        self.codes = order[~np.isnan(of[order])]
        self._positions = of[self.codes]

    def between(self, low: float, high: float, *, with_low: bool, with_high: bool) -> Codes:
        start = np.searchsorted(self._positions, low, "left" if with_low else "right")
        stop = np.searchsorted(self._positions, high, "right" if with_high else "left")
        return self.codes[start:stop]

    def compare(self, sign: str, bound: float) -> Codes:
        includes = sign in ("<=", ">=", "≤", "≥")
        if sign in ("<", "<=", "≤"):
            return self.between(-np.inf, bound, with_low=True, with_high=includes)
        return self.between(bound, np.inf, with_low=includes, with_high=True)
