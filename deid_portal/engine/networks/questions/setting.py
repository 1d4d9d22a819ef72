"""The setting of questions about a network: who is protected, and who counts as a person.

Neighbors are networks that differ in one link, or in one person with all links. Under the second a
person could change everything, so links beyond a bound per person are left out before counting.

Who counts as a person must follow from that person's own entries. With a list of people, those on
it count. With links only, people with a link count: the file names nobody else, and removing one
person also removes those who are linked to that person only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from deid_portal.engine.differential.selection.domains import parse_domain
from deid_portal.engine.differential.setting import (
    Neighbours,
    PersonUnit,
    PrivacySetting,
    parse_delta,
    parse_size,
)
from deid_portal.engine.documents import Place

MOST_LINKS_PER_PERSON = 100_000
PRIVACY_KEYS = ("bound", "people", "size", "delta")


class ProtectedUnit(StrEnum):
    LINKS = "links"
    PEOPLE = "people"


class People(StrEnum):
    """Who counts as a person of the network."""

    LISTED = "listed"
    LINKED = "linked"


@dataclass(frozen=True)
class NetworkSetting(PrivacySetting):
    """Who is protected, how many links of a person count, and the domains of the node table.

    `size` is the number of people, where that is public anyway.
    """

    protects: ProtectedUnit = ProtectedUnit.LINKS
    bound: int | None = None  # only where people are protected
    people: People = People.LINKED

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read {"protects", "bound", "people", "size", "delta", "domains"}; raises InvalidPlan."""
        place = Place(document)
        place.check_keys(("protects", "domains"), PRIVACY_KEYS)
        return cls.parse(place, place["domains"])

    @classmethod
    def parse(cls, place: Place, domains: Place) -> Self:
        if "protects" not in place:
            place.refuse('"protects" is missing; say "links" or "people".')
        protects = ProtectedUnit(place["protects"].choice([one.value for one in ProtectedUnit]))
        people = People.LINKED
        if "people" in place:
            people = People(place["people"].choice([one.value for one in People]))
        setting = cls(
            neighbours=Neighbours.ADD_REMOVE,
            size=parse_size(place["size"]),
            delta=parse_delta(place["delta"]),
            domains={name: parse_domain(entry) for name, entry in domains.entries()},
            protects=protects,
            bound=_parse_bound(place["bound"], protects),
            people=people,
        )
        if setting.domains and not setting.is_listed:
            domains.refuse(
                'columns belong to people who are listed; say "people": "listed", or leave them '
                "out."
            )
        return setting

    def to_document(self) -> dict[str, Any]:
        document = super().to_document()
        del document["neighbours"]
        return {**self._own_document(), "people": self.people.value, **document}

    def relation(self) -> dict[str, Any]:
        return {**super().relation(), **self._own_document()}

    def _own_document(self) -> dict[str, Any]:
        bound = {} if self.bound is None else {"bound": self.bound}
        return {"protects": self.protects.value, **bound}

    @property
    def is_listed(self) -> bool:
        return self.people is People.LISTED

    @property
    def answers_about_tables(self) -> bool:
        """Say whether questions about rows can be answered: if people are protected."""
        return self.protects is ProtectedUnit.PEOPLE and self.is_listed

    @property
    def averages_by_size(self) -> bool:
        """Say whether an average is divided by the public number of people."""
        return self.protects is ProtectedUnit.LINKS

    @property
    def most_links(self) -> int:
        """Return how many links of a person count."""
        if self.bound is None:
            raise TypeError("only where people are protected is there a bound")
        return self.bound

    @property
    def links_counted(self) -> int | None:
        return self.bound

    @property
    def unit_words(self) -> str:
        return "one link" if self.protects is ProtectedUnit.LINKS else "one person with all links"

    @property
    def noun(self) -> str:
        return "link" if self.protects is ProtectedUnit.LINKS else "person"

    @property
    def whole_unit(self) -> str:
        return "link" if self.protects is ProtectedUnit.LINKS else "person, with all links,"

    @property
    def place(self) -> str:
        return "network"

    @property
    def protected_words(self) -> str:
        if self.bound is None:
            return "every link"
        return f"every person with all links; {self._counted}"

    @property
    def terms_words(self) -> str:
        count = f"; {self._counted}" if self.bound else ""
        return f"{self.unit_words}{count} · neighbors by adding or removing"

    @property
    def _counted(self) -> str:
        return f"{self.bound:,} links of a person count"


def read_setting(document: Mapping[str, Any]) -> PrivacySetting:
    """Read the setting of a table or, if it says what it protects, of a network."""
    kind = NetworkSetting if "protects" in document else PrivacySetting
    return kind.from_document(document)


def _parse_bound(place: Place, protects: ProtectedUnit) -> int | None:
    if protects is ProtectedUnit.LINKS:
        if place.value is not None:
            place.refuse("a bound is only needed to protect people; leave it out.")
        return None
    if place.value is None:
        place.refuse(
            "this is required to protect people: the most links of a person that count, chosen "
            "without looking at the network."
        )
    bound = place.integer()
    if not 1 <= bound <= MOST_LINKS_PER_PERSON:
        place.refuse(f"a whole number from 1 to {MOST_LINKS_PER_PERSON} is accepted.")
    return bound


def relation_of(answer: Mapping[str, Any], rows_per_person: int | None) -> PrivacySetting:
    """Return as much of a setting as an answer says: whom it protects."""
    if "protects" in answer:
        return NetworkSetting(Neighbours.ADD_REMOVE, protects=ProtectedUnit(answer["protects"]))
    unit = PersonUnit("", rows_per_person) if rows_per_person else None
    return PrivacySetting(Neighbours(answer["neighbours"]), unit)
