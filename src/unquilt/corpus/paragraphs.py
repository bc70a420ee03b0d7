"""Chunks of plain text: its paragraphs, the blocks between blank lines.

A line ends at LF, CR LF or CR; it is blank when it holds nothing but white space (Unicode's, so a lone no-break space
too). Linear in the text, whatever it holds: a gap begins at a line end, and no run of white space is tried twice.
This is half of the time of reading JSONL: 310 of 560 ms for 40 MB in 185,000 paragraphs, 0.5 µs of each for its SHA-1.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from typing import NamedTuple

_LEADING = re.compile(r"\s*")
_GAP = re.compile(r"\n[^\S\n]*\n\s*")
# Four times slower, as it has no literal to search for; only for texts with a CR.
_GAP_CR = re.compile(r"(?:\n|\r(?!\n))[^\S\r\n]*[\r\n]\s*")

_SHA1 = hashlib.sha1(usedforsecurity=False)


class Paragraphs(NamedTuple):
    """Begin and end (code points, half-open) of each paragraph; the SHA-1 of its UTF-8 bytes, one after the other."""

    begins: array[int]
    ends: array[int]
    digests: bytes


def paragraphs(text: str) -> Paragraphs:
    """The paragraphs of a text, without the white space around them. About 1.7 µs each.

    >>> found = paragraphs("Où ?\\n\\n  Ici,\\ntout près. \\n")
    >>> list(zip(found.begins, found.ends))
    [(0, 4), (8, 23)]
    """
    begins: list[int] = []
    ends: list[int] = []
    digests: list[bytes] = []
    begin = _LEADING.match(text).end()  # type: ignore[union-attr]
    gaps = [gap.span() for gap in (_GAP_CR if "\r" in text else _GAP).finditer(text, begin)]
    gaps.append((len(text), len(text)))
    for end, following in gaps:
        if begin < end:
            block = text[begin:end].rstrip()
            begins.append(begin)
            ends.append(begin + len(block))
            sha1 = _SHA1.copy()  # a little faster than a new one
            sha1.update(block.encode())
            digests.append(sha1.digest())
        begin = following
    return Paragraphs(array("i", begins), array("i", ends), b"".join(digests))
