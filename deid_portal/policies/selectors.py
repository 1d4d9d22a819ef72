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
    """The newest version; version 0 is what holds before a team has said anything."""

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


def policies_of(team: Team) -> QuerySet[Policy]:
    return team.policies.select_related("changed_by")
