"""The portal's signing key: made once, kept sealed outside the database, changed on request.

What must never happen: that the private half is stored in clear, enters the database, a log or a
package, or that two processes sign with different keys because both made one. So it lies in the
vault (or comes from the setting SIGNING_KEY), and it is made under the lock of the vault's keys.
The public halves stay on record for ever, so that old packages can still be told from forged ones.
"""

import os
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.common import vault
from deid_portal.common.folder_keys import keys_held
from deid_portal.common.keys import decode_key
from deid_portal.common.refusals import Refused
from deid_portal.engine.verifying.signatures import fingerprint_of, public_key_of, sign
from deid_portal.releases.models import SigningKey

STORED_AS = "signing/portal/key"
SEED_BYTES = 32


@dataclass(frozen=True)
class Signer:
    seed: bytes

    def __repr__(self) -> str:
        return f"Signer({self.fingerprint})"

    @property
    def public_key(self) -> bytes:
        return public_key_of(self.seed)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.public_key)

    def sign(self, content: bytes) -> bytes:
        return sign(self.seed, content)


def current_signer() -> Signer:
    """Return who signs now; the first time it makes the key, and always notes its public half."""
    seed = decode_key(settings.SIGNING_KEY) if settings.SIGNING_KEY else _read_or_make_seed()
    signer = Signer(seed)
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
    with keys_held():
        seed = _make_seed()
    signer = Signer(seed)
    _note(signer, actor)
    return signer


def _read_or_make_seed() -> bytes:
    try:
        return _read_seed()
    except FileNotFoundError:
        pass
    with keys_held():  # two workers that sign for the first time agree on one key
        try:
            return _read_seed()
        except FileNotFoundError:
            return _make_seed()


def _read_seed() -> bytes:
    with vault.open_reader(STORED_AS) as stream:
        return stream.read()


def _make_seed() -> bytes:
    seed = os.urandom(SEED_BYTES)
    with vault.VaultWriter(STORED_AS) as writer:
        writer.write(seed)
    return seed


@transaction.atomic
def _note(signer: Signer, actor: User | None) -> None:
    key, is_new = SigningKey.objects.get_or_create(
        fingerprint=signer.fingerprint, defaults={"public_key": signer.public_key.decode()}
    )
    if is_new:
        facts = {"fingerprint": key.fingerprint}
        record_event("signing_key.first_used", actor=actor, team=None, subject=None, facts=facts)
