"""What the bar at the bottom of the workbench says, and where it leads."""

from collections.abc import Sequence

from django.urls import reverse

from deid_portal.common.next_bar import Act, NextBar
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.taxonomies.selectors import taxonomy_of

NAMES_SHOWN = 3


def bar_of_workbench(
    dataset: Dataset, column: DatasetColumn, still_open: Sequence[DatasetColumn]
) -> NextBar:
    go_on = Act(
        "Continue to protection",
        url=reverse("plans:protection", args=[dataset.id]),
        blocked=bool(still_open),
        focus="#builders",
    )
    if not still_open:
        return NextBar(
            "Every value of every quasi-identifier has a place.",
            "Next, choose how strong the protection is.",
            icon="circle-check",
            tone="ok",
            primary=go_on,
        )
    others = [other for other in still_open if other.position != column.position]
    return NextBar(
        f"{_what_is_open(still_open)} no place yet.",
        "A run would refuse them, so place them first.",
        icon="alert-triangle",
        tone="warn",
        secondary=_next_column(dataset, others[0]) if others else None,
        primary=go_on,
    )


def _next_column(dataset: Dataset, column: DatasetColumn) -> Act:
    url = reverse("taxonomies:workbench", args=[dataset.id, column.position])
    return Act(f"Next open column: {_cut(column.name)}", url=url)


def _what_is_open(columns: Sequence[DatasetColumn]) -> str:
    """Say what has no place: "3 values of education and all of workclass have"."""
    parts = [_open_values(column) for column in columns[:NAMES_SHOWN]]
    more = len(columns) - len(parts)
    if more:
        parts.append("1 more column" if more == 1 else f"{more} more columns")
    first = taxonomy_of(columns[0])
    is_single = len(columns) == 1 and first is not None and first.uncovered == 1
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{listed[0].upper()}{listed[1:]} {'has' if is_single else 'have'}"


def _open_values(column: DatasetColumn) -> str:
    taxonomy = taxonomy_of(column)
    name = _cut(column.name)
    if taxonomy is None:
        return f"all values of {name}"
    if taxonomy.uncovered == 1:
        return f"1 value of {name}"
    return f"{taxonomy.uncovered:,} values of {name}"


def _cut(name: str) -> str:
    return name if len(name) <= 32 else f"{name[:31]}…"
