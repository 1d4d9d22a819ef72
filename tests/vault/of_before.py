"""Data as written by earlier versions, whose encryption did not bind it to its place."""

import base64
import os
from pathlib import Path

from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from deid_portal.serving.key_rotation import sealed_fields
from deid_portal.vault import folder_keys, vault
from deid_portal.vault.key_check import KEY_CHECK, may_hold_values_of_before
from deid_portal.vault.keys import current_key, derive_key, derive_key_once, key_name
from deid_portal.vault.sealed_fields import SealedBytes, SealedJSONField, unseal

SECRET = b"Person 1 has the flu"


def _encrypt(clear: bytes, purpose: str) -> bytes:
    nonce = os.urandom(12)
    closed = AESGCM(derive_key(current_key(), purpose)).encrypt(nonce, clear, None)
    return key_name(current_key()) + nonce + closed


def seal_of_before(clear: bytes) -> SealedBytes:
    return SealedBytes(_encrypt(clear, "sealed field"))


def wrap_of_before(folder: str) -> None:
    key = folder_keys.read_key(folder)
    folder_keys.key_path(folder).write_bytes(b"DPK1" + _encrypt(key, "folder key"))


def _file(beginning: bytes, key: bytes, content: bytes) -> bytes:
    """Return a small file; its only chunk is number 0 and the last."""
    salt = os.urandom(vault.SALT_BYTES)
    cipher = AESGCM(derive_key_once(key, "vault file", salt))
    return beginning + salt + cipher.encrypt(bytes(11) + b"\x01", content, None)


def write_keyless(name: str, content: bytes = SECRET) -> Path:
    """Write a small file as it was written before folders had keys."""
    path = vault.path_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_file(b"DPV1" + key_name(current_key()), current_key(), content))
    return path


def write_unnamed(name: str, content: bytes = SECRET) -> Path:
    """Write a small file as it was written before files were bound to their name."""
    path = vault.path_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    key = folder_keys.read_or_make_key(folder_keys.folder_of_file(name))
    path.write_bytes(_file(b"DPV2", key, content))
    return path


def make_everything_of_before() -> None:
    """Let database and vault look as an earlier version would have left them."""
    may_hold_values_of_before()  # every portal that was ever started has this file
    for model, name in sealed_fields():
        one = model._meta.get_field(name)
        assert isinstance(one, SealedJSONField)
        for row in model._default_manager.exclude(**{name: None}):
            clear = unseal(row.__dict__[name], one.place_in(row))
            model._default_manager.filter(pk=row.pk).update(**{name: seal_of_before(clear)})
    for name in _stored_files():
        with vault.open_reader(name) as stream:
            content = stream.read()
        write_unnamed(name, content)
    for folder in folder_keys.list_folders():
        wrap_of_before(folder)


def _stored_files() -> list[str]:
    root = vault.path_of("")
    names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    return [name for name in names if name != "keys.lock" and not name.startswith("keys/")]


def make_factor_of_before(factor: Authenticator, secret: str) -> None:
    factor.data["secret"] = base64.b64encode(seal_of_before(secret.encode())).decode()
    factor.save()


def make_mark_of_before() -> None:
    """Let the portal look as if it had not bound everything yet."""
    may_hold_values_of_before()
    wrap_of_before(KEY_CHECK)
