"""Who signs packages. The public halves of the portal's signing keys stay on record for ever, so
that old packages can still be told from forged ones; the key itself is in `vault/signing_key.py`.
"""

from django.conf import settings
from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.releases.models import SigningKey
from deid_portal.vault.signing_key import Signer, make_new_signer, read_or_make_signer
from deid_portal.web.refusals import Refused


def current_signer() -> Signer:
    """Return who signs now; the first time it makes the key, and always notes its public half."""
    signer = read_or_make_signer()
    _note(signer, actor=None)
    return signer


def public_keys() -> list[SigningKey]:
    """Return every public key this portal has signed with, the newest first."""
    return list(SigningKey.objects.all())


def rotate_signing_key(actor: User | None) -> Signer:
    """Sign with a new key from now on; packages signed with the old one keep their signature."""
    if settings.SIGNING_KEY:
        raise Refused("The key comes from the setting SIGNING_KEY; change it there and restart.")
    current_signer()  # the old key is on record before it goes
    signer = make_new_signer()
    _note(signer, actor)
    return signer


@transaction.atomic
def _note(signer: Signer, actor: User | None) -> None:
    key, is_new = SigningKey.objects.get_or_create(
        fingerprint=signer.fingerprint, defaults={"public_key": signer.public_key.decode()}
    )
    if is_new:
        facts = {"fingerprint": key.fingerprint}
        record_event("signing_key.first_used", actor=actor, team=None, subject=None, facts=facts)
