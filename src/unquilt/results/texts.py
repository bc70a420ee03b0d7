"""Parts of the texts of documents: a text may have 50 MB, of which a page shows some, and says so. Also says how many
words of a document had to be restored, and how many its style hides.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow.compute as pc

from unquilt.results.folders import RunFolder
from unquilt.tables.corpus import DOCUMENTS

COUNTS = ("words", "restored", "hidden")
MOST = 200_000
"""Characters that are shown at once."""


@dataclass(frozen=True)
class Part:
    """Some of the text of a document: `[begin, end)` of `length` characters."""

    text: str
    begin: int
    length: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)

    @property
    def is_whole(self) -> bool:
        return len(self.text) == self.length


def read_offset(given: str) -> int:
    """An offset in an address; 0 if it is none.

    >>> read_offset("12"), read_offset("-1"), read_offset("9" * 20)
    (12, 0, 0)
    """
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 12 else 0


def read_part(folder: RunFolder, number: int, around: int = 0, most: int = MOST) -> Part | None:
    """The text of a document, or as much of it as is shown at once: from its beginning, or with `around` in the middle.

    None if there is no such document, or no corpus. Memory: a row group of the corpus, and what is returned.
    """
    table = folder.tables.get(DOCUMENTS.name)
    if table is None or number < 0:
        return None
    first = 0
    for split in table.splits():
        if number < first + split.rows:
            text = split.read(["text"]).column("text").slice(number - first, 1).combine_chunks()
            length = pc.utf8_length(text)[0].as_py()
            begin = 0 if length <= most else max(0, min(around - most // 2, length - most))
            part = text if length <= most else pc.utf8_slice_codeunits(text, begin, begin + most)
            return Part(part[0].as_py(), begin, length)
        first += split.rows
    return None


def say_disguise(folder: RunFolder, number: int) -> str:
    """What there is to say of the disguise of a document, in a sentence; nothing, if there is none, or no corpus."""
    if DOCUMENTS.name not in folder.tables:
        return ""
    row = next((row for _, row in folder.documents([number], COUNTS)), None)
    return describe(row["words"], row["restored"], row["hidden"]) if row else ""


def describe(words: int, restored: int, hidden: int) -> str:
    """The same, of counts.

    >>> describe(200, 82, 0)
    '41 % of its words were disguised'
    >>> describe(200, 0, 1), describe(1000, 1, 0), describe(7, 0, 0)
    ('1 more word is hidden', 'less than 1 % of its words were disguised', '')
    """
    parts = []
    if restored:
        share = 100 * restored / max(1, words)
        parts.append(f"{f'{share:.0f} %' if share >= 1 else 'less than 1 %'} of its words were disguised")
    if hidden:
        parts.append(f"{hidden:,} more word{' is' if hidden == 1 else 's are'} hidden")
    return "; ".join(parts)
