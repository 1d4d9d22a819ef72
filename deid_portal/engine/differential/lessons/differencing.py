"""Differencing: two harmless sums whose difference is one person (decks 000 and 002)."""

import numpy as np

from deid_portal.engine.attacks.attack import AttackResult
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.attacks.differencing import (
    Bits,
    attack_by_differencing,
    infer_from_means,
)
from deid_portal.engine.differential.lessons.lesson import (
    Lesson,
    answer_exactly,
    answer_privately,
)
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.noise.grid import NoiseGrid
from deid_portal.engine.table.numbers import Numbers


def teach_differencing(bits: Bits, epsilon: float) -> Lesson:
    """Ask for everybody and for everybody but one, for each in turn.

    With privacy all these questions share one ε, as they would at a desk with a budget.
    """
    questions = 2 * len(bits)
    return Lesson(
        title="Two sums that differ by one person",
        without=attack_by_differencing(bits, answer_exactly(bits)),
        with_privacy=attack_by_differencing(bits, answer_privately(bits, epsilon / questions)),
        moral=(
            "Refusing small groups does not help: both groups are large. Noise made for one person "
            "hides one person, whatever is subtracted from what."
        ),
    )


def teach_averaging(bits: Bits, epsilon: float, repeats: int) -> Lesson:
    """Ask the same again and again and take the mean, without a budget and with one."""
    careless = answer_privately(bits, epsilon, repeats)
    careful = answer_privately(bits, epsilon / (2 * len(bits) * repeats), repeats)
    return Lesson(
        title="The same question many times",
        without=attack_by_differencing(bits, careless, repeats),
        with_privacy=attack_by_differencing(bits, careful, repeats),
        moral=(
            f"Noise alone is worn down: {repeats} answers at ε = {epsilon:g} each cost "
            f"{repeats * epsilon:g} together. A stored answer for a repeated question does not "
            f"help either, since the same can be asked in other words; a budget does."
        ),
    )


def teach_means(numbers: Numbers, person: int, low: float, high: float, epsilon: float) -> Lesson:
    """Find one number from the mean with and without that person (Bob's blood sugar)."""
    others = np.delete(numbers, person)
    exact = infer_from_means(float(numbers.mean()), len(numbers), float(others.mean()))
    means = [_private_mean(part, low, high, epsilon / 2) for part in (numbers, others)]
    noisy = infer_from_means(means[0], len(numbers), means[1])
    truth = float(numbers[person])
    return Lesson(
        title="One number from two means",
        without=_judge(truth, exact, high - low),
        with_privacy=_judge(truth, noisy, high - low),
        moral=(
            "n times one mean less n − 1 times the other is the one person. With noise for one "
            "person, what comes out is mostly noise, n times as large as on the mean."
        ),
    )


def _private_mean(numbers: Numbers, low: float, high: float, epsilon: float) -> float:
    """Return the mean of people whose number is known, one of whom may be replaced."""
    grid = NoiseGrid.for_size((high - low) / len(numbers))
    steps = round((high - low) / len(numbers) / grid.step) + 2
    exact = grid.encode(np.array([np.clip(numbers, low, high).mean()]))
    return float(DiscreteLaplace(steps, epsilon).release(exact)[0] * grid.step)


def _judge(truth: float, found: float, width: float) -> AttackResult:
    """Judge a guess of one number: a hit within a hundredth of the possible range."""
    is_hit = abs(truth - found) <= width / 100
    return AttackResult(
        name="difference of means",
        value=float(is_hit),
        interval=exactly(float(is_hit)),
        control=0.02,
        records=int(is_hit),
        sentence=(
            "Two means give the number of one person away."
            if is_hit
            else "Two means do not give the number of the person away."
        ),
    )
