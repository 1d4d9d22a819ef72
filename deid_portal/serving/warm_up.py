"""What rooms load before the first visitor asks; they register it in the `ready` of their apps.py.

Before the fork comes what the processes of the web server share; beside the first pages, in each of
them, what would delay the first answer.
"""

from collections.abc import Callable

Load = Callable[[], None]

_before_the_fork: list[Load] = []
_beside_the_first_pages: list[Load] = []


def load_before_the_fork(load: Load) -> None:
    if load not in _before_the_fork:
        _before_the_fork.append(load)


def load_beside_the_first_pages(load: Load) -> None:
    if load not in _beside_the_first_pages:
        _beside_the_first_pages.append(load)


def load_what_is_shared() -> None:
    for load in _before_the_fork:
        load()


def load_the_rest() -> None:
    for load in _beside_the_first_pages:
        load()
