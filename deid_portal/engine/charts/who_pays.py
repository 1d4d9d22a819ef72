"""Charts of suppression and information loss by the groups of one column."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import horizontal_bars
from deid_portal.engine.charts.look import BEFORE, INK_2, MUTE
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import share_words, value_words

EVERYBODY = "All people"
MOST_MARKED = 3
MOST_ACROSS, LONGEST_ACROSS = 5, 60  # groups, and characters of their names, in one row


def left_out_shares_chart(entry: PayingColumn, rows: RowCounts) -> Chart:
    groups = sorted(entry.groups, key=share_left_out, reverse=True)
    total = rows.released + rows.suppressed
    overall = rows.suppressed / max(total, 1)
    return Chart(
        id="who-pays-left-out",
        title=_left_out_title(groups),
        caption=f"Who pays: rows left out, by {_by(entry)}",
        figure=_bars(
            [value_words(group.value) for group in groups],
            [share_left_out(group) for group in groups],
            overall,
            "Left out, %",
            [percent(share_left_out(group)) for group in groups],
        ),
        table=_table(
            groups,
            {
                "Left out": _left_out_of,
                "Share": lambda group: percent(share_left_out(group)),
            },
            [f"{thousands(rows.suppressed)} of {thousands(total)}", percent(overall)],
        ),
        note=_note(entry),
    )


def _left_out_title(groups: list[PayingGroup]) -> str:
    worst, largest = groups[0], max(groups, key=lambda group: group.records)
    if share_left_out(worst) == 0:
        return "Nobody of these groups was left out"
    if share_left_out(worst) < 1.5 * share_left_out(groups[-1]):
        return "All groups are left out about equally often"
    name = value_words(worst.value)
    if worst is largest or not share_left_out(largest):
        return f"{share_words(share_left_out(worst)).capitalize()} of “{name}” are left out"
    times = _times(share_left_out(worst) / share_left_out(largest))
    return f"Small groups are left out up to {times} times as often as the largest"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}".removesuffix(".0")


def lost_chart(entry: PayingColumn) -> Chart:
    groups = sorted(entry.groups, key=lambda group: -group.loss)
    total = sum(group.records for group in groups)
    overall = sum(group.loss * group.records for group in groups) / max(total, 1)
    return Chart(
        id="who-pays-lost",
        title=_lost_title(groups),
        caption=f"Detail lost by {_by(entry)}; a row that is left out loses all of it",
        figure=_bars(
            [value_words(group.value) for group in groups],
            [group.loss for group in groups],
            overall,
            "Detail lost, %",
        ),
        table=_table(
            groups,
            {
                "Rows": lambda group: thousands(group.records),
                "Detail lost": lambda group: f"{group.loss:.3f}",
            },
            [thousands(total), f"{overall:.3f}"],
        ),
        note=_note(entry),
    )


def _lost_title(groups: list[PayingGroup]) -> str:
    most, least = groups[0], groups[-1]
    if not most.loss:
        return "Nobody lost any detail"
    if most.loss - least.loss < 0.02:
        return f"Everybody lost about the same: {share_words(most.loss)} of the detail"
    return (
        f"“{value_words(most.value)}” lost {percent(most.loss, 0)} of the detail, "
        f"“{value_words(least.value)}” {percent(least.loss, 0)}"
    )


def _by(entry: PayingColumn) -> str:
    return f"{entry.column}, in {entry.level_name}" if entry.level_name else entry.column


def _note(entry: PayingColumn) -> str:
    merged = entry.merged
    return f"“smaller groups” are {thousands(merged)} values told together." if merged else ""


def share_left_out(group: PayingGroup) -> float:
    return group.suppressed / max(group.records, 1)


def _left_out_of(group: PayingGroup) -> str:
    return f"{thousands(group.suppressed)} of {thousands(group.records)}"


def _bars(
    names: list[str],
    shares: list[float],
    overall: float,
    title: str,
    words: Sequence[str] | None = None,
) -> Any:
    """Draw the most affected groups first, highlight those far above the mean, which comes last."""
    marked = [
        place < MOST_MARKED and share >= 2 * overall and share > 0
        for place, share in enumerate(shares)
    ]
    colors = [BEFORE if own else MUTE for own in marked]
    figure = horizontal_bars(
        [*names, EVERYBODY],
        [100 * share for share in (*shares, overall)],
        [*colors, INK_2],
        [*(words or map(percent, shares)), percent(overall)],
        x=title,
    )
    # Leave room for the label of the longest bar.
    return figure.update_xaxes(range=[0, 115 * max(*shares, overall, 0.01)])


def _table(
    groups: list[PayingGroup],
    columns: Mapping[str, Callable[[PayingGroup], str]],
    everybody: list[str],
) -> ChartTable:
    """List few groups in columns, as in the chart, more in rows."""
    names = [value_words(group.value) for group in groups]
    told = {title: [write(group) for group in groups] for title, write in columns.items()}
    if len(groups) <= MOST_ACROSS and len("".join(names)) <= LONGEST_ACROSS:
        return ChartTable(
            ["", *names, EVERYBODY],
            [
                [title, *cells, last]
                for (title, cells), last in zip(told.items(), everybody, strict=True)
            ],
        )
    return ChartTable(
        ["Group", *told],
        [
            *([name, *cells] for name, *cells in zip(names, *told.values(), strict=True)),
            [EVERYBODY, *everybody],
        ],
        folds=True,
    )
