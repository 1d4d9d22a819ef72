"""Attacks that show why answers need noise and a budget, on invented or own data.

The answers without privacy in a lesson are not private. So on a team's own table only stewards, who
see the rows anyway, may run it; nothing of it is stored, and it spends no budget.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from django.db import transaction

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import check_has_role
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.policies import check_is_ready
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Table
from deid_portal.engine.differential import ValuesDomain
from deid_portal.engine.differential.lessons import (
    Lesson,
    RepeatedLesson,
    bits_of,
    repeat_lesson,
    teach_averaging,
    teach_denial,
    teach_differencing,
    teach_means,
    teach_reconstruction,
)
from deid_portal.engine.differential.lessons.deck_data import (
    BLOOD_SUGAR,
    BOB,
    CHANDLER,
    HIGHEST_SUGAR,
    LOWEST_SUGAR,
    SICKLE_CELL,
    YEARS,
)
from deid_portal.web.refusals import Refused

EPSILON = 1.0
# So many that a whole number is five standard deviations of the mean noise away.
REPEATS = 400
FEW = 12
REACH = 2.0
PEOPLE = 60
TIMES_ON_OWN = 20  # a table has more people than the stories, so each attack takes longer
Bits = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(frozen=True)
class Exercise:
    """A lesson that can be run: its story, and its default data."""

    name: str
    icon: str
    title: str
    story: str
    teach: Callable[[], Lesson]
    on_bits: Callable[[Bits], Lesson] | None = None
    times: int = 100  # so often it is made on invented people; fewer where it takes longer

    def carry_out(self) -> RepeatedLesson:
        return repeat_lesson(self.teach, self.times)

    @property
    def can_be_own(self) -> bool:
        """True when it can be run on a table of the team."""
        return self.on_bits is not None


def _invented_bits() -> Bits:
    bits: Bits = np.random.default_rng(7).integers(0, 2, PEOPLE)
    return bits


def _reconstruct(bits: Bits) -> Lesson:
    return teach_reconstruction(bits, REACH, EPSILON, np.random.default_rng())


EXERCISES = {
    one.name: one
    for one in (
        Exercise(
            "differencing",
            "minus",
            "Chandler: two sums that differ by one person",
            "How many of the first five are ill? How many of the first four? Both groups are "
            "large enough for every rule about small groups, and their difference is Chandler.",
            lambda: teach_differencing(CHANDLER, EPSILON),
            lambda bits: teach_differencing(bits, EPSILON),
        ),
        Exercise(
            "sickle-cell",
            "user-x",
            "Everybody but X",
            "How many people have the trait? And how many of those who are not called X?",
            lambda: teach_differencing(SICKLE_CELL, EPSILON),
        ),
        Exercise(
            "means",
            "math-function",
            "Bob’s blood sugar",
            "The mean of five people and the mean without Bob: five times the one less four times "
            "the other is Bob’s own value.",
            lambda: teach_means(BLOOD_SUGAR, BOB, LOWEST_SUGAR, HIGHEST_SUGAR, EPSILON),
        ),
        Exercise(
            "averaging",
            "repeat",
            "The same question many times",
            "Noise alone can be averaged away. That is why the same question gets the same answer, "
            "and why there is a budget for everything else.",
            lambda: teach_averaging(CHANDLER, EPSILON, REPEATS),
            lambda bits: teach_averaging(bits[:FEW], EPSILON, REPEATS),
            times=10,
        ),
        Exercise(
            "reconstruction",
            "puzzle",
            "Everybody at once",
            "Answers that are never off by more than a little look protected. Enough of them are "
            "the table itself (Dinur and Nissim).",
            lambda: _reconstruct(_invented_bits()),
            lambda bits: _reconstruct(bits[:PEOPLE]),
            times=6,
        ),
        Exercise(
            "denial",
            "ban",
            "A refusal that tells",
            "An auditor refuses every answer that would give somebody away. The refusals give them "
            "away instead.",
            lambda: teach_denial(
                YEARS, (1.0, 2.0, 3.0, 4.0, 5.0), EPSILON, [np.ones(len(YEARS), np.bool_)]
            ),
        ),
    )
}


def check_may_try_on_own(user: User, dataset: Dataset) -> None:
    check_has_role(user, dataset.team, Role.STEWARD, "try this on its own table")
    check_is_ready(dataset)


@transaction.atomic
def try_on_own(
    *, exercise: Exercise, column: DatasetColumn, value: str, tried_by: User
) -> RepeatedLesson:
    """Run a lesson on whether people of a table have a value; leaves a record of who did."""
    check_may_try_on_own(tried_by, column.dataset)
    teach = exercise.on_bits
    if teach is None:
        raise Refused("This lesson needs numbers that only the invented people have.")
    values = values_of(column)
    table = Table((values,), source_sha256=column.dataset.file_sha256)
    bits = bits_of(table, column.name, ValuesDomain((value,)))
    lesson = repeat_lesson(lambda: teach(bits), min(exercise.times, TIMES_ON_OWN))
    record_event(
        "lesson.tried",
        actor=tried_by,
        team=column.dataset.team,
        subject=column.dataset,
        facts={"lesson": exercise.name, "column": column.name},
    )
    return lesson
