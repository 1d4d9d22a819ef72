"""Charts of answers of several numbers, with the finding and a table; of lines: next door."""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.charts.chart import ChartTable
from deid_portal.engine.charts.figure_parts import bars, draw_figure, polyline
from deid_portal.engine.charts.look import ACCENT
from deid_portal.engine.differential.selection.domains import domain_value_words
from deid_portal.engine.wording.numbers import NBSP
from deid_portal.querydesk.models import Question
from deid_portal.querydesk.prices import kind_named
from deid_portal.querydesk.regression_charts import AnswerChart, Row, line_chart, whiskers
from deid_portal.querydesk.vocabulary import write_significant, write_width

MOST_BARS = 60
MOST_COLUMNS = 8
WHISKER_SHARE = 0.1


def chart_of(question: Question, answer: Mapping[str, Any]) -> AnswerChart | None:
    """Return the chart of an answer of several numbers, None for one number alone."""
    parts = answer if "values" in answer else answer.get("histogram")
    if not parts:
        return line_chart(question, answer) if "coefficients" in answer else None
    rows = [
        (_label(value), value["value"], *(interval or (None, None)))
        for value, interval in zip(parts["values"], parts["intervals"], strict=True)
    ]
    if question.kind == "quantiles":
        return _quantiles(question, rows, [value["quantile"] for value in parts["values"]])
    names = [row[0] for row in rows]
    is_short = len(rows) <= MOST_COLUMNS
    table = _table_across(rows, _axis(question)) if is_short else _table_down(rows, _axis(question))
    title = _finding(rows, of_links=question.kind == "degree-histogram")
    return AnswerChart(
        id=f"chart-{question.id}",
        title=title,
        caption=_caption(question, _usual_width(rows)),
        figure=_bars(names, rows, _axis(question)),
        table=table,
        rows=rows,
        note="Negative counts are noise around nobody." if _has_negative(rows) else "",
    )


def _quantiles(question: Question, rows: list[Row], shares: Sequence[float]) -> AnswerChart:
    """How many in a hundred lie below a number, with the intervals of the numbers."""
    percent = [round(100 * share, 1) for share in shares]
    trace = polyline(
        [row[1] for row in rows],
        percent,
        color=ACCENT,
        mode="lines+markers",
        marker={"color": ACCENT, "size": 8},
        hover="%{y}" + NBSP + "% lie below %{x}",
        error_x=whiskers(rows) if all(row[2] is not None for row in rows) else None,
    )
    axis = _axis(question)
    return AnswerChart(
        id=f"chart-{question.id}",
        title=_finding_of_quantiles({at: row[1] for at, row in zip(shares, rows, strict=True)}),
        caption=_caption(question, _usual_width(rows)),
        figure=draw_figure([trace], x=axis, y="Lie below, in %", yaxis_range=[0, 100]),
        table=_table_down(rows, "Lie below"),
        rows=rows,
    )


def _finding_of_quantiles(found: Mapping[float, float]) -> str:
    if 0.25 in found and 0.75 in found:
        low, high = (write_significant(found[share]) for share in (0.25, 0.75))
        return f"The middle half lies from {low} to {high}"
    if 0.5 in found:
        return f"Half lie below {write_significant(found[0.5])}"
    share, number = next(iter(found.items()))
    return f"{100 * share:g}{NBSP}% lie below {write_significant(number)}"


def _caption(question: Question, width: float | None) -> str:
    """Describe the uncertainty of the numbers, if all intervals have the same width."""
    if width is not None and not kind_named(question.kind).has_equal_intervals:
        return "Each interval holds the true number in 19 of 20 cases"
    return f"Each number is within ± {write_width(width)} in 19 of 20 cases" if width else ""


def _label(value: Mapping[str, Any]) -> str:
    """What a number stands for: a value, a bucket, a share."""
    if "of" in value:
        return " · ".join(domain_value_words(one) for one in value["of"].values())
    if "quantile" in value:
        return f"{100 * value['quantile']:g}{NBSP}%"
    if value["to"] is None:
        return f"{write_significant(value['from'])} or more"
    if value["to"] == value["from"]:
        return write_significant(value["from"])
    return f"{write_significant(value['from'])}–{write_significant(value['to'])}"


def _axis(question: Question) -> str:
    if question.kind == "degree-histogram":
        return "links"
    named = question.document.get("column") or " · ".join(question.document.get("by", []))
    return str(named)


def _usual_width(rows: Sequence[Row]) -> float | None:
    widths = [max(row[3] - row[1], row[1] - row[2]) for row in rows if row[2] is not None]
    return max(widths) if widths else None


def _has_negative(rows: Sequence[Row]) -> bool:
    return any(row[1] is not None and row[1] < 0 for row in rows)


def _finding(rows: Sequence[Row], *, of_links: bool) -> str:
    """Describe the finding: the largest group and its share, and groups smaller than the noise."""
    largest = max(rows, key=lambda row: row[1])
    everybody = sum(max(row[1], 0) for row in rows)
    drowned = sum(row[2] is not None and row[2] <= 0 for row in rows)
    if everybody <= 0 or drowned == len(rows):
        return "Too few in every group to tell from zero"
    share = largest[1] / everybody
    verb, what = ("have", f"{largest[0]} links") if of_links else ("are", largest[0])
    lead = (
        f"More than half {verb} {what}"
        if share > 0.5
        else f"The largest group is {what}, {100 * share:.0f}{NBSP}%"
    )
    if not drowned:
        return f"{lead}; noise hides none of the {len(rows)} groups"
    groups = "1 group" if drowned == 1 else f"{drowned} groups"
    return f"{lead}; {groups} cannot be told from zero"


def _table_across(rows: Sequence[Row], axis: str) -> ChartTable:
    width = _usual_width(rows)
    each = f", each ± {write_width(width)}" if width else ""
    return ChartTable(
        [axis, *(row[0] for row in rows)],
        [[f"Answer{each}", *(write_significant(row[1]) for row in rows)]],
    )


def _table_down(rows: Sequence[Row], axis: str = "") -> ChartTable:
    has_intervals = any(row[2] is not None for row in rows)
    return ChartTable(
        [axis, "Answer", *(("From", "To") if has_intervals else ())],
        [_written(row, has_intervals) for row in rows],
    )


def _written(row: Row, has_intervals: bool) -> list[str]:
    ends = ["–" if end is None else write_significant(end) for end in row[2:]]
    return [row[0], write_significant(row[1]), *(ends if has_intervals else [])]


def _bars(names: list[str], rows: Sequence[Row], axis: str) -> Any:
    if len(rows) > MOST_BARS:
        return None
    values = [row[1] for row in rows]
    texts = [write_significant(value) for value in values] if _has_room(rows) else None
    lines = whiskers(rows) if all(row[2] is not None for row in rows) else None
    trace = bars(names, values, texts=texts, hover="%{x}: %{y}", error_y=lines)
    return draw_figure([trace], x=axis, y="People")


def _has_room(rows: Sequence[Row]) -> bool:
    """Whether numbers above bars are readable: few bars, no long whiskers."""
    width, largest = _usual_width(rows), max(abs(row[1]) for row in rows)
    return len(rows) <= 20 and (width is None or width < WHISKER_SHARE * largest)
