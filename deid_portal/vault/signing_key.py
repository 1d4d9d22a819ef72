"""The portal's signing key: created once, stored encrypted outside the database.

What must never happen: the private key is stored in clear, enters the database, a log or a release,
or two processes sign with different keys because both created one. So it is stored in the vault (or
comes from the setting SIGNING_KEY), and is created under the lock of the vault's keys.
"""

import os
from dataclasses import dataclass

from django.conf import settings

from deid_portal.engine.verification.signatures import fingerprint_of, public_key_of, sign
from deid_portal.vault import vault
from deid_portal.vault.folder_keys import keys_held
from deid_portal.vault.keys import decode_key

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


def read_or_make_signer() -> Signer:
    """Return the current signer; creates the key on first use."""
    if settings.SIGNING_KEY:
        return Signer(decode_key(settings.SIGNING_KEY))
    try:
        return _read_signer()
    except FileNotFoundError:
        pass
    with keys_held():  # two workers that sign first must use the same key
        try:
            return _read_signer()
        except FileNotFoundError:
            return _make_signer()


def make_new_signer() -> Signer:
    """Replace the key by a new one."""
    with keys_held():
        return _make_signer()


def _read_signer() -> Signer:
    with vault.open_reader(STORED_AS) as stream:
        return Signer(stream.read())


def _make_signer() -> Signer:
    seed = os.urandom(SEED_BYTES)
    with vault.VaultWriter(STORED_AS) as writer:
        writer.write(seed)
    return Signer(seed)
