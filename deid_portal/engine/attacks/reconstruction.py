"""Reconstruction: too many answers that are too accurate give the whole table away.

I. Dinur and K. Nissim, Revealing information while preserving privacy, PODS 2003; C. Dwork,
F. McSherry and K. Talwar, The price of privacy and the limits of LP decoding, STOC 2007.
"""

from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import AttackResult
from deid_portal.engine.attacks.differencing import Answer, Bits, judge_guesses
from deid_portal.engine.errors import InvalidPlan

MOST_EXHAUSTIVE = 14
Questions = NDArray[np.bool_]  # question × person


def reconstruct_exhaustively(answer: Answer, people: int, error: float) -> Bits | None:
    """Ask every subset and return the first table no answer is further than `error` from.

    It agrees with the truth in all but 4 · error people. None if no table fits, so the error was
    larger than said.
    """
    if people > MOST_EXHAUSTIVE:
        raise InvalidPlan(f"Asking every subset is possible for up to {MOST_EXHAUSTIVE} people.")
    questions = _all_subsets(people)
    answers = np.array([answer(question) for question in questions])
    for table in questions.astype(np.int64):
        if (np.abs(questions @ table - answers) <= error + 1e-9).all():
            return np.asarray(table, np.int64)
    return None


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


def _all_subsets(people: int) -> Questions:
    numbers = np.arange(2**people)[:, None]
    return np.asarray((numbers >> np.arange(people)) % 2 == 1)
