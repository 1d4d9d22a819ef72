"""How much an intruder may get: the team's policy where it says so, else what is usual."""

from dataclasses import dataclass

from deid_portal.accounts.models import Team
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force

USUAL_LIMIT = 0.05
# Where another limit is usual, with the reason.
OTHER_LIMITS = {
    "intersection": 0.0,  # nobody may lose the look-alikes a release promised, whatever the share
    "membership-inference": 0.1,  # 55 of 100 claims right: hardly better than tossing a coin
    # Adding few links leaves few to pick from; what is undone is part of a protection, no person.
    "network-fake-links": 0.25,
    "downcoding": 0.1,  # narrowing a cell by what goes with what tells of kinds, not of a person
}


@dataclass(frozen=True)
class AttackLimits:
    rules: Rules

    def of(self, attack: str) -> float:
        return self.rules.attacks.get(attack, OTHER_LIMITS.get(attack, USUAL_LIMIT))

    def is_from_policy(self, attack: str) -> bool:
        return attack in self.rules.attacks

    @property
    def look_alikes(self) -> int:
        """Return among how many everybody must hide when releases are crossed."""
        return max(self.rules.least_k, 2)


def limits_of_team(team: Team) -> AttackLimits:
    return AttackLimits(policy_in_force(team).rules)
