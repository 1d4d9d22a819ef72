"""Columns before and after, one by one, in pairs, and how they hang together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import capital, value_words
from deid_portal.reports.figures import WIDE, Chart, figure_of, grouped_bars

Report = Mapping[str, Any]
FEW = "<5"
PAIRS_SHOWN = 12
OTHERS = "others together"
EVEN = "A coarser label counts evenly for the values it stands for."


@dataclass(frozen=True)
class Distributions:
    """What can be chosen, and the charts of what is."""

    columns: list[str]
    column: str
    one_way: Chart
    crossed: list[str]
    first: str
    second: str
    two_way: Chart | None


def describe_distributions(
    report: Report, column: str = "", first: str = "", second: str = ""
) -> Distributions | None:
    told = report.get("distributions", {})
    entries = {entry["column"]: entry for entry in told.get("columns", [])}
    if not entries:
        return None
    chosen = entries.get(column) or max(entries.values(), key=_moved)
    crossed = [entry["column"] for entry in told["crossed"]]
    pair = _choose_pair(crossed, first, second)
    return Distributions(
        columns=list(entries),
        column=chosen["column"],
        one_way=_one_way_chart(chosen),
        crossed=crossed,
        first=pair[0] if pair else "",
        second=pair[1] if pair else "",
        two_way=_two_way_chart(told, *pair) if pair else None,
    )


@dataclass(frozen=True)
class ReleasedLabels:
    """What those who see no rows are shown: one column of the release, as it leaves."""

    columns: list[str]
    column: str
    chart: Chart


def describe_labels(report: Report, column: str = "") -> ReleasedLabels | None:
    entries = {entry["column"]: entry for entry in report.get("released_labels", [])}
    if not entries:
        return None
    chosen = entries.get(column) or next(iter(entries.values()))
    return ReleasedLabels(list(entries), chosen["column"], _labels_chart(chosen))


def _labels_chart(entry: Report) -> Chart:
    names = [value_words(own["label"]) for own in entry["labels"]]
    counts = [own["records"] for own in entry["labels"]]
    if entry["others"]:
        names, counts = [*names, OTHERS], [*counts, entry["others"]]
    shares = _shares(counts)
    most = f"“{names[0]}” is {percent(shares[0], 0)}" if names else "nobody"
    return Chart(
        id="one-way",
        title=f"{capital(entry['column'])} in the release: {most}",
        caption=f"Share of people by {entry['column']} as it leaves, in percent",
        figure=grouped_bars(
            names,
            {"Release": [100 * share for share in shares]},
            x=entry["column"],
            y="People, %",
            room=WIDE,
        ),
        table={
            "columns": ["Value", "People", "Share"],
            "rows": [
                [name, thousands(count), percent(share)]
                for name, count, share in zip(names, counts, shares, strict=True)
            ],
        },
    )


def _choose_pair(crossed: list[str], first: str, second: str) -> tuple[str, str] | None:
    """Take the wish where it makes sense; a column beside itself shows nothing."""
    if len(crossed) < 2:
        return None
    one = first if first in crossed else crossed[0]
    others = [name for name in crossed if name != one]
    return one, second if second in others else others[0]


def _moved(entry: Report) -> float:
    """Return how much of a distribution moved: the total variation between its groups."""
    before, after = _shares(entry["before"]), _shares(entry["after"])
    return sum(abs(one - other) for one, other in zip(before, after, strict=True)) / 2


def _shares(counts: list[float]) -> list[float]:
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]


def _whom(entry: Report) -> str:
    """Say that people left out are counted on neither side, for those who must not know of them."""
    return " Both sides count the people of the release only." if entry.get("is_kept") else ""


def _in_levels(entry: Report) -> str:
    return f", in {entry['level_name']}" if entry.get("level_name") else ""


def _one_way_chart(entry: Report) -> Chart:
    names = [value_words(value) for value in entry["values"]]
    before, after = _shares(entry["before"]), _shares(entry["after"])
    moved = _moved(entry)
    title = (
        f"{capital(entry['column'])} reads as before"
        if moved < 0.005
        else f"{percent(moved, 0)} of the distribution of {entry['column']} moved"
    )
    return Chart(
        id="one-way",
        title=title,
        caption=f"Share of people by {entry['column']}{_in_levels(entry)}, in percent. {EVEN}"
        f"{_whom(entry)}",
        figure=grouped_bars(
            names,
            {
                "Before": [100 * share for share in before],
                "After": [100 * share for share in after],
            },
            x=entry["column"],
            y="People, %",
            room=WIDE,
        ),
        table={
            "columns": ["Value", "Before", "After", "Share before", "Share after"],
            "rows": [
                [name, thousands(one), thousands(other), percent(share), percent(then)]
                for name, one, other, share, then in zip(
                    names, entry["before"], entry["after"], before, after, strict=True
                )
            ],
        },
    )


def _two_way_chart(told: Report, first: str, second: str) -> Chart | None:
    names = [entry["column"] for entry in told["crossed"]]
    wanted = sorted((names.index(first), names.index(second)))
    pair = next((own for own in told["pairs"] if own["columns"] == wanted), None)
    if pair is None:
        return None
    is_turned = wanted != [names.index(first), names.index(second)]
    before, after = (_turn(pair[when]) if is_turned else pair[when] for when in ("before", "after"))
    rows = [value_words(value) for value in told["crossed"][names.index(first)]["values"]]
    columns = [value_words(value) for value in told["crossed"][names.index(second)]["values"]]
    moved = _moved_cells(before, after)
    return Chart(
        id="two-way",
        title=(
            f"{capital(first)} and {second} together read as before"
            if moved < 0.005
            else f"{percent(moved, 0)} of {first} and {second} together moved"
        ),
        caption=f"People by {first} and {second}: the area of a mark is their share. {EVEN}"
        f"{_whom(pair)}",
        figure=_two_panels(rows, columns, before, after, second),
        table={
            "columns": [f"{first} \\ {second}", *columns],
            "rows": [
                [
                    name,
                    *(f"{_cell(one)} → {_cell(other)}" for one, other in zip(*line, strict=True)),
                ]
                for name, *line in zip(rows, before, after, strict=True)
            ],
        },
        note="Each cell: people before → after."
        + (" Counts of fewer than 5 people are not told." if _hides(before, after) else ""),
    )


def _turn(cells: list[list[Any]]) -> list[list[Any]]:
    return [list(line) for line in zip(*cells, strict=True)]


def _hides(*tables: list[list[Any]]) -> bool:
    return any(cell is None for table in tables for row in table for cell in row)


def _cell(count: float | None) -> str:
    return FEW if count is None else thousands(count)


def _moved_cells(before: list[list[Any]], after: list[list[Any]]) -> float:
    one = _shares([cell or 0 for row in before for cell in row])
    other = _shares([cell or 0 for row in after for cell in row])
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2


def _two_panels(
    rows: list[str], columns: list[str], before: list[list[Any]], after: list[list[Any]], x: str
) -> dict[str, Any]:
    """Marks in two panels of the same grid: squares before, circles after."""
    most = max((cell or 0 for table in (before, after) for row in table for cell in row), default=1)
    data = [
        _marks(rows, columns, before, "Before", "before", "square-open", "", most),
        _marks(rows, columns, after, "After", "accent", "circle", "2", most),
    ]
    figure = figure_of(data, x=x, y="")
    common = {"type": "category", "tickangle": -30 if _is_crowded(columns) else 0}
    figure["layout"] |= {
        "xaxis": {"title": {"text": f"{x}, before"}, "domain": [0, 0.47], **common},
        "xaxis2": {"title": {"text": f"{x}, after"}, "domain": [0.53, 1], **common},
        "yaxis": {"type": "category", "autorange": "reversed", "title": {"text": ""}},
        "yaxis2": {
            "type": "category",
            "autorange": "reversed",
            "anchor": "x2",
            "showticklabels": False,
        },
        "showlegend": False,
        "height": max(260, 34 * len(rows) + 110),
    }
    return figure


def _is_crowded(names: list[str]) -> bool:
    return sum(len(name) for name in names) > 40


def _marks(
    rows: list[str],
    columns: list[str],
    cells: list[list[Any]],
    name: str,
    color: str,
    symbol: str,
    axis: str,
    most: float,
) -> dict[str, Any]:
    places = [(r, c) for r in range(len(rows)) for c in range(len(columns))]
    counts = [cells[r][c] or 0 for r, c in places]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [columns[c] for _, c in places],
        "y": [rows[r] for r, _ in places],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "text": [_cell(cells[r][c]) for r, c in places],
        "marker": {
            "symbol": symbol,
            "color": f"token:{color}",
            "opacity": 1,
            "sizemode": "area",
            "size": counts,
            "sizeref": 2 * max(most, 1) / 28**2,
            "line": {"width": 1.5, "color": f"token:{color}"},
        },
        "hovertemplate": "%{y}, %{x}: %{text}<extra>" + name + "</extra>",
    }


def association_chart(report: Report) -> Chart | None:
    """How columns hang together, the pairs whose association changed most first."""
    pairs = report.get("comparison", {}).get("pairs", [])
    if not pairs:
        return None
    ranked = sorted(pairs, key=_change, reverse=True)[:PAIRS_SHOWN]
    names = [" and ".join(pair["columns"]) for pair in ranked]
    most = ranked[0]
    figure = figure_of(
        [
            _dots(names, [pair["association_before"] for pair in ranked], "Before", "before"),
            _dots(names, [pair["association_after"] for pair in ranked], "After", "accent"),
        ],
        x="Cramér’s V, 0 unrelated to 1 one follows from the other",
        y="",
    )
    figure["layout"] |= {
        "xaxis": {**figure["layout"]["xaxis"], "type": "linear", "range": [-0.02, 1.02]},
        "yaxis": {"type": "category", "autorange": "reversed", "title": {"text": ""}},
        "height": max(180, 30 * len(names) + 70),
    }
    title = (
        "All pairs of columns hang together as before"
        if _change(most) < 0.005
        else f"{capital(names[0])} changed most: from {most['association_before']:.2f} "
        f"to {most['association_after']:.2f}"
    )
    left = len(pairs) - len(ranked)
    return Chart(
        id="associations",
        title=title,
        caption="How strongly two columns hang together, before and after; "
        "the largest changes first",
        figure=figure,
        table={
            "columns": ["Pair", "Before", "After", "Change", "Correlation"],
            "rows": [
                [
                    name,
                    f"{pair['association_before']:.3f}",
                    f"{pair['association_after']:.3f}",
                    f"{_change(pair):.3f}",
                    _correlation(pair),
                ]
                for name, pair in zip(names, ranked, strict=True)
            ],
        },
        note=f"{thousands(left)} more pairs are in report.json." if left else "",
    )


def _change(pair: Report) -> float:
    return abs(float(pair["association_after"]) - float(pair["association_before"]))


def _correlation(pair: Report) -> str:
    """Pearson's, where both columns are numbers."""
    before, after = pair.get("correlation_before"), pair.get("correlation_after")
    if before is None:
        return "–"
    return f"{before:.2f} → {'–' if after is None else f'{after:.2f}'}"


def _dots(names: list[str], values: list[float], name: str, color: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": names,
        "name": name,
        "marker": {
            "color": f"token:{color}",
            "size": 11,
            "symbol": "diamond-open" if name == "Before" else "circle",
            "line": {"width": 2, "color": f"token:{color}"},
        },
        "hovertemplate": "%{y}: %{x:.3f}<extra>" + name + "</extra>",
    }
