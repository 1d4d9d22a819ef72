"""Kullback–Leibler divergence: how far the release is from the original joint distribution.

D. Kifer and J. Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from deid_portal.engine.table.table import Table
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.class_matching import match_people
from deid_portal.engine.utility.coverage import cover_all


def measure_divergence(
    original: Table,
    released: Table,
    quasi_identifiers: Sequence[str],
    taxonomies: Mapping[str, Taxonomy],
) -> float:
    """Return Σ p log2(p / q) in bits: p as observed, q what a reader of the release would assume.

    The reader spreads each class evenly over the combinations it may stand for, and suppressed
    records evenly over everything. Infinite if the release rules out a record that exists.
    """
    names = tuple(quasi_identifiers)
    coverages = cover_all(original, released, names, taxonomies)
    matches = match_people(original, released, names, coverages)
    volumes = np.ones(len(matches.classes.counts))
    for coverage, codes in zip(coverages, matches.classes.codes, strict=True):
        volumes *= coverage.sizes[codes]
    density = matches.classes.counts / volumes
    assumed = np.bincount(matches.person, density[matches.class_number], len(matches.people.counts))
    everything = float(np.prod([float(max(coverage.values, 1)) for coverage in coverages]))
    # A synthetic table may have more records than the original.
    total = max(original.rows, released.rows)
    assumed_by_all = (assumed + (total - released.rows) / everything) * original.rows / total
    with np.errstate(divide="ignore"):
        ratios = np.log2(matches.people.counts / assumed_by_all)
    return float(matches.people.counts @ ratios) / max(original.rows, 1)
