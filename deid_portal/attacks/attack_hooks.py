"""Hooks by which later rooms react when an attack has ended, in the transaction of its end.

Rooms depend on each other in one direction, so this one may not import later ones; they register
their functions when Django starts (`ready` in their `apps.py`).
"""

from collections.abc import Callable

from deid_portal.attacks.models import AttackTest

React = Callable[[AttackTest], None]

_reactions: list[React] = []


def react_to_ended_attacks(react: React) -> None:
    """Register a function to be called whenever an attack has ended, however it did."""
    if react not in _reactions:
        _reactions.append(react)


def run_hooks_of_ended_attack(test: AttackTest) -> None:
    for react in _reactions:
        react(test)
