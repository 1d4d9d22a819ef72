"""Suppression and information loss by the groups of a column."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.evidence.column_groups import ColumnGrouping, group_column
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.risk.burden import measure_burden
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Column
from deid_portal.engine.utility.shown import describe_shown_labels, look_behind


def tell_who_pays(evidence: Evidence, names: Sequence[str]) -> Iterator[PayingColumn]:
    """Split suppression and loss by the groups of each column, among the rows of the sample."""
    assert evidence.rows is not None  # noqa: S101 - asked only then
    kept = np.zeros(evidence.original.rows, np.bool_)
    kept[evidence.rows] = True
    lost = _lost_per_row(evidence)
    drawn = slice(None) if evidence.drawn is None else np.flatnonzero(evidence.drawn)
    for name in names:
        column = evidence.original[name].take(drawn)
        groups = group_column(column, evidence.all_taxonomies.get(name))
        if len(groups.names) > 1 or name in evidence.measures.groups:
            yield _split(column, groups, kept[drawn], lost[drawn])


def _split(
    column: Column, groups: ColumnGrouping, kept: NDArray[np.bool_], lost: Numbers
) -> PayingColumn:
    """Split suppression and loss by the groups of a column.

    `kept` says per row whether it was released, `lost` which share of its detail is lost. The gap
    is computed between these groups, since single values may be too rare to be meaningful.
    """
    burden = measure_burden(column, kept, {"all": lost})
    suppressed = groups.count(burden.suppressed)
    losses = groups.count(burden.loss * burden.records) / np.maximum(groups.records, 1)
    shares = suppressed / np.maximum(groups.records, 1)
    return PayingColumn(
        column=column.name,
        level_name=groups.level_name,
        merged=groups.merged,
        gap=float(shares.max() - shares.min()) if len(shares) else 0.0,
        groups=tuple(
            PayingGroup(
                value=name,
                records=int(groups.records[group]),
                suppressed=int(suppressed[group]),
                loss=float(losses[group]),
            )
            for group, name in enumerate(groups.names)
        ),
    )


def _lost_per_row(evidence: Evidence) -> Numbers:
    """Return the information loss of each original row, with the column weights of the plan."""
    assert evidence.rows is not None  # noqa: S101 - asked only then
    weights = np.array(evidence.problem.weights, np.float64)
    factors = weights / weights.sum() if weights.sum() else weights
    lost = np.zeros(evidence.original.rows)
    for (name, taxonomy), factor in zip(evidence.taxonomies.items(), factors, strict=True):
        original, released = evidence.original[name], evidence.released[name]
        shown = describe_shown_labels(
            taxonomy, original.counts, look_behind(original, taxonomy, released.values)
        )
        share = (shown.leaves - 1) / max(taxonomy.leaf_count - 1, 1)
        lost[evidence.rows] += factor * share[released.codes]
    return lost
