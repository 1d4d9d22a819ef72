"""The rows of the tagging page: filtered, sorted by danger, grouped into families, paged."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator

from deid_portal.datasets.dangers import DANGERS, danger_order
from deid_portal.datasets.families import SMALLEST, Family, find_families
from deid_portal.datasets.models import ColumnRoleChoices, DatasetColumn

ROWS_PER_PAGE = 50
# With more columns than this, the page begins with those to decide and keeps its panel closed.
MANY = 50
ALL, OPEN, DECIDED = "all", "open", "decided"
SHOWN = (ALL, OPEN, DECIDED)
TERM = re.compile(r"(type|role|danger):(.*)|missing>(\d{1,3})")
SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")

Line = DatasetColumn | Family
Positions = frozenset[int]


@dataclass(frozen=True)
class ColumnView:
    """Filters and page; part of the address, so that a reload shows the same."""

    show: str = ""
    find: str = ""
    page: int = 1
    opened: Positions = frozenset()  # families, by their key
    kept: Positions = frozenset()  # just decided: stay visible under "To decide"

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> "ColumnView":
        page = asked.get("page", "")
        return cls(
            show=asked.get("show", "") if asked.get("show") in SHOWN else "",
            find=asked.get("find", "").strip()[:200],
            page=int(page) if page.isdecimal() and len(page) < 6 else 1,
            opened=read_positions(asked.get("open", "")),
            kept=read_positions(asked.get("kept", "")),
        )

    def query(self, **more: object) -> str:
        """Return the view as query parameters, without defaults."""
        asked = {
            "show": self.show,
            "find": self.find,
            "page": self.page if self.page > 1 else "",
            "open": write_positions(self.opened),
            "kept": write_positions(self.kept),
            **more,
        }
        return urlencode({name: value for name, value in asked.items() if value != ""})

    def toggled(self, key: int) -> "ColumnView":
        return replace(self, opened=self.opened ^ {key})


@dataclass(frozen=True)
class Listing:
    """The rows of one page, and how many columns and rows there are in all."""

    view: ColumnView
    page: Page[Line]
    columns: int  # that match

    @property
    def lines(self) -> list[Line]:
        return list(self.page.object_list)

    @property
    def line_count(self) -> int:
        return self.page.paginator.count

    @property
    def previous_query(self) -> str:
        return replace(self.view, page=self.page.number - 1).query()

    @property
    def next_query(self) -> str:
        return replace(self.view, page=self.page.number + 1).query()


def list_columns(
    columns: Sequence[DatasetColumn], rows: int, view: ColumnView, *, sees_values: bool = True
) -> Listing:
    """Filter, sort and fold the columns of a dataset, and cut out the page asked for.

    People who may not see values cannot filter by the share of missing cells.
    """
    view = replace(view, show=view.show or usual_show(columns))
    words = view.find.casefold().split()
    families = find_families(columns, rows)
    matching = [
        column
        for column in columns
        if _is_shown(column, view)
        and all(_matches(column, rows, word, sees_values=sees_values) for word in words)
    ]
    lines = fold(matching, families)
    page = Paginator(lines, ROWS_PER_PAGE).get_page(view.page)
    return Listing(replace(view, page=page.number), page, len(matching))


def usual_show(columns: Sequence[DatasetColumn]) -> str:
    is_open = any(not column.role for column in columns)
    return OPEN if len(columns) > MANY and is_open else ALL


def fold(columns: Iterable[DatasetColumn], families: Iterable[Family]) -> list[Line]:
    """Group the listed members of families into one line each, the most dangerous first."""
    here = {column.position: column for column in columns}
    lines: list[Line] = []
    for family in families:
        members = tuple(here[one.position] for one in family.columns if one.position in here)
        if len(members) >= SMALLEST:
            lines.append(Family(members))
            for member in members:
                del here[member.position]
    lines += here.values()
    return sorted(
        lines, key=lambda line: danger_order(line.worst if isinstance(line, Family) else line)
    )


def _is_shown(column: DatasetColumn, view: ColumnView) -> bool:
    if view.show == ALL or column.position in view.kept:
        return True
    return bool(column.role) == (view.show == DECIDED)


def _matches(column: DatasetColumn, rows: int, word: str, *, sees_values: bool) -> bool:
    term = TERM.fullmatch(word)
    if term is None:
        return word in column.name.casefold()
    if term[3]:
        return sees_values and column.missing * 100 > int(term[3]) * rows
    return _KEYS[term[1]](column, term[2])


def _danger_is(column: DatasetColumn, wanted: str) -> bool:
    """ "Very high" is high, too."""
    danger = DANGERS.get(column.suggestion.get("danger", ""))
    return danger is not None and wanted in danger.label.casefold()


def _role_is(column: DatasetColumn, wanted: str) -> bool:
    words = ColumnRoleChoices(column.role).label.casefold() if column.role else "open"
    return words.startswith(wanted) or (bool(wanted) and column.role.startswith(wanted))


def _type_is(column: DatasetColumn, wanted: str) -> bool:
    return column.type_label.startswith(wanted) or column.type.startswith(wanted)


_KEYS: dict[str, Callable[[DatasetColumn, str], bool]] = {
    "danger": _danger_is,
    "role": _role_is,
    "type": _type_is,
}


def write_positions(positions: Iterable[int]) -> str:
    """Write positions of columns in a short form: 3-26.40."""
    spans: list[list[int]] = []
    for position in sorted(positions):
        if spans and spans[-1][1] == position - 1:
            spans[-1][1] = position
        else:
            spans.append([position, position])
    return ".".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def read_positions(text: str) -> Positions:
    """Read positions of columns; invalid ones are ignored."""
    found: set[int] = set()
    for part in text.split("."):
        span = SPAN.fullmatch(part)
        if span is not None:
            first, last = int(span[1]), int(span[2] or span[1])
            found.update(range(first, min(last, first + 10_000) + 1))
    return frozenset(found)
