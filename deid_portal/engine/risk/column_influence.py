"""Which column raises the risk most: the risk the table would have without it."""

from deid_portal.engine.report.risk import ColumnInfluence
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import sizes_without_each
from deid_portal.engine.table.table import Counts


def rank_columns(patterns: Patterns) -> list[ColumnInfluence]:
    """Measure the table once without each quasi-identifier, the most harmful column first.

    Exact: works on the distinct patterns, one pass over them per column.
    """
    everything = patterns.counts
    found = [
        _measure_without(name, sizes, everything)
        for name, sizes in zip(patterns.names, sizes_without_each(patterns), strict=True)
    ]
    return sorted(found, key=lambda entry: (-entry.average_risk_saved, -entry.uniques_saved))


def _measure_without(name: str, sizes: Counts, everything: Counts) -> ColumnInfluence:
    rows = max(int(everything.sum()), 1)
    uniques = int((sizes == 1).sum())
    return ColumnInfluence(
        column=name,
        classes=len(sizes),
        average_risk=len(sizes) / rows,
        highest_risk=1 / int(sizes.min()) if len(sizes) else 0.0,
        sample_uniques=uniques,
        average_risk_saved=(len(everything) - len(sizes)) / rows,
        uniques_saved=int((everything == 1).sum()) - uniques,
    )
