"""Where the random numbers of a run come from.

Chance that protects people is only worth something while nobody can repeat it. Whoever knows some
originals, and a neighbor or a former employee does, sees what was drawn for them; from that neither
what was drawn for others nor the start of the stream may follow. A typed seed fails at once, since
all of them are tried in minutes. So does a statistical generator such as numpy's PCG64, whatever it
was started with: its state can be computed from what it gives out.

So a run has a secret of 32 bytes, fresh from the operating system unless its caller keeps one, and
every purpose has a stream of its own: HMAC-SHA256 of the purpose under the secret (the expanding
half of HKDF, RFC 5869; the secret is uniform, so there is nothing to extract) is the key of a
ChaCha20 stream. Whoever sees one stream learns nothing of another, nor of the secret. The package
randomgen puts ChaCha20 under numpy's `Generator` and takes 256 bits of key as they are; normals and
integers come half as fast as from PCG64, floats a quarter. A test holds it against the cipher of
the package cryptography. The other ways were worse: nobody claims that the ten rounds of numpy's
Philox are a cipher, and a bit generator of our own would be the same C code, only less looked at.
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
    """The random numbers of one run, by purpose; the same secret and purpose give the same."""

    _secret: bytes = field(repr=False)
    is_repeatable: bool = False  # by whoever types the same seed

    @classmethod
    def in_secret(cls, secret: bytes | None = None) -> "Chance":
        """Return chance nobody can repeat who does not have the secret; without one, nobody."""
        secret = token_bytes(SECRET_BYTES) if secret is None else secret
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"A secret has {SECRET_BYTES} bytes.")
        return cls(secret)

    @classmethod
    def from_seed(cls, seed: int) -> "Chance":
        """Return chance that everybody can repeat: it protects nobody."""
        return cls(hmac.digest(_SEEDED, str(seed).encode(), "sha256"), is_repeatable=True)

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of one purpose, independent of those of every other."""
        key = hmac.digest(self._secret, _CONTEXT + purpose.encode(), "sha256")
        return np.random.Generator(ChaCha(key=np.frombuffer(key, "<u8"), rounds=ROUNDS))
