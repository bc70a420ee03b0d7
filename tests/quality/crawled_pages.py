"""What the generated crawls are made of: sites with menus, pages with links, sentences that nobody wrote.

Pages are HTML, since links and menus matter. Every sentence is used once unless a page takes it from another, so it is
known of each page whether it was stitched together.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from random import Random

from real_pages import Page

from unquilt.demo.dice import Dice
from unquilt.demo.language import draw_headings, draw_sentences, draw_title


class Crawl:
    """Pages by id, each with its text in blocks; menus and footers by host."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.rng = name, Random(seed)
        self._dice = Dice(seed, name)
        self._frames: dict[str, tuple[str, str]] = {}
        self.blocks: dict[str, list[str]] = {}
        self.pages: list[Page] = []

    def say(self, words: int) -> str:
        """A new paragraph of about so many words."""
        return " ".join(draw_sentences(self._dice, words))

    def title(self) -> str:
        return draw_title(self._dice)

    def person(self) -> str:
        """A name that nobody else has (but for the few that chance makes twice)."""
        first = self.rng.choice(("Anna", "Jonas", "Marie", "Peter", "Ines", "Karl", "Ruth", "Omar", "Lena", "Hugo"))
        parts = [
            "ba",
            "ko",
            "li",
            "men",
            "sar",
            "tov",
            "ric",
            "dal",
            "fen",
            "gus",
            "hol",
            "mir",
            "nak",
            "pol",
            "rem",
            "sten",
            "tur",
            "val",
            "wen",
            "zim",
        ]
        return f"{first} {''.join(self.rng.sample(parts, 3)).capitalize()}"

    def frame(self, host: str, words: int = 60) -> tuple[str, str]:
        """The menu of a host and the notice below its pages; some hosts have long ones."""
        if host not in self._frames:
            menu = "".join(f'<li><a href="/{word}/">{word}</a></li>' for word in draw_headings(self._dice, 14))
            self._frames[host] = f"<ul>{menu}</ul>", f"<p>{self.say(words)}</p>"
        return self._frames[host]

    def add(
        self,
        kind: str,
        url: str,
        blocks: Iterable[str],
        links: Sequence[str] = (),
        stitched: bool | None = False,
    ) -> str:
        """A page of these blocks in the frame of its host; returns its URL."""
        listed = [block for block in blocks if block]
        self.blocks[url] = listed
        menu, notice = self.frame(url.split("/")[2])
        body = "".join(f"<p>{html.escape(block)}</p>" for block in listed)
        anchors = "".join(f'<a href="{link}">more</a> ' for link in links)
        text = f"<html><body>{menu}{body}<p>{anchors}</p>{notice}</body></html>"
        self.pages.append(Page(f"{self.name}/{kind}/{len(self.pages)}", url, "", text, stitched, kind))
        return url

    def edit(self, text: str, share: float) -> str:
        """The text with such a share of its words replaced."""
        return " ".join("whereas" if self.rng.random() < share else word for word in text.split(" "))

    def stitch(self, kinds: Sequence[str], sites: Sequence[str], count: int) -> None:
        """Planted quilts: of paragraphs or sentences of pages of these kinds, all on other domains than the new page,
        with and without sentences of its own between, some slightly edited, some shuffled."""
        by_domain: dict[str, list[str]] = {}
        for page in self.pages:
            if page.kind in kinds and page.url:
                by_domain.setdefault(page.url, []).extend(
                    block for block in self.blocks[page.url] if len(block.split()) >= 25
                )
        urls = [url for url, blocks in by_domain.items() if blocks]
        for number in range(count):
            passages = []
            for url in self.rng.sample(urls, self.rng.randint(4, 14)):
                block = self.rng.choice(by_domain[url])
                sentences = block.split(". ")
                if self.rng.random() < 0.5 and len(sentences) > 3:
                    first = self.rng.randrange(len(sentences) - 2)
                    block = ". ".join(sentences[first : first + 3]) + "."
                passages.append(block)
            how = number % 4
            if how == 1:
                passages = [part for passage in passages for part in (self.say(14), passage)]
            if how == 2:
                passages = [self.edit(passage, 0.02) for passage in passages]
            if how == 3:
                halves = [half for passage in passages for half in _halve(passage)]
                self.rng.shuffle(halves)
                passages = halves
            kind = ("stitched", "stitched, glue between", "stitched, edited", "stitched, shuffled")[how]
            site = sites[number % len(sites)]
            self.add(kind, f"http://{site}/{self.name}/{number}.html", passages, stitched=True)


def _halve(passage: str) -> list[str]:
    sentences = passage.split(". ")
    if len(sentences) < 4:
        return [passage]
    half = len(sentences) // 2
    return [". ".join(sentences[:half]) + ".", ". ".join(sentences[half:])]
