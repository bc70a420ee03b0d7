"""Pages made from real ones by a seeded script, whose truth is known: quilts, and what only looks like one.

Passages come from `base` pages, which stay in the corpus beside what is made of them. Words of a page's own come from
news articles that are not in the corpus, each sentence used once. Every page made is on a site of its own unless it is
said to share one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

from real_pages import Page

SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
STITCHED = {
    "paragraphs": "paragraphs of 4 to 30 pages, one after the other",
    "sentences": "one to three sentences of each of 6 to 20 pages",
    "glued": "paragraphs of 4 to 12 pages, a sentence of its own between any two",
    "edited": "paragraphs of 4 to 12 pages, one word in 25 changed",
    "framed": "paragraphs of 4 to 12 pages in the menus and notices of its site",
    "digest": "the beginnings of 5 to 15 pages, with a link to each",
    "three": "paragraphs of 3 pages",
    "one-site": "paragraphs of 4 to 12 pages of one site",
    "collection": "4 to 12 short pages of as many sites, each as a whole",
}
NOT_STITCHED = {
    "version": "one page, a third of its sentences replaced",
    "excerpt": "half of one page and words of its own",
    "quotes": "a page of its own that quotes four others, a quarter of it",
    "merged": "two pages, one after the other",
    "reply": "a mail that quotes one page and answers below each quotation",
    "section": "a section of a long page that is elsewhere",
    "full": "a long page whose sections are pages of another site",
    "print": "a chapter whose sections are pages of another site, each below the menu of that site, some edited since",
    "licence": "a page of its own with a licence below that thirty pages have in part",
    "reference": "an entry of a reference made of stock phrases",
    "contents": "headings of twenty pages",
}


def split_sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in SENTENCE.split(text) if sentence.strip()]


@cache
def count_words(text: str) -> int:
    """Roughly: what stands between spaces; in scripts without them, characters."""
    parts = len(text.split())
    return parts if parts * 12 > len(text) else len(text)


class Planter:
    """Makes pages of `base`, a list of texts with their URLs, with `own` sentences in between."""

    def __init__(self, name: str, base: Sequence[Page], own: Iterator[str], rng: Random) -> None:
        self.name, self.own, self.rng = name, own, rng
        self.base = [page for page in base if 250 <= count_words(page.text) <= 20000]
        self.made: list[Page] = []

    def say(self, words: int) -> str:
        """Sentences of its own, of about so many words."""
        said: list[str] = []
        while sum(map(count_words, said)) < words:
            said.append(next(self.own))
        return " ".join(said)

    def take(self, page: Page, words: int) -> str:
        """Sentences that follow each other, of at least so many words if the page has them."""
        sentences = split_sentences(page.text)
        first = self.rng.randrange(max(1, len(sentences) // 2))
        taken: list[str] = []
        while first < len(sentences) and sum(map(count_words, taken)) < words:
            taken.append(sentences[first])
            first += 1
        return " ".join(taken)

    def edit(self, text: str, changes: float) -> str:
        """The text with such a share of its words replaced."""
        return " ".join("indeed" if self.rng.random() < changes else word for word in text.split(" "))

    def withdraw(self, count: int, words: int = 250) -> list[Page]:
        """Pages of at least so many words, no longer among those that passages are taken from."""
        long = [page for page in self.base if count_words(page.text) >= words]
        pages = self.rng.sample(long, count)
        self.base = [page for page in self.base if page not in pages]
        return pages

    def add(self, kind: str, text: str, site: str = "", html: str | None = None) -> None:
        name = f"{self.name}/{kind}/{len(self.made)}"
        url = f"http://{site or name.replace('/', '-')}.example/{len(self.made)}"
        self.made.append(Page(name, url, text, html, None if kind == "base" else kind in STITCHED, kind))

    def stitch(self, low: int, high: int, words: tuple[int, int]) -> list[str]:
        pages = self.rng.sample(self.base, self.rng.randint(low, high))
        return [self.take(page, self.rng.randint(*words)) for page in pages]

    def paragraphs(self) -> None:
        self.add("paragraphs", "\n\n".join(self.stitch(4, 30, (40, 120))))

    def sentences(self) -> None:
        self.add("sentences", " ".join(self.stitch(6, 20, (15, 45))))

    def glued(self) -> None:
        self.add("glued", "\n\n".join(f"{self.say(10)} {passage}" for passage in self.stitch(4, 12, (50, 120))))

    def edited(self) -> None:
        self.add("edited", self.edit("\n\n".join(self.stitch(4, 12, (50, 120))), 0.04))

    def framed(self) -> None:
        site, frame = f"{self.name}-framed-{len(self.made)}", self.say(50)
        for _ in range(3):
            self.add("framed", f"{frame}\n\n" + "\n\n".join(self.stitch(4, 12, (50, 120))), site)

    def digest(self) -> None:
        pages = self.rng.sample(self.base, self.rng.randint(5, 15))
        items = (f'<p>{self.take(page, 60)} <a href="{page.url}">more</a></p>' for page in pages)
        self.add("digest", "", html=f"<html><body>{''.join(items)}</body></html>")

    def three(self) -> None:
        self.add("three", "\n\n".join(self.stitch(3, 3, (60, 120))))

    def version(self) -> None:
        sentences = split_sentences(self.rng.choice(self.base).text)
        self.add("version", " ".join(self.say(10) if self.rng.random() < 1 / 3 else each for each in sentences))

    def excerpt(self) -> None:
        page = self.rng.choice(self.base)
        words = count_words(page.text) // 2
        self.add("excerpt", f"{self.take(page, words)} {self.say(min(words // 2, 200))}")

    def quotes(self) -> None:
        self.add("quotes", "\n\n".join(f"{self.say(120)} {each}" for each in self.stitch(4, 4, (30, 40))))

    def merged(self) -> None:
        self.add("merged", "\n\n".join(page.text for page in self.rng.sample(self.base, 2)))

    def reply(self) -> None:
        sentences = split_sentences(self.rng.choice(self.base).text)[:20]
        answered = (f"> {each}\n\n{self.say(8)}\n" for each in sentences)
        self.add("reply", "Somebody wrote:\n" + "\n".join(answered))

    def section(self) -> None:
        """A long page, and its sections on another site; and once more, both sites having all of it."""
        long = max(self.rng.sample(self.base, min(12, len(self.base))), key=lambda page: len(page.text))
        self.base.remove(long)
        sentences = split_sentences(long.text)
        size = max(1, len(sentences) // 8)
        sections = [" ".join(sentences[i : i + size]) for i in range(0, len(sentences), size)]
        one, other = f"{self.name}-full-{len(self.made)}", f"{self.name}-sections-{len(self.made)}"
        both = len(self.made) % 2
        for site in (one, other) if both else (one,):
            self.add("full", f"{self.say(20)}\n\n" + "\n\n".join(sections), site)
        for text in sections:
            said = self.say(10)
            for site in (one, other) if both else (other,):
                self.add("section", f"{said}\n\n{text}", site)

    def print(self) -> None:
        chapter = self.withdraw(1, 600)[0]
        sentences = split_sentences(chapter.text)
        size = -(-len(sentences) // self.rng.randint(5, 12))
        sections = [" ".join(sentences[i : i + size]) for i in range(0, len(sentences), size)]
        site, menu = f"{self.name}-manual-{len(self.made)}", self.say(self.rng.randint(10, 120))
        changes = self.rng.choice((0, 0.02))
        self.add("print", f"{self.say(20)}\n\n" + "\n\n".join(self.edit(section, changes) for section in sections))
        for section in sections:
            self.add("section", f"{menu}\n\n{section}", site)

    def one_site(self) -> None:
        pages, site = self.withdraw(self.rng.randint(4, 12)), f"{self.name}-shelf-{len(self.made)}"
        self.add("one-site", "\n\n".join(self.take(page, self.rng.randint(40, 120)) for page in pages))
        for page in pages:
            self.add("base", page.text, site)

    def collection(self) -> None:
        sites = self.withdraw(self.rng.randint(4, 12))
        posts = [self.take(page, self.rng.randint(80, 200)) for page in sites]
        self.add("collection", "\n\n".join(posts))
        for post in posts:
            self.add("base", post)

    def licence(self) -> None:
        clauses = split_sentences(self.say(250))
        for _ in range(10):
            kept = [clause for clause in clauses if self.rng.random() < 0.8]
            self.add("licence", f"{self.say(60)}\n\n{' '.join(kept)}")

    def reference(self) -> None:
        words = self.say(400).split()
        stock = [" ".join(words[i : i + 8]) for i in range(0, len(words) - 8, 8)]
        for _ in range(15):
            phrases = self.rng.sample(stock, 14)
            self.add("reference", " ".join(f"{phrase} {self.rng.choice(words)}{i}" for i, phrase in enumerate(phrases)))

    def contents(self) -> None:
        headings = (" ".join(split_sentences(page.text)[0].split()[:9]) for page in self.rng.sample(self.base, 20))
        self.add("contents", "\n".join(f"{i}. {heading}" for i, heading in enumerate(headings, 1)))


TIMES = {"framed": 4, "digest": 8, "three": 6, "section": 4, "licence": 1, "reference": 2, "contents": 6, "merged": 6}
TIMES |= {"one-site": 6, "collection": 6}


def plant(name: str, base: Sequence[Page], own: Iterator[str], rng: Random, times: int = 10) -> list[Page]:
    """Pages of every kind, and the base pages that are left to stand beside them."""
    planter = Planter(name, base, own, rng)
    given = {page.id for page in planter.base}
    for kind in (*STITCHED, *NOT_STITCHED):
        make: Callable[[], None] = getattr(
            planter, kind.replace("-", "_"), lambda: None
        )  # long pages come with their sections
        for _ in range(TIMES.get(kind, times)):
            make()
    left = {page.id for page in planter.base}
    return [page for page in base if page.id in left or page.id not in given] + planter.made
