"""How much of a document is disguised: words that had to be restored, and words that its style hides."""

from __future__ import annotations

from unquilt.results.folders import RunFolder
from unquilt.tables.corpus import DOCUMENTS

COUNTS = ("words", "restored", "hidden")


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
