"""Query workload error: the error of counts from the release compared with the original.

K. LeFevre, D. DeWitt and R. Ramakrishnan, Workload-aware anonymization, KDD 2006; X. Xiao and
Y. Tao, Anatomy, VLDB 2006.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.progress import Progress
from deid_portal.engine.report.utility import WorkloadError
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Table
from deid_portal.engine.utility.coverage import LabelCoverage

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
Query = dict[int, Mask]  # per column: the values that match
RESAMPLES = 500


def measure_workload_error(
    original: Table,
    released: Table,
    coverages: Sequence[LabelCoverage],
    *,
    generator: np.random.Generator,
    queries: int = 1000,
    columns: int = 2,
    selectivity: float = 0.1,
) -> WorkloadError:
    """Ask random counts of both tables; a count below 0.1 % of the rows is divided by that.

    A query names `columns` columns and as many values of each as makes about `selectivity` of all
    combinations. Released labels count in part, as if all values they cover were equally likely.
    """
    names = [coverage.name for coverage in coverages]
    before = reduce_table(original, names, (), Progress(None))
    after = reduce_table(released, names, (), Progress(None))
    sanity = max(0.001 * original.rows, 1.0)
    errors = np.empty(queries)
    for number in range(queries):
        query = _draw_query(coverages, generator, columns, selectivity)
        truth = _count(before, {index: mask.astype(np.float64) for index, mask in query.items()})
        parts = {index: coverages[index].spread @ mask for index, mask in query.items()}
        errors[number] = abs(_count(after, parts) - truth) / max(truth, sanity)
    return WorkloadError(
        float(errors.mean()), _bootstrap(errors, generator), float(np.median(errors)), queries
    )


def _draw_query(
    coverages: Sequence[LabelCoverage],
    generator: np.random.Generator,
    columns: int,
    selectivity: float,
) -> Query:
    asked = min(columns, len(coverages))
    query: Query = {}
    for index in generator.choice(len(coverages), asked, replace=False).tolist():
        values = coverages[index].values
        wanted = max(round(values * selectivity ** (1 / asked)), 1)
        mask = np.zeros(values, np.bool_)
        mask[generator.choice(values, min(wanted, values), replace=False)] = True
        query[index] = mask
    return query


def _count(patterns: Patterns, parts: dict[int, Numbers]) -> float:
    """Add up the records that meet a query, each weighted by the share that meets it."""
    weights = patterns.counts.astype(np.float64)
    for index, part in parts.items():
        weights *= part[patterns.codes[index]]
    return float(weights.sum())


def _bootstrap(errors: Numbers, generator: np.random.Generator) -> tuple[float, float]:
    chosen = generator.integers(0, len(errors), (RESAMPLES, len(errors)))
    low, high = np.quantile(errors[chosen].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)
