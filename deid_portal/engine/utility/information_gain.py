"""Information gain: what the columns still say about a class column.

B. Fung, K. Wang and P. Yu, Top-down specialization for information and privacy preservation, ICDE
2005. Entropies are in bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Counts, Table

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class InformationGain:
    """How uncertain the class is, and how much of that the columns resolve."""

    entropy: float  # of the class column alone
    gain: float
    share: float  # gain / entropy, 1 when there was nothing to learn


def entropy_of(counts: Counts | Numbers) -> float:
    """Return the entropy in bits of a distribution given as counts; an empty one has none."""
    shares = counts[counts > 0] / max(float(counts.sum()), 1.0)
    return float(-(shares * np.log2(shares)).sum()) if len(shares) else 0.0


def measure_information_gain(
    table: Table, columns: Sequence[str], class_column: str
) -> InformationGain:
    """Measure what the columns together say about the class column, on the table as it is."""
    patterns = reduce_table(table, columns, [class_column], Progress(None))
    pairs = patterns.sensitive[class_column]
    shares = pairs.counts / patterns.counts[pairs.groups]
    rest = float(-(pairs.counts * np.log2(shares)).sum()) / max(table.rows, 1)
    whole = entropy_of(table[class_column].counts)
    gain = max(whole - rest, 0.0)
    return InformationGain(whole, gain, gain / whole if whole else 1.0)
