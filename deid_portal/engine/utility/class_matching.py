"""Which released classes a person with known values may belong to.

Works on distinct patterns. Classes are sorted by the layers of their labels. Within one combination
of layers a person's values match at most one class, found by hashing, so a release of one level per
column takes a single join.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.projection import number_patterns
from deid_portal.engine.table.table import Codes, Counts, Table
from deid_portal.engine.utility.coverage import LabelCoverage


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs of a person's pattern and a released class it fits, one entry per pair."""

    people: Patterns
    classes: Patterns
    person: Codes  # number of the person's pattern
    class_number: Codes

    def candidates(self) -> Counts:
        """Return per person's pattern how many released records fit."""
        counts = np.bincount(
            self.person,
            weights=self.classes.counts[self.class_number],
            minlength=len(self.people.counts),
        )
        return counts.astype(np.int64)

    def includes(self, people_rows: Codes, released_rows: Codes) -> NDArray[np.bool_]:
        """Say for pairs of rows whether the released one is among the person's candidates."""
        width = np.int64(max(len(self.classes.counts), 1))
        known = np.sort(self.person.astype(np.int64) * width + self.class_number)
        asked = self.people.pattern_of_row[people_rows].astype(np.int64) * width
        asked = asked + self.classes.pattern_of_row[released_rows]
        if not len(known):
            return np.zeros(len(asked), np.bool_)
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        found: NDArray[np.bool_] = known[place] == asked
        return found


def match_people(
    people: Table, released: Table, names: Sequence[str], coverages: Sequence[LabelCoverage]
) -> Matches:
    """Match each person's values on these columns with the released classes.

    `people` must share the dictionaries the coverages were made for.
    """
    own = reduce_table(people, names, (), Progress(None))
    classes = reduce_table(released, names, (), Progress(None))
    joined = [_join(own, classes, coverages, chosen) for chosen in _by_layers(classes, coverages)]
    person = np.concatenate([pair[0] for pair in joined] or [np.zeros(0, np.int32)])
    number = np.concatenate([pair[1] for pair in joined] or [np.zeros(0, np.int32)])
    return Matches(own, classes, person.astype(np.int32), number.astype(np.int32))


def _by_layers(classes: Patterns, coverages: Sequence[LabelCoverage]) -> list[Codes]:
    """Sort the classes by the combination of layers their labels lie in."""
    layers = np.array(
        [
            coverage.layers[0][codes]
            for coverage, codes in zip(coverages, classes.codes, strict=True)
        ],
        np.int32,
    ).reshape(len(coverages), len(classes.counts))
    numbers = number_patterns(layers)
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    ends = np.flatnonzero(np.diff(numbers[order])) + 1
    return [part for part in np.split(order, ends) if len(part)]


def _join(
    people: Patterns, classes: Patterns, coverages: Sequence[LabelCoverage], chosen: Codes
) -> tuple[Codes, Codes]:
    """Join people with classes that all lie in the same layers."""
    labels = np.empty((len(coverages), len(people.counts)), np.int32)
    for index, coverage in enumerate(coverages):
        layer_of, layers = coverage.layers
        layer = layer_of[classes.codes[index, chosen[0]]]
        labels[index] = layers[layer][people.codes[index]]
    fits = np.flatnonzero((labels >= 0).all(axis=0)).astype(np.int32)
    both = np.concatenate([classes.codes[:, chosen], labels[:, fits]], axis=1)
    numbers = number_patterns(both)
    class_of = np.full(int(numbers.max(initial=0)) + 1, -1, np.int32)
    class_of[numbers[: len(chosen)]] = chosen
    found = class_of[numbers[len(chosen) :]]
    return fits[found >= 0], found[found >= 0]
