"""Families: columns with a common stem, type and distribution, shown and tagged together."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deid_portal.datasets.dangers import danger_order
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.shapes import say_shape

SMALLEST = 3
# Names of a family may differ in one number, or in one letter at the end.
NUMBER = re.compile(r"\d+")
LAST_LETTER = re.compile(r"(?<=[\d_. -])[A-Za-z]$")
LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Family:
    """Columns in file order; the position of the first one is the key of the family."""

    columns: tuple[DatasetColumn, ...]

    @property
    def key(self) -> int:
        return self.columns[0].position

    @property
    def worst(self) -> DatasetColumn:
        """The most dangerous member, which represents all."""
        return min(self.columns, key=danger_order)

    @property
    def first(self) -> DatasetColumn:
        return self.columns[0]

    @property
    def last(self) -> DatasetColumn:
        return self.columns[-1]


def find_families(columns: Iterable[DatasetColumn], rows: int) -> list[Family]:
    """Group columns whose names differ in one place; larger families come first."""
    alike: dict[tuple[str, ...], list[DatasetColumn]] = defaultdict(list)
    for column in sorted(columns, key=lambda column: column.position):
        kind = _kind(column, rows)
        for stem in dict.fromkeys(_stems(column.name)):
            alike[stem, *kind].append(column)
    families, taken = [], set[int]()
    for members in sorted(alike.values(), key=lambda members: (-len(members), members[0].position)):
        free = tuple(column for column in members if column.position not in taken)
        if len(free) >= SMALLEST:
            families.append(Family(free))
            taken |= {column.position for column in free}
    return families


def _stems(name: str) -> Iterator[str]:
    for part in (*NUMBER.finditer(name), *LAST_LETTER.finditer(name)):
        stem = f"{name[: part.start()]}\0{name[part.end() :]}"
        if LETTER.search(stem):
            yield stem


def _kind(column: DatasetColumn, rows: int) -> tuple[str, ...]:
    """What members have in common beside their names."""
    return column.type, column.suggestion.get("role") or "", say_shape(column, rows)
