"""Risk read off class sizes: how likely is a match right, and for how many people?

Attackers and populations are defined in `attackers.py`.
"""

from typing import Any

import numpy as np

from deid_portal.engine.report.classes import ClassSizes, SizeBin, SizeSummary
from deid_portal.engine.report.risk import ClassRisk, PopulationMatch, RiskBand, RiskRange
from deid_portal.engine.risk.attackers import (
    count_short_classes,
    journalist,
    marketer,
    prosecutor,
)
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.table.table import Counts

# Class sizes from .. to (inclusive) with the words the report uses for their risk.
RISK_BANDS: tuple[tuple[int, int | None, str], ...] = (
    (1, 1, "100 %"),
    (2, 2, "50 %"),
    (3, 4, "25–33 %"),
    (5, 9, "11–20 %"),
    (10, 19, "5–10 %"),
    (20, 49, "2–5 %"),
    (50, None, "≤ 2 %"),
)
SIZE_BINS: tuple[tuple[int, int | None], ...] = (
    (1, 1),
    (2, 2),
    (3, 4),
    (5, 5),
    (6, 7),
    (8, 10),
    (11, 20),
    (21, 50),
    (51, 100),
    (101, 500),
    (501, None),
)


def summarize_sizes(sizes: Counts) -> SizeSummary:
    """Return count, extremes and mean of the class sizes."""
    if not len(sizes):
        return SizeSummary(count=0, smallest=0, largest=0, mean=0.0)
    return SizeSummary(
        count=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        mean=float(sizes.mean()),
    )


def summarize_classes(sizes: Counts, before: Counts | None = None) -> ClassSizes:
    """Return the same with the number of classes per range of sizes, after and before."""
    bins_before = None if before is None else bin_sizes(before)
    return ClassSizes(
        **vars(summarize_sizes(sizes)), bins=bin_sizes(sizes), bins_before=bins_before
    )


def bin_sizes(sizes: Counts) -> tuple[SizeBin, ...]:
    """Count the classes per range of sizes; `to` is None for the open end."""
    return tuple(
        SizeBin(from_=low, to=high, count=int(_within(sizes, low, high).sum()))
        for low, high in SIZE_BINS
    )


def measure_risk(sizes: Counts, people: Counts | None = None) -> ClassRisk:
    """Return the risks of the people in these classes, all 0 if there are none.

    `people` is the size of each class in the population, None where no population is known.
    """
    records = int(sizes.sum())
    known = prosecutor(sizes)
    return ClassRisk(
        prosecutor=RiskRange(known.highest, known.lowest, known.average),
        journalist=journalist(sizes, people).highest,
        marketer=marketer(sizes, people).average,
        sample_uniques=count_sample_uniques(sizes).share,
        bands=tuple(_band(sizes, records, *band) for band in RISK_BANDS),
        population=_match_population(sizes, people),
    )


def _match_population(sizes: Counts, people: Counts | None) -> PopulationMatch | None:
    return None if people is None else PopulationMatch(count_short_classes(sizes, people))


def share_per_band(people: Counts, sizes: Counts) -> tuple[float, ...]:
    """Return the share of records in each of the bands; `people` hide one of each class."""
    rows = max(int(sizes.sum()), 1)
    return tuple(int(sizes[_within(people, low, high)].sum()) / rows for low, high, _ in RISK_BANDS)


def _band(sizes: Counts, records: int, low: int, high: int | None, label: str) -> RiskBand:
    inside = int(sizes[_within(sizes, low, high)].sum())
    return RiskBand(
        label=label,
        from_=0.0 if high is None else 1 / high,
        to=1 / low,
        records=inside,
        share=inside / records if records else 0.0,
    )


def _within(sizes: Counts, low: int, high: int | None) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    return (sizes >= low) & (sizes <= (high if high is not None else sizes.max(initial=low)))
