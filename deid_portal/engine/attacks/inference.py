"""Inference: guess a person's sensitive value from the released records that fit them.

M. Giomi et al., A unified framework for quantifying privacy risk in synthetic data, PETS 2023. The
same guess for people who are not in the original shows what anybody could learn about anybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    USUAL_DISTANCE,
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    recode,
    share_of,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, InferenceFigures
from deid_portal.engine.attacks.bins import compare_shares
from deid_portal.engine.attacks.confidence import (
    excess_interval,
    excess_over_control,
    wilson_interval,
)
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.utility.class_matching import match_people
from deid_portal.engine.utility.coverage import cover_all


def guess_values(setting: AttackSetting, people: Table) -> Codes:
    """Guess each person's sensitive value: the most common among the released records that fit.

    Where no record fits, the most common of the release. Ties go to the lower code.
    """
    names = setting.quasi_identifiers
    coverages = cover_all(people, setting.released, names, setting.taxonomies)
    matches = match_people(people, setting.released, names, coverages)
    column = setting.released[setting.sensitive_name]
    votes = np.zeros((len(matches.people.counts), len(column.values)), np.int64)
    pairs = setting.classes.sensitive[setting.sensitive_name]
    order = np.argsort(pairs.groups, kind="stable")
    starts = np.searchsorted(pairs.groups[order], np.arange(len(setting.classes.counts) + 1))
    lengths = np.diff(starts)[matches.class_number]
    person = np.repeat(matches.person, lengths)
    first = np.repeat(starts[matches.class_number], lengths)
    within = np.arange(len(person)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    entry = order[first + within]
    np.add.at(votes, (person, pairs.codes[entry]), pairs.counts[entry])
    best = votes.argmax(axis=1)
    general = int(column.counts.argmax()) if len(column.values) else -1
    guesses = np.where(votes.any(axis=1), best, general).astype(np.int32)
    return guesses[matches.people.pattern_of_row]


def count_right(setting: AttackSetting, people: Table) -> int:
    """Count the people whose sensitive value is guessed."""
    column = people[setting.sensitive_name]
    truth = recode(column, setting.released[setting.sensitive_name])[column.codes]
    return int((guess_values(setting, people) == truth).sum())


@dataclass(frozen=True)
class Inference(Attack):
    """Guesses a sensitive value for sampled people of the original and of the control table."""

    attempts: int = 1000

    name: ClassVar[str] = "inference"
    figures_kind: ClassVar[type[AttackFigures]] = InferenceFigures
    with_time: ClassVar[Mapping[str, Any]] = MappingProxyType({"attempts": 100_000})
    holds_out: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "M. Giomi et al., A unified framework for quantifying privacy risk in synthetic data, "
        "PETS 2023."
    )
    needs: ClassVar[tuple[str, ...]] = ("sensitive", "control")
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "attempts", minimum=1, maximum=1_000_000, whole=True, default=1000, is_effort=True
        ),
    )

    @property
    def distance_needed(self) -> float:
        return USUAL_DISTANCE

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        people = draw_rows(setting.original, self.attempts, generator)
        others = draw_rows(setting.control_table, self.attempts, generator)
        right, by_chance = count_right(setting, people), count_right(setting, others)
        main, control = share_of(right, people.rows), share_of(by_chance, others.rows)
        value = excess_over_control(main, control)
        return AttackResult(
            name=self.name,
            value=value,
            interval=excess_interval(
                wilson_interval(right, people.rows), wilson_interval(by_chance, others.rows)
            ),
            control=control,
            records=right,
            sentence=(
                f'Guessing column "{setting.sensitive_name}" is right for {fixed_percent(main)} of '
                f"{people.rows} people of the original and for {fixed_percent(control)} of "
                f"{others.rows} others; {fixed_percent(value)} of what was left to learn came from "
                f"being in it."
            ),
            figures=InferenceFigures(success=main, attempts=people.rows),
            spread=compare_shares(
                "Values guessed right",
                [("people in the table", main), ("people who are not", control)],
            ),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Weigh what is learned about people in the table and could not be about others."""
        gained = round(result.value * result.figures.of(InferenceFigures).attempts)
        return Stake(result.value, result.interval, gained, 0.0, result.interval[0] > 0)

    def explain(self) -> str:
        return (
            "Guesses a sensitive value from the released records that fit a person, and compares "
            "with people who are not in the table."
        )


def draw_rows(table: Table, most: int, generator: np.random.Generator) -> Table:
    """Return some rows of a table, all of them if there are no more than asked for."""
    if table.rows <= most:
        return table
    rows: NDArray[np.intp] = np.sort(generator.choice(table.rows, most, replace=False))
    return Table(tuple(column.take(rows) for column in table.columns))
