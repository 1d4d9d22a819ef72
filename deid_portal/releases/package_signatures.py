"""Signing keys of packages. The portal's public keys are kept for ever, so that signatures of old
packages can be checked; the private key is in `vault/signing_key.py`.
"""

from django.conf import settings
from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.releases.models import SigningKey
from deid_portal.vault.signing_key import Signer, make_new_signer, read_or_make_signer
from deid_portal.web.refusals import Refused


def current_signer() -> Signer:
    """Return the current signer; creates the key if there is none, and stores its public key."""
    signer = read_or_make_signer()
    _note(signer, actor=None)
    return signer


def public_keys() -> list[SigningKey]:
    """Return every public key this portal has signed with, newest first."""
    return list(SigningKey.objects.all())


def rotate_signing_key(actor: User | None) -> Signer:
    """Make a new signing key; packages signed with the old one keep their signature."""
    if settings.SIGNING_KEY:
        raise Refused("The key comes from the setting SIGNING_KEY; change it there and restart.")
    current_signer()  # stores the old public key before it is replaced
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
