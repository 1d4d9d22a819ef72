"""Secrets for tests that need the same release twice: known to everybody, so of no other use."""


def known_secret(number: int = 1) -> bytes:
    return number.to_bytes(32, "big")
