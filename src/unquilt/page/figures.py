"""Figures on the page: sites as a scatter with error bars, and the sentences of two documents as a dot plot.

They are SVG without styles of their own (the policy of the page forbids these): colours come from the style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from unquilt.figures.phrases import MOST_SITES, chart_sites
from unquilt.page.links import address
from unquilt.page.listing import Listing
from unquilt.page.marked import colour
from unquilt.results.marks import clean

SIZE = (940, 400)


def draw_hosts(listing: Listing, run: str) -> str:
    """Figures 8 and 9 of the paper for the first 500 of the sites that are listed; each leads to its page."""
    sites = listing.rows(("site", "pages", "mean", "deviation", "candidate"), MOST_SITES)
    return chart_sites(sites, lambda site: address("runs", run, "phrases", site=site), SIZE).draw("sites")


def draw_dots(dots: Sequence[tuple[int, int, int, int, str]], lengths: tuple[int, int], names: tuple[str, str]) -> str:
    """Where two texts agree: each passage (begin and end in either, and where it leads) as a line."""
    size = 320
    a, b = (max(1, length) for length in lengths)
    parts = [f'<rect class="ground" x="0" y="0" width="{size}" height="{size}"/>']
    for number, (begin, end, other, until, target) in enumerate(dots, 1):
        x1, x2, y1, y2 = begin * size / a, end * size / a, other * size / b, until * size / b
        said = f"passage {number}: {end - begin:,} characters at {begin:,} of the first, {other:,} of the second"
        parts.append(
            f'<a href="{escape(target)}" class="dot {colour(number)}" aria-label="{said}"><title>{said}</title>'
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{max(x2, x1 + 3):.1f}" y2="{max(y2, y1 + 3):.1f}"/></a>'
        )
    for share in (0.0, 0.5, 1.0):
        place, anchor = share * size, "start" if share == 0 else "end" if share == 1 else "middle"
        parts.append(f'<text class="axis" x="{place:.0f}" y="-8" text-anchor="{anchor}">{round(share * a):,}</text>')
        if share:
            parts.append(f'<text class="axis" x="-6" y="{place:.0f}" text-anchor="end">{round(share * b):,}</text>')
    across, down = (escape(clean(name)) for name in names)
    return (
        f'<svg class="dots" viewBox="-52 -24 {size + 54} {size + 28}" role="group" '
        f'aria-label="Dot plot: {across} from left to right, {down} from top to bottom">{"".join(parts)}</svg>'
    )
