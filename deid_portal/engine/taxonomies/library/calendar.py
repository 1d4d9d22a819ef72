"""Ages in years, and dates."""

from dataclasses import dataclass
from decimal import Decimal

from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.dates import DateTaxonomy
from deid_portal.engine.taxonomies.intervals import IntervalTaxonomy
from deid_portal.engine.taxonomies.library.entry import FromRecipe
from deid_portal.engine.taxonomies.outline import Path

OLDEST = 125


@dataclass(frozen=True)
class Ages(FromRecipe):
    """Bands of years; numbers no person reaches have no place."""

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, OLDEST

    def covered(self, column: Column) -> dict[str, Path]:
        paths = self.recipe.paths(column)
        return {v: path for v, path in paths.items() if v.isdecimal() and int(v) <= OLDEST}


AGES = Ages(
    "ages",
    "Ages in years",
    "5, 10 and 20 years; 90 and older together",
    "Five-year groups of the UN Demographic Yearbook; 90 and older joined as HIPAA, "
    "45 CFR 164.514(b)(2)(i)(C), asks",
    IntervalTaxonomy(Decimal(0), Decimal(5), (2, 2), top=Decimal(90)),
    examples=tuple(str(age) for age in range(101)),
)

DATES = FromRecipe(
    "dates",
    "Calendar dates",
    "month, quarter, year, decade",
    "Gregorian calendar, written as ISO 8601",
    DateTaxonomy(("month", "quarter", "year", "decade")),
    examples=tuple(f"{year}-{month:02d}-01" for year in (2019, 2020) for month in range(1, 13)),
)
