"""What the user may say about reading: how fields are called, what of a page counts, and what a document may cost."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from unquilt.corpus.records import Media
from unquilt.errors import ParameterError
from unquilt.guard import Bounds

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the fields (JSONL) or columns (Parquet) that hold a document's parts.

    Of `text` and `html` one is enough; a record with both is read from its text.

    >>> Fields(text="content").text
    'content'
    """

    id: str = "id"
    url: str = "url"
    text: str = "text"
    html: str = "html"
    ip: str = "ip"

    def __post_init__(self) -> None:
        for each in fields(self):
            name = getattr(self, each.name)
            if not isinstance(name, str) or not name:
                raise ParameterError(f"field {each.name} must be the name of a field, not {name!r}")

    @property
    def contents(self) -> tuple[tuple[Media, str], ...]:
        """The fields that may hold the content, in the order in which they are tried, and what is in them."""
        return (("text", self.text), ("html", self.html))


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. One that costs more is rejected, and says so.

    `max_bytes` bounds a line of JSONL, a text, a page after decompression, a mail; its own upper bound keeps positions
    in a text, and the offsets of a batch of URLs, within 32 bits. `max_nodes` and `max_depth` bound what a parser that
    builds a tree is given (`main_content`); reading all of a page's text builds none. `deadline` is in seconds of
    processor time, so that a busy machine rejects no more than an idle one; it is the last resort.

    >>> Limits().max_bytes
    67108864
    """

    max_bytes: int = 64 * MIB
    max_nodes: int = 200_000
    max_depth: int = 1_000
    deadline: float = 30.0

    def __post_init__(self) -> None:
        if not 1 <= self.max_bytes <= 1024 * MIB:
            raise ParameterError(f"max_bytes must be between 1 and {1024 * MIB}, not {self.max_bytes}")
        for name in ("max_nodes", "max_depth"):
            if not 1 <= getattr(self, name) < 1 << 63:
                raise ParameterError(f"{name} must be at least 1 and below 2^63, not {getattr(self, name)}")
        if not 0.1 <= self.deadline <= 86_400:
            raise ParameterError(f"deadline must be between 0.1 and 86400 seconds, not {self.deadline}")

    @property
    def bounds(self) -> Bounds:
        """What reading a document may cost its process."""
        return Bounds(self.deadline, 2048 * MIB + 16 * self.max_bytes)


@dataclass(frozen=True, slots=True)
class Reading:
    """All that decides what is read of an input, and so is part of what a corpus is.

    `main_content` keeps of HTML only the article, without navigation and the like. A URL is flagged as a recursion
    error of the crawler if one component occurs more than `max_repeats` times in its path.
    """

    fields: Fields = field(default_factory=Fields)
    limits: Limits = field(default_factory=Limits)
    main_content: bool = False
    max_repeats: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.max_repeats < 1 << 63:
            raise ParameterError(f"max_repeats must be at least 1 and below 2^63, not {self.max_repeats}")
