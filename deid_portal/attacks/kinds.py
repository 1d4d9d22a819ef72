"""The attacks there are, on tables and on networks, by name."""

from collections.abc import Mapping

from deid_portal.engine import InvalidPlan
from deid_portal.engine.attacks import ATTACKS, Attack
from deid_portal.engine.attacks.attack import AnyAttack
from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS, NetworkAttack

ALL_ATTACKS: Mapping[str, type[Attack | NetworkAttack]] = {**ATTACKS, **NETWORK_ATTACKS}


def kind_of(name: str) -> type[Attack | NetworkAttack]:
    if name not in ALL_ATTACKS:
        raise InvalidPlan("There is no such attack.")
    return ALL_ATTACKS[name]


def traits_of(name: str) -> type[AnyAttack]:
    """Return what is true of an attack; of one that is not made any more, what is usual."""
    return ALL_ATTACKS.get(name, AnyAttack)
