"""Indices of compressed files that outlive an interruption: to make one costs a pass over the file.

An index lies beside the pieces that were read (`index-0`), for as long as these do. A run that is resumed believes it
if it is of the same run (its inputs, parameters and versions) and of the same file, and every byte is as it was
written: from a checkpoint that is not, other text would be decoded.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path

from unquilt.corpus.readers.compression import Index
from unquilt.errors import RunError
from unquilt.runs import created
from unquilt.runs.storage import read_own


def index_path(folder: Path, number: int) -> Path:
    """Where the index of the file of this number lies."""
    return folder / f"index-{number}"


def keep_index(index: Index, path: Path, identity: str, spill: Path) -> None:
    """Write an index; `identity` says of what it is."""
    points = [(offset, b64encode(checkpoint).decode()) for offset, checkpoint in index]
    said = json.dumps({"identity": identity, "points": points}).encode()
    with created(path, spill=spill) as file:
        file.write(hashlib.sha256(said).hexdigest().encode() + b"\n" + said)


def recall_index(path: Path, identity: str) -> Index | None:
    """An index that was kept, if it can be believed."""
    with suppress(OSError, RunError, ValueError, KeyError, TypeError):
        digest, _, said = read_own(path).partition(b"\n")
        facts = json.loads(said) if hashlib.sha256(said).hexdigest().encode() == digest else {}
        if facts["identity"] == identity:
            return tuple((int(offset), b64decode(checkpoint)) for offset, checkpoint in facts["points"])
    return None
