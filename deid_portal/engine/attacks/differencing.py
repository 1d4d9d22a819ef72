"""Differencing and averaging: two answers that differ by one person, asked often enough.

D. Denning and J. Schlörer, A fast procedure for finding a tracker in a statistical database, TODS
5(1), 1980.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import AttackResult, fixed_percent, share_of
from deid_portal.engine.attacks.attack_figures import DifferencingFigures
from deid_portal.engine.attacks.confidence import exactly

Chosen = NDArray[np.bool_]
Bits = NDArray[np.int64]
Answer = Callable[[Chosen], float]  # how many of the chosen people have the property, as answered


def infer_by_difference(everyone: float, without: float) -> float:
    """Return what one person adds to a count or sum."""
    return everyone - without


def infer_from_means(mean: float, people: int, mean_without: float) -> float:
    """Return one person's number from the mean of `people` and the mean without that person."""
    return people * mean - (people - 1) * mean_without


def attack_by_differencing(bits: Bits, answer: Answer, repeats: int = 1) -> AttackResult:
    """Ask for everyone and for everyone but one, for each person.

    `bits` are the truth. Of a question asked `repeats` times, `answer` gives the mean: that wears
    independent noise down, which is why answers need a budget and not only noise.
    """
    people = len(bits)
    everyone = np.ones(people, np.bool_)
    guesses = np.zeros(people, np.int64)
    for person in range(people):
        without = everyone.copy()
        without[person] = False
        guesses[person] = int(infer_by_difference(answer(everyone), answer(without)) >= 0.5)
    return judge_guesses(
        "averaging" if repeats > 1 else "differencing", bits, guesses, 2 * repeats * people
    )


def judge_guesses(name: str, bits: Bits, guesses: Bits, questions: int) -> AttackResult:
    right = int((bits == guesses).sum())
    value = share_of(right, len(bits))
    most = max(int(bits.sum()), len(bits) - int(bits.sum()))
    return AttackResult(
        name=name,
        value=value,
        interval=exactly(value),
        control=share_of(most, len(bits)),
        records=right,
        sentence=(
            f"{questions} questions disclose the property for {right} of {len(bits)} people "
            f"({fixed_percent(value)})."
        ),
        figures=DifferencingFigures(questions=questions),
    )
