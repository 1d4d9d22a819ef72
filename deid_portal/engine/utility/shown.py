"""What the labels of a release stand for, whether or not they are those of a taxonomy."""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.labels import LabelReader
from deid_portal.engine.table import Codes, Column, Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.metric import ShownLabels


def find_labels(taxonomy: Taxonomy) -> dict[str | None, tuple[int, int]]:
    """Return the lowest level, and the code there, at which each label stands."""
    places: dict[str | None, tuple[int, int]] = {}
    for level, labels in enumerate(taxonomy.labels):
        for code, label in enumerate(labels):
            places.setdefault(label, (level, code))
    return places


def leaves_behind(
    original: Column, taxonomy: Taxonomy, labels: Sequence[str | None]
) -> list[Codes | None]:
    """Return the leaves each label may stand for; None for a value made up by a method.

    A label of the taxonomy stands for what is under it, any other is read as people read it.
    """
    places = find_labels(taxonomy)
    nothing = np.zeros(0, np.int32)
    # Values of the column come first among the leaves, so codes of leaves are codes of values.
    leaves = Column(original.name, original.type, nothing, taxonomy.labels[0], original.decimal)
    reader = LabelReader(leaves)
    found: list[Codes | None] = []
    for label in labels:
        if label in places:
            level, code = places[label]
            found.append(np.flatnonzero(taxonomy.codes[level] == code).astype(np.int32))
        else:
            read = reader.read(label)
            found.append(read if len(read) else None)
    return found


def describe_labels(
    taxonomy: Taxonomy, counts: Counts, behind: Sequence[Codes | None]
) -> ShownLabels:
    """Return the width of each label; a made-up value is as narrow as any other value."""
    records = np.append(counts, np.zeros(taxonomy.leaf_count - len(counts), np.int64))
    return ShownLabels(
        leaves=np.array([1 if own is None else len(own) for own in behind], np.int64),
        levels=np.array([_level_above(taxonomy, own) for own in behind], np.int32),
        records=np.array(
            [1 if own is None else max(int(records[own].sum()), 1) for own in behind], np.int64
        ),
    )


def _level_above(taxonomy: Taxonomy, leaves: Codes | None) -> int:
    """Return the lowest level with one label above all of these leaves."""
    if leaves is None or len(leaves) < 2:
        return 0
    for level, codes in enumerate(taxonomy.codes):
        if codes[leaves[0]] == codes[leaves[-1]] and (codes[leaves] == codes[leaves[0]]).all():
            return level
    return taxonomy.height
