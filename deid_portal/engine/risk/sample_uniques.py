"""Sample uniques: records that are unique in the table."""

from deid_portal.engine.report.risk import SampleUniques
from deid_portal.engine.table.table import Counts


def count_sample_uniques(sizes: Counts, population: Counts | None = None) -> SampleUniques:
    """Count classes of one record; with population sizes per class, those alone there too."""
    alone = sizes == 1
    records, rows = int(alone.sum()), int(sizes.sum())
    both = None if population is None else int((alone & (population == 1)).sum())
    return SampleUniques(records, records / rows if rows else 0.0, both)
