"""A cache of one second for values that many requests need at the same time.

Only for values that may be a second old and are the same for all users of the key; never for
decisions.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from django.conf import settings
from django.core.cache import cache

T = TypeVar("T")


def cached_briefly(key: str, look: Callable[[], T]) -> T:
    """Return the cached result of `look`, or call it if that is too old."""
    if not settings.GLANCE_SECONDS:
        return look()
    return cast(T, cache.get_or_set(f"glance:{key}", look, settings.GLANCE_SECONDS))
