"""HTML files: a file is a document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import text
from unquilt.corpus.records import Found
from unquilt.corpus.sources import Glimpse, Slice

SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")

# What a page begins with: a doctype, or one of the tags that WHATWG's sniffing of types knows, after comments. Several
# comments need no repetition, since one may hold anything, `-->` too: so each place is tried once.
_BEGINS_PAGE = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--.*?-->\s*+)?"
    rb"<(?:!doctype\s+html|html|head|title|body|meta|link|script|style|table|div|h[1-6]|p|br|a|b|iframe|font)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)

cut = text.cut


def recognise(glimpse: Glimpse) -> bool:
    """By name, or by how it begins; NULs of UTF-16 and a byte order mark do not matter."""
    if glimpse.name.endswith(SUFFIXES):
        return True
    if not text.recognise(glimpse) and not _is_wide(glimpse.head):
        return False
    return begins_page(glimpse.head)


def begins_page(content: bytes) -> bool:
    """Whether content begins as a page does; NULs of UTF-16 and a byte order mark do not matter."""
    head = content[:1024].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff")
    return _BEGINS_PAGE.match(head) is not None


def _is_wide(head: bytes) -> bool:
    """Whether a file begins like ASCII in UTF-16 without a byte order mark, which `text` takes for binary."""
    return any(head[:16]) and not (any(head[0:16:2]) and any(head[1:16:2]))


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The file as one page."""
    return text.whole_file(part, "html", reading)
