import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def no_earlier_attempts() -> None:
    """Wrong codes and passwords of other tests are forgotten."""
    cache.clear()
