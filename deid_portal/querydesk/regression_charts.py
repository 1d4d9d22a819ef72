"""Charts of regressions: what a number or the odds change by, in the units of the columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import draw_figure, marks
from deid_portal.engine.charts.look import ACCENT, INK_2, LINE_STRONG
from deid_portal.engine.differential.number_words import factor_words, join
from deid_portal.querydesk.models import Question
from deid_portal.querydesk.vocabulary import write_significant

Row = tuple[str, Any, Any, Any]
INTERCEPT = "intercept"
NONE = "–"
MOST_NAMED = 3


@dataclass(frozen=True)
class AnswerChart(Chart):
    """A chart; without a figure, only with a table, if there are too many bars."""

    rows: Sequence[Row] = ()


def line_chart(question: Question, answer: Mapping[str, Any]) -> AnswerChart:
    """Return the chart of a regression; its rows are the coefficients by name."""
    intervals = answer.get("intervals") or {}
    rows: list[Row] = [
        (str(name), float(number), *intervals.get(name, (None, None)))
        for name, number in answer["coefficients"].items()
    ]
    if "odds" in answer or question.kind == "logistic-regression":
        return _odds_chart(question, answer, rows)
    return _slopes_chart(question, rows, answer.get("across") or {})


def _slopes_chart(
    question: Question, rows: list[Row], across: Mapping[str, Mapping[str, Any]]
) -> AnswerChart:
    target = str(question.document.get("target", "it"))
    slopes = [row for row in rows if row[0] != INTERCEPT]
    has_intervals = all(row[2] is not None for row in rows)
    note = (
        "" if has_intervals else "There are no intervals: the noise is so large that any line fits."
    )
    return AnswerChart(
        id=f"chart-{question.id}",
        title=_finding_of_slopes(target, slopes, has_intervals=has_intervals),
        caption="Each interval holds the true number in 19 of 20 cases" if has_intervals else "",
        figure=_slopes_figure(target, slopes, across),
        table=_table_of_slopes(target, rows, across),
        note=note,
        rows=rows,
    )


def _finding_of_slopes(target: str, slopes: Sequence[Row], *, has_intervals: bool) -> str:
    """Say which columns matter for sure, or the size of the only one."""
    if not has_intervals:
        return "A line is given, but the noise allows any other"
    up = [row[0] for row in slopes if row[2] > 0]
    down = [row[0] for row in slopes if row[3] < 0]
    if not up and not down:
        return "Noise hides whether any of it matters" if slopes[1:] else "Noise hides any effect"
    if len(slopes) == 1:
        name, number, low, high = slopes[0]
        grows = "grows" if number > 0 else "falls"
        by = write_significant(abs(number), of=(high - low) / 2)
        return f"{target} {grows} by {by} for 1 more {name}"
    told = [f"grows with {join(up)}"] if up else []
    told += [f"falls with {join(down)}"] if down else []
    rest = [row[0] for row in slopes if row[0] not in (*up, *down)]
    hidden = join(rest) if len(rest) <= MOST_NAMED else f"the other {len(rest)}"
    return f"{target} {join(told)}{f'; noise hides {hidden}' if rest else ''}"


def _slopes_figure(
    target: str, slopes: Sequence[Row], across: Mapping[str, Mapping[str, Any]]
) -> Any:
    """Draw what can be compared: the change from the lowest to the highest of each column.

    Answers of earlier versions do not have it; then a single slope is drawn as it is.
    """
    if across:
        drawn: list[Row] = [
            (name, own["value"], *(own["interval"] or (None, None))) for name, own in across.items()
        ]
        axis = f"Change of {target} from the lowest to the highest declared"
    elif len(slopes) == 1:
        drawn, axis = list(slopes), f"Change of {target} for 1 more"
    else:
        return None
    return _points(drawn, axis, at=0.0)


def _table_of_slopes(
    target: str, rows: Sequence[Row], across: Mapping[str, Mapping[str, Any]]
) -> ChartTable:
    has_intervals = all(row[2] is not None for row in rows)
    head = ["", f"Change of {target}", *(("From", "To") if has_intervals else ())]
    if across:
        head.append("From lowest to highest")
    return ChartTable(head, [_line_of(row, across, has_intervals) for row in rows])


def _line_of(row: Row, across: Mapping[str, Mapping[str, Any]], has_intervals: bool) -> list[str]:
    name, number, low, high = row
    half = (high - low) / 2 if low is not None else None
    words = "where all of them are 0" if name == INTERCEPT else f"for 1 more {name}"
    line = [words, write_significant(number, of=half)]
    if has_intervals:
        line += [write_significant(end, of=half) for end in (low, high)]
    if across:
        line.append(write_significant(across[name]["value"]) if name in across else NONE)
    return line


def _odds_chart(question: Question, answer: Mapping[str, Any], rows: list[Row]) -> AnswerChart:
    """Answers of earlier versions have coefficients only, of columns shrunk to −1 … 1."""
    odds = answer.get("odds")
    drawn: list[Row] = (
        [(one["what"], one["factor"], None, None) for one in odds]
        if odds
        else [row for row in rows if row[0] != INTERCEPT]
    )
    document = question.document
    of = f" of {document['target']} = {document['positive']}" if "positive" in document else ""
    written = factor_words if odds else write_significant
    head = f"Odds{of} multiply by" if odds else f"Log odds{of} change by"
    return AnswerChart(
        id=f"chart-{question.id}",
        title=_finding_of_odds(of, drawn) if odds else "How the odds change",
        caption="" if odds else "From the middle of a column to its upper bound",
        figure=_points(drawn, head, at=1.0 if odds else 0.0, is_log=bool(odds)),
        table=ChartTable(["", head], [[row[0], written(row[1])] for row in drawn]),
        note=(
            "There are no intervals: how far noisy steps are from where they lead to cannot be "
            "said from the answer. Before asking, the price shows an example."
        ),
        rows=[*rows, *drawn] if odds else rows,
    )


def _finding_of_odds(of: str, drawn: Sequence[Row]) -> str:
    most = max(drawn, key=lambda row: max(row[1], 1 / max(row[1], 1e-300)))
    return f"Odds{of} multiply by {factor_words(most[1])} for {most[0]}"


def _points(rows: Sequence[Row], axis: str, *, at: float, is_log: bool = False) -> Any:
    """Draw a point with its interval per row, and a line where nothing changes."""
    trace = marks(
        [row[1] for row in rows],
        [row[0] for row in rows],
        marker={"color": ACCENT, "size": 10},
        hover="%{y}: %{x}",
        error_x=whiskers(rows) if all(row[2] is not None for row in rows) else None,
    )
    nothing = {
        "type": "line",
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": LINE_STRONG, "dash": "dot", "width": 1.5},
    }
    return draw_figure(
        [trace],
        x=axis,
        height=max(150, 34 * len(rows) + 90),
        yaxis_autorange="reversed",
        xaxis_type="log" if is_log else "linear",
        shapes=[nothing],
    )


def whiskers(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the intervals of rows as Plotly draws them."""
    return {
        "type": "data",
        "symmetric": False,
        # If noise made a count negative, its interval begins above it.
        "array": [max(row[3] - row[1], 0) for row in rows],
        "arrayminus": [max(row[1] - row[2], 0) for row in rows],
        "color": INK_2,
        "thickness": 1.2,
        "width": 4,
    }
