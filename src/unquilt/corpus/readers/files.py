"""Files without text, such as images, as documents: all that is kept of them is their SHA-1, size and type.

They are noted for `reuse` alone, where `Reading.other_files` asks for them: images and the empty file are among the
files that a crawl has most often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from unquilt.corpus.given import CAPTURE
from unquilt.corpus.options import NONE, Reading
from unquilt.corpus.readers import text
from unquilt.corpus.records import Found, GivenFields, Page, Reject
from unquilt.corpus.sources import Slice

NOTED = CAPTURE.append(pa.field("bytes", pa.int64()))
"""What is known of a file: as of a page of an archive, and its size."""
_TYPES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"%PDF-", "application/pdf"),
    (b"PK\3\4", "application/zip"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x7fELF", "application/x-elf"),
)
"""How files of some types begin."""


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The file as one document without text."""
    for found in text.whole_file(part, "file", reading):
        if isinstance(found, Page) and isinstance(found.content, bytes):
            kind = tell_type(found.content)
            yield found if reading.carry == NONE else describe(found, {"content_type": kind})
        elif isinstance(found, Reject):
            yield found


def describe(page: Page, said: Mapping[str, Any]) -> Page:
    """The document with its size beside what is said of it."""
    values = {**said, "bytes": len(page.content)}
    return page._replace(given=GivenFields(values, sum(len(str(value)) for value in values.values()), NOTED))


def tell_type(content: bytes) -> str | None:
    """The type of a file by its first bytes, if they tell it.

    >>> tell_type(b"GIF89a"), tell_type(b"RIFF    WEBPVP8 "), tell_type(b"\\0")
    ('image/gif', 'image/webp', None)
    """
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for begin, kind in _TYPES if content.startswith(begin)), None)
