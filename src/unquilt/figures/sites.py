"""The picture of a run of sites: who draws on whom.

Left are sites that live off others, right the sites that they draw on; a line joins two of them, the thicker the more
pages. Only the largest are shown, so that a picture of a large web stays small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from unquilt.figures.figure import Figure
from unquilt.results.folders import RunFolder
from unquilt.results.marks import clean
from unquilt.results.sites import first_taking, read_sources

Row = Mapping[str, Any]
MOST = 12
"""Sites on the left."""
MOST_SOURCES = 24
"""Sites on the right."""
WIDTH, ROW, TOP, SIDE = 900, 24, 34, 310
_LONGEST_NAME = 40


@dataclass(frozen=True)
class Draws:
    """Lines between two columns of names: `rows` has `site`, `source_site` and `quilts`. `link` says where a name
    leads."""

    rows: Sequence[Row]
    link: Callable[[str], str] | None = None

    @property
    def takers(self) -> list[str]:
        return list(dict.fromkeys(row["site"] for row in self.rows))

    @property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(row["source_site"] for row in self.rows))

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, TOP + ROW * max(len(self.takers), len(self.sources)) + 10

    def draw(self, number: str) -> str:
        """The SVG, to stand in a page; `number` makes the ids in it unique."""
        title = f"Who draws on whom: {len(self.takers)} sites, and {len(self.sources)} that they draw on"
        return (
            f'<svg class="chart" viewBox="0 0 {WIDTH} {self.size[1]}" role="{"group" if self.link else "img"}" '
            f'aria-labelledby="{number}-title"><title id="{number}-title">{title}</title>{self.draw_inside()}</svg>'
        )

    def draw_inside(self) -> str:
        """The picture as elements of an SVG."""
        left, right = (self._spread(names) for names in (self.takers, self.sources))
        most = max((row["quilts"] for row in self.rows), default=1)
        parts = [_text(SIDE, 16, "lives off others", "end head"), _text(WIDTH - SIDE, 16, "is drawn on", "head")]
        for row in self.rows:
            wide = 0.8 + 5 * row["quilts"] / most
            said = f"{row['site']} draws on {row['source_site']} on {row['quilts']:,} pages"
            y1, y2 = left[row["site"]], right[row["source_site"]]
            parts.append(
                f'<line class="spread one" x1="{SIDE + 10}" x2="{WIDTH - SIDE - 10}" y1="{y1:.1f}" y2="{y2:.1f}" '
                f'stroke-width="{wide:.1f}"><title>{escape(clean(said))}</title></line>'
            )
        for places, x, kind, shift in ((left, SIDE, "two", -6), (right, WIDTH - SIDE, "three", 6)):
            for name, y in places.items():
                parts.append(f'<circle class="mark {kind}" cx="{x - shift}" cy="{y:.1f}" r="5"/>')
                parts.append(self._name(x + shift, y + 4, name, "end" if shift < 0 else ""))
        return "".join(parts)

    def _name(self, x: float, y: float, name: str, kind: str) -> str:
        short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        drawn = _text(x, y, short, kind)
        if self.link is None:
            return drawn
        return f'<a href="{escape(self.link(name))}"><title>{escape(clean(name))}</title>{drawn}</a>'

    def _spread(self, names: Sequence[str]) -> dict[str, float]:
        """Where names stand: as many on either side, so that they fill the height."""
        rows = max(len(self.takers), len(self.sources), 1)
        return {name: TOP + ROW * rows * (place + 0.5) / len(names) for place, name in enumerate(names)}


def _text(x: float, y: float, text: str, kind: str) -> str:
    classes = f' class="{kind}"' if kind else ""
    return f'<text{classes} x="{x:.1f}" y="{y:.1f}">{escape(clean(text))}</text>'


def choose_draws(folder: RunFolder) -> list[Row]:
    """Which pairs are shown: of the first sites that live off others, the sites that most of these draw on."""
    found = [row for site in first_taking(folder, MOST) for row in read_sources(folder, site["first"], MOST_SOURCES)]
    found = [row for row in found if row["site"] is not None and row["source_site"] is not None]
    weight: Counter[str] = Counter()
    for row in found:
        weight[row["source_site"]] += row["quilts"]
    chosen = {name for name, _ in sorted(weight.items(), key=lambda item: (-item[1], item[0]))[:MOST_SOURCES]}
    return [row for row in found if row["source_site"] in chosen]


def plot(folder: RunFolder, link: Callable[[str], str] | None = None) -> list[Figure]:
    """The picture, unless no site draws on another."""
    rows = choose_draws(folder)
    if not rows:
        return []
    says = (
        f"Left: the first {MOST} sites that live off others, as far as quilts say off whom. Right: the "
        f"{MOST_SOURCES} sites that most of their quilts draw on. A line is the thicker, the more quilts there are."
    )
    kept = ("site", "source_site", "quilts", "sources", "new_grams")
    data = [{name: row[name] for name in kept} for row in rows]
    return [Figure("draws", "Who draws on whom", says, [Draws(rows, link)], data)]
