"""The bar at the bottom of the workbench."""

from collections.abc import Sequence

from django.urls import reverse

from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.taxonomies.selectors import taxonomy_of
from deid_portal.web.next_bar import Act, NextBar

NAMES_SHOWN = 2
NAME_LENGTH = 32


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
    is_open = len(others) < len(still_open)
    lead = _open_values(column) if is_open else _open_columns(others)
    them = "it" if len(others) == 1 else "them"
    return NextBar(
        lead,
        _what_waits(others) if is_open else f"A run would refuse {them}, so finish {them} first.",
        icon="alert-triangle",
        tone="warn",
        secondary=_next_column(dataset, column, others) if others else None,
        primary=go_on,
    )


def _open_values(column: DatasetColumn) -> str:
    taxonomy = taxonomy_of(column)
    name = _cut(column.name)
    if taxonomy is None:
        return f"The values of {name} have no place yet."
    if taxonomy.uncovered == 1:
        return f"1 value of {name} has no place yet."
    return f"{taxonomy.uncovered:,} values of {name} have no place yet."


def _what_waits(others: Sequence[DatasetColumn]) -> str:
    if not others:
        return "A run would refuse them, so place them first."
    more = "1 more column is" if len(others) == 1 else f"{len(others)} more columns are"
    return f"{more} open; a run waits for all of them."


def _open_columns(columns: Sequence[DatasetColumn]) -> str:
    names = [_cut(column.name) for column in columns[:NAMES_SHOWN]]
    more = len(columns) - len(names)
    parts = [*names, f"{more} more"] if more else names
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    need = "needs a complete taxonomy" if len(columns) == 1 else "need complete taxonomies"
    return f"{listed} still {need}."


def _next_column(dataset: Dataset, column: DatasetColumn, others: Sequence[DatasetColumn]) -> Act:
    """Lead to the next open column in the order of the table, from the last to the first."""
    following = next((other for other in others if other.position > column.position), others[0])
    url = reverse("taxonomies:workbench", args=[dataset.id, following.position])
    return Act(f"Next open column: {_cut(following.name)}", url=url)


def _cut(name: str) -> str:
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"
