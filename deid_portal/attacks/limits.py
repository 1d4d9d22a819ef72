"""The limits of attacks: those of the team's policy, otherwise defaults."""

from dataclasses import dataclass

from deid_portal.accounts.models import Team
from deid_portal.attacks.kinds import traits_of
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force


@dataclass(frozen=True)
class AttackLimits:
    rules: Rules

    def of(self, attack: str) -> float:
        return self.rules.attacks.get(attack, traits_of(attack).usual_limit)

    def is_from_policy(self, attack: str) -> bool:
        return attack in self.rules.attacks

    @property
    def look_alikes(self) -> int:
        """Return the k that must hold when releases are crossed."""
        return max(self.rules.least_k, 2)


def limits_of_team(team: Team) -> AttackLimits:
    return AttackLimits(policy_in_force(team).rules)
