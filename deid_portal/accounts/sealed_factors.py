"""Secrets of second factors, encrypted in the database and bound to their person.

allauth stores them as text inside a JSON column and lets an adapter encrypt and decrypt that text,
without telling whose it is. So the text is bound when a model instance gets it: a new secret is
sealed to the person of the row, one that was read is marked with that person. A secret copied to
another person's row cannot be decrypted, so nobody signs in with another person's code.
"""

import base64
from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction

from deid_portal.vault.sealed_fields import seal, seal_again, sealed_now, unseal

# The encrypted entries of allauth's JSON.
SECRETS = ("secret", "seed")
NOBODYS = "second factor of nobody yet"


class SealedSecret(str):
    """A sealed text together with its place."""

    place = NOBODYS


def seal_secret(text: str) -> str:
    """Seal a text without a person; the row that gets it seals it to its person."""
    return _write(seal(text.encode(), NOBODYS))


def unseal_secret(sealed: str) -> str:
    place = sealed.place if isinstance(sealed, SealedSecret) else NOBODYS
    return unseal(base64.b64decode(sealed), place).decode()


def bind_secrets(instance: Authenticator, **kwargs: Any) -> None:
    """Signal handler for new instances, also those read from the database."""
    if "data" not in instance.__dict__ or not isinstance(instance.data, dict):
        return
    for name in SECRETS:
        if isinstance(instance.data.get(name), str):
            instance.data[name] = _bind(instance, name)


def _bind(instance: Authenticator, name: str) -> SealedSecret:
    sealed: str = instance.data[name]
    if instance.pk is None:  # not yet in the database
        sealed = _write(seal(unseal_secret(sealed).encode(), _place(instance, name)))
    bound = SealedSecret(sealed)
    bound.place = _place(instance, name)
    return bound


def _place(instance: Authenticator, name: str) -> str:
    return f"second factor {instance.type} {name} of {instance.user_id}"


def _write(sealed: bytes) -> str:
    return base64.b64encode(sealed).decode()


def list_under_old_keys() -> list[int]:
    """Return the ids of rows with a secret that is not sealed to its person by the current key."""
    rows = Authenticator.objects.all()
    return [row.pk for row in rows if any(not _is_current(row.data[name]) for name in _held(row))]


def _held(row: Authenticator) -> list[str]:
    return [name for name in SECRETS if isinstance(row.data.get(name), str)]


def _is_current(sealed: str) -> bool:
    return base64.b64decode(sealed).startswith(sealed_now())


@transaction.atomic
def renew_secrets(key: str, *, of_before: bool) -> bool:
    """Seal the secrets of a row again; False when it was deleted meanwhile."""
    row = Authenticator.objects.select_for_update().filter(pk=key).first()
    if row is None:
        return False
    for name in _held(row):
        sealed = base64.b64decode(row.data[name])
        row.data[name] = _write(seal_again(sealed, _place(row, name), of_before=of_before))
    row.save(update_fields=["data"])
    return True
