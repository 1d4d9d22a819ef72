from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from deid_portal.accounts.models import Team
from deid_portal.policies.models import Policy
from deid_portal.policies.rules import Rules


@dataclass(frozen=True)
class PolicyInForce:
    """The newest version; version 0 stands for the defaults, if a team has not set a policy."""

    version: int
    since: datetime | None
    document: dict[str, Any]

    @cached_property
    def rules(self) -> Rules:
        return Rules.from_document(self.document)


def policy_in_force(team: Team) -> PolicyInForce:
    newest = team.policies.first()
    if newest is None:
        return PolicyInForce(0, None, {})
    return PolicyInForce(newest.version, newest.changed_at, newest.rules)


def in_force_since(team: Team, rule: str) -> datetime | None:
    """Return when a rule got its current value; None if it never changed."""
    now = getattr(policy_in_force(team).rules, rule)
    since: datetime | None = None
    for policy in team.policies.all():
        if getattr(Rules.from_document(policy.rules), rule) != now:
            return since
        since = policy.changed_at
    return None if getattr(Rules(), rule) == now else since


def policies_of(team: Team) -> QuerySet[Policy]:
    return team.policies.select_related("changed_by")


@dataclass(frozen=True)
class Version:
    """A version, with the sentences it added and removed."""

    policy: Policy
    new: list[str]
    gone: list[str]


def versions_of_policy(team: Team, most: int) -> list[Version]:
    """Return the newest versions, each with its changes as sentences."""
    policies = list(policies_of(team)[: most + 1])
    before = [*(policy.rules for policy in policies[1:]), {}]
    pairs = list(zip(policies, before, strict=False))[:most]
    return [_compare(policy, Rules.from_document(earlier)) for policy, earlier in pairs]


def _compare(policy: Policy, earlier: Rules) -> Version:
    then = list(earlier.sentences().values())
    now = list(Rules.from_document(policy.rules).sentences().values())
    new = [sentence for sentence in now if sentence not in then]
    return Version(policy, new, [sentence for sentence in then if sentence not in now])
