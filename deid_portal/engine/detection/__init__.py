"""What a column most likely is, and why: by its name, its values, and how it tells people apart.

Everything here is a suggestion with a reason. It finds what is obvious and proves nothing about
what it does not find; a person decides.
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
    suggest_roles,
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
    "suggest_roles",
]
