"""Linkage with an outside table: a register, a customer list, an earlier file.

P. Samarati and L. Sweeney, Protecting privacy when disclosing information, 1998; nearest records
as in `distance_linkage`.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    share_of,
    weigh_match,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, OutsideLinkageFigures
from deid_portal.engine.attacks.confidence import wilson_interval
from deid_portal.engine.attacks.distance_linkage import can_be_placed, place_columns
from deid_portal.engine.attacks.record_linkage import link_records, spread_candidates
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Choice, Declared
from deid_portal.engine.table.table import Codes, Counts, Table

NOBODY = -1
MATCHING = ("exact, then nearest", "exact", "nearest")


@dataclass(frozen=True, eq=False)
class Guesses:
    """Per person of the outside table, among how many records the intruder guesses."""

    candidates: Counts  # 0 where nothing fits
    is_right: NDArray[np.bool_]  # whether the person's own record is among them


@dataclass(frozen=True)
class OutsideLinkage(Attack):
    """Links each person of an outside table with the records that fit, or are nearest.

    Without knowing who is who it cannot be told which links are right: then a person's only fitting
    record counts as found, which is the most an intruder could hope for.
    """

    matching: str = MATCHING[0]

    name: ClassVar[str] = "outside-linkage"
    figures_kind: ClassVar[type[AttackFigures]] = OutsideLinkageFigures
    cites: ClassVar[str] = (
        "P. Samarati and L. Sweeney, Protecting privacy when disclosing information: k-anonymity "
        "and its enforcement through generalization and suppression, 1998."
    )
    needs: ClassVar[tuple[str, ...]] = ("outside",)
    parameters: ClassVar[tuple[Declared, ...]] = (Choice("matching", MATCHING),)

    def __post_init__(self) -> None:
        if self.matching not in MATCHING:
            raise InvalidPlan(f"One of {', '.join(MATCHING)} is needed.")

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        if setting.outside is None:
            raise InvalidPlan("This attack needs an outside table.")
        if not setting.outside.rows:
            raise InvalidPlan("The outside table holds nobody.")
        guesses = self._guess(setting, setting.outside)
        if setting.outside_rows is None:
            return self._tell_what_can_be_said(setting, guesses)
        return self._score(setting, guesses, setting.outside_rows >= 0)

    def explain(self) -> str:
        return (
            "Looks up the people of an outside table in the release and counts for how many the "
            "record an intruder would pick is their own."
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Weigh right guesses; if they cannot be told from wrong ones, every unique link counts."""
        figures = result.figures.of(OutsideLinkageFigures)
        if not figures.scored:
            return Stake(result.value, result.interval, result.records, 0.0, result.records > 0)
        return weigh_match(result.value, result.interval, promise, figures.people)

    def _guess(self, setting: AttackSetting, outside: Table) -> Guesses:
        exact = self._guess_exactly(setting) if self.matching != "nearest" else None
        if exact is not None and (self.matching == "exact" or exact.candidates.all()):
            return exact
        names = tuple(name for name in setting.quasi_identifiers if can_be_placed(outside[name]))
        if exact is not None and not names:
            return exact  # no column has distances
        nearest = self._guess_nearest(replace(setting, quasi_identifiers=names))
        if exact is None:
            return nearest
        fits = exact.candidates > 0
        return Guesses(
            np.where(fits, exact.candidates, nearest.candidates),
            np.where(fits, exact.is_right, nearest.is_right),
        )

    def _guess_exactly(self, setting: AttackSetting) -> Guesses:
        links = link_records(setting)
        return Guesses(links.candidates, links.is_right)

    def _guess_nearest(self, setting: AttackSetting) -> Guesses:
        if not setting.quasi_identifiers:
            raise InvalidPlan("No column both tables know tells how near two people are.")
        placed = place_columns(setting)
        links = placed.link(np.arange(placed.people.rows), setting.progress)
        return Guesses(links.ties, links.is_right)

    def _score(
        self, setting: AttackSetting, guesses: Guesses, is_known: NDArray[np.bool_]
    ) -> AttackResult:
        people = len(guesses.candidates)
        chances = guesses.is_right / np.maximum(guesses.candidates, 1)
        right = round(float(chances.sum()))
        alone = int((guesses.is_right & (guesses.candidates == 1)).sum())
        value = share_of(float(chances.sum()), people)
        return AttackResult(
            name=self.name,
            value=value,
            interval=wilson_interval(right, people),
            control=share_of(1, setting.released.rows),
            records=alone,
            sentence=(
                f"Of {people} guesses, one for each person of the outside table, {right} are right "
                f"({fixed_percent(value)}); {alone} people lead to one record only, and it is "
                f"theirs."
            ),
            figures=replace(
                self._count(guesses),
                right=right,
                correct_links=alone,
                known=int(is_known.sum()),
                scored=1,
            ),
            spread=spread_candidates(guesses.candidates),
        )

    def _tell_what_can_be_said(self, setting: AttackSetting, guesses: Guesses) -> AttackResult:
        people = len(guesses.candidates)
        alone = int((guesses.candidates == 1).sum())
        value = share_of(alone, people)
        return AttackResult(
            name=self.name,
            value=value,
            interval=wilson_interval(alone, people),
            control=share_of(1, setting.released.rows),
            records=alone,
            sentence=(
                f"Of {people} people of the outside table {alone} ({fixed_percent(value)}) lead to "
                f"one record only; whether it is theirs cannot be told without a column that says "
                f"who is who."
            ),
            figures=self._count(guesses),
            spread=spread_candidates(guesses.candidates),
        )

    def _count(self, guesses: Guesses) -> OutsideLinkageFigures:
        return OutsideLinkageFigures(
            people=len(guesses.candidates),
            links=int((guesses.candidates == 1).sum()),
            unmatched=int((guesses.candidates == 0).sum()),
            scored=0,
        )


def find_outside_people(original: Table, outside: Table, person: tuple[str, str]) -> Codes:
    """Return the original row of each person of an outside table, NOBODY for strangers.

    Somebody who stands in several rows is taken to be the first of them.
    """
    theirs, ours = outside[person[0]], original[person[1]]
    row_of = np.full(len(ours.values) + 1, NOBODY, np.int32)
    backwards = np.arange(len(ours.codes) - 1, -1, -1, dtype=np.int32)
    row_of[ours.codes[backwards]] = backwards
    nobody = len(ours.values)
    known = {text: code for code, text in enumerate(ours.values) if text is not None}
    found = [nobody if text is None else known.get(text, nobody) for text in theirs.values]
    return np.asarray(row_of[np.array(found, np.int64)[theirs.codes]], np.int32)
