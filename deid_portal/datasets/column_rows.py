"""Rows of the tagging table, ready to be drawn: a column, or a family that stands for many."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from deid_portal.datasets.column_list import write_positions
from deid_portal.datasets.dangers import Advice, advice_of
from deid_portal.datasets.families import Family
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.roles import RoleChoice, find_role
from deid_portal.datasets.shapes import Shape, describe_shape

MANY_OF = {
    "text": "texts",
    "integer": "whole numbers",
    "number": "numbers",
    "date": "dates",
    "boolean": "yes or no",
}
LONGEST_SCALE = 11


@dataclass(frozen=True)
class ColumnRow:
    column: DatasetColumn
    role: RoleChoice | None
    advice: Advice | None
    shape: Shape
    missing_share: float
    family: int | None = None  # the key of the open family it lies in
    note: str = ""  # another person's decision meanwhile

    @property
    def is_family(self) -> bool:
        return False


@dataclass(frozen=True)
class FamilyRow:
    """One row for many columns; its members follow when it is open."""

    family: Family
    words: str
    role: RoleChoice | None  # if all members have the same
    mixed: str  # what they are, when they differ
    advice: Advice | None
    shape: Shape
    least_missing: float
    most_missing: float
    fewest: int
    most: int
    open_count: int
    members: list[ColumnRow]
    toggle: str  # the query that opens or closes it

    @property
    def is_family(self) -> bool:
        return True

    @property
    def positions(self) -> str:
        return write_positions(column.position for column in self.family.columns)

    @property
    def is_open(self) -> bool:
        return bool(self.members)

    @property
    def missing_words(self) -> str:
        least, most = round(100 * self.least_missing), round(100 * self.most_missing)
        return f"{least}–{most}\u00a0%" if least < most else f"{most}\u00a0%"


def describe_column(
    dataset: Dataset, column: DatasetColumn, *, family: int | None = None, note: str = ""
) -> ColumnRow:
    return ColumnRow(
        column,
        find_role(column.role),
        advice_of(column),
        describe_shape(column, dataset.rows),
        column.missing / dataset.rows if dataset.rows else 0,
        family,
        note,
    )


def describe_family(
    dataset: Dataset, family: Family, *, sees_values: bool, is_open: bool, toggle: str
) -> FamilyRow:
    columns = family.columns
    roles = Counter(column.role for column in columns)
    shares = [column.missing / dataset.rows if dataset.rows else 0 for column in columns]
    counts = [column.distinct for column in columns]
    members = [
        describe_column(dataset, column, family=family.key)
        for column in (columns if is_open else ())
    ]
    return FamilyRow(
        family,
        _what_they_are(columns, sees_values=sees_values),
        find_role(columns[0].role) if len(roles) == 1 else None,
        _say_roles(roles) if len(roles) > 1 else "",
        _shared_advice(family),
        describe_shape(family.first, dataset.rows),
        min(shares),
        max(shares),
        min(counts),
        max(counts),
        roles.get("", 0),
        members,
        toggle,
    )


def _what_they_are(columns: Sequence[DatasetColumn], *, sees_values: bool) -> str:
    """Say how many of what: 24 whole numbers, or 12 scales 1–5 to those who see values."""
    first, last = columns[0], columns[-1]
    # The first and the last represent all, so that a closed family decrypts only two profiles.
    ends = {(c.profile.get("minimum"), c.profile.get("maximum")) for c in (first, last)}
    low, high = next(iter(ends))
    is_scale = first.type == "integer" and len(ends) == 1 and low is not None and high is not None
    if sees_values and is_scale and high - low < LONGEST_SCALE:
        return f"{len(columns)} scales {low:.0f}–{high:.0f}"
    return f"{len(columns)} {MANY_OF[first.type]}"


def _say_roles(roles: Counter[str]) -> str:
    words = []
    for value, count in roles.most_common():
        role = find_role(value)
        words.append(f"{count} {role.short.lower() if role else 'open'}")
    return ", ".join(words)


def _shared_advice(family: Family) -> Advice | None:
    """Return the suggestion for all members; its reason is what their reasons have in common."""
    advice = advice_of(family.worst)
    if advice is None:
        return None
    reasons = [_sentences(column.suggestion.get("reason", "")) for column in family.columns]
    shared = " ".join(_common_beginning(reasons))
    reason = shared or f"{family.worst.name}: {_sentences(advice.reason)[0]}"
    return replace(advice, reason=reason)


def _sentences(reason: str) -> list[str]:
    parts = reason.removesuffix(".").split(". ")
    return [f"{part}." for part in parts]


def _common_beginning(reasons: Iterable[list[str]]) -> list[str]:
    pairs = takewhile(lambda sentences: len(set(sentences)) == 1, zip(*reasons, strict=False))
    return [sentences[0] for sentences in pairs]
