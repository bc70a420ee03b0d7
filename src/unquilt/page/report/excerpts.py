"""Texts with their evidence marked, short enough to be mailed: long stretches without any are left out, and say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from markupsafe import Markup

from unquilt.page.marked import draw_bar, mark_text
from unquilt.page.report.spelling import count
from unquilt.results.differences import DELETED, INSERTED, Difference
from unquilt.results.marks import NO_PATCH, Passage, clean, mark

AROUND = 160
"""Characters kept on either side of what is marked."""
LONG = 1_200
"""Characters of a passage from which on only its ends are shown."""
MOST = 3_000
"""Characters of a text that are shown."""
MOST_WHOLE = 100_000
"""The same where passages are shown from end to end."""
GAP = '\n<span class="gap"></span>'
"""A blank line, which is not so high: pages of short lines would be mostly blank."""
_WORD = 24
LONGEST_COMPARED = 400_000
"""Characters of two texts that are compared word by word."""
Span = tuple[int, int]


def excerpt(text: str, passages: Sequence[Passage], length: int = 0, *, whole: bool = False) -> Markup:
    """The text with its passages marked, without what lies far from any of them; `length` is that of the whole, where
    the text is only the beginning of it. With `whole`, long passages are shown from end to end."""
    passages = [each for each in passages if each.begin < len(text)]
    spans = _near(text, [(each.begin, each.end) for each in passages], MOST_WHOLE if whole else LONG)
    write = partial(_mark_passages, text, passages)
    return _join(max(length, len(text)), spans, write, MOST_WHOLE if whole else MOST)


def bar(length: int, passages: Sequence[Passage]) -> Markup:
    """Where in a text of this length the passages lie."""
    return Markup(draw_bar(length, passages))  # noqa: S704  escaped there


def compare(one: str, other: str) -> tuple[Markup, str]:
    """Two texts as one, with what differs marked; and how much that is."""
    if max(len(one), len(other)) > LONGEST_COMPARED:
        return Markup(""), "The two are too long to be compared here; unquilt show RUN clusters --diff A B does."
    difference = Difference.of(one, other)
    text, patches = difference.merge()
    gone, new = difference.changed
    spans = _near(text, [(begin, end) for begin, end, _ in patches])
    found = _join(len(text), spans, partial(_mark_changes, text, patches))
    lost = f"{count(gone, 'word of the first is', 'words of the first are')} not in the second"
    said = f"{lost}, {count(new, 'word of the second is', 'words of the second are')} not in the first."
    return found, said if gone or new else "The words of the two are the same."


def _mark_passages(text: str, passages: Sequence[Passage], begin: int, end: int) -> str:
    return mark_text(text[begin:end], passages, first=begin)


def _mark_changes(text: str, patches: Sequence[tuple[int, int, int]], first: int, until: int) -> str:
    tags = {DELETED: "del", INSERTED: "ins"}
    here = [(begin - first, end - first, rank) for begin, end, rank in patches if end > first and begin < until]
    found = []
    for begin, end, rank in mark(until - first, here):
        piece = str(Markup.escape(clean(text[first + begin : first + end])))
        found.append(piece if rank == NO_PATCH else f"<{tags[rank]}>{piece}</{tags[rank]}>")
    return "".join(found)


def _near(text: str, marked: Sequence[Span], long: int = LONG) -> list[Span]:
    """Stretches that are marked, with some text around each; those that come close to each other are one."""
    found = [(0, 0)]
    for start, stop in sorted(chain.from_iterable(_ends(span, long) for span in marked)):
        begin, end = found[-1]
        if start - AROUND > end + AROUND:
            found.append((_next_word(text, start - AROUND), min(len(text), _next_word(text, stop + AROUND))))
        else:
            found[-1] = begin, max(end, min(len(text), _next_word(text, stop + AROUND)))
    begin, end = found[-1]
    found[-1] = begin, max(end, min(len(text), _next_word(text, begin + 2 * AROUND)))
    return [(begin, end) for begin, end in found if begin < end]


def _ends(span: Span, long: int) -> list[Span]:
    """The ends of a long span, or all of a shorter one; with what is shown around them, they are a third of `LONG`."""
    begin, end = span
    third = LONG // 3 - AROUND
    return [span] if end - begin <= long else [(begin, begin + third), (end - third, end)]


def _next_word(text: str, place: int) -> int:
    """Behind the next space, if there is one soon."""
    found = text.find(" ", place, place + _WORD)
    return place if found < 0 else found + 1


def _join(length: int, spans: Sequence[Span], write: Callable[[int, int], str], most: int = MOST) -> Markup:
    """The stretches, with what is left out between them said, and no more in all than is shown of a text."""
    found: list[str] = []
    reached = shown = 0
    for begin, end in spans:
        end = min(end, begin + most - shown)
        if end <= begin:
            break
        found.append(_left_out(begin - reached))
        found.append(write(begin, end))
        reached, shown = end, shown + end - begin
    found.append(_left_out(length - reached))
    return Markup("".join(found).replace("\n\n", GAP))  # noqa: S704  escaped piece by piece


def _left_out(number: int) -> str:
    return f'<span class="left-out"> … {count(number, "character")} left out … </span>' if number > 0 else ""
