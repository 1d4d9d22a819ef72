from django.db import transaction

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.policies.models import Policy
from deid_portal.policies.permissions import check_can_change_policy
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force
from deid_portal.web.refusals import Refused


@transaction.atomic
def change_policy(*, team: Team, changed_by: User, rules: Rules, reason: str = "") -> Policy:
    """Put a new version in force; earlier ones are kept, with author and reason."""
    check_can_change_policy(changed_by, team)
    rules.check()
    # The lock gives two administrators who save at the same instant two versions.
    Team.objects.select_for_update().get(id=team.id)
    before = policy_in_force(team)
    if before.version and before.rules == rules:
        raise Refused("Nothing was changed; the policy stays as it is.")
    policy = Policy.objects.create(
        team=team,
        version=before.version + 1,
        rules=rules.to_document(),
        reason=reason,
        changed_by=changed_by,
    )
    Team.objects.filter(id=team.id).update(requires_second_factor=rules.second_factor)
    record_event(
        "policy.changed",
        actor=changed_by,
        team=team,
        subject=policy,
        facts={"version": policy.version, "changed": changed_names(before.rules, rules)},
    )
    return policy


def changed_names(before: Rules, after: Rules) -> list[str]:
    then, now = before.to_document(), after.to_document()
    return sorted(name for name in now if now[name] != then[name])
