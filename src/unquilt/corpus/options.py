"""What the user may say about reading: how the fields are called, and how large a document may be."""

from __future__ import annotations

from dataclasses import dataclass, fields

from unquilt.errors import ParameterError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the fields (JSONL) or columns (Parquet) that hold a document's parts.

    >>> Fields(text="content").text
    'content'
    """

    id: str = "id"
    url: str = "url"
    text: str = "text"
    ip: str = "ip"

    def __post_init__(self) -> None:
        for field in fields(self):
            name = getattr(self, field.name)
            if not isinstance(name, str) or not name:
                raise ParameterError(f"field {field.name} must be the name of a field, not {name!r}")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost: a line of JSONL, a text, a file with more bytes than this is rejected unread.

    The upper bound keeps positions in a text, and the offsets of a batch of URLs, within 32 bits.

    >>> Limits().max_bytes
    67108864
    """

    max_bytes: int = 64 * MIB

    def __post_init__(self) -> None:
        if not 1 <= self.max_bytes <= 1024 * MIB:
            raise ParameterError(f"max_bytes must be between 1 and {1024 * MIB}, not {self.max_bytes}")
