"""Append to the audit record, in the transaction of the change it tells of.

Facts are names, numbers and hashes. No cell value ever goes in here.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import connection, models, transaction
from django.utils import timezone

from deid_portal.audit.models import ChainHead, Event


def record_event(
    action: str,
    *,
    actor: AbstractUser | None,
    team: models.Model | None,
    subject: models.Model | None,
    facts: Mapping[str, Any] | None = None,
) -> Event:
    """Write one entry; refuses to run outside a transaction, where it could tell of nothing.

    Without a subject it is about the portal as a whole.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "An audit record belongs into the transaction of the change it tells of."
        )
    head = _lock_head()
    event = Event(
        number=head.number + 1,
        at=timezone.now(),
        actor_id=actor.pk if actor else None,
        team_id=team.pk if team else None,
        action=action,
        subject_kind=(subject._meta.model_name or "") if subject else "portal",
        subject_id=str(subject.pk) if subject else "",
        subject_name=str(subject)[:200] if subject else "",
        # As the database will give them back: a number as a key becomes text, and sorts as text.
        facts=json.loads(json.dumps(dict(facts or {}))),
        previous_hash=head.hash,
    )
    event.hash = hash_of(event)
    event.save()
    head.number, head.hash = event.number, event.hash
    head.save()
    return event


def _lock_head() -> ChainHead:
    head = ChainHead.objects.select_for_update().filter(pk=1).first()
    if head is None:
        ChainHead.objects.get_or_create(pk=1)
        head = ChainHead.objects.select_for_update().get(pk=1)
    return head


def hash_of(event: Event) -> str:
    """Return the hash that seals an entry to the one before it."""
    content = [
        event.previous_hash,
        event.number,
        event.at.isoformat(timespec="microseconds"),
        event.actor_id,
        str(event.team_id) if event.team_id else None,
        event.action,
        event.subject_kind,
        event.subject_id,
        event.subject_name,
        event.facts,
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
