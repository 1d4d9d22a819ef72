"""Suggesting roles of columns by their names, their values, and how well they single people out.

Every suggestion has a reason. Only obvious cases are found, and finding nothing proves nothing; a
person decides.
"""

from deid_portal.engine.detection.combinations import Combination
from deid_portal.engine.detection.isolation import Isolation, measure_isolation
from deid_portal.engine.detection.suggestion import (
    ColumnLook,
    Danger,
    Findings,
    SuggestedRole,
    Suggestion,
    look_at,
    suggest_by_looks,
)

__all__ = [
    "ColumnLook",
    "Combination",
    "Danger",
    "Findings",
    "Isolation",
    "SuggestedRole",
    "Suggestion",
    "look_at",
    "measure_isolation",
    "suggest_by_looks",
]
