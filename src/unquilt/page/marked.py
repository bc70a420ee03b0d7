"""A text as HTML, with its evidence marked: each passage in the colour of its source, and with the source's number.

Colour alone would leave out who cannot tell colours apart, so each mark begins with its number; colours repeat. The
text is hostile: it is escaped, and characters that act instead of being seen (control characters, and those that turn
the direction of writing) are shown as others that do not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from html import escape

from unquilt.results.marks import NO_PATCH, Passage, clean, mark

COLOURS = 12
"""As many as there are classes `s1` … in the style sheet."""


def colour(number: int) -> str:
    """The class of a source.

    >>> colour(1), colour(13)
    ('s1', 's1')
    """
    return f"s{(number - 1) % COLOURS + 1}"


def mark_text(
    text: str,
    passages: Sequence[Passage],
    *,
    link: Callable[[int], str] | None = None,
    chosen: Iterable[int] = (),
    first: int = 0,
    changed: Sequence[tuple[int, int]] = (),
) -> str:
    """The text as HTML; where passages overlap, the one that is given first is marked.

    With `link`, each mark is a link to `link(place of the passage in the list)`. The `chosen` passages stand out, and
    the first of them has the id `here`. `first` is where the text begins in its document, whose offsets passages have,
    and so have `changed` words, which the other document of a passage does not have.
    """
    differing = sorted((begin - first, end - first) for begin, end in changed)
    patches = [(each.begin - first, each.end - first, place) for place, each in enumerate(passages, 1)]
    standing_out, found, here = set(chosen), [], ' id="here"'
    for begin, end, place in mark(len(text), patches):
        if place == NO_PATCH:
            found.append(escape(clean(text[begin:end])))
            continue
        piece = _mark_changed(text, begin, end, differing)
        passage = passages[place - 1]
        classes = f"patch {colour(passage.number)}"
        attributes = f' data-patch="{place - 1}"'
        if place - 1 in standing_out:
            classes, attributes, here = f"{classes} chosen", f"{attributes}{here}", ""
        if passage.title:
            attributes += f' title="{escape(clean(passage.title))}"'
        number = f'<span class="number">{passage.number}</span>'
        tag, target = ("a", f' href="{escape(link(place - 1))}"') if link else ("mark", "")
        found.append(f'<{tag} class="{classes}"{target}{attributes}>{number}{piece}</{tag}>')
    return "".join(found)


def _mark_changed(text: str, begin: int, end: int, changed: Sequence[tuple[int, int]]) -> str:
    """A piece of a text, with the words in it that differ."""
    found, at = [], begin
    for start, stop in changed[max(0, bisect_left(changed, (begin, begin)) - 1) :]:
        if start >= end:
            break
        start, stop = max(start, at), min(stop, end)
        if start < stop:
            found.append(escape(clean(text[at:start])))
            found.append(f'<span class="differs">{escape(clean(text[start:stop]))}</span>')
            at = stop
    return "".join([*found, escape(clean(text[at:end]))])


def draw_bar(length: int, passages: Sequence[Passage], *, link: Callable[[int], str] | None = None) -> str:
    """Where in a text passages lie, as an image of one line: SVG, a thousand units wide."""
    total = max(1, length)
    parts = []
    for begin, end, place in mark(length, [(each.begin, each.end, n) for n, each in enumerate(passages, 1)]):
        if place != NO_PATCH:
            x, width = begin * 1000 / total, max(1.5, (end - begin) * 1000 / total)
            classes = f"bar {colour(passages[place - 1].number)}"
            rect = f'<rect class="{classes}" x="{x:.1f}" y="0" width="{width:.1f}" height="20"/>'
            said = f'aria-label="to passage {place}" tabindex="-1"'
            parts.append(f'<a href="{escape(link(place - 1))}" {said}>{rect}</a>' if link else rect)
    share = sum(end - begin for begin, end, place in mark(length, [(e.begin, e.end, 1) for e in passages]) if place)
    label = f"Where the passages lie: {share / total:.0%} of the text is marked"
    role = "group" if link else "img"
    return (
        f'<svg class="bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="{role}" aria-label="{label}">'
        f'<rect class="ground" x="0" y="0" width="1000" height="20"/>{"".join(parts)}</svg>'
    )
