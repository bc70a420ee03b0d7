"""From pages to documents: content becomes text, chunks, links and digests, whichever file it came from.

All text that a reader of the page would see is kept, or with `main_content` the article only. The core does it in one
pass (`page.rs`, `paragraphs.rs`); only main content needs a parser that builds a tree, so only there nodes and depth
are limited.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from unquilt import _native
from unquilt.corpus.extract import articles, messages
from unquilt.corpus.options import Reading
from unquilt.corpus.records import Chunks, Document, Media, Page, Reject, too_large


class _Extracted(NamedTuple):
    """What the core makes of a page, in its order: text and chunks (see `Chunks`), links and whether there are more,
    and for a parser that builds a tree, how many nodes it would have and how deep it would be.
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


class _Content(NamedTuple):
    """What a document is made of; `more_links` says that it has more than those that are kept."""

    text: bytes
    chunks: Chunks
    links: Sequence[str] = ()
    more_links: bool = False


class _Refused(Exception):  # noqa: N818 - carries a reject out of the functions below, never leaves this module
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)


def extract_document(page: Page, reading: Reading) -> Document | Reject:
    """The document of a page, or why there is none. Never raises, whatever the page holds."""
    try:
        raw = page.content if isinstance(page.content, bytes) else page.content.encode()
        if len(raw) > reading.limits.max_bytes:
            return too_large("content", reading.limits.max_bytes, page.file, page.offset)
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
    return Document(page._replace(content=b"", truncated=truncated), made.text, digest, made.links, made.chunks)


def _text(page: Page, raw: bytes, reading: Reading) -> _Content:  # noqa: ARG001 (all media are made alike)
    """Plain text: its chunks are its paragraphs."""
    return _paragraphs(_decoded(page, raw, html=False))


def _html(page: Page, raw: bytes, reading: Reading) -> _Content:
    source = _decoded(page, raw, html=True)
    found = _Extracted(*_native.extract(source, page.url))
    if not reading.main_content:
        chunks = Chunks(found.begins, found.ends, found.raw_sha1, found.text_sha1, found.trivial)
        return _Content(found.text, chunks, found.links, found.more_links)
    limits = reading.limits
    if found.nodes > limits.max_nodes:
        raise _Refused("too many nodes", f"{found.nodes} tags and texts, more than {limits.max_nodes} (max_nodes)")
    if found.depth > limits.max_depth:
        raise _Refused("too deep", f"elements {found.depth} deep, more than {limits.max_depth} (max_depth)")
    return _paragraphs(articles.main_content(source))._replace(links=found.links, more_links=found.more_links)


def _mail(page: Page, raw: bytes, reading: Reading) -> _Content:
    """A mail: its subject, a blank line, its body."""
    try:
        message = messages.parse_mail(raw)
    except messages.RefusedError as refused:
        raise _Refused(*refused.args) from refused
    part = page._replace(content=message.body, charset=message.charset)
    body = (_html if message.html else _text)(part, message.body, reading)
    text = b"\n\n".join(filter(None, [message.subject.encode(), body.text]))
    return _paragraphs(text)._replace(links=body.links, more_links=body.more_links)


_MAKERS: dict[Media, Callable[[Page, bytes, Reading], _Content]] = {
    "text": _text,
    "html": _html,
    "mail": _mail,
    "script": _text,  # as published: chunks of all that is no HTML are what blank lines separate
    "style": _text,
    "robots": _text,
}


def _decoded(page: Page, raw: bytes, *, html: bool) -> bytes:
    """The content in UTF-8; as it is, if the file itself says that it is text."""
    return raw if isinstance(page.content, str) else _native.decode(raw, page.charset, html)[0]


def _paragraphs(text: bytes) -> _Content:
    return _Content(text, Chunks(*_native.paragraphs(text)))
