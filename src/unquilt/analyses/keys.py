"""Keys of fingerprints, for those who expect crafted collisions: secrets, of which only a digest is written down."""

from __future__ import annotations

import hashlib

from unquilt.errors import ParameterError

MEANING = "32 hexadecimal digits: keyed fingerprints, safe against crafted collisions"


def check_key(key: str) -> None:
    """Refuse what is neither a key nor empty."""
    if key and not (len(key) == 32 and all(digit in "0123456789abcdefABCDEF" for digit in key)):
        raise ParameterError("key must be 32 hexadecimal digits or empty")


def digest_key(key: str) -> str:
    """The key as the manifest has it."""
    return f"sha256:{hashlib.sha256(bytes.fromhex(key)).hexdigest()[:16]}" if key else ""


def read_key(key: str) -> bytes | None:
    """The key as kernels take it."""
    return bytes.fromhex(key) if key else None
