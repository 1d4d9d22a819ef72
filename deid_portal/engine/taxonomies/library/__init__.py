"""The built-in library: taxonomies of well-known codes and names, each with its source."""

from deid_portal.engine.taxonomies.library.calendar import AGES, DATES
from deid_portal.engine.taxonomies.library.countries import COUNTRIES
from deid_portal.engine.taxonomies.library.departments import DEPARTMENTS
from deid_portal.engine.taxonomies.library.diagnoses import DIAGNOSES
from deid_portal.engine.taxonomies.library.education import EDUCATION
from deid_portal.engine.taxonomies.library.entry import ShelfEntry
from deid_portal.engine.taxonomies.library.occupations import OCCUPATIONS
from deid_portal.engine.taxonomies.library.postcodes import EUROPEAN_POSTCODES
from deid_portal.engine.taxonomies.library.regions import REGIONS
from deid_portal.engine.taxonomies.library.united_states import STATES, ZIP_CODES

SHELF: dict[str, ShelfEntry] = {
    entry.slug: entry
    for entry in (
        AGES,
        DATES,
        COUNTRIES,
        REGIONS,
        ZIP_CODES,
        STATES,
        *EUROPEAN_POSTCODES,
        EDUCATION,
        OCCUPATIONS,
        DIAGNOSES,
        DEPARTMENTS,
    )
}

__all__ = ["SHELF", "ShelfEntry"]
