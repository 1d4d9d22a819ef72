"""Downcoding: making generalized values exact again.

A. Cohen, Attacks on deidentification's defenses, USENIX Security 2022. The attacker knows the joint
distribution of the quasi-identifiers from an outside table and guesses, for every released class,
the likeliest exact values behind its labels.
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
    Bin,
    Stake,
    fixed_percent,
    recode,
    share_of,
    weigh_gain,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, DowncodingFigures
from deid_portal.engine.attacks.confidence import wilson_interval
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.utility.class_matching import match_people
from deid_portal.engine.utility.coverage import LabelCoverage, cover_all


@dataclass(frozen=True)
class Downcoding(Attack):
    """Guesses each generalized cell from outside records that fit the whole class.

    Without a control table of similar people the original itself stands in: the attacker who knows
    everything about the distribution. `control` guesses from each column alone.
    """

    name: ClassVar[str] = "downcoding"
    figures_kind: ClassVar[type[AttackFigures]] = DowncodingFigures
    # Narrowing a cell by what goes with what tells of kinds, not of a person.
    usual_limit: ClassVar[float] = 0.1
    holds_out: ClassVar[bool] = True
    cites: ClassVar[str] = "A. Cohen, Attacks on deidentification's defenses, USENIX Security 2022."

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        known = setting.original if setting.control is None else setting.control
        names = setting.quasi_identifiers
        coverages = cover_all(known, setting.released, names, setting.taxonomies)
        own = cover_all(setting.original, setting.released, names, setting.taxonomies)
        together = _guess_together(setting, known, coverages)
        cells = right = by_column = 0
        bins = []
        for index, name in enumerate(names):
            setting.progress.report(index, len(names), "attack")
            generalized = own[index].sizes[setting.released[name].codes] > 1
            truth = setting.original[name].codes[setting.rows]
            translate = np.append(recode(known[name], setting.original[name]), -1)
            alone = _guess_alone(known, coverages[index])[setting.released[name].codes]
            guess = np.where(together[index] >= 0, together[index], alone)
            correct = int((generalized & (translate[guess] == truth)).sum())
            by_chance = int((generalized & (translate[alone] == truth)).sum())
            cells += int(generalized.sum())
            right += correct
            by_column += by_chance
            gained = 100 * share_of(correct - by_chance, int(generalized.sum()))
            if generalized.any():
                bins.append(Bin(name, round(gained, 2), correct > by_chance))
        value = share_of(right, cells)
        return AttackResult(
            name=self.name,
            value=value,
            interval=wilson_interval(right, cells) if cells else (0.0, 0.0),
            control=share_of(by_column, cells),
            records=right,
            sentence=(
                f"Of {cells} generalized cells {right} ({fixed_percent(value)}) are guessed "
                f"exactly from their class; {fixed_percent(share_of(by_column, cells))} from "
                f"their column alone."
            ),
            figures=DowncodingFigures(cells=cells, by_column=by_column),
            spread=AttackBins("percent", "Beyond chance", tuple(bins)),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Weigh the cells guessed by their row beyond those guessed by their column alone."""
        return weigh_gain(
            result.value,
            result.interval,
            result.control,
            result.figures.of(DowncodingFigures).cells,
        )

    def explain(self) -> str:
        return "Guesses the exact values behind generalized ones from how common they are."


def _guess_alone(known: Table, coverage: LabelCoverage) -> Codes:
    """Return per label the most common value it covers, -1 if it covers none."""
    counts = known[coverage.name].counts
    guesses = [
        int(codes[counts[codes].argmax()]) if len(codes) else -1 for codes in coverage.covered
    ]
    return np.array(guesses, np.int32)


def _guess_together(
    setting: AttackSetting, known: Table, coverages: tuple[LabelCoverage, ...]
) -> list[Codes]:
    """Return per column and released record the most common value among people who fit its class.

    -1 where nobody fits.
    """
    matches = match_people(known, setting.released, setting.quasi_identifiers, coverages)
    weights = matches.people.counts[matches.person]
    answers = []
    for index in range(len(coverages)):
        values = matches.people.codes[index][matches.person]
        best = _most_common(matches.class_number, values, weights, len(matches.classes.counts))
        answers.append(best[matches.classes.pattern_of_row])
    return answers


def _most_common(groups: Codes, values: Codes, weights: NDArray[np.int64], count: int) -> Codes:
    """Return per group the value with most weight, the lower code on a tie, -1 without any."""
    width = int(values.max(initial=0)) + 1
    keys, inverse = np.unique(groups.astype(np.int64) * width + values, return_inverse=True)
    totals = np.bincount(inverse.reshape(-1), weights=weights, minlength=len(keys))
    order = np.lexsort((-keys, totals))
    best = np.full(count, -1, np.int32)
    best[keys[order] // width] = keys[order] % width
    return best
