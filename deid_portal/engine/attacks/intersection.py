"""Intersection: several releases about the same people, each of them safe alone.

S. Ganta, S. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information in data
privacy, KDD 2008.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    fixed_percent,
    recode,
    share_of,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, IntersectionFigures
from deid_portal.engine.attacks.bins import spread_sizes
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.attacks.record_linkage import released_rows
from deid_portal.engine.attacks.release_crossing import CrossedReleases, cross_releases
from deid_portal.engine.attacks.version_linkage import cross_people
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.table.table import Codes

Possible = NDArray[np.bool_]  # person × original sensitive value


@dataclass(frozen=True, eq=False)
class ReleaseCrossing:
    """The result of crossing releases in one way, and the person of each row of the original."""

    crossing: CrossedReleases
    people: Codes

    def count_few(self, k: int) -> int:
        return int(self.crossing.people_below(k).sum())

    def count_at_stake(self, k: int, exposed: NDArray[np.bool_]) -> int:
        """Count the people among fewer than k, and those in an exposed row."""
        at_stake = self.crossing.people_below(k)
        at_stake[self.people[exposed]] = True
        return int(at_stake.sum())


def cross(setting: AttackSetting) -> list[ReleaseCrossing]:
    """Cross a release with the others of the same rows, and with those of all versions."""
    found = []
    if setting.others:
        every = np.arange(setting.original.rows, dtype=np.int32)
        found.append(ReleaseCrossing(cross_releases((setting, *setting.others)), every))
    if setting.versions:
        releases = (setting, *setting.others, *setting.versions)
        found.append(ReleaseCrossing(cross_people(releases, setting.people), setting.people[0]))
    return found


def cross_worst(setting: AttackSetting, k: int) -> CrossedReleases:
    """Return the way of crossing that leaves most people among fewer than k."""
    crossings = [own.crossing for own in cross(setting)]
    return max(crossings, key=lambda own: (own.people_below(k).sum(), -own.smallest))


@dataclass(frozen=True)
class Intersection(Attack):
    """Counts the people whom several releases together leave among fewer than k, or expose.

    A sensitive value is exposed if the releases of the same rows together leave only the true one
    possible; in another version a person may have another. Releases of other versions are crossed
    person by person, and the worse of both answers counts. `control` is the share of people the
    most telling release puts at stake alone.
    """

    k: int = 2

    name: ClassVar[str] = "intersection"
    figures_kind: ClassVar[type[AttackFigures]] = IntersectionFigures
    # Nobody may lose the look-alikes a release promised, whatever the share.
    usual_limit: ClassVar[float] = 0.0
    look_alikes: ClassVar[str] = "k"
    cites: ClassVar[str] = (
        "S. Ganta, S. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information "
        "in data privacy, KDD 2008."
    )
    needs: ClassVar[tuple[str, ...]] = ("others",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("k", minimum=2, maximum=1_000_000, whole=True, default=2),
    )

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        if not setting.others and not setting.versions:
            raise InvalidPlan("This attack needs at least two releases of the same people.")
        exposed = _expose(setting, (setting, *setting.others))
        worst = max(cross(setting), key=lambda own: own.count_at_stake(self.k, exposed))
        records, few = worst.count_at_stake(self.k, exposed), worst.count_few(self.k)
        releases = (setting, *setting.others, *setting.versions)
        alone = max(self._count_alone(release) for release in releases)
        people = len(worst.crossing.group_of)
        value = share_of(records, people)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=share_of(alone, people),
            records=records,
            sentence=(
                f"{len(releases)} releases together leave {few} people among fewer "
                f"than {self.k} and disclose the sensitive value of {int(exposed.sum())}: "
                f"{fixed_percent(value)} of all people; the most telling of them alone puts "
                f"{alone} at stake."
            ),
            figures=IntersectionFigures(
                releases=len(releases),
                alone=alone,
                few=few,
                disclosed=int(exposed.sum()),
                smallest=worst.crossing.smallest,
                k=self.k,
            ),
            spread=spread_sizes(
                worst.crossing.sizes, self.k, of="groups", by="People in the group"
            ),
        )

    def _count_alone(self, release: AttackSetting) -> int:
        few = cross_releases([release]).people_below(self.k)
        return int((few | _expose(release, [release])).sum())

    def explain(self) -> str:
        return "Combines several releases: what one leaves open another may rule out."


def _expose(setting: AttackSetting, releases: Sequence[AttackSetting]) -> NDArray[np.bool_]:
    """Say per person whether only the true sensitive value is left possible."""
    telling = [release for release in releases if setting.sensitive in release.released]
    if setting.sensitive is None or not telling:
        return np.zeros(setting.original.rows, np.bool_)
    possible = np.logical_and.reduce([_possible_values(release) for release in telling])
    truth = setting.original[setting.sensitive].codes
    exposed: NDArray[np.bool_] = possible[np.arange(len(truth)), truth]
    return np.asarray(exposed & (possible.sum(axis=1) == 1))


def _possible_values(setting: AttackSetting) -> Possible:
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
