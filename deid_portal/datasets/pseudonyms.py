"""The key behind pseudonyms: one per team, so a person has the same one in all its releases."""

import os

from deid_portal.accounts.models import Team
from deid_portal.datasets.models import PseudonymKey

KEY_BYTES = 32


def pseudonym_key_of(team: Team) -> bytes:
    """Return the team's key; it is made when it is first needed and then stays."""
    key, _ = PseudonymKey.objects.get_or_create(
        team=team, defaults={"secret": os.urandom(KEY_BYTES).hex()}
    )
    return bytes.fromhex(key.secret)
