"""The values that labels of a release stand for, whether or not a taxonomy has these labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.table.table import Codes, Column, Counts
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.taxonomies.label_reader import LabelReader
from deid_portal.engine.utility.metric import ShownLabels


@dataclass(frozen=True, eq=False)
class CoveredValues:
    """The values one label may stand for."""

    level: int  # the lowest with one label above all of the leaves
    leaves: Codes | None  # None for a value made up by a method


def find_labels(
    taxonomy: Taxonomy, labels: Sequence[str | None]
) -> dict[str | None, tuple[int, int]]:
    """Return the level, and the code there, of each of these labels the taxonomy has.

    A label may stand on several levels, as a gap does. If all are found on one level they are
    taken from there, otherwise each from its lowest.
    """
    known = [{label: code for code, label in enumerate(own)} for own in taxonomy.labels]
    for level, codes in enumerate(known):
        if all(label in codes for label in labels):
            return {label: (level, codes[label]) for label in labels}
    return {
        label: next((level, codes[label]) for level, codes in enumerate(known) if label in codes)
        for label in labels
        if any(label in codes for codes in known)
    }


def look_behind(
    original: Column, taxonomy: Taxonomy, labels: Sequence[str | None]
) -> list[CoveredValues]:
    """Return what each label may stand for.

    A label of the taxonomy stands for the values under it; any other is read as a person would.
    """
    places = find_labels(taxonomy, labels)
    nothing = np.zeros(0, np.int32)
    # Values of the column come first among the leaves, so codes of leaves are codes of values.
    leaves = Column(original.name, original.type, nothing, taxonomy.labels[0], original.decimal)
    reader = LabelReader(leaves)
    found = []
    for label in labels:
        if label in places:
            level, code = places[label]
            under = np.flatnonzero(taxonomy.codes[level] == code).astype(np.int32)
            found.append(CoveredValues(level, under))
        else:
            read = reader.read(label)
            found.append(CoveredValues(_level_above(taxonomy, read), read if len(read) else None))
    return found


def describe_shown_labels(
    taxonomy: Taxonomy, counts: Counts, behind: Sequence[CoveredValues]
) -> ShownLabels:
    """Return the width of each label; a made-up value is as narrow as any other value."""
    records = np.append(counts, np.zeros(taxonomy.leaf_count - len(counts), np.int64))
    leaves = [own.leaves for own in behind]
    return ShownLabels(
        leaves=np.array([1 if own is None else len(own) for own in leaves], np.int64),
        levels=np.array([own.level for own in behind], np.int32),
        records=np.array(
            [1 if own is None else max(int(records[own].sum()), 1) for own in leaves], np.int64
        ),
    )


def _level_above(taxonomy: Taxonomy, leaves: Codes) -> int:
    """Return the lowest level with one label above all of these leaves."""
    if len(leaves) < 2:
        return 0
    for level, codes in enumerate(taxonomy.codes):
        if codes[leaves[0]] == codes[leaves[-1]] and (codes[leaves] == codes[leaves[0]]).all():
            return level
    return taxonomy.height
