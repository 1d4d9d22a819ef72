"""Postal codes of several countries: how they are written, and how far they become coarser.

The first signs of a code name a region everywhere, but how many signs make one differs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deid_portal.engine.table.folding import fold_accents

FEWEST_VALUES = 5
NEARLY_ALL = 0.97


@dataclass(frozen=True)
class PostalSystem:
    """Codes of one country; `kept` counts the signs kept at each level, the finest first."""

    country: str
    pattern: re.Pattern[str]
    kept: tuple[int, ...]
    levels: str  # what the levels are, in words
    is_plain: bool = False  # digits alone: other columns may look the same

    def fits(self, texts: Iterable[str]) -> bool:
        return all(self.pattern.match(text) for text in texts)


def _system(
    country: str, pattern: str, kept: Sequence[int], levels: str, *, is_plain: bool = False
) -> PostalSystem:
    return PostalSystem(country, re.compile(rf"(?:{pattern})\Z"), tuple(kept), levels, is_plain)


# Those that look unlike any other first.
SYSTEMS = (
    _system(
        "United Kingdom",
        r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}",
        (),
        "sector, district, area",
    ),
    _system("Netherlands", r"[1-9][0-9]{3} ?[A-Z]{2}", (4, 2, 1), "neighbourhood, region, zone"),
    _system("Canada", r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]", (3, 1), "area, province"),
    _system("Poland", r"[0-9]{2}-[0-9]{3}", (3, 2, 1), "sector, region, district"),
    _system("Portugal", r"[1-9][0-9]{3}-[0-9]{3}", (4, 2, 1), "town, area, region"),
    _system("Sweden", r"[1-9][0-9]{2} [0-9]{2}", (3, 2, 1), "town, area, region"),
    _system("United States", r"[0-9]{5}-[0-9]{4}", (5, 3, 1), "ZIP code, three-digit area, region"),
    _system(
        "five digits",
        r"[0-9]{5}",
        (3, 2, 1),
        "three digits, two digits, one digit",
        is_plain=True,
    ),
    _system(
        "four digits",
        r"[1-9][0-9]{3}",
        (3, 2, 1),
        "three digits, two digits, one digit",
        is_plain=True,
    ),
)
HEADINGS = frozenset(
    "zip zipcode zip5 plz postleitzahl postcode postal postalcode postnr postnummer cp codepostal "
    "codigopostal codicepostale cap kodpocztowy kodpoczt postcodes psc irsz".split()
)


def find_postal_system(name: str, texts: Sequence[str]) -> PostalSystem | None:
    """Return how the codes of a column are made up; plain digits need a heading that says so."""
    if len(texts) < FEWEST_VALUES:
        return None
    for system in SYSTEMS:
        if system.fits(texts) and (not system.is_plain or speaks_of_postal_codes(name)):
            return system
    return None


def speaks_of_postal_codes(name: str) -> bool:
    words = re.findall(r"[a-z0-9]+", fold_accents(name))
    return bool(HEADINGS.intersection([*words, "".join(words)]))
