"""Classes projected onto some of the quasi-identifiers: what an intruder who knows these sees."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from deid_portal.engine.compiled import kernels
from deid_portal.engine.table.patterns import combine
from deid_portal.engine.table.table import Codes


def number_columns(labels: Codes, columns: Sequence[int]) -> Codes:
    """Number the distinct combinations of labels in these columns, one number per class."""
    numbers = np.zeros(labels.shape[1], np.int32)
    for column in columns:
        numbers = kernels.number_keys(combine(numbers, labels[column]))[0]
    return numbers


def every_projection(labels: Codes, known: int) -> Iterator[Codes]:
    """Number the classes by every choice of so many columns, or of all if there are fewer.

    On fewer columns groups are larger, unions of these; so lower bounds of their size and upper
    bounds of shares hold for those, too.
    """
    for columns in combinations(range(len(labels)), min(known, len(labels))):
        yield number_columns(labels, columns)
