"""Detectors: a set of labels that is asked about one page at a time, in a crawler, with no corpus at hand.

No threads, no Arrow, no files but the set, which is mapped into memory: whoever fetched a page asks at once. A page is
cut as a corpus is, so that the answer is that of `detect` for the same page.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.stores.labels import RESTORED, LabelSet, spoiled

MEDIA = ("html", "text")
_TAG = re.compile(r"\s*<(?:!doctype|!--|\?xml|[a-z])", re.IGNORECASE)
"""How HTML begins."""


ChunkColumns = tuple[bytes, bytes, bytes, bytes, bytes]
"""Of chunks: where they begin, where they end, their SHA-1s by source and by text, and the numbers of trivial ones."""


class LabelledChunk(NamedTuple):
    """A labelled chunk of a page, `[begin, end)` in code points of its text."""

    begin: int
    end: int
    sha1: bytes


@dataclass(frozen=True)
class PageContent:
    """What there is of a set of labels in a page."""

    chunks: int
    """How many chunks there are, without stop chunks."""
    stop_chunks: int
    labelled: tuple[LabelledChunk, ...]
    file: bool
    """Whether the whole content is a labelled file."""
    ours: str | None
    """URL of the page of ours that most of it is from, or its id if it has none; None if nothing is labelled, or the
    set does not know where its labels are from."""
    ours_labelled: int
    """How many of the labelled chunks that page has."""
    threshold: float | None
    """The threshold for pages that the set stores, if any."""
    utf8: bytes = field(repr=False)
    """The text in UTF-8."""

    @property
    def text(self) -> str:
        """The text of the page; made when it is asked for, as a crawler seldom does."""
        return self.utf8.decode()

    @property
    def contains(self) -> float:
        """The share of labelled chunks; 0 if no chunks remain."""
        return len(self.labelled) / self.chunks if self.chunks else 0.0

    @property
    def target(self) -> bool | None:
        """Whether it is a target; None if that takes a threshold and the set stores none."""
        if self.file or self.threshold is None:
            return self.file or None
        return self.contains > self.threshold


class Detector:
    """Says of pages what they contain of a set of labels.

    >>> import tempfile
    >>> from unquilt.stores.labels import About, hash_text
    >>> path = Path(tempfile.mkdtemp()) / "ours.labels"
    >>> _ = LabelSet.pack(path, About(page_threshold=0.3), chunks=hash_text("A paragraph of ours.", "text"))
    >>> found = Detector.load(path).page("<p>A <b>paragraph</b> of ours.<p>And another.")
    >>> found.contains, found.target, [found.text[chunk.begin:chunk.end] for chunk in found.labelled]
    (0.5, True, ['A paragraph of ours.'])
    """

    def __init__(self, labels: LabelSet) -> None:
        self.labels = labels
        self._ask = labels.set.page
        self._cutting = (labels.about.by, labels.about.min_length)
        self._threshold = labels.about.page_threshold

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A detector for the set in a file, which may be replaced meanwhile, but not be written to."""
        return cls(LabelSet.load(path))

    def page(self, content: str | bytes, url: str | None = None, media: str | None = None) -> PageContent:
        """What a page contains.

        `content` is HTML or plain text (`media` says which; without it, what begins with a tag is HTML), as text or as
        the bytes that were fetched, whose charset is then found as in a corpus. `url` is what links in the page are
        relative to; it does not change the answer.
        """
        if media not in (None, *MEDIA):
            raise ParameterError(f"media must be one of {', '.join(MEDIA)}, not {str(media)[:40]!r}")
        raw = content.encode(errors="replace") if isinstance(content, str) else content
        html = media == "html" if media else _begins_as_html(content)
        utf8 = raw if isinstance(content, str) else _native.decode(raw, None, html)[0]
        raw_source = self.labels.about.by == "raw"
        if html and not raw_source:
            text, columns = _extract(utf8, url)
        else:
            text, columns = utf8, (_native.sources if html else _native.paragraphs)(utf8)
        asked = text
        if (
            not raw_source
            and self.labels.about.words == RESTORED
            and (seen := _native.see(text, *columns[:2], columns[3])) is not None
        ):
            asked, columns = seen[0], (*columns[:3], *seen[2:])
        return self.ask(text, asked, columns, hashlib.sha1(raw, usedforsecurity=False).digest())

    def ask(self, text: bytes, seen: bytes, columns: ChunkColumns, digest: bytes) -> PageContent:
        """What a text contains that is cut into chunks already; `seen` is the text as its words are compared."""
        if not self.labels.about.trivial_stop:
            columns = (*columns[:4], b"")
        try:
            chunks, stop_chunks, labelled, file, ours = self._ask(seen, *columns, digest, *self._cutting)
        except _native.SpoiledSetError as error:
            raise spoiled(self.labels.path, error) from error
        marked = tuple([LabelledChunk(*each) for each in labelled]) if labelled else ()
        page, shared = ours or (None, 0)
        return PageContent(chunks, stop_chunks, marked, file, page, shared, self._threshold, text)


def _begins_as_html(content: str | bytes) -> bool:
    start = content[:1024] if isinstance(content, str) else content[:1024].decode(errors="replace")
    return _TAG.match(start.removeprefix("\ufeff")) is not None


def _extract(utf8: bytes, url: str | None) -> tuple[bytes, ChunkColumns]:
    text, begins, ends, raws, texts, trivial, *_ = _native.extract(utf8, url)
    return text, (begins, ends, raws, texts, trivial)
