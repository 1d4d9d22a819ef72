"""Crossing releases of the same rows: among how many people each person is hidden."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import AttackSetting
from deid_portal.engine.attacks.record_linkage import released_rows
from deid_portal.engine.table.projection import number_patterns
from deid_portal.engine.table.table import Codes, Counts

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class CrossedReleases:
    """People sorted by the groups they are in, over several releases at once.

    Whoever holds all of them knows that a person is in one group of each. Being left out of one is
    knowledge, too: who is missing there follows by taking one release from the other.
    """

    group_of: Codes  # per person, NOWHERE for those no release shows
    sizes: Counts  # one per group

    @cached_property
    def looks_alike(self) -> Counts:
        """Return the number of look-alikes per person, 0 for people no release shows."""
        shown = self.group_of >= 0
        sizes = np.append(self.sizes, 0)
        return np.where(shown, sizes[self.group_of], 0)

    @property
    def smallest(self) -> int:
        return int(self.sizes.min()) if len(self.sizes) else 0

    def people_below(self, k: int) -> NDArray[np.bool_]:
        """Say per person whether they are shown and hide among fewer than k."""
        return (self.looks_alike > 0) & (self.looks_alike < k)


def cross_releases(releases: Sequence[AttackSetting]) -> CrossedReleases:
    """Cross releases of the same original, a row being a person; one alone gives its own groups."""
    return cross_places(np.array([class_of_person(release) for release in releases], np.int32))


def cross_places(places: Codes) -> CrossedReleases:
    """Group people by where they are shown: one line per release, one column per person."""
    shown: NDArray[np.bool_] = np.any(places > NOWHERE, axis=0)
    _, groups = np.unique(number_patterns(places[:, shown] + 1), return_inverse=True)
    group_of = np.full(places.shape[1], NOWHERE, np.int32)
    group_of[shown] = groups
    return CrossedReleases(group_of, np.bincount(groups).astype(np.int64))


def class_of_person(release: AttackSetting) -> Codes:
    """Return the class each original row is shown in, NOWHERE for the suppressed."""
    place = released_rows(release)
    classes = np.append(release.classes.pattern_of_row, NOWHERE)
    return np.asarray(classes[place], np.int32)
