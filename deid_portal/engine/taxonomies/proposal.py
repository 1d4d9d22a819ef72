"""A taxonomy proposed for any column: a start that covers every value and says why."""

import math
from dataclasses import dataclass
from decimal import Decimal

from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType, is_number, parse_number
from deid_portal.engine.taxonomies.dates import DateTaxonomy
from deid_portal.engine.taxonomies.flat import FlatTaxonomy
from deid_portal.engine.taxonomies.groups import group_neighbours, group_rare
from deid_portal.engine.taxonomies.intervals import IntervalTaxonomy
from deid_portal.engine.taxonomies.mask import MaskTaxonomy
from deid_portal.engine.taxonomies.outline import Outline
from deid_portal.engine.taxonomies.recipe import Recipe

OTHER = "other"
FEW_VALUES = 4
LONGEST_CODE = 12
ABOUT_INTERVALS = 20
RARE_SHARE = 0.02


@dataclass(frozen=True)
class TaxonomyProposal:
    """A recipe, or a tree if no recipe gives these groups; `words` give the reason."""

    words: str
    recipe: Recipe | None = None
    outline: Outline | None = None


def suggest_taxonomy(column: Column, most: int | None = None) -> TaxonomyProposal:
    """Return the taxonomy that suits the values best; it covers all of them.

    For more than `most` values no tree is proposed, which would list each of them.
    """
    values = [value for value in column.values if value is not None]
    if len(values) <= FEW_VALUES:
        return TaxonomyProposal("Few values: shown or hidden", FlatTaxonomy())
    for proposal in (_dates(column), _numbers(column, values), _codes(values)):
        if proposal is not None and not (
            proposal.recipe is not None and proposal.recipe.uncovered(column)
        ):
            return proposal
    if most is not None and len(values) > most:
        return TaxonomyProposal("Too many words to group: shown or hidden", FlatTaxonomy())
    return _words(column, values)


def _dates(column: Column) -> TaxonomyProposal | None:
    if column.type != ColumnType.DATE:
        return None
    return TaxonomyProposal("Dates: month, quarter, year, decade", DateTaxonomy(_UNITS))


_UNITS = ("month", "quarter", "year", "decade")


def _numbers(column: Column, values: list[str]) -> TaxonomyProposal | None:
    if column.type not in (ColumnType.INTEGER, ColumnType.NUMBER):
        return None
    numbers = [parse_number(v, column.decimal) for v in values if is_number(v, column.decimal)]
    if not numbers or min(numbers) == max(numbers):
        return None
    width = _round_width((max(numbers) - min(numbers)) / ABOUT_INTERVALS)
    if column.type == ColumnType.INTEGER:
        width = max(width, Decimal(1)) if width != 1 else Decimal(2)
    start = (min(numbers) / width).to_integral_value(rounding="ROUND_FLOOR") * width
    return TaxonomyProposal(
        "Numbers: intervals that widen", IntervalTaxonomy(start, width, (2, 2, 2))
    )


def _round_width(rough: Decimal) -> Decimal:
    """Return 1, 2 or 5 times a power of ten, the first that is not smaller."""
    power = Decimal(10) ** math.floor(rough.log10())
    return next(step * power for step in (Decimal(1), Decimal(2), Decimal(5), Decimal(10))
                if step * power >= rough)  # fmt: skip


def _codes(values: list[str]) -> TaxonomyProposal | None:
    """Single words of one length that all hold a digit are codes; their beginning says more."""
    length = len(values[0])
    is_code = 2 <= length <= LONGEST_CODE and all(
        len(value) == length
        and " " not in value
        and any(character.isdigit() for character in value)
        for value in values
    )
    return (
        TaxonomyProposal("Codes of one length: masked from the right", MaskTaxonomy())
        if is_code
        else None
    )


def _words(column: Column, values: list[str]) -> TaxonomyProposal:
    """Frequent words stay, rare ones are joined; if all are rare, neighbours in the alphabet."""
    rows = int(column.counts.sum())
    least = max(2, round(rows * RARE_SHARE))
    frequent = [count for count in column.counts.tolist() if count >= least]
    if len(frequent) >= FEW_VALUES and OTHER not in values and len(frequent) < len(values):
        outline = group_rare(column, least, OTHER)
        return TaxonomyProposal(f"Words: fewer than {least:,} rows become {OTHER}", outline=outline)
    size = max(2, round(math.sqrt(len(values))))
    outline = group_neighbours(column, "name", size, ())
    return TaxonomyProposal("Words: neighbours in the alphabet", outline=outline)
