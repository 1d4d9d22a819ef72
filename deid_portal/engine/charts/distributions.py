"""Distributions before and after: of single columns, of pairs, and associations of columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.charts.bins import in_percent, shares_of
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import (
    WIDE,
    as_text,
    draw_figure,
    grouped_bars,
    marks,
    small_bars,
)
from deid_portal.engine.charts.findings import association_finding, moved_finding
from deid_portal.engine.charts.look import ACCENT, BEFORE
from deid_portal.engine.report import Report
from deid_portal.engine.report.distributions import (
    ColumnDistribution,
    ReleasedLabels,
)
from deid_portal.engine.report.utility import PairChange
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import capital, counted, value_words

Cells = Sequence[Sequence[float]]
PAIRS_SHOWN = 12
OTHERS = "others together"
SIDES = {"type": "category", "autorange": "reversed"}
EVEN = "A coarser label counts evenly for the values it stands for."


def labels_chart(entry: ReleasedLabels, place: int | None = None) -> Chart:
    """One released column; with its place on a page of many, as a small chart."""
    names = [value_words(own.label) for own in entry.labels]
    counts = [own.records for own in entry.labels]
    if entry.others:
        names, counts = [*names, OTHERS], [*counts, entry.others]
    shares = shares_of(counts)
    most = f"“{names[0]}” is {percent(shares[0], 0)}" if names else "nobody"
    return Chart(
        id=_id_of("one-way", place),
        title=f"{capital(entry.column)} in the release: {most}",
        caption=f"Share of people by {entry.column} as it leaves, in percent",
        figure=_bars_of(entry.column, names, {"Release": shares}, place),
        table=ChartTable(
            ["Value", "People", "Share"],
            [
                [name, thousands(count), percent(share)]
                for name, count, share in zip(names, counts, shares, strict=True)
            ],
        ),
    )


def one_way_chart(report: Report, entry: ColumnDistribution, place: int | None = None) -> Chart:
    """One column before and after; only before if it is hidden, so that nothing is compared.

    With its place on a page of many, as a small chart.
    """
    hidden = report.hidden_columns
    is_hidden = entry.column in hidden
    counts = {"Before": entry.before} | ({} if is_hidden else {"After": entry.after})
    names = [value_words(value) for value in entry.values]
    shares = {when: shares_of(own) for when, own in counts.items()}
    cells = [*(map(thousands, own) for own in counts.values())]
    cells += [map(percent, own) for own in shares.values()]
    return Chart(
        id=_id_of("one-way", place),
        title=moved_finding([entry.column], moved_share(entry), hidden, entry.level_name),
        caption=f"Share of people by {entry.column}{_in_levels(entry)}, in percent."
        + ("" if is_hidden else f"{_labels_left(report, entry.column)} {EVEN}"),
        figure=_bars_of(entry.column, names, shares, place),
        table=ChartTable(
            ["Value", *counts, *(f"Share {when.lower()}" for when in counts)],
            [list(line) for line in zip(names, *cells, strict=True)],
        ),
    )


def _id_of(name: str, place: int | None) -> str:
    return name if place is None else f"{name}-{place}"


def _bars_of(
    column: str, names: list[str], shares: Mapping[str, Sequence[float]], place: int | None
) -> Any:
    if place is not None:
        return small_bars(names, in_percent(shares))
    return grouped_bars(names, in_percent(shares), x=column, y="People, %", room=WIDE)


def _labels_left(report: Report, name: str) -> str:
    """Say how many labels are left of a column: the fewer, the less a comparison tells."""
    column = report.columns.get(name) if report.tells("columns") else None
    before, after = (column.distinct_before, column.distinct_after) if column else (None, None)
    if not before or not after or after >= before:
        return ""
    return f" The release shows {counted(after, 'label')} instead of {before:,} values."


def moved_share(entry: ColumnDistribution) -> float:
    """Return the total variation distance between the distributions before and after."""
    before, after = shares_of(entry.before), shares_of(entry.after)
    return sum(abs(one - other) for one, other in zip(before, after, strict=True)) / 2


def _in_levels(entry: ColumnDistribution) -> str:
    return f", in {entry.level_name}" if entry.level_name else ""


def two_way_chart(report: Report, first: str, second: str) -> Chart | None:
    told = report.distributions
    if told is None:
        return None
    names = [entry.column for entry in told.crossed]
    places = names.index(first), names.index(second)
    is_turned = places[0] > places[1]
    wanted = places[::-1] if is_turned else places
    pair = next((own for own in told.pairs if own.columns == wanted), None)
    if pair is None:
        return None
    before: Cells = _turn(pair.before) if is_turned else pair.before
    after: Cells = _turn(pair.after) if is_turned else pair.after
    is_hidden = not report.hidden_columns.isdisjoint((first, second))
    rows, columns = (
        [value_words(value) for value in told.crossed[place].values] for place in places
    )
    return Chart(
        id="two-way",
        title=moved_finding([first, second], _moved_cells(before, after), report.hidden_columns),
        caption=f"People by {first} and {second}: the area of a mark is their share. {EVEN}",
        figure=_one_panel(rows, columns, before, second)
        if is_hidden
        else _two_panels(rows, columns, before, after, second),
        table=ChartTable(
            [f"{first} \\ {second}", *columns],
            [
                [name, *(thousands(count) for count in line)]
                if is_hidden
                else [name, *map(_from_to, line, then)]
                for name, line, then in zip(rows, before, after, strict=True)
            ],
        ),
        note="Each cell: people before." if is_hidden else "Each cell: people before → after.",
    )


def _turn(cells: Cells) -> Cells:
    return list(zip(*cells, strict=True))


def _from_to(before: float, after: float) -> str:
    return f"{thousands(before)} → {thousands(after)}"


def _moved_cells(before: Cells, after: Cells) -> float:
    one = shares_of([cell for row in before for cell in row])
    other = shares_of([cell for row in after for cell in row])
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2


def _one_panel(rows: list[str], columns: list[str], before: Cells, x: str) -> Any:
    """Squares of the state before, if there is nothing of the one after to be compared."""
    most = max((cell for row in before for cell in row), default=1)
    return draw_figure(
        [_marks(rows, columns, before, "Before", BEFORE, "square-open", "", most)],
        height=max(260, 34 * len(rows) + 110),
        xaxis={"title_text": as_text(f"{x}, before"), **_axis_of_names(columns)},
        yaxis=SIDES,
    )


def _axis_of_names(columns: list[str]) -> dict[str, Any]:
    return {"type": "category", "tickangle": -30 if _is_crowded(columns) else 0}


def _two_panels(rows: list[str], columns: list[str], before: Cells, after: Cells, x: str) -> Any:
    """Marks in two panels of the same grid: squares before, circles after."""
    most = max((cell for table in (before, after) for row in table for cell in row), default=1)
    names = _axis_of_names(columns)
    return draw_figure(
        [
            _marks(rows, columns, before, "Before", BEFORE, "square-open", "", most),
            _marks(rows, columns, after, "After", ACCENT, "circle", "2", most),
        ],
        height=max(260, 34 * len(rows) + 110),
        showlegend=False,
        xaxis={"title_text": as_text(f"{x}, before"), "domain": [0, 0.47], **names},
        xaxis2={"title_text": as_text(f"{x}, after"), "domain": [0.53, 1], **names},
        yaxis=SIDES,
        yaxis2={**SIDES, "anchor": "x2", "showticklabels": False},
    )


def _is_crowded(names: list[str]) -> bool:
    return sum(len(name) for name in names) > 40


def _marks(
    rows: list[str],
    columns: list[str],
    cells: Cells,
    name: str,
    color: str,
    symbol: str,
    axis: str,
    most: float,
) -> Any:
    places = [(r, c) for r in range(len(rows)) for c in range(len(columns))]
    return marks(
        [columns[c] for _, c in places],
        [rows[r] for r, _ in places],
        name=name,
        xaxis=f"x{axis}",
        yaxis=f"y{axis}",
        text=[as_text(thousands(cells[r][c])) for r, c in places],
        marker={
            "symbol": symbol,
            "color": color,
            "opacity": 1,
            "sizemode": "area",
            "size": [cells[r][c] for r, c in places],
            "sizeref": 2 * max(most, 1) / 28**2,
            "line": {"width": 1.5, "color": color},
        },
        hover="%{y}, %{x}: %{text}",
    )


def association_chart(report: Report) -> Chart | None:
    """Associations of columns, the pairs whose association changed most first.

    Pairs with a hidden column are left out: nothing of them could be compared.
    """
    everything = report.comparison.pairs if report.comparison else ()
    hidden = report.hidden_columns
    pairs = [pair for pair in everything if hidden.isdisjoint(pair.columns)]
    if not pairs:
        return None
    ranked = sorted(pairs, key=lambda pair: pair.association_change, reverse=True)[:PAIRS_SHOWN]
    names = [" and ".join(pair.columns) for pair in ranked]
    figure = draw_figure(
        [
            _dots(names, [own.association_before for own in ranked], "Before", BEFORE),
            _dots(names, [own.association_after for own in ranked], "After", ACCENT),
        ],
        x="Cramér’s V, 0 unrelated to 1 one follows from the other",
        height=max(180, 30 * len(names) + 70),
        xaxis_range=[-0.02, 1.02],
        yaxis={"type": "category", "autorange": "reversed"},
    )
    return Chart(
        id="associations",
        title=association_finding(ranked[0]),
        caption="How strongly two columns hang together, before and after; "
        "the largest changes first",
        figure=figure,
        table=ChartTable(
            ["Pair", "Before", "After", "Change", "Correlation"],
            [
                [
                    name,
                    f"{pair.association_before:.3f}",
                    f"{pair.association_after:.3f}",
                    f"{pair.association_change:.3f}",
                    _correlation(pair),
                ]
                for name, pair in zip(names, ranked, strict=True)
            ],
        ),
        note=_pairs_left(len(pairs) - len(ranked), len(everything) - len(pairs)),
    )


def _pairs_left(more: int, hidden: int) -> str:
    told = []
    if more:
        told.append(f"{counted(more, 'more pair')} {'is' if more == 1 else 'are'} in report.json.")
    if hidden:
        verb = "is" if hidden == 1 else "are"
        told.append(f"{counted(hidden, 'pair')} with a hidden column {verb} not compared.")
    return " ".join(told)


def _correlation(pair: PairChange) -> str:
    """Pearson's correlation, if both columns are numbers."""
    before, after = pair.correlation_before, pair.correlation_after
    if before is None:
        return "–"
    return f"{before:.2f} → {'–' if after is None else f'{after:.2f}'}"


def _dots(names: list[str], values: list[float], name: str, color: str) -> Any:
    symbol = "diamond-open" if name == "Before" else "circle"
    line = {"width": 2, "color": color}
    return marks(
        values,
        names,
        name=name,
        marker={"color": color, "size": 11, "symbol": symbol, "line": line},
        hover="%{y}: %{x:.3f}",
    )
