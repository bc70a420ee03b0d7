"""Numbers and names as people read them."""

from __future__ import annotations

from typing import Any

from unquilt.results.marks import clean
from unquilt.spelling import count, share

__all__ = ["CellShare", "cell", "count", "cut", "duration", "share", "size", "value"]

LONGEST = 300
"""Characters of a cell, at most; a longer one is cut, and ends with …"""


class CellShare(float):
    """A share of one in a cell of a table."""


def size(number: float) -> str:
    """A size in bytes.

    >>> size(999), size(12_355_075)
    ('999 B', '12.4 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def duration(seconds: float) -> str:
    """A time.

    >>> duration(0.204), duration(41.7), duration(3720)
    ('0.20 s', '42 s', '1 h 2 min')
    """
    if seconds < 10:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def cell(value: Any) -> str:
    """A value of a table.

    >>> cell(0.80123), cell(CellShare(0.80123)), cell(12345), cell(True), cell(None)
    ('0.801', '80.1 %', '12,345', 'yes', '–')
    """
    if isinstance(value, CellShare):
        return share(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, bytes):
        return value.hex()
    return cut(str(value))


def cut(text: str, most: int = LONGEST) -> str:
    """A text that is not too long, in which nothing acts."""
    text = clean(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def value(given: Any) -> str:
    """A parameter as it was given.

    >>> value(0.5), value([3, 4]), value(""), value(True)
    ('0.5', '3, 4', 'none', 'yes')
    """
    if isinstance(given, list):
        return ", ".join(map(value, given))
    if isinstance(given, float):
        return f"{given:g}"
    return cell(given) if isinstance(given, bool) else cut(str(given)) if given not in ("", None) else "none"
