"""Record linkage: find a person's record by what is known from outside.

L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002; the expected share of
right links is Reid of V. Torra, Guide to data privacy, 2022.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackBins,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    share_of,
    weigh_match,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, LinkageFigures
from deid_portal.engine.attacks.bins import spread_sizes
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.table.table import Codes, Counts, Table
from deid_portal.engine.utility.class_matching import Matches, match_people
from deid_portal.engine.utility.coverage import cover_all


@dataclass(frozen=True, eq=False)
class CandidateLinks:
    """The candidates of each person; a link is a person with exactly one of them."""

    matches: Matches
    candidates: Counts  # released records that fit, per person
    is_right: NDArray[np.bool_]  # whether the person's own record is among them

    @property
    def links(self) -> int:
        return int((self.candidates == 1).sum())

    @property
    def correct_links(self) -> int:
        return int(((self.candidates == 1) & self.is_right).sum())

    @property
    def expected_share(self) -> float:
        """Return the share of people found by guessing evenly among their candidates."""
        chances = self.is_right / np.maximum(self.candidates, 1)
        return float(chances.mean()) if len(chances) else 0.0


def link_records(setting: AttackSetting) -> CandidateLinks:
    """Find the released records that fit what is known about each person."""
    people, original_rows = know_people(setting)
    names = setting.quasi_identifiers
    coverages = cover_all(people, setting.released, names, setting.taxonomies)
    matches = match_people(people, setting.released, names, coverages)
    own = released_rows(setting)[original_rows]
    own = np.where(original_rows >= 0, own, -1).astype(np.int32)
    is_right = np.zeros(people.rows, np.bool_)
    there = np.flatnonzero(own >= 0).astype(np.int32)
    is_right[there] = matches.includes(there, own[there])
    return CandidateLinks(matches, matches.candidates()[matches.people.pattern_of_row], is_right)


def know_people(setting: AttackSetting) -> tuple[Table, Codes]:
    """Return the table the attacker knows and the original row of each person in it."""
    if setting.outside is None:
        return setting.original, np.arange(setting.original.rows, dtype=np.int32)
    rows = setting.outside_rows
    unknown = np.full(setting.outside.rows, -1, np.int32)
    return setting.outside, unknown if rows is None else rows


def released_rows(setting: AttackSetting) -> Codes:
    """Return the released record of each original row, -1 for the suppressed.

    Records without an original row, such as synthetic ones, are skipped.
    """
    place = np.full(setting.original.rows, -1, np.int32)
    somebody = np.flatnonzero(setting.rows >= 0)
    place[setting.rows[somebody]] = somebody
    return place


def spread_candidates(candidates: Counts) -> AttackBins:
    """Count people by how many released records fit them; those with a single one are marked."""
    return spread_sizes(candidates, 2, of="people", by="Records that fit")


@dataclass(frozen=True)
class RecordLinkage(Attack):
    """Exact linkage on generalized values: a label fits every value it may stand for."""

    name: ClassVar[str] = "record-linkage"
    figures_kind: ClassVar[type[AttackFigures]] = LinkageFigures
    cites: ClassVar[str] = "L. Sweeney, k-anonymity, IJUFKS 10(5), 2002."

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        found = link_records(setting)
        people = len(found.candidates)
        return AttackResult(
            name=self.name,
            value=found.expected_share,
            interval=exactly(found.expected_share),
            control=share_of(1, setting.released.rows),
            records=found.correct_links,
            sentence=(
                f"Of {people} people {found.links} lead to exactly one released record and "
                f"{found.correct_links} of these links are right; guessing among the candidates "
                f"finds {fixed_percent(found.expected_share)} of all people."
            ),
            figures=LinkageFigures(
                people=people, links=found.links, correct_links=found.correct_links
            ),
            spread=spread_candidates(found.candidates),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        return weigh_match(
            result.value, result.interval, promise, result.figures.of(LinkageFigures).people
        )

    def explain(self) -> str:
        return (
            "Compares what is known about people with the released records and counts how many "
            "records fit each of them, and for how many the one that fits is their own."
        )
