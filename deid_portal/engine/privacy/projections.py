"""Classes seen by somebody who knows only some of the quasi-identifiers."""

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

    Whoever knows fewer columns sees larger groups, mixtures of these; what bounds all of these
    from below in size, or from above in a share, bounds those too.
    """
    for columns in combinations(range(len(labels)), min(known, len(labels))):
        yield number_columns(labels, columns)
