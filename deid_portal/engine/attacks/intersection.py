"""Intersection: several releases about the same people, each of them safe alone.

S. Ganta, S. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information in data
privacy, KDD 2008.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    Setting,
    percent,
    recode,
    share_of,
)
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.attacks.record_linkage import released_rows
from deid_portal.engine.attacks.spreads import spread_sizes
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.risk.projection import number_patterns
from deid_portal.engine.table import Codes, Counts

Possible = NDArray[np.bool_]  # person × original sensitive value
NOWHERE = -1


@dataclass(frozen=True, eq=False)
class Crossing:
    """People sorted by the groups they are in, over several releases at once.

    Whoever holds all of them knows that a person is in one group of each. Being left out of one is
    knowledge, too: who is missing there follows by taking one release from the other.
    """

    group_of: Codes  # per original row, NOWHERE for people no release shows
    sizes: Counts  # one per group

    @cached_property
    def looks_alike(self) -> Counts:
        """Return per original row among how many the person hides, 0 for people nowhere shown."""
        shown = self.group_of >= 0
        sizes = np.append(self.sizes, 0)
        return np.where(shown, sizes[self.group_of], 0)

    @property
    def smallest(self) -> int:
        return int(self.sizes.min()) if len(self.sizes) else 0

    def people_below(self, k: int) -> NDArray[np.bool_]:
        """Say per original row whether the person is shown and hides among fewer than k."""
        return (self.looks_alike > 0) & (self.looks_alike < k)


def cross_releases(releases: Sequence[Setting]) -> Crossing:
    """Cross releases of the same original; one alone gives its own groups."""
    places = np.array([class_of_person(release) for release in releases], np.int32)
    numbers = number_patterns(places + 1)
    shown: NDArray[np.bool_] = np.any(places >= 0, axis=0)
    kept, groups = np.unique(numbers[shown], return_inverse=True)
    group_of = np.full(len(shown), NOWHERE, np.int32)
    group_of[shown] = groups.reshape(-1)
    return Crossing(group_of, np.bincount(groups.reshape(-1), minlength=len(kept)).astype(np.int64))


def class_of_person(release: Setting) -> Codes:
    """Return the class each original row is shown in, NOWHERE for the suppressed."""
    place = released_rows(release)
    classes = np.append(release.classes.pattern_of_row, NOWHERE)
    return np.asarray(classes[place], np.int32)


@dataclass(frozen=True)
class Intersection(Attack):
    """Counts the people whom several releases together leave among fewer than k, or expose.

    A sensitive value is exposed if the releases together leave only the true one possible.
    `control` is the share of people the most telling release puts at stake alone.
    """

    k: int = 2

    name: ClassVar[str] = "intersection"
    cites: ClassVar[str] = (
        "S. Ganta, S. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information "
        "in data privacy, KDD 2008."
    )
    needs: ClassVar[tuple[str, ...]] = ("others",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("k", minimum=2, maximum=1_000_000, whole=True, default=2),
    )

    def run(self, setting: Setting, generator: np.random.Generator) -> AttackResult:
        if not setting.others:
            raise InvalidPlan("This attack needs at least two releases of the same table.")
        releases = (setting, *setting.others)
        crossing = cross_releases(releases)
        few, exposed = crossing.people_below(self.k), _expose(setting, releases)
        alone = max(self._count_alone(release) for release in releases)
        records = int((few | exposed).sum())
        people = setting.original.rows
        value = share_of(records, people)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=share_of(alone, people),
            records=records,
            sentence=(
                f"{len(releases)} releases together leave {int(few.sum())} people among fewer "
                f"than {self.k} and disclose the sensitive value of {int(exposed.sum())}: "
                f"{percent(value)} of all people; the most telling of them alone puts {alone} at "
                f"stake."
            ),
            figures={
                "releases": len(releases),
                "alone": alone,
                "few": int(few.sum()),
                "disclosed": int(exposed.sum()),
                "smallest": crossing.smallest,
                "k": self.k,
            },
            spread=spread_sizes(crossing.sizes, self.k, of="groups", by="People in the group"),
        )

    def _count_alone(self, release: Setting) -> int:
        few = cross_releases([release]).people_below(self.k)
        return int((few | _expose(release, [release])).sum())

    def explain(self) -> str:
        return "Combines several releases: what one leaves open another may rule out."


def _expose(setting: Setting, releases: Sequence[Setting]) -> NDArray[np.bool_]:
    """Say per person whether only the true sensitive value is left possible."""
    telling = [release for release in releases if setting.sensitive in release.released]
    if setting.sensitive is None or not telling:
        return np.zeros(setting.original.rows, np.bool_)
    possible = np.logical_and.reduce([_possible_values(release) for release in telling])
    truth = setting.original[setting.sensitive].codes
    exposed: NDArray[np.bool_] = possible[np.arange(len(truth)), truth]
    return np.asarray(exposed & (possible.sum(axis=1) == 1))


def _possible_values(setting: Setting) -> Possible:
    """Return which values the release leaves possible; all of them for a suppressed person."""
    column = setting.original[setting.sensitive_name]
    translate = recode(setting.released[setting.sensitive_name], column)
    pairs = setting.groups.sensitive[setting.sensitive_name]
    shown = np.zeros((len(setting.groups.counts), len(column.values)), np.bool_)
    codes = translate[pairs.codes]
    shown[pairs.groups[codes >= 0], codes[codes >= 0]] = True
    place = released_rows(setting)
    possible = np.ones((setting.original.rows, len(column.values)), np.bool_)
    there = place >= 0
    possible[there] = shown[setting.groups.pattern_of_row[place[there]]]
    return possible
