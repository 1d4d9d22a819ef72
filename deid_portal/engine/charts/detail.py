"""Charts of utility: information loss by column, changed distributions, classification."""

from collections.abc import Sequence

from deid_portal.engine.charts.bins import in_percent
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import grouped_bars, ranked_bars
from deid_portal.engine.charts.findings import change_finding, classifier_finding, loss_finding
from deid_portal.engine.report import Report
from deid_portal.engine.report.utility import ClassifierAccuracy
from deid_portal.engine.wording.numbers import percent
from deid_portal.engine.wording.words import capital, listed

MOST_COLUMNS = 20


def loss_chart(report: Report, most: int | None = None) -> Chart | None:
    """Information loss by column, where known; None if it is known of no column.

    `most` limits the chart to the columns with the largest loss.
    """
    columns = report.columns if report.tells("columns") else {}
    quasi = {name: own.loss for name, own in columns.items() if own.role == "quasi-identifier"}
    told = [(name, loss) for name, loss in quasi.items() if loss is not None]
    if quasi and not told:
        return None
    ranked = sorted(told, key=lambda pair: (-pair[1], pair[0]))
    shown = ranked[:most]
    left = f"; the first {most} of {len(ranked)} columns" if len(shown) < len(ranked) else ""
    figure = ranked_bars(
        [name for name, _ in shown],
        [loss for _, loss in shown],
        "Detail lost, 0 none to 1 all",
        whole=1,
    )
    return Chart(
        id="loss",
        title=loss_finding(ranked, report.hidden_columns),
        caption="Share of each column’s detail that was lost; rows left out count as lost" + left,
        figure=figure,
        table=ChartTable(
            ["Column", "Detail lost"], [[name, f"{loss:.4f}"] for name, loss in shown]
        ),
    )


def change_chart(report: Report) -> Chart | None:
    """How far the distribution of each column changed; hidden columns cannot be compared."""
    compared = report.comparison.columns if report.comparison else ()
    hidden = [entry.column for entry in compared if entry.column in report.hidden_columns]
    ranked = sorted(
        (entry for entry in compared[:MOST_COLUMNS] if entry.column not in hidden),
        key=lambda entry: -entry.total_variation,
    )
    if not ranked:
        return None
    return Chart(
        id="change",
        title=change_finding(ranked[0]),
        caption="Total variation between each column before and after, a label spread evenly",
        figure=ranked_bars(
            [entry.column for entry in ranked],
            [entry.total_variation for entry in ranked],
            "Total variation, 0 same to 1 nothing in common",
            whole=1,
        ),
        table=ChartTable(
            ["Column", "Total variation", "Earth mover"],
            [
                [entry.column, f"{entry.total_variation:.4f}", f"{entry.earth_mover:.4f}"]
                for entry in ranked
            ],
        ),
        note=not_compared(hidden),
    )


def not_compared(hidden: Sequence[str]) -> str:
    """Say which columns a chart does not compare."""
    if not hidden:
        return ""
    verb = "is" if len(hidden) == 1 else "are"
    return f"{capital(listed(hidden))} {verb} hidden: nothing is left to compare."


def classifier_chart(report: Report) -> Chart | None:
    answers = (report.comparison.classifiers if report.comparison else None) or ()
    found = [entry for entry in answers if isinstance(entry, ClassifierAccuracy)]
    if not found:
        return None
    names = [entry.model for entry in found]
    best = max(found, key=lambda entry: entry.after.mean)
    return Chart(
        id="classifiers",
        title=classifier_finding(best),
        caption="Share classified right, cross-validated, in percent",
        figure=grouped_bars(
            names,
            in_percent(
                {
                    "Before": [entry.before.mean for entry in found],
                    "After": [entry.after.mean for entry in found],
                }
            ),
            x="",
            y="Right, %",
        ),
        table=ChartTable(
            ["Classifier", "Before", "After", "Most common"],
            [
                [
                    entry.model,
                    percent(entry.before.mean),
                    percent(entry.after.mean),
                    percent(entry.majority),
                ]
                for entry in found
            ],
        ),
    )
