"""Where the random numbers of a run come from.

Random numbers protect people only as long as nobody can reproduce them. Whoever knows some original
cells, such as a neighbor or a former employee, learns the random numbers drawn for them; neither
the other random numbers nor the start of the stream may follow from these. A typed seed does not
meet this, since all seeds can be tried in minutes. Nor does a statistical generator such as numpy's
PCG64, however it is seeded: its state can be computed from its output.

So a run has a secret of 32 bytes, from the operating system unless its caller stores one, and every
purpose has its own ChaCha20 stream. Its key is the HMAC-SHA256 of the purpose under the secret (the
expand step of HKDF, RFC 5869; the secret is uniform, so the extract step is not needed). A stream
reveals nothing of another stream or of the secret. The package randomgen provides ChaCha20 for
numpy's `Generator` and takes the 256-bit key unchanged; normals and integers are drawn at half the
speed of PCG64, floats at a quarter. A test compares it with ChaCha20 of the package cryptography.
Alternatives were rejected: the ten rounds of numpy's Philox are not claimed to be a cipher, and a
bit generator of our own would be the same C code with less review.
"""

import hmac
from dataclasses import dataclass, field
from secrets import token_bytes

import numpy as np
from randomgen import ChaCha

SECRET_BYTES = 32
ROUNDS = 20
_CONTEXT = b"deid-portal chance 1: "
_SEEDED = b"deid-portal repeatable: "

REPEATABLE = (
    "The random numbers of this release were made from a seed, so whoever has or guesses the seed "
    "can undo what they protect: no level of privacy (ε, δ) is claimed, and the release is for "
    "tests only."
)


@dataclass(frozen=True)
class Chance:
    """The random numbers of one run, by purpose; secret and purpose determine them."""

    _secret: bytes = field(repr=False)
    is_repeatable: bool = False  # by anybody who has the seed

    @classmethod
    def in_secret(cls, secret: bytes | None = None) -> "Chance":
        """Return random numbers that only this secret reproduces; a new secret if none is given."""
        secret = token_bytes(SECRET_BYTES) if secret is None else secret
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"A secret has {SECRET_BYTES} bytes.")
        return cls(secret)

    @classmethod
    def from_seed(cls, seed: int) -> "Chance":
        """Return random numbers that anybody with the seed can reproduce: they protect nobody."""
        return cls(hmac.digest(_SEEDED, str(seed).encode(), "sha256"), is_repeatable=True)

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of one purpose, independent of those of every other."""
        key = hmac.digest(self._secret, _CONTEXT + purpose.encode(), "sha256")
        return np.random.Generator(ChaCha(key=np.frombuffer(key, "<u8"), rounds=ROUNDS))
