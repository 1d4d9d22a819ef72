"""What many people ask for at the same time, looked up once a second for all of them.

Only for things that may be a second old and are the same for everybody who shares the key; never
for a decision.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from django.conf import settings
from django.core.cache import cache

T = TypeVar("T")


def glance(key: str, look: Callable[[], T]) -> T:
    """Return what `look` found within the last moment, or look now."""
    if not settings.GLANCE_SECONDS:
        return look()
    return cast(T, cache.get_or_set(f"glance:{key}", look, settings.GLANCE_SECONDS))
