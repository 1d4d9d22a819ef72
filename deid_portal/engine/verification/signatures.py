"""Ed25519 signatures over SHA256SUMS, which prove which portal made a package.

The public key is in the package, so whoever changes a package can sign it with a key of their own.
A signature therefore proves something only if the fingerprint of the key is compared with the one
that the portal publishes, or the key is pinned.
"""

import base64
import binascii
import hashlib

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
)

from deid_portal.engine.errors import InvalidTable

SIGNATURE_BYTES = 64


def sign(seed: bytes, content: bytes) -> bytes:
    """Return the signature as a line of base64; it is deterministic."""
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(content)
    return base64.b64encode(signature) + b"\n"


def public_key_of(seed: bytes) -> bytes:
    """Return the public key of a seed as PEM."""
    key = Ed25519PrivateKey.from_private_bytes(seed).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def fingerprint_of(public_key: bytes) -> str:
    """Return the SHA-256 of the 32 raw bytes of a public key, independent of the file format."""
    raw = _read_key(public_key).public_bytes(Encoding.Raw, PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


def short_fingerprint(fingerprint: str) -> str:
    """Return the first three groups of four digits and the last: 6d1e 90b2 44c8 … 7fa1."""
    groups = [fingerprint[start : start + 4] for start in range(0, len(fingerprint), 4)]
    return f"{' '.join(groups[:3])} … {groups[-1]}" if groups else ""


def is_signed(public_key: bytes, signature: bytes, content: bytes) -> bool:
    try:
        raw = base64.b64decode(signature.strip(), validate=True)
        if len(raw) != SIGNATURE_BYTES:
            return False
        _read_key(public_key).verify(raw, content)
    except (InvalidSignature, binascii.Error):
        return False
    return True


def _read_key(public_key: bytes) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(public_key)
    except (ValueError, UnsupportedAlgorithm):
        raise InvalidTable("This is not a public key in PEM form.") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidTable("This is a public key of another kind; Ed25519 is accepted.")
    return key
