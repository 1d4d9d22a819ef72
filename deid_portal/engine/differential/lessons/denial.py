"""Auditing by denial (deck 002): an auditor whose refusals reveal what they should protect.

K. Kenthapadi, N. Mishra, K. Nissim, Simulatable auditing, PODS 2005: a refusal that depends on the
true answer is an answer.
"""

from collections.abc import Callable, Sequence

import numpy as np

from deid_portal.engine.attacks.attack import AttackResult, share_of
from deid_portal.engine.attacks.attack_figures import DenialFigures
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.attacks.max_auditing import Chosen, find_forced_people
from deid_portal.engine.differential.lessons.lesson import Lesson
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.differential.questions.quantiles import PARTS, rank_scores, ranks_of
from deid_portal.engine.table.numbers import Numbers

Maximum = Callable[[Chosen], float | None]  # None is a refusal


class DenyingAuditor:
    """Answers the largest number of a group unless all answers together force somebody's."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._asked: list[Chosen] = []
        self._answers: list[float] = []

    def __call__(self, chosen: Chosen) -> float | None:
        largest = float(self._numbers[chosen].max())
        if find_forced_people([*self._asked, chosen], [*self._answers, largest]):
            return None
        self._asked.append(chosen)
        self._answers.append(largest)
        return largest


def teach_denial(
    numbers: Numbers, candidates: Sequence[float], epsilon: float, groups: Sequence[Chosen]
) -> Lesson:
    """Ask each group for its largest number, and again without each of its people."""
    questions = sum(int(group.sum()) + 1 for group in groups)
    share = epsilon / questions
    return Lesson(
        title="A refusal that tells",
        without=_attack(numbers, DenyingAuditor(numbers), groups),
        with_privacy=_attack(
            numbers, lambda chosen: _private_maximum(numbers[chosen], candidates, share), groups
        ),
        moral=(
            "The auditor refuses only where the answer would be smaller, so the refusal says who "
            "has the largest number, and the answer before says which. A private answer is never "
            "refused."
        ),
    )


def _attack(numbers: Numbers, ask: Maximum, groups: Sequence[Chosen]) -> AttackResult:
    """Guess that the person who is refused, or lowers the maximum most, has the largest number."""
    right = claimed = 0
    for group in groups:
        largest, members = ask(group), np.flatnonzero(group).tolist()
        told = [(person, ask(_without(group, person))) for person in members]
        refused = [person for person, answer in told if answer is None]
        if largest is None or len(refused) > 1:
            continue
        suspect = refused or [min(told, key=lambda one: np.inf if one[1] is None else one[1])[0]]
        is_sure = bool(refused) or min(one[1] or 0.0 for one in told) < largest
        claimed += is_sure
        right += is_sure and bool(numbers[suspect[0]] == largest == numbers[group].max())
    value = share_of(right, max(len(groups), 1))
    return AttackResult(
        name="denial",
        value=value,
        interval=exactly(value),
        control=None,
        records=right,
        sentence=(
            f"In {right} of {len(groups)} groups somebody's exact number is found; it was claimed "
            f"of {claimed}."
        ),
        figures=DenialFigures(claimed),
    )


def _without(group: Chosen, person: int) -> Chosen:
    rest = group.copy()
    rest[person] = False
    return rest


def _private_maximum(numbers: Numbers, candidates: Sequence[float], epsilon: float) -> float:
    """Return the highest quantile, chosen among declared numbers by report noisy max."""
    places = np.asarray(candidates)
    scores = rank_scores(*ranks_of(numbers, places), 1.0)
    return float(places[NoisyMax(PARTS, epsilon).choose(scores)])
