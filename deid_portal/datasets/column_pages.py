"""The contexts of the tagging page and of its parts, for all views."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from deid_portal.accounts.people import person_of
from deid_portal.datasets.column_list import MANY, SHOWN, ColumnView, Line, fold, list_columns
from deid_portal.datasets.column_rows import (
    ColumnRow,
    FamilyRow,
    describe_column,
    describe_family,
)
from deid_portal.datasets.dangers import (
    combination_of,
    danger_order,
    is_dangerous,
    worst_combination,
)
from deid_portal.datasets.families import Family, find_families
from deid_portal.datasets.figures import histogram_of_column
from deid_portal.datasets.isolation import isolation_figures
from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn, TreatmentChoices
from deid_portal.datasets.next_bars import ColumnStanding, bar_of_columns
from deid_portal.datasets.permissions import can_see_values
from deid_portal.datasets.policies import check_columns_decided
from deid_portal.datasets.roles import ROLE_CHOICES, UNDECIDED, find_role
from deid_portal.datasets.selectors import columns_without_values
from deid_portal.web.refusals import refusal

SHOW_WORDS = {"all": "All", "open": "To decide", "decided": "Decided"}
LONGEST_VIEW = 4000


@dataclass(frozen=True)
class ShowLink:
    """One of the three views above the table."""

    value: str
    words: str
    count: int
    query: str


def view_of(asked: QueryDict) -> ColumnView:
    """Read the view from an address, or from the field in which forms send it along."""
    if "view" in asked:
        asked = QueryDict(str(asked["view"])[:LONGEST_VIEW])
    return ColumnView.read({name: str(asked[name]) for name in asked})


def url_of(dataset: Dataset, view: ColumnView, **more: object) -> str:
    query = view.query(**more)
    return reverse("datasets:columns", args=[dataset.id]) + (f"?{query}" if query else "")


def page_context(
    request: HttpRequest, dataset: Dataset, view: ColumnView, selected: DatasetColumn | None
) -> dict[str, Any]:
    """Return the context of the page; the panel of a wide table opens on request only."""
    columns = columns_without_values(dataset)
    sees_values = can_see_values(person_of(request), dataset)
    listing = list_columns(columns, dataset.rows, view, sees_values=sees_values)
    if selected is None and 0 < len(columns) <= MANY:  # a network may have no column
        first = min(columns, key=danger_order)
        selected = dataset.columns.get(position=first.position)
    return {
        "rows": _draw(request, dataset, listing.lines, listing.view),
        "listing": listing,
        "worst_pair": worst_combination(columns, dataset.rows, "pair") if sees_values else None,
        "worst_trio": worst_combination(columns, dataset.rows, "worst") if sees_values else None,
        "current": "columns",
        "help_slug": "columns",
        **_head(request, dataset, columns, listing.view),
        **(_panel(request, dataset, columns, selected, listing.view) if selected else {}),
    }


def panel_context(
    request: HttpRequest, dataset: Dataset, view: ColumnView, column: DatasetColumn
) -> dict[str, Any]:
    return _panel(request, dataset, columns_without_values(dataset), column, view)


def row_context(
    request: HttpRequest, dataset: Dataset, view: ColumnView, column: DatasetColumn, note: str
) -> dict[str, Any]:
    """Return the context of a changed row, its family, and the parts around the table."""
    columns = columns_without_values(dataset)
    family = _open_family_of(dataset, columns, view, column)
    key = family.key if family else None
    around = _draw(request, dataset, [family], view) if family else []
    return {
        "row": describe_column(dataset, column, family=key, note=note),
        "family_row": around[0] if around else None,
        "shows_meaning": request.POST.get("shown") == str(column.position),
        **_head(request, dataset, columns, list_columns(columns, dataset.rows, view).view),
        **_meaning(dataset, column),
    }


def _open_family_of(
    dataset: Dataset, columns: Sequence[DatasetColumn], view: ColumnView, column: DatasetColumn
) -> Family | None:
    """Return the family whose open row stands above a column on the page it was changed on."""
    kept = replace(view, kept=view.kept | {column.position})
    lines = list_columns(columns, dataset.rows, kept).lines
    found = (line for line in lines if isinstance(line, Family) and line.key in view.opened)
    return next((line for line in found if column in line.columns), None)


def _draw(
    request: HttpRequest, dataset: Dataset, lines: Sequence[Line], view: ColumnView
) -> list[ColumnRow | FamilyRow]:
    """Return the lines of a page; only the profiles they show are decrypted."""
    sees_values = can_see_values(person_of(request), dataset)
    wanted = {column.position for line in lines for column in _columns_drawn(line, view)}
    opened = {column.position: column for column in dataset.columns.filter(position__in=wanted)}
    rows: list[ColumnRow | FamilyRow] = []
    for line in lines:
        if isinstance(line, Family):
            members = tuple(opened.get(column.position, column) for column in line.columns)
            rows.append(
                describe_family(
                    dataset,
                    Family(members),
                    sees_values=sees_values,
                    is_open=line.key in view.opened,
                    toggle=view.toggled(line.key).query(),
                )
            )
        else:
            column = opened[line.position]
            rows.append(describe_column(dataset, column))
    return rows


def _columns_drawn(line: Line, view: ColumnView) -> tuple[DatasetColumn, ...]:
    if not isinstance(line, Family):
        return (line,)
    return line.columns if line.key in view.opened else (line.first, line.last)


def _head(
    request: HttpRequest, dataset: Dataset, columns: Sequence[DatasetColumn], view: ColumnView
) -> dict[str, Any]:
    """Return the context of the parts around the table: counters, map, views, undo, next bar."""
    person = person_of(request)
    can_change = can_see_values(person, dataset)
    standing = _standing(dataset, columns)
    return {
        "dataset": dataset,
        "roles": ROLE_CHOICES,
        "treatments": TreatmentChoices.choices,
        "standing": standing,
        "view": view,
        "view_query": view.query(),
        "shows": _shows(standing, view),
        "ticks": _ticks(columns) if standing.is_many else (),
        "can_change": can_change,
        "can_undo": can_change and dataset.taggings.filter(made_by=person).exists(),
        "bar": bar_of_columns(dataset, standing, can_change),
    }


def _standing(dataset: Dataset, columns: Sequence[DatasetColumn]) -> ColumnStanding:
    still_open = [column for column in columns if not column.role]
    suggested = Counter(column.suggestion.get("role") or "" for column in still_open)
    del suggested[""]
    return ColumnStanding(
        total=len(columns),
        decided=len(columns) - len(still_open),
        refusal=refusal(check_columns_decided, dataset),
        dangerous=sum(1 for column in still_open if is_dangerous(column)),
        lines=len(fold(still_open, find_families(columns, dataset.rows))),
        suggested=suggested,
        free_texts=tuple(column.name for column in still_open if column.is_free_text),
    )


def _shows(standing: ColumnStanding, view: ColumnView) -> list[ShowLink]:
    counts = {"all": standing.total, "open": standing.open, "decided": standing.decided}
    fresh = replace(view, page=1, kept=frozenset())
    return [
        ShowLink(show, SHOW_WORDS[show], counts[show], replace(fresh, show=show).query())
        for show in SHOWN
    ]


def _ticks(columns: Sequence[DatasetColumn]) -> list[str]:
    """One word per column for the map: what is open and dangerous first, what is decided last."""
    order = ("dangerous", "open", "decided")
    return sorted((_tick(column) for column in columns), key=order.index)


def _tick(column: DatasetColumn) -> str:
    if column.role:
        return "decided"
    return "dangerous" if is_dangerous(column) else "open"


def _panel(
    request: HttpRequest,
    dataset: Dataset,
    columns: Sequence[DatasetColumn],
    column: DatasetColumn,
    view: ColumnView,
) -> dict[str, Any]:
    sees_values = can_see_values(person_of(request), dataset)
    row = describe_column(dataset, column)
    drawn = sees_values and row.shape.is_drawn
    names = {one.position: one.name for one in columns}
    return {
        "selected": column,
        "selected_row": row,
        "frequent": column.profile.get("most_frequent") if drawn else None,
        "chart": histogram_of_column(column, dataset.rows) if drawn else None,
        "company": combination_of(column, names, dataset.rows) if sees_values else None,
        "isolation": isolation_figures(columns, column) if sees_values else None,
        "can_change": sees_values,
        "view_query": view.query(),
        "neighbours": _neighbours(column, len(columns)),
        **_meaning(dataset, column),
    }


def _neighbours(column: DatasetColumn, total: int) -> list[tuple[int, str, str]]:
    """Return where the two arrows lead: place, words and icon."""
    steps = ((-1, "above", "chevron-up"), (1, "below", "chevron-down"))
    near = ((column.position + by, words, icon) for by, words, icon in steps)
    return [(place, words, icon) for place, words, icon in near if 0 <= place < total]


def _meaning(dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    role = find_role(column.role)
    return {
        "dataset": dataset,
        "meant": column,
        "meant_role": role,
        "meaning": role.meaning if role else UNDECIDED,
        "may_be_coarser": (column.role or column.suggestion.get("role"))
        == ColumnRoleChoices.QUASI_IDENTIFIER,
        "roles": ROLE_CHOICES,
    }
