"""Intersection: several releases about the same people, each of them safe alone.

S. Ganta, S. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information in data
privacy, KDD 2008.
"""

from dataclasses import dataclass
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
from deid_portal.engine.errors import InvalidPlan

Possible = NDArray[np.bool_]  # person × original sensitive value


@dataclass(frozen=True)
class Intersection(Attack):
    """Keeps, for every person, only the sensitive values that all releases allow.

    `control` is the share of people whose value the most telling release discloses alone.
    """

    name: ClassVar[str] = "intersection"
    cites: ClassVar[str] = (
        "S. Ganta, S. Kasiviswanathan and A. Smith, Composition attacks and auxiliary information "
        "in data privacy, KDD 2008."
    )
    needs: ClassVar[tuple[str, ...]] = ("sensitive", "others")

    def run(self, setting: Setting, generator: np.random.Generator) -> AttackResult:
        if not setting.others:
            raise InvalidPlan("This attack needs at least two releases of the same table.")
        allowed = [_possible_values(release) for release in (setting, *setting.others)]
        alone = max(_count_disclosed(setting, possible) for possible in allowed)
        records = _count_disclosed(setting, np.logical_and.reduce(allowed))
        people = setting.original.rows
        value = share_of(records, people)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=share_of(alone, people),
            records=records,
            sentence=(
                f"{len(allowed)} releases together disclose column "
                f'"{setting.sensitive_name}" of {records} people ({percent(value)}); the most '
                f"telling of them alone discloses {alone}."
            ),
            figures={"releases": len(allowed), "alone": alone},
        )

    def explain(self) -> str:
        return "Combines several releases: what one leaves open another may rule out."


def _possible_values(setting: Setting) -> Possible:
    """Return which values the release leaves possible; all of them for a suppressed person."""
    column = setting.original[setting.sensitive_name]
    translate = recode(setting.released[setting.sensitive_name], column)
    pairs = setting.classes.sensitive[setting.sensitive_name]
    shown = np.zeros((len(setting.classes.counts), len(column.values)), np.bool_)
    codes = translate[pairs.codes]
    shown[pairs.groups[codes >= 0], codes[codes >= 0]] = True
    place = released_rows(setting)
    possible = np.ones((setting.original.rows, len(column.values)), np.bool_)
    there = place >= 0
    possible[there] = shown[setting.classes.pattern_of_row[place[there]]]
    return possible


def _count_disclosed(setting: Setting, possible: Possible) -> int:
    """Count the people with one possible value left, if that is the true one."""
    truth = setting.original[setting.sensitive_name].codes
    alone = possible.sum(axis=1) == 1
    return int((alone & possible[np.arange(len(truth)), truth]).sum())
