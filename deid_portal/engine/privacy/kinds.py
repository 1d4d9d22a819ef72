"""Classification of privacy models: the attacks and the kind of disclosure they are about."""

from dataclasses import dataclass
from enum import StrEnum


class AttackModel(StrEnum):
    """The attack models of Fung et al., Privacy-preserving data publishing, 2010."""

    RECORD_LINKAGE = "record"
    ATTRIBUTE_LINKAGE = "attribute"
    TABLE_LINKAGE = "table"
    PROBABILISTIC = "probabilistic"


class DisclosureKind(StrEnum):
    """What somebody may learn about a person: which row, which value, or being there at all."""

    IDENTITY = "identity"
    ATTRIBUTE = "attribute"
    MEMBERSHIP = "membership"


@dataclass(frozen=True)
class Disclosure:
    """A place in Torra's table of privacy models (Guide to data privacy, 2022).

    A boolean model holds or does not; a quantitative one measures how much is disclosed.
    """

    kinds: tuple[DisclosureKind, ...]
    is_quantitative: bool = False
    releases_database: bool = True  # and not answers to queries


IDENTITY = Disclosure((DisclosureKind.IDENTITY,))
ATTRIBUTE = Disclosure((DisclosureKind.ATTRIBUTE,))
IDENTITY_AND_ATTRIBUTE = Disclosure((DisclosureKind.IDENTITY, DisclosureKind.ATTRIBUTE))
MEMBERSHIP = Disclosure((DisclosureKind.MEMBERSHIP,))
IDENTITY_MEASURED = Disclosure((DisclosureKind.IDENTITY,), is_quantitative=True)
ATTRIBUTE_MEASURED = Disclosure((DisclosureKind.ATTRIBUTE,), is_quantitative=True)
