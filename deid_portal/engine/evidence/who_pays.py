"""Suppression and information loss by the groups of a column."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.evidence.column_groups import ColumnGrouping
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.risk.burden import measure_burden
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Column


def tell_who_pays(
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
