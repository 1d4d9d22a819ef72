"""Which original record may be behind which released one, in matchings of all records."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.privacy.model import Original
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Codes, Counts
from deid_portal.engine.taxonomies import Taxonomy

LARGEST = 20_000_000  # pairs of a class and a pattern
Pairs = NDArray[np.bool_]


def levels_of_labels(taxonomy: Taxonomy) -> Codes:
    """Return the level of each label by its number."""
    counts = [len(labels) for labels in taxonomy.labels]
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def shows_mixed_levels(classes: Classes, original: Original) -> bool:
    """Say whether some column is shown at different levels in different classes."""
    columns = zip(original.taxonomies, original.labels_of(classes), strict=True)
    return any(len(np.unique(levels_of_labels(own)[labels])) > 1 for own, labels in columns)


def consistent_pairs(classes: Classes, original: Original) -> Pairs:
    """Return which pattern may be behind which class: class × pattern."""
    codes = original.patterns.codes
    if len(classes.sizes) * codes.shape[1] > LARGEST:
        raise InvalidTable(
            f"The release shows people at different levels of detail in {len(classes.sizes):,} "
            f"groups, too many to be matched with {codes.shape[1]:,} combinations of the original "
            f"(at most {LARGEST:,} pairs); use one level per column, or k-anonymity."
        )
    pairs = np.ones((len(classes.sizes), codes.shape[1]), np.bool_)
    shown = original.labels_of(classes)
    for taxonomy, labels, own in zip(original.taxonomies, shown, codes, strict=True):
        levels = levels_of_labels(taxonomy)[labels]
        above = np.array(taxonomy.nodes)[:, own]  # level × pattern
        pairs &= above[levels] == labels[:, None]
    return pairs


def links_by_matchings(classes: Classes, original: Original) -> Counts:
    """Return, per class, the fewest records that a pattern consistent with it may be behind.

    A pattern may be behind a class if some matching of all records puts it there. Given one such
    matching, the others differ from it along cycles, so a pair can be had if it is part of the
    matching or both ends lie in one strongly connected part of the graph of possible exchanges
    (Tassa et al., 2012). Records that were not released are matched with a place outside.
    """
    released = int(classes.sizes.sum())
    outside = int(original.patterns.counts.sum()) - released
    pairs = consistent_pairs(classes, original)
    everywhere = np.concatenate([pairs, np.full((1, pairs.shape[1]), outside > 0)])
    sizes = np.append(classes.sizes, outside)
    matched = _match(everywhere, sizes, original.patterns.counts)
    if matched is None:
        return np.zeros(len(classes.sizes), np.int64)
    possible = (everywhere & _exchangeable(everywhere, matched))[:-1]
    links = possible.T.astype(np.int64) @ classes.sizes
    fewest: Counts = np.where(possible, links, released).min(axis=1)
    return fewest


def count_equally_likely(classes: Classes, original: Original) -> Counts:
    """Return, per class, the fewest equally likely records of a pattern it is likeliest for.

    A record is equally likely to belong to each person who fits it, so the likeliest records of a
    pattern are those that the fewest people fit. A class that is likeliest for no pattern counts
    all.
    """
    pairs = consistent_pairs(classes, original)
    people = pairs @ original.patterns.counts  # who fit each class
    crowd = np.where(pairs, people[:, None], np.iinfo(np.int64).max).min(axis=0)
    likeliest = pairs & (people[:, None] == crowd)
    records = likeliest.T.astype(np.int64) @ classes.sizes
    fewest: Counts = np.where(likeliest, records, classes.sizes.sum()).min(axis=1)
    return fewest


def _match(pairs: Pairs, sizes: Counts, counts: Counts) -> Pairs | None:
    """Return which pairs one perfect matching uses, or None if there is no such matching."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    groups, patterns = pairs.shape
    start, end = groups + patterns, groups + patterns + 1
    group, pattern = np.nonzero(pairs)
    tails = np.concatenate([np.full(patterns, start), groups + pattern, np.arange(groups)])
    heads = np.concatenate([groups + np.arange(patterns), group, np.full(groups, end)])
    room = np.concatenate([counts, np.minimum(sizes[group], counts[pattern]), sizes])
    graph = csr_array((room.astype(np.int32), (tails, heads)), shape=(end + 1, end + 1))
    found = maximum_flow(graph, start, end)
    if found.flow_value != int(counts.sum()):
        return None
    used = found.flow.tocoo()
    chosen = (used.data > 0) & (used.row >= groups) & (used.row < start) & (used.col < groups)
    matched = np.zeros(pairs.shape, np.bool_)
    matched[used.col[chosen], used.row[chosen] - groups] = True
    return matched


def _exchangeable(pairs: Pairs, matched: Pairs) -> Pairs:
    """Return which pairs are matched, or are in another matching by an exchange along a cycle."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    groups, patterns = pairs.shape
    group, pattern = np.nonzero(pairs)
    used_group, used_pattern = np.nonzero(matched)
    tails = np.concatenate([groups + pattern, used_group])
    heads = np.concatenate([group, groups + used_pattern])
    count = groups + patterns
    graph = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(count, count))
    _, part = connected_components(graph, directed=True, connection="strong")
    together: Pairs = part[:groups, None] == part[None, groups:]
    return matched | together
