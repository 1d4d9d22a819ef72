"""The key of pseudonyms: one per team, so that a person has the same one in all releases."""

import os

from django.db import transaction

from deid_portal.accounts.models import Team
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import PseudonymKey

KEY_BYTES = 32


def pseudonym_key_of(team: Team) -> PseudonymKey:
    """Return the key in force; it is created on first use."""
    newest = PseudonymKey.objects.filter(team=team).first()
    if newest is not None:
        return newest
    with transaction.atomic():
        key, is_new = PseudonymKey.objects.get_or_create(
            team=team, number=1, defaults={"secret": new_pseudonym_secret()}
        )
        if is_new:
            record_event("pseudonyms.key_made", actor=None, team=team, subject=team)
    return key


def new_pseudonym_secret() -> str:
    return os.urandom(KEY_BYTES).hex()
