"""How surely a sensitive value can be guessed from the released quasi-identifiers of a person.

The guess is the most frequent value of the group; it is right for the share that has it. It is
computed from released cells, so it applies to every method; for values mixed within groups, the
group is what is known of a person. Gaps count as a value: that somebody has no diagnosis can be
learned, too.
"""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Table


def measure_surest_guess(
    released: Table, quasi_identifiers: Sequence[str], sensitive: Sequence[str], progress: Progress
) -> dict[str, float]:
    """Return, per sensitive column, the largest share that one value has in a group."""
    patterns = reduce_table(released, quasi_identifiers, sensitive, progress)
    return {
        name: float(np.max(pairs.counts / patterns.counts[pairs.groups], initial=0.0))
        for name, pairs in patterns.sensitive.items()
    }
