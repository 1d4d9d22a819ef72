"""Charts of suppression and information loss by the groups of one column."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import horizontal_bars
from deid_portal.engine.charts.findings import left_out_shares_finding, lost_finding
from deid_portal.engine.charts.look import BEFORE, INK_2, MUTE
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import value_words

EVERYBODY = "All people"
MOST_MARKED = 3
MOST_DRAWN = 10  # groups; all are in the table
MOST_ACROSS, LONGEST_ACROSS = 5, 60  # groups, and characters of their names, in one row


def left_out_shares_chart(entry: PayingColumn, rows: RowCounts) -> Chart:
    groups = sorted(entry.groups, key=lambda group: group.share_left_out, reverse=True)
    total = rows.released + rows.suppressed
    overall = rows.suppressed / max(total, 1)
    return Chart(
        id="who-pays-left-out",
        title=left_out_shares_finding(groups),
        caption=f"Who pays: rows left out, by {_by(entry)}",
        figure=_bars(
            groups,
            lambda group: group.share_left_out,
            overall,
            "Left out, %",
        ),
        table=_table(
            groups,
            {
                "Left out": _left_out_of,
                "Share": lambda group: percent(group.share_left_out),
            },
            [f"{thousands(rows.suppressed)} of {thousands(total)}", percent(overall)],
        ),
        note=_note(entry),
    )


def lost_chart(entry: PayingColumn) -> Chart:
    groups = sorted(entry.groups, key=lambda group: -group.loss)
    total = sum(group.records for group in groups)
    overall = sum(group.loss * group.records for group in groups) / max(total, 1)
    return Chart(
        id="who-pays-lost",
        title=lost_finding(groups),
        caption=f"Detail lost by {_by(entry)}; a row that is left out loses all of it",
        figure=_bars(
            groups,
            lambda group: group.loss,
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


def _by(entry: PayingColumn) -> str:
    return f"{entry.column}, in {entry.level_name}" if entry.level_name else entry.column


def _note(entry: PayingColumn) -> str:
    told = []
    if len(entry.groups) > MOST_DRAWN:
        told.append(f"The {MOST_DRAWN} of {len(entry.groups):,} groups that pay most are drawn.")
    if entry.merged:
        told.append(f"“smaller groups” are {thousands(entry.merged)} values told together.")
    return " ".join(told)


def _left_out_of(group: PayingGroup) -> str:
    return f"{thousands(group.suppressed)} of {thousands(group.records)}"


def _bars(
    groups: Sequence[PayingGroup],
    share_of: Callable[[PayingGroup], float],
    overall: float,
    title: str,
) -> Any:
    """Draw the most affected groups first, highlight those far above the mean, which comes last."""
    shares = [share_of(group) for group in groups[:MOST_DRAWN]]
    marked = [
        place < MOST_MARKED and share >= 2 * overall and share > 0
        for place, share in enumerate(shares)
    ]
    colors = [BEFORE if own else MUTE for own in marked]
    return horizontal_bars(
        [*(value_words(group.value) for group in groups[:MOST_DRAWN]), EVERYBODY],
        [100 * share for share in (*shares, overall)],
        [*colors, INK_2],
        [*map(percent, shares), percent(overall)],
        x=title,
    )


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
