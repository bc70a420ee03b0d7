"""What goes to standard output, and how it is made fit for a terminal.

Pages, ids and URLs are hostile: they may hold terminal escapes, marks that reverse the writing direction, or a
megabyte of nothing. Every string that comes from data passes through `printable` or `cut` before people see it, and
through `json_line` before programs do; all three leave no control character as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from unquilt.spelling import are, count, printable, typed

__all__ = [
    "are",
    "count",
    "cut",
    "cut_left",
    "duration",
    "emit",
    "flush",
    "json_line",
    "naming_stdout",
    "pad",
    "printable",
    "size",
    "terminal_width",
    "typed",
    "use_colour",
    "wrap",
]

STDOUT = "standard output"
LONGEST_CELL = 200
"""Display cells of a field, at most, where output is no terminal; a longer one is cut."""
WIDEST = 100
_MARKS = 4
"""Characters that may share a cell; text with more of them stacked is cut."""


def emit(line: str = "") -> None:
    """Write one line to standard output."""
    with naming_stdout():
        if sys.stdout is not None:
            sys.stdout.write(f"{line}\n")


def flush() -> None:
    """Write what standard output still holds."""
    with naming_stdout():
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()


@contextmanager
def naming_stdout() -> Iterator[None]:
    """An error of standard output gets its name, as errors of files have theirs."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = STDOUT
        raise


def cut(text: str, cells: int) -> str:
    """Printable text of at most so many display cells; the end of a longer one becomes `…`.

    >>> cut("漢字 and more", 6)
    '漢字…'
    """
    from rich.cells import cell_len, set_cell_size

    beginning = text[: _MARKS * cells]
    shown = printable(beginning)
    if len(beginning) == len(text) and cell_len(shown) <= cells:
        return shown
    return set_cell_size(shown, max(0, cells - 1)).rstrip() + "…"


def cut_left(text: str, cells: int) -> str:
    """Printable text of at most so many display cells; the beginning of a longer one becomes `…`, as paths of one
    corpus mostly begin alike.

    >>> cut_left("crawl/2026/a/b.html#12", 12)
    '…a/b.html#12'
    """
    from rich.cells import cell_len

    shown = printable(text[-_MARKS * cells :])
    if len(text) <= _MARKS * cells and cell_len(shown) <= cells:
        return shown
    while cell_len(shown) >= max(1, cells):
        shown = shown[1:]
    return f"…{shown}"


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """Printable text of exactly so many display cells."""
    from rich.cells import cell_len

    shown = cut(text, cells)
    space = " " * (cells - cell_len(shown))
    return space + shown if right else shown + space


def json_line(values: object) -> str:
    """One line of JSON, in ASCII: everything else is escaped, so that it can also be looked at on a terminal."""
    return json.dumps(_plain(values), allow_nan=False).replace("\x7f", "\\u007f")


def _plain(value: Any) -> Any:
    """Bytes as hexadecimal digits, wherever they are."""
    match value:
        case bytes():
            return value.hex()
        case dict():
            return {str(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
    return value


def terminal_width() -> int | None:
    """How wide output may be: COLUMNS, else the terminal's width; None if standard output goes elsewhere."""
    if os.environ.get("COLUMNS", "").isdigit() or (sys.stdout is not None and sys.stdout.isatty()):
        return max(20, shutil.get_terminal_size().columns)
    return None


def use_colour() -> bool:
    """Whether standard output is a terminal that is to be coloured."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown")
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def wrap(prose: str, indent: str = "") -> list[str]:
    """Prose in lines as wide as the terminal, but no wider than is good to read."""
    width = min(terminal_width() or WIDEST, WIDEST)
    return textwrap.wrap(prose, width, initial_indent=indent, subsequent_indent=indent)


def size(number: float, unit: str = "B") -> str:
    """A size for people.

    >>> size(999), size(12_355_075)
    ('999 B', '12.4 MB')
    """
    if number < 1000:
        return f"{number:.0f} {unit}"
    for prefix in "kMGT":
        number /= 1000
        if number < 1000 or prefix == "T":
            break
    return f"{number:.1f} {prefix}{unit}"


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(0.2), duration(41.7), duration(3720)
    ('0.20 s', '42 s', '1 h 02 min')
    """
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 1:
        return f"{rest} s"
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
