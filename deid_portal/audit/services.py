"""Append to the audit record, in the transaction of the change it records.

Facts are names, numbers and hashes. No cell value ever goes in here.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import connection, models, transaction
from django.utils import timezone

from deid_portal.audit.hashes import make_salt
from deid_portal.audit.heads import lock_head, move_head
from deid_portal.audit.models import Event


def record_event(
    action: str,
    *,
    actor: AbstractUser | None,
    team: models.Model | None,
    subject: models.Model | None,
    facts: Mapping[str, Any] | None = None,
    accept: bool = False,
) -> Event:
    """Write one entry; refuses to run outside the transaction of the recorded change.

    Without a subject it is about the portal as a whole. `accept` seals the chain from here on even
    if its end was not sealed by this portal; only `verify_audit --accept` asks for that.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "An audit record belongs into the transaction of the change it tells of."
        )
    head = lock_head()
    event = Event(
        number=head.number + 1,
        at=timezone.now(),
        actor_id=actor.pk if actor else None,
        team_id=team.pk if team else None,
        action=action,
        subject_kind=(subject._meta.model_name or "") if subject else "portal",
        subject_id=str(subject.pk) if subject else "",
        subject_name=str(subject)[:200] if subject else "",
        # As the database returns them: number keys become text, and sort as text.
        facts=json.loads(json.dumps(dict(facts or {}))),
        salt=make_salt(),
        previous_hash=head.hash,
    )
    event.seal()
    event.save()
    move_head(head, event, accept=accept)
    return event
