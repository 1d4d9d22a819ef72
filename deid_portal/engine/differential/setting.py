"""The setting of all questions: the neighbor relation and the declared domains of columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from deid_portal.engine.differential.selection.domains import (
    DateDomain,
    Domain,
    NumberDomain,
    ValuesDomain,
    parse_domain,
)
from deid_portal.engine.documents import Place

MOST_ROWS = 2**32  # sums of so many numbers still fit 64 bits
MOST_ROWS_PER_PERSON = 10_000
LARGEST_DELTA = 0.01
SMALLEST_DELTA = 1e-15


class Neighbours(StrEnum):
    """Neighbor relations; an ε under one is not comparable with an ε under the other."""

    ADD_REMOVE = "add_remove"
    REPLACE = "replace"


@dataclass(frozen=True)
class PersonUnit:
    """A person may have several rows; at most so many of them are kept."""

    column: str
    rows: int

    @classmethod
    def parse(cls, place: Place) -> "PersonUnit":
        place.check_keys(required=("column", "rows"))
        rows = place["rows"].integer()
        if not 1 <= rows <= MOST_ROWS_PER_PERSON:
            place["rows"].refuse(f"a whole number from 1 to {MOST_ROWS_PER_PERSON} is accepted.")
        return cls(place["column"].text(), rows)


@dataclass(frozen=True)
class PrivacySetting:
    """Neighbor relation, unit of privacy, public size, δ, and the declared domains."""

    neighbours: Neighbours
    person: PersonUnit | None = None
    size: int | None = None
    delta: float | None = None
    domains: Mapping[str, Domain] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read {"neighbours", "person", "size", "delta", "domains"}; raises InvalidPlan."""
        place = Place(document)
        place.check_keys(("neighbours", "domains"), ("person", "size", "delta"))
        return cls.parse(place, place["domains"])

    @classmethod
    def parse(cls, place: Place, domains: Place) -> Self:
        """Read the privacy part and the domains of a plan."""
        if "neighbours" not in place:
            place.refuse('"neighbours" is missing; say "add_remove" or "replace".')
        return cls(
            neighbours=Neighbours(place["neighbours"].choice([one.value for one in Neighbours])),
            person=PersonUnit.parse(place["person"]) if place["person"].value else None,
            size=parse_size(place["size"]),
            delta=parse_delta(place["delta"]),
            domains={name: parse_domain(entry) for name, entry in domains.entries()},
        )

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"neighbours": self.neighbours.value}
        if self.person is not None:
            document["person"] = {"column": self.person.column, "rows": self.person.rows}
        if self.size is not None:
            document["size"] = self.size
        if self.delta is not None:
            document["delta"] = self.delta
        document["domains"] = {name: own.to_document() for name, own in self.domains.items()}
        return document

    def relation(self) -> dict[str, Any]:
        """Return what an answer must say about whom it protects."""
        return {"neighbours": self.neighbours.value}

    @property
    def rows_per_person(self) -> int:
        return self.person.rows if self.person is not None else 1

    @property
    def replaces(self) -> bool:
        return self.neighbours == Neighbours.REPLACE

    @property
    def unit_words(self) -> str:
        """Say who is protected: "one person (at most 3 rows)"."""
        if self.person is None:
            return "one row"
        rows = self.person.rows
        return f"one person (at most {rows} row{'s' if rows > 1 else ''})"

    @property
    def neighbour_words(self) -> str:
        changed = "replaced" if self.replaces else "added or taken away"
        return f"{self.unit_words} is {changed}"

    @property
    def noun(self) -> str:
        """What one answer hardly depends on: one of these in the `place`."""
        return "person"

    @property
    def whole_unit(self) -> str:
        """The noun with all that goes with it."""
        return "person"

    @property
    def place(self) -> str:
        return "table"

    @property
    def protected_words(self) -> str:
        """Say what is protected: "a person, up to 3 rows (patient)"."""
        if self.person is None:
            return "one row, one person"
        return f"a person, up to {self.person.rows} rows ({self.person.column})"

    @property
    def terms_words(self) -> str:
        """Say whom an answer protects, and the neighbor relation."""
        unit = self.unit_words if self.person else f"{self.unit_words}, one person"
        return f"{unit} · neighbors by {'replacing' if self.replaces else 'adding or removing'}"

    @property
    def links_counted(self) -> int | None:
        """The most links of a person that count, where there are links and a bound."""
        return None

    def number_domain(self, place: Place) -> NumberDomain:
        """Return the declared bounds of the column named at a place."""
        domain = self.domain(place)
        if not isinstance(domain, NumberDomain):
            place.refuse('this column has no bounds; declare {"low": …, "high": …} for it.')
        return domain

    def date_domain(self, place: Place) -> DateDomain:
        """Return the declared period of the column named at a place."""
        domain = self.domain(place)
        if not isinstance(domain, DateDomain):
            place.refuse('this column has no period; declare {"first": …, "last": …} for it.')
        return domain

    def ordered_domain(self, place: Place) -> NumberDomain | DateDomain:
        """Return the declared bounds or period of the column named at a place."""
        domain = self.domain(place)
        return domain if isinstance(domain, DateDomain) else self.number_domain(place)

    def values_domain(self, place: Place) -> ValuesDomain:
        """Return the declared values of the column named at a place."""
        domain = self.domain(place)
        if not isinstance(domain, ValuesDomain):
            place.refuse('this column has no list of values; declare {"values": […]} for it.')
        return domain

    def bounds_of(self, column: str) -> NumberDomain:
        """Return the bounds of a column that a question was accepted for."""
        domain = self.domains[column]
        if not isinstance(domain, NumberDomain):
            raise TypeError("the column has no bounds")
        return domain

    def period_of(self, column: str) -> DateDomain:
        """Return the period of a column that a question was accepted for."""
        domain = self.domains[column]
        if not isinstance(domain, DateDomain):
            raise TypeError("the column has no period")
        return domain

    def values_of(self, column: str) -> ValuesDomain:
        """Return the values of a column that a question was accepted for."""
        domain = self.domains[column]
        if not isinstance(domain, ValuesDomain):
            raise TypeError("the column has no list of values")
        return domain

    def domain(self, place: Place) -> Domain:
        """Return what is declared for the column named at a place."""
        name = place.text()
        if name not in self.domains:
            place.refuse("nothing is declared for this column; give it a place in the domains.")
        return self.domains[name]


def parse_size(place: Place) -> int | None:
    if place.value is None:
        return None
    size = place.integer()
    if not 1 <= size <= MOST_ROWS:
        place.refuse(f"a whole number from 1 to {MOST_ROWS} is accepted.")
    return size


def parse_delta(place: Place) -> float | None:
    if place.value is None:
        return None
    delta = float(place.number())
    if not SMALLEST_DELTA <= delta <= LARGEST_DELTA:
        place.refuse(
            f"a number from {SMALLEST_DELTA:g} to {LARGEST_DELTA:g} is accepted, far below one "
            f"over the number of people."
        )
    return delta
