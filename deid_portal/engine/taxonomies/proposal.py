"""A taxonomy proposed for any column: a start that covers every value and says why.

Knowledge first: days of birth become ages, postal codes regions, words what the library knows of
them. What nobody knows is grouped by size. A proposal that joins nothing is not made.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from deid_portal.engine.table.missing_words import may_say_missing
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType, is_number, parse_number
from deid_portal.engine.taxonomies.births import speaks_of_birth
from deid_portal.engine.taxonomies.dates import AGE_UNITS, DateTaxonomy
from deid_portal.engine.taxonomies.flat import FlatTaxonomy
from deid_portal.engine.taxonomies.groups import group_neighbours, group_rare
from deid_portal.engine.taxonomies.intervals import IntervalTaxonomy
from deid_portal.engine.taxonomies.library import SHELF, ShelfEntry
from deid_portal.engine.taxonomies.library.countries import COUNTRIES
from deid_portal.engine.taxonomies.library.departments import DEPARTMENTS
from deid_portal.engine.taxonomies.library.diagnoses import DIAGNOSES
from deid_portal.engine.taxonomies.library.education import EDUCATION
from deid_portal.engine.taxonomies.library.postcodes import DIGITS
from deid_portal.engine.taxonomies.library.united_states import STATES
from deid_portal.engine.taxonomies.mask import MaskTaxonomy
from deid_portal.engine.taxonomies.outline import Outline, Path
from deid_portal.engine.taxonomies.postal_codes import find_postal_system
from deid_portal.engine.taxonomies.recipe import Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

DATE_UNITS = ("month", "quarter", "year", "decade")
BIRTH_UNITS = ("year", "five years", "decade")
OTHERS = ("other", "all other", "the other values")
FEW_VALUES = 4
LONGEST_CODE = 12
ABOUT_INTERVALS = 20
RARE_SHARE = 0.02
MOST_BY_SIZE = 20
SMALL_SHARE = 0.2  # of all rows, that the smallest values together may have
KNOWN_SHARE = 0.8  # of the values, that the library must know
# What the library knows by the words themselves; the one that knows most counts, the first of two.
KNOWN_WORDS: tuple[ShelfEntry, ...] = (COUNTRIES, STATES, EDUCATION, DEPARTMENTS, DIAGNOSES)


@dataclass(frozen=True)
class TaxonomyProposal:
    """A recipe, or a tree if no recipe gives these groups; `words` give the reason."""

    words: str
    recipe: Recipe | None = None
    outline: Outline | None = None


def suggest_taxonomy(
    column: Column, most: int | None = None, as_of: date | None = None
) -> TaxonomyProposal:
    """Return the taxonomy that suits the values best; it covers all of them.

    For more than `most` values no tree is proposed, which would list each of them. `as_of` is the
    day on which days of birth are read as ages.
    """
    values = [value for value in column.values if value is not None]
    if len(values) <= FEW_VALUES:
        return TaxonomyProposal("Few values: shown or hidden", FlatTaxonomy())
    can_list = most is None or len(values) <= most
    known: tuple[TaxonomyProposal | None, ...] = ()
    if can_list:
        known = (_postal_codes(column, values), _known_words(column, values))
    for proposal in (*known, _dates(column, as_of), _numbers(column, values), _codes(values)):
        if proposal is not None and not (
            proposal.recipe is not None and proposal.recipe.uncovered(column)
        ):
            return proposal
    if not can_list:
        return TaxonomyProposal("Too many words to group: shown or hidden", FlatTaxonomy())
    return _words(column, values)


def _postal_codes(column: Column, values: list[str]) -> TaxonomyProposal | None:
    if column.type not in (ColumnType.TEXT, ColumnType.INTEGER):
        return None
    system = find_postal_system(column.name, _meant(values))
    if system is None:
        return None
    entry = SHELF.get(system.slug) or DIGITS[system.slug]
    return _from_shelf(column, values, entry)


def _known_words(column: Column, values: list[str]) -> TaxonomyProposal | None:
    """Return what the library makes of the words, if it knows most of them."""
    if column.type != ColumnType.TEXT:
        return None
    counts = [(len(entry.covered(column)), entry) for entry in KNOWN_WORDS]
    most, entry = max(counts, key=lambda count: count[0])
    if most < KNOWN_SHARE * len(_meant(values)) or most < FEW_VALUES:
        return None
    return _from_shelf(column, values, entry)


def _meant(values: list[str]) -> list[str]:
    """Return the values that are one: "unknown" among codes is none."""
    return [value for value in values if not may_say_missing(value)]


def _from_shelf(column: Column, values: list[str], entry: ShelfEntry) -> TaxonomyProposal | None:
    """Lay an entry over all values; those it does not know are joined, unless there is only one."""
    covered = entry.covered(column)
    unknown = [value for value in values if value not in covered]
    if not covered or len(unknown) == len(values):
        return None
    height = len(next(iter(covered.values())))
    name = _free_name(values) if len(unknown) > 1 else None
    rest = {value: ((name or value),) * (height - 1) + (ROOT_LABEL,) for value in unknown}
    paths = _without_lone_groups({**covered, **rest})
    if paths is None:
        return None
    return TaxonomyProposal(
        f"{entry.name}: {entry.levels}", outline=Outline.from_covered(paths, column)
    )


def _without_lone_groups(covered: Mapping[str, Path]) -> dict[str, Path] | None:
    """Leave out groups of one value and levels that join no more; None if nothing is joined."""
    levels: list[dict[str, str]] = []
    below = {value: value for value in covered}
    for level in range(len(next(iter(covered.values()))) - 1):
        labels = {value: str(path[level]) for value, path in covered.items()}
        sizes = Counter(labels.values())
        labels = {v: label if sizes[label] > 1 else below[v] for v, label in labels.items()}
        if 1 < len(set(labels.values())) < len(set(below.values())):
            levels.append(labels)
            below = labels
    if not levels:
        return None
    return {value: (*(level[value] for level in levels), ROOT_LABEL) for value in covered}


def _dates(column: Column, as_of: date | None) -> TaxonomyProposal | None:
    if column.type != ColumnType.DATE:
        return None
    if not speaks_of_birth(column.name):
        return TaxonomyProposal("Dates: month, quarter, year, decade", DateTaxonomy(DATE_UNITS))
    if as_of is None:
        words = "Days of birth: year, five years, decade"
        return TaxonomyProposal(words, DateTaxonomy(BIRTH_UNITS))
    return TaxonomyProposal(
        f"Days of birth: age on {as_of.isoformat()}, then bands of 5, 10 and 20 years",
        DateTaxonomy(AGE_UNITS, as_of),
    )


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
    joins = len({value[0] for value in values}) < len(values)
    return (
        TaxonomyProposal("Codes of one length: masked from the right", MaskTaxonomy())
        if is_code and joins
        else None
    )


def _words(column: Column, values: list[str]) -> TaxonomyProposal:
    """Rare words are joined; if all are as rare, neighbours in the alphabet."""
    name = _free_name(values)
    rows = int(column.counts.sum())
    least = max(2, round(rows * RARE_SHARE))
    counts = dict(zip(column.values, column.counts.tolist(), strict=True))
    frequent = [value for value in values if counts[value] >= least]
    if len(frequent) >= FEW_VALUES and len(frequent) + 1 < len(values):
        outline = group_rare(column, least, name)
        return TaxonomyProposal(f"Words: fewer than {least:,} rows become {name}", outline=outline)
    if len(values) <= MOST_BY_SIZE:
        small = _smallest(sorted(values, key=lambda value: (counts[value], value)), counts)
        paths = {v: (name if v in small else v, ROOT_LABEL) for v in values}
        words = f"Words: the {len(small)} with the fewest rows become {name}"
        return TaxonomyProposal(words, outline=Outline.from_covered(paths, column))
    size = max(2, round(math.sqrt(len(values))))
    while len(values) % size == 1:  # the last group would be one value
        size += 1
    outline = group_neighbours(column, "name", size, ())
    return TaxonomyProposal("Words: neighbours in the alphabet", outline=outline)


def _smallest(ordered: Sequence[str], counts: Mapping[str | None, int]) -> frozenset[str]:
    """Return the values with the fewest rows: two at least, and no more than a fifth of all."""
    total = sum(counts[value] for value in ordered)
    taken, rows = 0, 0
    for value in ordered:
        rows += counts[value]
        if taken >= 2 and rows > SMALL_SHARE * total:
            break
        taken += 1
    return frozenset(ordered[: min(taken, len(ordered) - 2)])


def _free_name(values: Sequence[str]) -> str:
    """Return a name for what is joined that is no value itself."""
    there = set(values)
    plain = (name for name in OTHERS if name not in there)
    return next(plain, f"{OTHERS[0]} {len(there)}")
