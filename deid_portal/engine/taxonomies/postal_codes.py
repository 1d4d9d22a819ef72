"""Postal codes: how those of a country are written, and what heading says that digits are codes.

The first signs of a code name a region everywhere; `library/postcodes.py` says which.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deid_portal.engine.table.headings import take_apart

FEWEST_VALUES = 5
POSTAL_WORDS = frozenset(
    "zip zipcode zip5 plz postleitzahl postcode postcodes postal postalcode postnr postnummer cp "
    "codepostal codigopostal codicepostale cap pocztowy poczt kodpocztowy kodpoczt psc irsz "
    "iranyitoszam".split()
)


@dataclass(frozen=True)
class PostalSystem:
    """How codes are written; `countries` by the words with which their headings begin."""

    slug: str
    pattern: re.Pattern[str]
    headings: frozenset[str] = frozenset()  # needed where other numbers look the same

    def fits(self, name: str, texts: Iterable[str]) -> bool:
        if self.headings and not take_apart(name).mention(self.headings):
            return False
        return all(self.pattern.match(text) for text in texts)


def _system(slug: str, pattern: str, headings: str = "") -> PostalSystem:
    return PostalSystem(slug, re.compile(rf"(?:{pattern})\Z"), frozenset(headings.split()))


# Those that look unlike any other first; digits alone go by the word of the country.
SYSTEMS = (
    _system("uk-postcodes", r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}"),
    _system("nl-postcodes", r"[1-9][0-9]{3} ?[A-Z]{2}"),
    _system("pl-postcodes", r"[0-9]{2}-[0-9]{3}"),
    _system("se-postcodes", r"[1-9][0-9]{2} [0-9]{2}"),
    _system("us-zip", r"[0-9]{5}-[0-9]{4}"),
    _system("us-zip", r"[0-9]{5}(-[0-9]{4})?", "zip zipcode zip5"),
    _system("de-postcodes", r"[0-9]{5}", "plz postleitzahl"),
    _system("fr-postcodes", r"[0-9]{5}|2[AB][0-9]{3}", "cp codepostal"),
    _system("se-postcodes", r"[1-9][0-9]{4}", "postnr postnummer"),
    _system("five-digits", r"[0-9]{5}", " ".join(POSTAL_WORDS)),
    _system("four-digits", r"[1-9][0-9]{3}", " ".join(POSTAL_WORDS)),
)


def find_postal_system(name: str, texts: Sequence[str]) -> PostalSystem | None:
    """Return how the codes of a column are written; plain digits need a heading that says so."""
    if len(texts) < FEWEST_VALUES:
        return None
    return next((system for system in SYSTEMS if system.fits(name, texts)), None)
