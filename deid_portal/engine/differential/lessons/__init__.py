"""What goes wrong without differential privacy, on the data of the decks or one's own.

A lesson is for the owner of a table: its answers without privacy are not private.
"""

from deid_portal.engine.differential.lessons.denial import teach_denial
from deid_portal.engine.differential.lessons.differencing import (
    teach_averaging,
    teach_differencing,
    teach_means,
)
from deid_portal.engine.differential.lessons.lesson import (
    AttackChance,
    Lesson,
    RepeatedLesson,
    bits_of,
    repeat_lesson,
)
from deid_portal.engine.differential.lessons.reconstruction import teach_reconstruction

__all__ = [
    "AttackChance",
    "Lesson",
    "RepeatedLesson",
    "bits_of",
    "repeat_lesson",
    "teach_averaging",
    "teach_denial",
    "teach_differencing",
    "teach_means",
    "teach_reconstruction",
]
