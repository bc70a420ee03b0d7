"""Figures on the page: sites as a scatter with error bars, and the sentences of two documents as a dot plot.

They are SVG without styles of their own (the policy of the page forbids these): colours come from the style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from unquilt.page.database import Database
from unquilt.page.listing import Listing
from unquilt.page.marked import clean, colour
from unquilt.page.shell import address

MOST_SITES = 500
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 330, 52, 42, 14, 18
SHINGLES = 84


def draw_hosts(database: Database, listing: Listing, run: str) -> str:
    """Figures 8 and 9 of the paper: pages of a site against its mean number of popular shingles, and the deviation.

    Of the sites that are listed, the first 500.
    """
    columns = [listing.columns[name] for name in ("site", "pages", "mean", "deviation", "candidate")]
    sites = database.rows(listing.query(columns, MOST_SITES))
    most = max(site["pages"] for site in sites)
    lowest = math.floor(math.log10(max(1, min(site["pages"] for site in sites))))
    highest = max(lowest + 1.0, math.log10(max(10, most)))

    def across(pages: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(max(1, pages)) - lowest) / (highest - lowest)

    def up(mean: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * min(SHINGLES, max(0.0, mean)) / SHINGLES

    parts = [_axes(across, up, range(lowest, int(highest) + 1))]
    for site in sorted(sites, key=lambda each: each["candidate"]):
        x, mean, spread = across(site["pages"]), site["mean"], site["deviation"]
        pages = "1 page" if site["pages"] == 1 else f"{site['pages']:,} pages"
        said = f"{clean(site['site'])}: {pages}, mean {mean:.1f}, deviation {spread:.1f}"
        kind = "site candidate" if site["candidate"] else "site"
        target = escape(address("runs", run, "phrases", site=site["site"]))
        parts.append(
            f'<a class="{kind}" href="{target}" aria-label="{escape(said)}"><title>{escape(said)}</title>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{up(mean - spread):.1f}" y2="{up(mean + spread):.1f}"/>'
            f'<circle cx="{x:.1f}" cy="{up(mean):.1f}" r="{5 if site["candidate"] else 3.5}"/></a>'
        )
    return (
        f'<svg class="figure" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="Sites by pages and by mean '
        f'number of popular shingles of a page">{"".join(parts)}</svg>'
    )


def _axes(across: Callable[[int], float], up: Callable[[float], float], powers: Iterable[int]) -> str:
    lines = []
    for mean in (0, 21, 42, 63, 84):
        y = up(mean)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text class="tick end" x="{LEFT - 8}" y="{y + 4:.1f}">{mean}</text>')
    for power in powers:
        x = across(10**power)
        lines.append(f'<text class="tick middle" x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}">{10**power:,}</text>')
    lines.append(f'<text class="tick middle" x="{(WIDTH + LEFT) / 2}" y="{HEIGHT - 4}">pages of the site</text>')
    middle = (HEIGHT - BOTTOM) / 2
    lines.append(
        f'<text class="tick middle" transform="translate(13 {middle}) rotate(-90)">mean of 84, ± deviation</text>'
    )
    return "".join(lines)


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
    across, down = (escape(clean(name)) for name in names)
    return (
        f'<svg class="dots" viewBox="-1 -1 {size + 2} {size + 2}" role="group" '
        f'aria-label="Dot plot: {across} from left to right, {down} from top to bottom">{"".join(parts)}</svg>'
    )
