"""What goes wrong without differential privacy, to be tried on the decks' data or one's own.

A lesson is for the owner of a table: what it says of answers without privacy is not private.
"""

from deid_portal.engine.differential.lessons.denial import teach_denial
from deid_portal.engine.differential.lessons.differencing import (
    teach_averaging,
    teach_differencing,
    teach_means,
)
from deid_portal.engine.differential.lessons.lesson import Lesson, bits_of
from deid_portal.engine.differential.lessons.reconstruction import teach_reconstruction

__all__ = [
    "Lesson",
    "bits_of",
    "teach_averaging",
    "teach_denial",
    "teach_differencing",
    "teach_means",
    "teach_reconstruction",
]
