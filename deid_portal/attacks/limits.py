"""The limits of attacks: those of the team's policy, otherwise defaults."""

from dataclasses import dataclass

from deid_portal.accounts.models import Team
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force

USUAL_LIMIT = 0.05
# Other defaults, with the reason.
OTHER_LIMITS = {
    "intersection": 0.0,  # the k of a release must hold for everybody
    "membership-inference": 0.1,  # 55 of 100 claims right: hardly better than guessing
    # With few added links a single hit is a large share; hits undo a part of the protection, but
    # identify nobody.
    "network-fake-links": 0.25,
    "downcoding": 0.1,  # narrowed cells may follow from correlations, not from data of a person
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
        """Return the k that must hold when releases are crossed."""
        return max(self.rules.least_k, 2)


def limits_of_team(team: Team) -> AttackLimits:
    return AttackLimits(policy_in_force(team).rules)
