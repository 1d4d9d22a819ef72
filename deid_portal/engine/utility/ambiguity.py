"""Ambiguity: how many original records each released one could be.

J. Goldberger and T. Tassa, Efficient anonymizations with enhanced utility, Transactions on Data
Privacy 3(2), 2010.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.table.table import Table
from deid_portal.engine.utility.coverage import LabelCoverage


@dataclass(frozen=True)
class Ambiguity:
    """`mean` combinations of original values per record; `share` is the same in bits, of all bits.

    It is 0 for the original table and 1 for a release without information. A suppressed record
    could be any combination.
    """

    mean: float
    share: float


def measure_ambiguity(released: Table, coverages: Sequence[LabelCoverage], rows: int) -> Ambiguity:
    """Measure a release of a table of `rows` records on its quasi-identifiers."""
    bits = np.zeros(released.rows)
    for coverage in coverages:
        bits += np.log2(coverage.sizes)[released[coverage.name].codes]
    most = float(sum(np.log2(max(coverage.values, 1)) for coverage in coverages))
    every = np.append(bits, np.full(rows - released.rows, most))
    if not rows:
        return Ambiguity(1.0, 0.0)
    return Ambiguity(float(np.exp2(every).mean()), float(every.mean()) / most if most else 0.0)
