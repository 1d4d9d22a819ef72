"""Which attacks are made on a run, and with which parameters."""

from collections.abc import Mapping
from typing import Any

from deid_portal.attacks.kinds import kind_of
from deid_portal.attacks.limits import AttackLimits
from deid_portal.engine.attacks import ATTACKS, Attack
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.attacks.trials import NetworkAttack

# The one that is made with a table from outside, and the one that crosses releases.
OUTSIDE_LINKAGE = next(name for name, kind in ATTACKS.items() if kind.needs_outside_table())
EARLIER_RELEASES = next(name for name, kind in ATTACKS.items() if kind.crosses_releases())
# The attacks of "Run all": all that need no outside table.
STANDARD = tuple(name for name, kind in ATTACKS.items() if not kind.needs_outside_table())
# Attacks with a control group outside the release; without a control table half is held out.
HELD_OUT = tuple(name for name, kind in ATTACKS.items() if kind.holds_out)


def parameters_of(name: str, limits: AttackLimits, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an attack: defaults, overridden by the chosen ones."""
    kind = kind_of(name)
    hides = {kind.look_alikes: limits.look_alikes} if kind.look_alikes else {}
    return {**kind.with_time, **hides, **chosen}


def make_attack(name: str, parameters: Mapping[str, Any]) -> Attack | NetworkAttack:
    """Return the attack; raises InvalidPlan for invalid parameters."""
    kind = kind_of(name)
    place = Place(dict(parameters), name)
    place.check_keys(optional=[parameter.name for parameter in kind.parameters])
    return kind(**{parameter.name: parameter.read(place) for parameter in kind.parameters})
