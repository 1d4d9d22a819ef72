"""Reconstruction: too many answers that are too accurate give the whole table away.

I. Dinur and K. Nissim, Revealing information while preserving privacy, PODS 2003; C. Dwork,
F. McSherry and K. Talwar, The price of privacy and the limits of LP decoding, STOC 2007.
"""

from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import AttackResult
from deid_portal.engine.attacks.differencing import Answer, Bits, judge_guesses

MOST_EXHAUSTIVE = 14
Questions = NDArray[np.bool_]  # question × person


def reconstruct_by_program(questions: Questions, answers: NDArray[np.float64]) -> Bits:
    """Find the table with the least total error by linear programming, rounded to 0 and 1."""
    from scipy.optimize import linprog

    asked, people = questions.shape
    goal = np.concatenate([np.zeros(people), np.ones(asked)])
    slack = -np.eye(asked)
    matrix = questions.astype(np.float64)
    bounds = [(0, 1)] * people + [(0, None)] * asked
    found = linprog(
        goal,
        A_ub=np.vstack([np.hstack([matrix, slack]), np.hstack([-matrix, slack])]),
        b_ub=np.concatenate([answers, -answers]),
        bounds=bounds,
        method="highs",
    )
    return (np.asarray(found.x[:people]) >= 0.5).astype(np.int64)


def attack_by_reconstruction(
    bits: Bits, answer: Answer, generator: np.random.Generator
) -> AttackResult:
    """Ask about n · log² n / 4 random subsets, at least 4 n, and solve for everybody at once."""
    people = len(bits)
    asked = max(4 * people, ceil(people * log2(max(people, 2)) ** 2 / 4))
    questions = generator.random((asked, people)) < 0.5
    answers = np.array([answer(question) for question in questions])
    guesses = reconstruct_by_program(questions, answers)
    return judge_guesses("reconstruction", bits, guesses, asked)
