"""Which columns raise the risk most: the risk the table would have without them."""

from collections.abc import Sequence
from itertools import combinations

from deid_portal.engine.report.risk import ColumnInfluence, PairInfluence
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import sizes_without
from deid_portal.engine.table.table import Counts

MOST_PAIRED = 12  # columns, the most harmful ones, of which all pairs are measured
MOST_PATTERNS_READ = 10_000_000  # over all pairs, about a second
SHOWN_PAIRS = 5


def rank_columns(patterns: Patterns) -> list[ColumnInfluence]:
    """Measure the table once without each quasi-identifier, the most harmful column first.

    Exact: works on the distinct patterns, one pass over them per column.
    """
    everything = patterns.counts
    each = [(column,) for column in range(len(patterns.names))]
    found = [
        _measure_without(name, sizes, everything)
        for name, sizes in zip(patterns.names, sizes_without(patterns, each), strict=True)
    ]
    return sorted(found, key=lambda entry: (-entry.average_risk_saved, -entry.uniques_saved))


def rank_pairs(patterns: Patterns, ranked: Sequence[ColumnInfluence]) -> list[PairInfluence]:
    """Measure the table without each two columns, the most harmful pair first.

    `ranked` holds the columns as `rank_columns` does; of many columns, or in a table of many
    patterns, only the first are paired.
    """
    places = [patterns.names.index(entry.column) for entry in ranked[:MOST_PAIRED]]
    while len(places) * (len(places) - 1) // 2 * len(patterns.counts) > MOST_PATTERNS_READ:
        places.pop()
    pairs = list(combinations(places, 2))
    everything = patterns.counts
    rows = max(int(everything.sum()), 1)
    found = [
        PairInfluence(
            columns=(patterns.names[first], patterns.names[second]),
            average_risk=len(sizes) / rows,
            sample_uniques=int((sizes == 1).sum()),
            average_risk_saved=(len(everything) - len(sizes)) / rows,
        )
        for (first, second), sizes in zip(pairs, sizes_without(patterns, pairs), strict=True)
    ]
    ranked_pairs = sorted(found, key=lambda entry: (-entry.average_risk_saved, entry.columns))
    return ranked_pairs[:SHOWN_PAIRS]


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
