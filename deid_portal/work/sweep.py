"""The sweep: every few seconds, work that no living worker has is handed out again.

Rooms register what is to be looked for beside their tasks, which every worker has loaded.
"""

import logging
from collections.abc import Callable
from typing import TypeVar

PickUp = TypeVar("PickUp", bound=Callable[[], None])

logger = logging.getLogger(__name__)
_rooms: list[Callable[[], None]] = []


def in_every_sweep(pick_up: PickUp) -> PickUp:
    """Register a function that picks up the forgotten work of one kind."""
    _rooms.append(pick_up)
    return pick_up


def pick_up_all_work() -> None:
    """Pick up all kinds of work; one that cannot be picked up does not hold up the others."""
    for pick_up in _rooms:
        try:
            pick_up()
        except Exception:
            logger.exception("%s failed and is tried again.", pick_up.__qualname__)
