"""The page of distributions: small charts of all columns, one in full, and pairs of columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.distributions import (
    labels_chart,
    moved_share,
    one_way_chart,
    two_way_chart,
)
from deid_portal.engine.report import Report

SHOWN_AT_ONCE = 12
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class SmallChart:
    column: str
    chart: Chart


@dataclass(frozen=True)
class ColumnCharts:
    """Small charts of the columns; `chosen` is drawn in full. `left` columns are not shown yet."""

    columns: list[str]
    small: list[SmallChart]
    left: int
    column: str = ""
    chosen: Chart | None = None


@dataclass(frozen=True)
class PairChart:
    """Two columns together, and the columns to choose from."""

    columns: list[str]
    first: str
    second: str
    chart: Chart


def view_columns(
    report: Report, column: str = "", *, everything: bool = False
) -> ColumnCharts | None:
    """Return the columns before and after, hidden ones and those that moved most first."""
    told = report.distributions.columns if report.distributions else ()
    entries = {entry.column: entry for entry in told}
    hidden = report.hidden_columns
    ranked = sorted(entries, key=lambda name: (name not in hidden, -moved_share(entries[name])))
    return _arrange(
        {name: entries[name] for name in ranked},
        lambda entry, place: one_way_chart(report, entry, place),
        column,
        everything,
    )


def view_released_labels(
    report: Report, column: str = "", *, everything: bool = False
) -> ColumnCharts | None:
    """Return the released columns alone, for viewers without row access."""
    entries = {entry.column: entry for entry in report.released_labels or ()}
    return _arrange(entries, labels_chart, column, everything)


def _arrange(
    entries: Mapping[str, Entry],
    draw: Callable[[Entry, int | None], Chart],
    column: str,
    everything: bool,
) -> ColumnCharts | None:
    if not entries:
        return None
    shown = list(entries)[: None if everything else SHOWN_AT_ONCE]
    chosen = entries.get(column)
    return ColumnCharts(
        columns=list(entries),
        small=[SmallChart(name, draw(entries[name], place)) for place, name in enumerate(shown)],
        left=len(entries) - len(shown),
        column=column if chosen is not None else "",
        chosen=None if chosen is None else draw(chosen, None),
    )


def view_pair(report: Report, first: str = "", second: str = "") -> PairChart | None:
    told = report.distributions
    crossed = [entry.column for entry in told.crossed] if told else []
    pair = _choose_pair(crossed, first, second)
    chart = two_way_chart(report, *pair) if pair else None
    return PairChart(crossed, *pair, chart) if pair and chart else None


def _choose_pair(crossed: list[str], first: str, second: str) -> tuple[str, str] | None:
    """Return the requested pair, or another if it is unknown or twice the same column."""
    if len(crossed) < 2:
        return None
    one = first if first in crossed else crossed[0]
    others = [name for name in crossed if name != one]
    return one, second if second in others else others[0]
