"""Nothing in the engine knows of Django, so its thousands of tests do without what pages need."""

import pytest


@pytest.fixture(autouse=True)
def own_data_dir() -> None:
    """The engine keeps no files of its own."""


@pytest.fixture(autouse=True)
def no_earlier_attempts() -> None:
    """Nobody signs in here."""
