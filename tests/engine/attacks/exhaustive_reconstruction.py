"""Reconstruction that asks every subset, as the theorem has it: exact, and for few people only."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.differencing import Answer, Bits
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


def _all_subsets(people: int) -> Questions:
    numbers = np.arange(2**people)[:, None]
    return np.asarray((numbers >> np.arange(people)) % 2 == 1)
