"""Distinction and separation: how well columns tell people apart.

R. Motwani and Y. Xu, Efficient algorithms for masking and finding quasi-identifiers, 2008.
"""

from collections.abc import Iterable

import numpy as np

from deid_portal.engine.report.risk import Distinctness
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import Projection
from deid_portal.engine.table.table import Counts


def measure_distinction(columns: tuple[str, ...], sizes: Counts) -> Distinctness:
    """Measure one combination by its class sizes; no pair at all counts as separated."""
    rows = int(sizes.sum())
    pairs = rows * (rows - 1) // 2
    alike = (int(np.dot(sizes, sizes)) - rows) // 2
    return Distinctness(
        columns,
        len(sizes),
        len(sizes) / rows if rows else 0.0,
        1 - alike / pairs if pairs else 1.0,
    )


def rank_projections(patterns: Patterns, projections: Iterable[Projection]) -> list[Distinctness]:
    """Measure the combinations of these views, the most telling first."""
    measured = [
        measure_distinction(tuple(patterns.names[column] for column in seen.columns), seen.sizes)
        for seen in projections
    ]
    return sorted(measured, key=lambda found: (-found.separation, len(found.columns)))
