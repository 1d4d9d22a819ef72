"""Every class-based risk of a table in one document, for reports and the command line."""

from collections.abc import Iterator
from dataclasses import replace
from math import comb

import numpy as np

from deid_portal.engine.report.risk import (
    AttackerSummary,
    Distinctness,
    RiskDetails,
    ShareAbove,
    SpecialUniquesSummary,
)
from deid_portal.engine.risk.attackers import AttackerRisk, journalist, marketer, prosecutor
from deid_portal.engine.risk.classes import share_per_band
from deid_portal.engine.risk.column_influence import rank_columns, rank_pairs
from deid_portal.engine.risk.distinction import rank_projections
from deid_portal.engine.risk.population_uniques import estimate_population_uniques
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.risk.special_uniques import SpecialUniques, SpecialUniquesSearch
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import Projection, project_all
from deid_portal.engine.table.table import Counts

COMBINED_COLUMNS = 3  # combinations up to this size are ranked and searched for special uniques
MOST_COMBINATIONS = 5000
SHOWN_COMBINATIONS = 20
# Chances people ask about: how many records are above each?
THRESHOLDS = (0.5, 0.33, 0.2, 0.1, 0.09, 0.05, 0.02, 0.01)


def summarize_risk(
    patterns: Patterns,
    *,
    threshold: float = 0.2,
    people: Counts | None = None,
    population_size: int | None = None,
) -> RiskDetails:
    """Measure a table by its distinct patterns; numbers and names of columns only.

    `people` holds the size of each pattern's class in the population, `population_size` the number
    of people in it.
    """
    sizes = patterns.counts
    combinations, special = _combine_columns(patterns)
    details = RiskDetails(
        prosecutor=_describe(prosecutor(sizes, threshold), sizes),
        journalist=_describe(journalist(sizes, people, threshold), sizes),
        marketer=_describe(marketer(sizes, people, threshold), sizes),
        sample_uniques=count_sample_uniques(sizes, people),
        columns=tuple(rank_columns(patterns)),
        combinations=tuple(combinations[:SHOWN_COMBINATIONS]),
        special_uniques=SpecialUniquesSummary(special.records, special.by_size, special.by_column),
        population_uniques=None
        if population_size is None
        else estimate_population_uniques(sizes, population_size),
    )
    return _with_pairs(details, patterns)


def _with_pairs(details: RiskDetails, patterns: Patterns) -> RiskDetails:
    """Add what leaving out two columns does, if leaving out one does nothing."""
    if len(details.columns) < 3 or details.helps(details.columns[0]):
        return details
    return replace(details, pairs=tuple(rank_pairs(patterns, details.columns)))


def _combine_columns(patterns: Patterns) -> tuple[list[Distinctness], SpecialUniques]:
    """Go through all combinations once, for both their distinction and their special uniques."""
    deepest = min(_columns_to_combine(len(patterns.names)), len(patterns.names))
    search = SpecialUniquesSearch(patterns, deepest)

    def projections() -> Iterator[Projection]:
        for seen in project_all(patterns, deepest):
            search.add(seen)
            yield seen

    return rank_projections(patterns, projections()), search.found()


def _columns_to_combine(width: int) -> int:
    """Return up to how many of so many columns can be combined in every way."""
    sets = 0
    for size in range(1, COMBINED_COLUMNS + 1):
        sets += comb(width, size)
        if sets > MOST_COMBINATIONS:
            return size - 1
    return COMBINED_COLUMNS


def _describe(risk: AttackerRisk, sizes: Counts) -> AttackerSummary:
    people = np.rint(1 / np.maximum(risk.per_class, 1e-12)).astype(np.int64)
    rows = max(int(sizes.sum()), 1)
    return AttackerSummary(
        highest=risk.highest,
        lowest=risk.lowest,
        average=risk.average,
        threshold=risk.threshold,
        share_above=risk.share_above,
        records_above=risk.records_above,
        is_bound=risk.is_bound,
        bands=share_per_band(people, sizes),
        above=tuple(
            ShareAbove(chance, int(sizes[risk.per_class > chance].sum()) / rows)
            for chance in THRESHOLDS
        ),
    )
