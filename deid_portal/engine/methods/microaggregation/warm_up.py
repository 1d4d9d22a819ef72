"""Compiling the loops of microaggregation before somebody waits for them."""

import numpy as np

from deid_portal.engine.methods.microaggregation import mdav, spread_groups, univariate_optimal
from deid_portal.engine.methods.microaggregation.aggregates import aggregate
from deid_portal.engine.methods.microaggregation.merge_until import join_until
from deid_portal.engine.methods.microaggregation.space import describe, lay_out_records
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column


def warm_up_microaggregation() -> None:
    """Run every loop once, on a column of each kind."""
    quiet = Progress(None)
    cells = [str(number) for number in range(40)]
    attributes = [
        describe(Column.from_cells("number", cells), None),
        describe(Column.from_cells("ordered", cells), None, is_ordered=True),
        describe(Column.from_cells("category", [f"a{cell}" for cell in cells]), None),
    ]
    space, points = lay_out_records(attributes)
    groups = mdav.find_groups(space, points, 3, quiet)
    mdav.find_in_blocks(space, points, 3, quiet)
    spread_groups.find_groups(space, points, points[0], 3, quiet)
    univariate_optimal.find_groups(points[0], 3)
    for attribute in attributes:
        aggregate(attribute, groups)
    join_until(lambda own: np.asarray(own.sizes > len(cells)), space, points, groups, quiet)
