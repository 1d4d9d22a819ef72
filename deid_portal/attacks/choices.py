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
# The attacks of "Run all": all that need no outside table.
STANDARD = tuple(name for name in ATTACKS if name != OUTSIDE_LINKAGE)
# Attacks with a control group outside the release; without a control table half is held out.
COMPARED = tuple(name for name, kind in ATTACKS.items() if "control" in kind.needs)
HELD_OUT = (*COMPARED, "downcoding")
# More guesses than the defaults of a plan, for narrower intervals; there is more time here.
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
    """Return the parameters of an attack: defaults, overridden by the chosen ones."""
    usual = {"k": limits.look_alikes} if name == EARLIER_RELEASES else MANY.get(name, {})
    return {**usual, **chosen}


def make_attack(name: str, parameters: Mapping[str, Any]) -> AnyAttack:
    """Return the attack; raises InvalidPlan for invalid parameters."""
    kind = kind_of(name)
    place = Place(dict(parameters), name)
    place.check_keys(optional=[parameter.name for parameter in kind.parameters])
    return kind(**{parameter.name: parameter.read(place) for parameter in kind.parameters})
