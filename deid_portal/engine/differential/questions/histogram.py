"""How many rows fall into each bucket of a number."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any, ClassVar

from deid_portal.engine.differential.fields import Field, NumberColumn, NumberField, NumberList
from deid_portal.engine.differential.noise.noise import FOR_COUNTS
from deid_portal.engine.differential.questions.cells_question import CellsQuestion
from deid_portal.engine.differential.selection.buckets import (
    MOST_BUCKETS,
    check_edges,
    equal_edges,
    find_buckets,
)
from deid_portal.engine.differential.selection.domains import Indices, NumberDomain, plain_number
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place

BUCKET_FIELDS: tuple[Field, ...] = (
    NumberColumn(),
    NumberField(
        name="buckets",
        label="How many equally wide buckets",
        whole=True,
        minimum=1,
        maximum=MOST_BUCKETS,
    ),
    NumberList(
        name="edges",
        label="Or their edges, from the lowest declared number to the highest",
        required=False,
        fewest=2,
        most=MOST_BUCKETS + 1,
    ),
)


@dataclass(frozen=True)
class Histogram(CellsQuestion):
    """Either so many equally wide buckets, or buckets between given edges."""

    column: str
    buckets: int | None
    edges: tuple[float, ...] | None

    kind: ClassVar[str] = "histogram"
    label: ClassVar[str] = "Histogram"
    tile: ClassVar[str] = "How a number is spread, in buckets you fix beforehand"
    answer_unit: ClassVar[str] = "people"
    fields: ClassVar[tuple[Field, ...]] = (*BUCKET_FIELDS, FOR_COUNTS)

    def check(self, place: Place) -> None:
        if (self.buckets is None) == (self.edges is None):
            place.refuse('either "buckets" or "edges" is needed.')
        if self.edges is not None:
            check_edges(place["edges"], self.edges, self.domain)
        super().check(place)

    @property
    def domain(self) -> NumberDomain:
        return self.setting.bounds_of(self.column)

    @property
    def all_edges(self) -> tuple[float, ...]:
        return self.edges or equal_edges(self.domain, self.buckets or 1)

    @property
    def cells(self) -> int:
        return len(self.all_edges) - 1

    def cell_of(self, rows: SelectedRows) -> Indices:
        return find_buckets(rows.numbers(self.column), self.all_edges)

    def names(self) -> list[Mapping[str, Any]]:
        pairs = list(pairwise(self.all_edges))
        if not self.domain.whole:
            return [{"from": plain_number(low), "to": plain_number(high)} for low, high in pairs]
        # An upper edge belongs to the next bucket; only the last holds its own.
        ends = [*(ceil(high) - 1 for _, high in pairs[:-1]), int(pairs[-1][1])]
        return [
            {"from": plain_number(low), "to": end}
            for (low, _), end in zip(pairs, ends, strict=True)
        ]

    def asks(self) -> str:
        return f"How many rows fall into each of {self.cells} buckets of {self.column}"
