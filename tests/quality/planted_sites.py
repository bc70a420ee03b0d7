"""Thieves and innocents made from real pages by a seeded script: whole sites, and who took from whom is known.

`planted_pages.py` plants single pages, each on a site of its own. Here are farms, networks, scraped originals, blogs
with archives, mirrors, print views, syndicated news: the truth of a page follows from its site and from the direction
in which text went. Passages come from `base` pages, which stay in the corpus beside what is made of them, five to a
site. Text that a page has for itself comes from pages that were taken out of the corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from planted_pages import count_words, split_sentences
from real_pages import Page

THIEVES = {
    "lone": "six paragraphs of six pages, each page on a domain of its own",
    "one-site": "six paragraphs of six pages of one site",
    "glued": "six paragraphs with a sentence of its own between any two",
    "sentences": "twenty sentences of twenty pages",
    "short": "whole short pages of as many sites",
    "pool-wide": "pages of one site, of a pool in which each paragraph is used about four times",
    "pool-tight": "pages of one site, of a pool in which each paragraph is used about fifteen times",
    "network": "pages on ten domains with one pool",
    "network-alone": "the same, and the pages that the pool was taken from are not in the corpus",
    "scraper": "pages on several domains that took the same originals apart",
    "blog-scraper": "the same with the posts of blogs, whose archive pages hold several posts",
    "template": "stitched pages below the long menu of their site",
    "padded": "stitched pages with as many words of their own",
    "twice": "each stitched page on two domains, below the menu of each",
    "edited-40": "one word in 40 changed",
    "edited-20": "one word in 20 changed",
    "edited-14": "one word in 14 changed",
    "edited-10": "one word in 10 changed",
    "edited-8": "one word in 8 changed",
    "look-alike": "one word in 12 spelled with letters of another script",
}
INNOCENTS = {
    "original-many": "originals whose paragraphs are scattered over pages of many sites",
    "original-one": "originals that one site took apart, a paragraph for each of its pages",
    "post": "posts of a blog, some of which were taken elsewhere",
    "archive": "home, month, tag and paginated pages of such a blog: whole or shortened posts",
    "mirror": "pages of a site that stands on two domains, lists included",
    "print": "a long page whose sections are pages of the same site",
    "print-elsewhere": "a long page whose sections are pages of another site",
    "syndicated": "news of an agency in many papers, shortened and with a paragraph of their own",
    "briefs": "a page of a paper with five agency reports, each of which has a page of its own there",
    "version": "pages of a manual in six editions, a tenth of the sentences replaced from one to the next",
    "catalogue": "lists of goods of a shop that has a page for each; other shops use the same descriptions",
    "forum": "threads that quote earlier posts of the thread and short passages of other sites",
    "law": "pages of their own that quote clauses of one law",
}
HOLD = 40
"""How many pages of a kind are made; a farm or a network has three times as many."""


class SitePlanter:
    """Makes sites of `base`; pages of `base` that an innocent kind needs for itself are taken out of it."""

    def __init__(self, name: str, base: Sequence[Page], seed: int, count: int = HOLD) -> None:
        self.name, self.rng, self.count = name, Random(f"{name} {seed}"), count
        texts = [_tidy(page.text) for page in base]
        texts = [text for text in dict.fromkeys(texts) if 150 <= count_words(text) <= 8000]
        self.rng.shuffle(texts)
        self.texts = texts
        self.made: list[Page] = []
        self.sites = 0
        own = [self.texts.pop() for _ in range(len(self.texts) // 5)]
        self._own = iter([sentence for text in own for sentence in split_sentences(text) if count_words(sentence) > 4])
        kept = len(self.texts) // 2
        self.standing = [(f"base-{number // 5}", text) for number, text in enumerate(self.texts[:kept])]
        self.spare = self.texts[kept:]

    def say(self, words: int) -> str:
        """Text that no other page has, of about so many words."""
        said: list[str] = []
        while sum(map(count_words, said)) < words:
            sentence = next(self._own, None)
            if sentence is None:
                raise LookupError(f"{self.name} has no sentences left")
            said.append(sentence)
        return " ".join(said)

    def site(self, kind: str) -> str:
        self.sites += 1
        return f"{kind}-{self.sites}-{self.rng.randrange(10**6)}"

    def add(self, kind: str, site: str, text: str) -> None:
        stitched = True if kind in THIEVES else False if kind in INNOCENTS else None
        number = len(self.made)
        url = f"http://www.{site}.example/{number}"
        self.made.append(Page(f"{self.name}/{kind}/{number}", url, text, None, stitched, kind))

    def withdraw(self, least: int = 150, most: int = 10**9) -> str:
        """A page that is in the corpus only where a kind puts it."""
        for place, text in enumerate(self.spare):
            if least <= count_words(text) <= most:
                return self.spare.pop(place)
        raise LookupError(f"{self.name} has no page of {least} to {most} words left")

    def passages(self, text: str, least: int = 40) -> list[str]:
        """A text in passages of at least so many words, cut where sentences end."""
        made: list[list[str]] = [[]]
        goal = self.rng.randint(least, 2 * least)
        for sentence in split_sentences(text):
            made[-1].append(sentence)
            if sum(map(count_words, made[-1])) >= goal:
                made.append([])
                goal = self.rng.randint(least, 2 * least)
        return [" ".join(part) for part in made if sum(map(count_words, part)) >= least]

    def draw(self, count: int, least: int = 40, site: str | None = None) -> list[str]:
        """Passages of so many different standing pages."""
        pages = [text for where, text in self.standing if site in (None, where)]
        drawn: list[str] = []
        for text in self.rng.sample(pages, len(pages)):
            passages = self.passages(text, least)
            if passages:
                drawn.append(self.rng.choice(passages))
            if len(drawn) == count:
                break
        return drawn

    def edit(self, text: str, every: int, change: Callable[[str], str] | None = None) -> str:
        """The text with one word in `every` changed; of a script without spaces, one character in as many."""
        parts = text.split(" ") if len(text.split()) * 12 > len(text) else list(text)
        glue = " " if len(text.split()) * 12 > len(text) else ""
        first = self.rng.randrange(every)
        change = change or (lambda _: "indeed")
        return glue.join(change(part) if at % every == first else part for at, part in enumerate(parts))

    # Thieves.

    def lone(self) -> None:
        for _ in range(self.count):
            self.add("lone", self.site("lone"), "\n\n".join(self.draw(6)))

    def one_site(self) -> None:
        sites = sorted({site for site, _ in self.standing})
        for _ in range(self.count // 2):
            taken = self.draw(6, site=self.rng.choice(sites))
            if len(taken) >= 4:
                self.add("one-site", self.site("shelf"), "\n\n".join(taken))

    def glued(self) -> None:
        for _ in range(self.count):
            self.add("glued", self.site("glued"), "\n\n".join(f"{self.say(8)} {each}" for each in self.draw(6)))

    def sentences(self) -> None:
        for _ in range(self.count):
            self.add("sentences", self.site("sentences"), " ".join(self.draw(20, least=16)))

    def short(self) -> None:
        posts = [self.rng.choice(self.passages(self.withdraw(), 60)) for _ in range(self.count)]
        for post in posts:
            self.add("base", self.site("post"), f"{post} {self.say(5)}")
        for _ in range(self.count):
            self.add("short", self.site("collection"), "\n\n".join(self.rng.sample(posts, 6)))

    def _farm(self, kind: str, pages: int, pool: Sequence[str], sites: Sequence[str]) -> None:
        for number in range(pages):
            self.add(kind, sites[number % len(sites)], "\n\n".join(self.rng.sample(list(pool), 6)))

    def pool_wide(self) -> None:
        pages = 3 * self.count
        self._farm("pool-wide", pages, self.draw(pages * 6 // 4), [self.site("farm")])

    def pool_tight(self) -> None:
        pages = 3 * self.count
        self._farm("pool-tight", pages, self.draw(pages * 6 // 15), [self.site("farm")])

    def network(self) -> None:
        pages = 3 * self.count
        self._farm("network", pages, self.draw(pages * 6 // 6), [self.site("network") for _ in range(10)])

    def network_alone(self) -> None:
        pages = 2 * self.count
        pool = [self.rng.choice(self.passages(self.withdraw())) for _ in range(pages * 6 // 8)]
        self._farm("network-alone", pages, pool, [self.site("hidden") for _ in range(10)])

    def scraper(self) -> None:
        """Originals, and the pages that took all of their paragraphs."""
        originals = [self.withdraw(300) for _ in range(self.count)]
        for text in originals:
            self.add("original-many", self.site("original"), text)
        self._scatter(originals, 12)

    def _scatter(self, texts: Sequence[str], sites: int, kind: str = "scraper") -> None:
        """Every passage of each text goes to a page of another site, together with passages of other texts."""
        passages = [(number, part) for number, text in enumerate(texts) for part in self.passages(text, 30)]
        self.rng.shuffle(passages)
        names = [self.site("scraper") for _ in range(sites)]
        while passages:
            page: dict[int, str] = {}
            left = []
            for number, part in passages:
                if len(page) < 6 and number not in page:
                    page[number] = part
                else:
                    left.append((number, part))
            passages = left
            self.add(kind if len(page) >= 4 else "rest", self.rng.choice(names), "\n\n".join(page.values()))

    def template(self) -> None:
        for _ in range(self.count // 8):
            site, menu = self.site("template"), self.say(400)
            for _ in range(8):
                self.add("template", site, f"{menu}\n\n" + "\n\n".join(self.draw(6)))

    def padded(self) -> None:
        for _ in range(self.count):
            parts = self.draw(6)
            padded = (f"{each}\n{self.say(count_words(each))}" for each in parts)
            self.add("padded", self.site("padded"), "\n\n".join(padded))

    def twice(self) -> None:
        sites = [(self.site("twin"), self.say(70)) for _ in range(2)]
        for _ in range(self.count // 2):
            stitched = "\n\n".join(self.draw(6))
            for site, menu in sites:
                self.add("twice", site, f"{menu}\n\n{stitched}")

    def _edited(self, every: int) -> None:
        for _ in range(self.count):
            edited = (self.edit(each, every) for each in self.draw(6))
            self.add(f"edited-{every}", self.site("edited"), "\n\n".join(edited))

    def look_alike(self) -> None:
        table = str.maketrans("aeopcxAEO", "\u0430\u0435\u043e\u0440\u0441\u0445\u0410\u0415\u041e")
        for _ in range(self.count):
            parts = self.draw(6)
            hidden = [self.edit(each, 12, lambda word: word.translate(table) + "\u0430") for each in parts]
            self.add("look-alike", self.site("alike"), "\n\n".join(hidden))

    # Innocents.

    def original_one(self) -> None:
        for _ in range(self.count):
            text, thief = self.withdraw(300), self.site("thief")
            self.add("original-one", self.site("victim"), text)
            for part in self.passages(text, 30):
                self.add("took", thief, f"{self.say(40)}\n\n{part}\n\n{self.say(20)}")

    def archive(self) -> None:
        """Blogs whose posts were scattered over scrapers; and blogs nobody took from."""
        for taken in (True, False):
            for _ in range(2):
                site, posts = self.site("blog"), [self.withdraw(150, 1500) for _ in range(12)]
                for post in posts:
                    self.add("post", site, post)
                for first in range(0, 12, 4):
                    whole = posts[first : first + 4]
                    self.add("archive", site, "\n\n".join(whole))
                    self.add("archive", site, "\n\n".join(begin(post, 60) for post in whole))
                for _ in range(4):
                    tagged = self.rng.sample(posts, 6)
                    self.add("archive", site, "\n\n".join(begin(post, self.rng.randint(40, 90)) for post in tagged))
                self.add("archive", site, "\n\n".join(begin(post, 50) for post in posts))
                if taken:
                    self._scatter(posts, 8, "blog-scraper")

    def mirror(self) -> None:
        for _ in range(2):
            pages = [self.withdraw(150, 1500) for _ in range(8)]
            listed = ["\n\n".join(begin(page, 50) for page in self.rng.sample(pages, 6)) for _ in range(3)]
            for site in (self.site("mirrored"), self.site("mirror")):
                menu = self.say(30)
                for text in (*pages, *listed):
                    self.add("mirror", site, f"{menu}\n\n{self.edit(text, 60)}")

    def print(self) -> None:
        for kind in ("print", "print-elsewhere"):
            for _ in range(self.count // 2):
                chapter = self.withdraw(500)
                site, menu = self.site("manual"), self.say(40)
                sections = self.passages(chapter, max(60, count_words(chapter) // 14))
                where = site if kind == "print" else self.site("print")
                self.add(kind, where, f"{self.say(15)}\n\n" + "\n\n".join(sections))
                for section in sections:
                    self.add("section", site, f"{menu}\n\n{section}\n\n{self.say(8)}")

    def syndicated(self) -> None:
        papers = [self.site("paper") for _ in range(10)]
        for _ in range(self.count // 8):
            reports = [self.withdraw(200, 1500) for _ in range(5)]
            for paper in self.rng.sample(papers, 6):
                for report in reports:
                    kept = " ".join(each for each in split_sentences(report) if self.rng.random() < 0.85)
                    self.add("syndicated", paper, f"{self.say(20)}\n\n{kept}")
                briefs = "\n\n".join(begin(report, 70) for report in reports)
                self.add("briefs", paper, briefs)

    def version(self) -> None:
        for _ in range(self.count // 8):
            pages = [self.withdraw(200) for _ in range(3)]
            for edition in range(6):
                site = self.site(f"edition{edition}")
                for place, text in enumerate(pages):
                    said = split_sentences(text)
                    changed = [self.say(10) if self.rng.random() < 0.1 else sentence for sentence in said]
                    pages[place] = " ".join(changed)
                    self.add("version", site, pages[place])

    def catalogue(self) -> None:
        goods = [self.rng.choice(self.passages(self.withdraw(), 30)) for _ in range(self.count)]
        for _ in range(5):
            shop, menu = self.site("shop"), self.say(30)
            offered = self.rng.sample(goods, len(goods) * 3 // 5)
            for each in offered:
                self.add("goods", shop, f"{menu}\n\n{each}\n\n{self.say(15)}")
            for _ in range(self.count // 5):
                self.add("catalogue", shop, f"{menu}\n\n" + "\n\n".join(self.rng.sample(offered, 8)))

    def forum(self) -> None:
        for _ in range(self.count):
            site, posts = self.site("forum"), [self.say(60) for _ in range(4)]
            quoted = [f"> {begin(post, 30)}\n{self.say(40)}" for post in posts]
            cited = [f"{_cut(each, 30)}\n{self.say(70)}" for each in self.draw(4, least=25)]
            self.add("forum", site, "\n\n".join((*posts, *quoted, *cited)))

    def law(self) -> None:
        clauses = self.passages(self.withdraw(800), 30)
        for _ in range(self.count // 2):
            quoted = self.rng.sample(clauses, min(4, len(clauses)))
            self.add("law", self.site("law"), "\n\n".join(f"{self.say(60)}\n{clause}" for clause in quoted))

    def plant(self) -> list[Page]:
        """All kinds, and the standing pages; the same for the same name and seed."""
        makers = (
            *(self.scraper, self.original_one, self.archive, self.mirror, self.print, self.syndicated, self.version),
            *(self.catalogue, self.network_alone, self.short),
            *(self.lone, self.one_site, self.glued, self.sentences, self.pool_wide, self.pool_tight, self.network),
            *(self.template, self.padded, self.look_alike),
            *(lambda every=every: self._edited(every) for every in (40, 20, 14, 10, 8)),
            *(self.forum, self.law, self.twice),
        )
        for make in makers:
            try:
                make()
            except LookupError:
                continue  # a small corpus has no pages left for this kind
        standing = [
            Page(f"{self.name}/standing/{number}", f"http://{site}.example/{number}", text, None, None, "standing")
            for number, (site, text) in enumerate(self.standing)
        ]
        return [*standing, *self.made]


def begin(text: str, words: int) -> str:
    """The beginning of a text, as lists of posts have it."""
    taken: list[str] = []
    for sentence in split_sentences(text):
        taken.append(sentence)
        if sum(map(count_words, taken)) >= words:
            break
    return " ".join(taken)


def _cut(text: str, words: int) -> str:
    """The first words of a text; of a script without spaces, characters."""
    parts = text.split(" ")
    return " ".join(parts[:words]) if len(parts) * 12 > len(text) else text[:words]


def _tidy(text: str) -> str:
    return re.sub(r"[ \t]+", " ", text).strip()


def plant_sites(name: str, base: Sequence[Page], seed: int, count: int = HOLD) -> list[Page]:
    """A corpus in which every kind of thief and innocent occurs, as far as `base` has pages for it."""
    return SitePlanter(name, base, seed, count).plant()
