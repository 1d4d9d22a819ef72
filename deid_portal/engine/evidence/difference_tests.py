"""Whether two samples of a column come from one source: tests, their power, and effect sizes.

Of two files of different people nothing is equal. What counts as a difference is rarer than one in
a hundred under the assumption that nothing changed, over all columns and tests together
(Bonferroni). A test that finds nothing says nothing by itself, so each says which change it would
have seen in four of five cases.
"""

from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

LEVEL = 0.01  # of all columns together
FOUND_ANYWAY = 0.842  # standard deviations below which one of five normal numbers lies
LEAST_EXPECTED = 5.0  # rows in a cell of the table of counts (W. Cochran, 1954)
TESTS_OF_NUMBERS = 3  # curves, ranks, missing
TESTS_OF_WORDS = 2  # counts, total variation
RANK_EFFICIENCY = sqrt(3 / np.pi)  # of ranks against means, for normal numbers
LARGEST_SHARE_SPREAD = 0.5  # standard deviation of a yes or no, at most


@dataclass(frozen=True)
class Difference:
    """What the tests of a column found.

    `p` is corrected for all tests of all columns. `distance` is from 0 to 1. A change of at least
    `visible_from` in it would be seen in four of five cases; `shift_unseen` is the shift of the
    mean that would not, in the unit of the column. `effect` is the shift in standard deviations.
    """

    distance: float
    p: float
    visible_from: float
    shift: float | None = None
    shift_unseen: float | None = None
    effect: float | None = None

    @property
    def is_seen(self) -> bool:
        return self.p < LEVEL


def compare_counts(rows: Counts, columns: int = 1) -> Difference:
    """Compare how often each value occurs before and after (χ², and total variation).

    Values that are expected fewer than five times in either file are counted together. Where that
    hides some, total variation looks at all of them, with the bound of C. McDiarmid, 1989.
    """
    from scipy.special import chdtrc, chdtri, chndtrinc

    level = LEVEL / columns / TESTS_OF_WORDS
    sizes = rows.sum(axis=1)
    spread = sqrt(float((1 / sizes).sum()))
    shares = rows / sizes[:, None]
    distance = float(np.abs(shares[0] - shares[1]).sum() / 2)
    pooled = rows.sum(axis=0) / sizes.sum()
    expected = float(np.sqrt(pooled * (1 - pooled)).sum() * spread / 2)
    excess = max(distance - expected, 0.0) / spread
    p = float(np.exp(-2 * excess**2))
    visible = expected + spread * (sqrt(log(1 / level) / 2) + FOUND_ANYWAY * LARGEST_SHARE_SPREAD)
    joined = _join_rare(rows)
    free = joined.shape[1] - 1
    if free:
        aims = np.outer(sizes, joined.sum(axis=0) / sizes.sum())
        p = min(p, float(chdtrc(free, float(((joined - aims) ** 2 / aims).sum()))))
        if joined.shape[1] == rows.shape[1]:
            # Σ(p - q)²/r is at least four times the squared total variation.
            needed = float(chndtrinc(chdtri(free, level), free, 0.2))
            visible = min(visible, spread * sqrt(needed / 4))
    return Difference(distance, min(p * columns * TESTS_OF_WORDS, 1.0), min(visible, 1.0))


def _join_rare(rows: Counts) -> NDArray[np.float64]:
    """Return the counts with all values in one column that are rare in either file."""
    sizes = rows.sum(axis=1)
    kept_rows = rows[:, rows.sum(axis=0) > 0]
    aims = np.outer(sizes, kept_rows.sum(axis=0) / sizes.sum())
    is_rare = aims.min(axis=0) < LEAST_EXPECTED
    rest = kept_rows[:, is_rare].sum(axis=1)
    joined = kept_rows[:, ~is_rare].astype(np.float64)
    if rest.any() and float(rest.sum() / sizes.sum() * sizes.min()) >= LEAST_EXPECTED:
        joined = np.column_stack([joined, rest])
    elif rest.any() and joined.shape[1]:
        joined[:, 0] += rest
    return joined if joined.shape[1] else np.ones((2, 1))


def compare_numbers(points: Numbers, rows: Counts, missing: Counts, columns: int = 1) -> Difference:
    """Compare numbers by their curves (Kolmogorov, Smirnov), their ranks, and the gaps.

    `points` rise; `rows` counts each before and after; `missing` are the rows without a number.
    """
    from scipy.special import ndtri

    level = LEVEL / columns / TESTS_OF_NUMBERS
    sizes, everybody = rows.sum(axis=1), rows.sum(axis=1) + missing
    gap = abs(float(missing[0] / everybody[0] - missing[1] / everybody[1]))
    p = _p_of_share(missing, everybody)
    of_all = sqrt(float((1 / everybody).sum()))
    if not sizes.all():
        visible = of_all * (float(-ndtri(level / 2)) + FOUND_ANYWAY) * LARGEST_SHARE_SPREAD
        return Difference(gap, min(p * columns * TESTS_OF_NUMBERS, 1.0), min(visible, 1.0))
    spread = sqrt(float((1 / sizes).sum()))
    curves = np.cumsum(rows, axis=1) / sizes[:, None]
    distance = float(np.abs(curves[0] - curves[1]).max(initial=0))
    p = min(p, _p_of_curves(distance / spread), _p_of_ranks(rows))
    visible = spread * (sqrt(log(2 / level) / 2) + FOUND_ANYWAY * LARGEST_SHARE_SPREAD)
    found = Difference(
        max(distance, gap), min(p * columns * TESTS_OF_NUMBERS, 1.0), min(visible, 1.0)
    )
    means = (rows * points).sum(axis=1) / sizes
    both = rows.sum(axis=0)
    middle = float((both * points).sum() / both.sum())
    deviation = sqrt(float((both * (points - middle) ** 2).sum() / both.sum()))
    shift = float(means[1] - means[0])
    unseen = (float(-ndtri(level / 2)) + FOUND_ANYWAY) / RANK_EFFICIENCY * spread * deviation
    effect = shift / deviation if deviation else 0.0
    return replace(found, shift=shift, shift_unseen=unseen, effect=effect)


def _p_of_curves(distance: float) -> float:
    """Return how often curves of one source are as far apart; with ties even less often."""
    from scipy.special import kolmogorov

    return float(kolmogorov(distance))


def _p_of_ranks(rows: Counts) -> float:
    """Return how often ranks of one source differ as much (H. Mann and D. Whitney, 1947)."""
    from scipy.special import ndtr

    both = rows.sum(axis=0).astype(np.float64)
    total, sizes = both.sum(), rows.sum(axis=1).astype(np.float64)
    ranks = np.cumsum(both) - (both - 1) / 2
    excess = float((rows[1] * ranks).sum() - sizes[1] * (total + 1) / 2)
    ties = float((both**3 - both).sum() / (total * max(total - 1, 1.0)))
    variance = float(sizes.prod()) / 12 * (total + 1 - ties)
    return float(2 * ndtr(-abs(excess) / sqrt(variance))) if variance > 0 else 1.0


def _p_of_share(hits: Counts, sizes: Counts) -> float:
    """Return how often two shares of one source differ as much."""
    from scipy.special import ndtr

    pooled = float(hits.sum() / sizes.sum())
    variance = pooled * (1 - pooled) * float((1 / sizes).sum())
    if not variance:
        return 1.0
    apart = float(hits[0] / sizes[0] - hits[1] / sizes[1])
    return float(2 * ndtr(-abs(apart) / sqrt(variance)))
