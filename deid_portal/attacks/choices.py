"""Which attacks are made on a run, and with which parameters."""

from collections.abc import Mapping
from typing import Any

from deid_portal.attacks.limits import AttackLimits
from deid_portal.engine import InvalidPlan
from deid_portal.engine.attacks import ATTACKS, Attack
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS, NetworkAttack

OUTSIDE_LINKAGE = "outside-linkage"
EARLIER_RELEASES = "intersection"
# What "Run all" makes: everything that needs no table from outside.
STANDARD = tuple(name for name in ATTACKS if name != OUTSIDE_LINKAGE)
# Compared with people who are not in the release; without a table of such, half is held out.
COMPARED = tuple(name for name, kind in ATTACKS.items() if "control" in kind.needs)
HELD_OUT = (*COMPARED, "downcoding")
# More guesses than a plan makes by default: here there is time, and intervals become narrow.
MANY: dict[str, dict[str, Any]] = {
    "singling-out": {"attempts": 2000},
    "inference": {"attempts": 100_000},
    "membership-inference": {"most_people": 7500},
}


AnyAttack = Attack | NetworkAttack


def kind_of(name: str) -> type[AnyAttack]:
    kinds: dict[str, type[AnyAttack]] = {**ATTACKS, **NETWORK_ATTACKS}
    if name not in kinds:
        raise InvalidPlan("There is no such attack.")
    return kinds[name]


def parameters_of(name: str, limits: AttackLimits, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters an attack is made with: chosen ones before the usual ones."""
    usual = {"k": limits.look_alikes} if name == EARLIER_RELEASES else MANY.get(name, {})
    return {**usual, **chosen}


def make_attack(name: str, parameters: Mapping[str, Any]) -> AnyAttack:
    """Return the attack; raises InvalidPlan for parameters that make no sense."""
    kind = kind_of(name)
    place = Place(dict(parameters), name)
    place.check_keys(optional=[parameter.name for parameter in kind.parameters])
    return kind(**{parameter.name: parameter.read(place) for parameter in kind.parameters})
