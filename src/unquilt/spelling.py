"""Numbers with their nouns, and names that are fit to be shown: the same in the terminal, the page and the report."""

from __future__ import annotations

import shlex
from pathlib import Path


def printable(text: str) -> str:
    """Text that a terminal only shows: what is not printable becomes a visible escape.

    >>> printable("evil \\x1b[2J page \\u202e")
    'evil \\\\x1b[2J page \\\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def typed(path: str | Path) -> str:
    """A path as it can be typed in a shell, unless it holds what cannot be printed."""
    return shlex.quote(printable(str(path)))


def count(number: int, singular: str = "", plural: str = "") -> str:
    """A number with its noun: `1,234 documents`, `1 copy`.

    >>> count(1, "copy", "copies"), count(1234, "document")
    ('1 copy', '1,234 documents')
    """
    noun = singular if number == 1 else plural or f"{singular}s"
    return f"{number:,} {noun}" if singular else f"{number:,}"


def are(number: int) -> str:
    """The verb that goes with a number of things.

    >>> f"1 of 5 {are(1)}", f"2 of 5 {are(2)}"
    ('1 of 5 is', '2 of 5 are')
    """
    return "is" if number == 1 else "are"


def share(value: float) -> str:
    """A share of something, never rounded to none or to all of it.

    >>> share(0.0004), share(0.054), share(0.9999), share(1)
    ('0.04 %', '5.4 %', '99.99 %', '100 %')
    """
    percent = value * 100
    for digits in (1, 2, 3):
        rounded = round(percent, digits)
        if (rounded > 0 or percent <= 0) and (rounded < 100 or percent >= 100):
            return f"{rounded:g} %"
    return f"{percent:.3g} %"


def sentence(text: str) -> str:
    """A sentence in which no number is parted from its %.

    >>> sentence("80 % of it")
    '80\\xa0% of it'
    """
    return text.replace(" %", "\u00a0%")
