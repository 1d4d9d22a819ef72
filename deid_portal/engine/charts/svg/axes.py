"""Scales and ticks of axes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

WANTED_TICKS = 5
PADDING = 0.06  # of the range, left free around lines and markers


@dataclass(frozen=True)
class PictureAxis:
    """An axis from `low` to `high` in axis coordinates; categories have coordinates 0, 1, 2, …"""

    letter: str
    number: str  # "" or "2", as in Plotly's names of axes
    title: str
    low: float
    high: float
    names: tuple[str, ...] = ()
    is_log: bool = False
    is_visible: bool = True
    domain: tuple[float, float] = (0.0, 1.0)
    ticks: tuple[tuple[float, str], ...] = ()
    has_labels: bool = True

    def share_of(self, value: Any) -> float:
        """Return the position of a value along the axis, from 0 to 1."""
        return (self.place_of(value) - self.low) / ((self.high - self.low) or 1.0)

    def place_of(self, value: Any) -> float:
        if self.names and isinstance(value, str):
            return float(self.names.index(value))
        return log10(value) if self.is_log else float(value)


def read_axis(figure: Any, letter: str, number: str) -> PictureAxis:
    own = figure.layout[f"{letter}axis{number}"]
    traces = [trace for trace in figure.data if (trace[f"{letter}axis"] or letter)[1:] == number]
    values = list(_values(traces, letter))
    is_log = own.type == "log"
    names = _names(own, values)
    low, high = _range(own, traces, letter, values, names, is_log)
    if own.autorange == "reversed":
        low, high = high, low
    return PictureAxis(
        letter,
        number,
        own.title.text or "",
        low,
        high,
        names,
        is_log,
        own.visible is not False,
        tuple(own.domain or (0.0, 1.0)),
        tuple(_ticks(own, names, low, high, is_log)),
        own.showticklabels is not False,
    )


def _values(traces: Sequence[Any], letter: str) -> Iterator[Any]:
    for trace in traces:
        yield from (value for value in trace[letter] or () if value is not None)


def _names(own: Any, values: Sequence[Any]) -> tuple[str, ...]:
    if not any(isinstance(value, str) for value in values):
        return ()
    return tuple(dict.fromkeys([*(own.categoryarray or ()), *values]))


def _range(
    own: Any,
    traces: Sequence[Any],
    letter: str,
    values: Sequence[Any],
    names: Sequence[str],
    is_log: bool,
) -> tuple[float, float]:
    if own.range:
        return float(own.range[0]), float(own.range[1])
    if names:
        return -0.5, len(names) - 0.5
    numbers = [log10(value) if is_log else float(value) for value in values] or [0.0, 1.0]
    if _measures_bars(traces, letter):
        return min(0.0, *numbers), (max(0.0, *numbers) or 1.0) * 1.05
    if _places_bars(traces, letter):
        return min(numbers) - 0.5, max(numbers) + 0.5
    pad = PADDING * ((max(numbers) - min(numbers)) or 1.0)
    low = 0.0 if own.rangemode == "tozero" else min(numbers) - pad
    return low, max(numbers) + pad


def _measures_bars(traces: Sequence[Any], letter: str) -> bool:
    return any(
        trace.type == "bar" and (trace.orientation == "h") == (letter == "x") for trace in traces
    )


def _places_bars(traces: Sequence[Any], letter: str) -> bool:
    return any(trace.type == "bar" for trace in traces)


def _ticks(
    own: Any, names: Sequence[str], low: float, high: float, is_log: bool
) -> Iterator[tuple[float, str]]:
    """Yield coordinates of ticks and their labels."""
    if own.tickvals:
        labels = own.ticktext or [f"{value:g}" for value in own.tickvals]
        for value, label in zip(own.tickvals, labels, strict=True):
            yield (log10(value) if is_log else float(value)), label
    elif names:
        yield from ((float(place), name) for place, name in enumerate(names))
    elif is_log:
        for power in range(ceil(min(low, high)), floor(max(low, high)) + 1):
            yield float(power), f"{10.0**power:g}"
    else:
        yield from round_ticks(min(low, high), max(low, high), own.ticksuffix or "")


def round_ticks(low: float, high: float, suffix: str = "") -> Iterator[tuple[float, str]]:
    """Yield ticks at multiples of 1, 2 or 5 times a power of ten."""
    if high <= low:
        return
    rough = (high - low) / WANTED_TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(own * power for own in (1, 2, 5, 10) if own * power >= rough)
    decimals = max(0, -floor(log10(step)))
    for count in range(ceil(low / step), floor(high / step) + 1):
        yield count * step, f"{count * step:,.{decimals}f}{suffix}"
