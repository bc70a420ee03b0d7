"""From pages to documents: content becomes text, chunks, links and digests, whichever file it came from.

All text that a reader of the page would see is kept, or with `main_content` the article only, or with `source` the
source of the page. The core does it in one pass (`page.rs`, `sources.rs`, `paragraphs.rs`); only main content needs a
parser that builds a tree, so only there nodes and depth are limited.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from unquilt import _native
from unquilt.corpus.extract import messages
from unquilt.corpus.options import KEEP, PLAIN, Reading
from unquilt.corpus.readers.html import begins_page
from unquilt.corpus.records import Chunks, Document, Media, Page, Reject, too_large

_MARK_UP = re.compile(rb"<[a-zA-Z/!?]")
"""Where a tag, a comment or a declaration begins, as HTML has it; any other `<` is text."""
_BLANK_LINES = re.compile(rb"(?>\r\n?|\n)[ \t\f]*+(?>\r\n?|\n)\s*+")
"""What separates the paragraphs of an HTML page without mark-up, which is plain text under another name."""


class _Extracted(NamedTuple):
    """What the core makes of a page, in its order: text and chunks (see `Chunks`), links and whether there are more,
    and for a parser that builds a tree, how many nodes it would have and how deep it would be; and how many words a
    style hides, and where (begins and ends of the source, four bytes each).
    """

    text: bytes
    begins: bytes
    ends: bytes
    raw_sha1: bytes
    text_sha1: bytes
    trivial: bytes
    links: Sequence[str]
    more_links: bool
    nodes: int
    depth: int
    hidden: int
    hidden_places: bytes


class _Content(NamedTuple):
    """What a document is made of; `more_links` says that it has more than those that are kept."""

    text: bytes
    chunks: Chunks
    links: Sequence[str] = ()
    more_links: bool = False
    hidden: int = 0


class _Refused(Exception):  # noqa: N818 - carries a reject out of the functions below, never leaves this module
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)


def extract_document(page: Page, reading: Reading) -> Document | Reject:
    """The document of a page, or why there is none. Never raises, whatever the page holds."""
    try:
        raw = page.content if isinstance(page.content, bytes) else page.content.encode()
        if len(raw) > reading.limits.max_bytes:
            return too_large("content", reading.limits.max_bytes, page.file, page.offset)
        if page.media == "text" and isinstance(page.content, str) and begins_page(raw):
            page = page._replace(media="html")  # a field of a table, which has no other way to say so
        made = _MAKERS[page.media](page, raw, reading)
    except UnicodeEncodeError as error:
        return Reject(page.file, page.offset, "lone surrogate", f"character {error.start} of the content")
    except _Refused as refused:
        return Reject(page.file, page.offset, *refused.args)
    if len(made.text) > reading.limits.max_bytes:
        return too_large("text", reading.limits.max_bytes, page.file, page.offset)
    digest = hashlib.sha1(raw, usedforsecurity=False).digest()
    truncated = page.truncated or ("links" if made.more_links else None)
    # A batch of short texts must not hold the long pages that they were made of.
    page = page._replace(content=b"", truncated=truncated)
    document = Document(page, made.text, digest, made.links, made.chunks, hidden=made.hidden)
    return document if reading.words == PLAIN or reading.source else _seen(document)


def _seen(document: Document) -> Document:
    """The document with its words as a reader sees them; chunks are compared so, too."""
    chunks = document.chunks
    found = _native.see(document.text, chunks.begins, chunks.ends, chunks.text)
    if found is None:
        return document
    seen, restored, digests, trivial = found
    return document._replace(seen=seen, restored=restored, chunks=chunks._replace(text=digests, trivial=trivial))


def _text(page: Page, raw: bytes, reading: Reading) -> _Content:  # noqa: ARG001 (all media are made alike)
    """Plain text: its chunks are its paragraphs."""
    return _paragraphs(_decoded(page, raw, html=False))


def _html(page: Page, raw: bytes, reading: Reading) -> _Content:
    source = _decoded(page, raw, html=True)
    if reading.source:
        links = _Extracted(*_native.extract(source, page.url, keep_hidden=True))
        return _Content(source, Chunks(*_native.sources(source)), links.links, links.more_links)
    if not _MARK_UP.search(source):
        source = _BLANK_LINES.sub(b"\n<p>", source)
    found = _Extracted(*_native.extract(source, page.url, keep_hidden=reading.hidden == KEEP))
    if not reading.main_content:
        chunks = Chunks(found.begins, found.ends, found.raw_sha1, found.text_sha1, found.trivial)
        return _Content(found.text, chunks, found.links, found.more_links, found.hidden)
    limits = reading.limits
    if found.nodes > limits.max_nodes:
        raise _Refused("too many nodes", f"{found.nodes} tags and texts, more than {limits.max_nodes} (max_nodes)")
    if found.depth > limits.max_depth:
        raise _Refused("too deep", f"elements {found.depth} deep, more than {limits.max_depth} (max_depth)")
    article = _paragraphs(main_content(_without(source, found.hidden_places)))
    return article._replace(links=found.links, more_links=found.more_links, hidden=found.hidden)


def _without(source: bytes, places: bytes) -> bytes:
    """The source of a page without the text at these places."""
    parts, at = [], 0
    numbers = memoryview(places).cast("I").tolist()
    for begin, end in zip(numbers[::2], numbers[1::2], strict=True):
        parts.append(source[at:begin])
        at = end
    return b"".join([*parts, source[at:]])


def _mail(page: Page, raw: bytes, reading: Reading) -> _Content:
    """A mail: its subject, a blank line, its body."""
    try:
        message = messages.parse_mail(raw)
    except messages.RefusedError as refused:
        raise _Refused(*refused.args) from refused
    part = page._replace(content=message.body, charset=message.charset)
    body = (_html if message.html else _text)(part, message.body, reading)
    text = b"\n\n".join(filter(None, [message.subject.encode(), body.text]))
    return _paragraphs(text)._replace(links=body.links, more_links=body.more_links, hidden=body.hidden)


def _nothing(page: Page, raw: bytes, reading: Reading) -> _Content:  # noqa: ARG001 (all media are made alike)
    """A file without text: nothing but its SHA-1."""
    return _Content(b"", Chunks(b"", b"", b"", b"", b""))


_MAKERS: dict[Media, Callable[[Page, bytes, Reading], _Content]] = {
    "text": _text,
    "html": _html,
    "mail": _mail,
    "script": _text,  # as published: chunks of all that is no HTML are what blank lines separate
    "style": _text,
    "robots": _text,
    "file": _nothing,
}


def _decoded(page: Page, raw: bytes, *, html: bool) -> bytes:
    """The content in UTF-8; as it is, if the file itself says that it is text."""
    return raw if isinstance(page.content, str) else _native.decode(raw, page.charset, html)[0]


def _paragraphs(text: bytes) -> _Content:
    return _Content(text, Chunks(*_native.paragraphs(text)))


def main_content(source: bytes) -> bytes:
    """The text of the article in an HTML page (UTF-8), its paragraphs separated by blank lines."""
    from resiliparse.extract.html2text import extract_plain_text  # loaded only if it is asked for
    from resiliparse.parse.html import HTMLTree

    try:
        tree = HTMLTree.parse_from_bytes(source, "utf-8")
    except ValueError as error:  # any bytes have a tree, so it had no room
        raise MemoryError(str(error)) from error
    text: str = extract_plain_text(tree, main_content=True, comments=False, alt_texts=False, list_bullets=False)
    return text.encode("utf-8", "replace")
