"""Judged sites: farms and innocents of known make, of ten pages or more each, made from real pages by a seeded script.

`planted_sites.py` plants pages, most of them each on a site of its own. Here whole sites are planted, so that it is
known of each what `unquilt sites` should call it, and which of them are one network. `KINDS` has the kinds. Base pages
stay in the corpus, five to a site, and their sites are innocent.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from planted_pages import count_words, split_sentences
from planted_sites import SitePlanter, begin
from real_pages import Page

FARM = ("stitched",)
INNOCENT = ("original", "ordinary", "syndicated", "mirror", "cannot tell")
NOT_A_COPY = ("original", "ordinary", "cannot tell")


class Kind(NamedTuple):
    """A kind of sites: what the verdict may be, and what its sites are."""

    verdicts: tuple[str, ...]
    meaning: str
    are_network: bool = False

    @property
    def is_farm(self) -> bool:
        return self.verdicts in (FARM, ("scraper",))


KINDS = {
    "wide": Kind(FARM, "a farm with a pool in which each paragraph is used about four times"),
    "tight": Kind(FARM, "a farm with a pool in which each paragraph is used about fifteen times"),
    "sentences": Kind(FARM, "twenty sentences of twenty pages to a page"),
    "glued": Kind(FARM, "six paragraphs to a page, with a sentence of its own before each"),
    "padded": Kind(FARM, "six paragraphs to a page, with as many words of its own"),
    "edited": Kind(FARM, "six paragraphs to a page, one word in twenty changed"),
    "look-alike": Kind(FARM, "six paragraphs to a page, one word in twelve spelled with letters of another script"),
    "template": Kind(FARM, "six paragraphs to a page, below a long menu"),
    "half": Kind(FARM, "half of the pages are stitched, the others have text of their own"),
    "one site": Kind(FARM, "six paragraphs to a page, all of one other site"),
    "network": Kind(FARM, "six domains with one pool", are_network=True),
    "second network": Kind(FARM, "five domains with another pool", are_network=True),
    "network alone": Kind(FARM, "six domains with one pool whose sources are not in the corpus", are_network=True),
    "scraper": Kind(("scraper",), "whole pages of as many sites"),
    "framed scraper": Kind(("scraper",), "whole pages of as many sites below a menu, one word in 60 changed"),
    "standing": Kind(NOT_A_COPY, "real pages, from which farms take"),
    "taken apart": Kind(NOT_A_COPY, "originals all of whose paragraphs stand on farms"),
    "blog": Kind(NOT_A_COPY, "posts, and the archive pages that repeat them; farms take from the posts"),
    "mirror": Kind(("mirror",), "a site on two domains"),
    "manual": Kind(NOT_A_COPY, "a manual with a page for each section, and each chapter on one long page"),
    "print": Kind(NOT_A_COPY, "long pages, each of which is all sections of a manual of another site"),
    "paper": Kind(INNOCENT, "newspapers: their own articles, and as many reports of an agency that others print, too"),
    "agency": Kind(INNOCENT, "the agency"),
    "edition": Kind(INNOCENT, "a manual in six editions, each on a domain of its own"),
    "shop": Kind(NOT_A_COPY, "shops that sell the same goods with the same descriptions, and list them"),
    "forum": Kind(NOT_A_COPY, "threads that quote earlier posts, and short passages of other sites"),
    "law": Kind(NOT_A_COPY, "comments on a law, which quote its clauses"),
    "digest": Kind(("syndicated", *NOT_A_COPY), "paragraphs of other sites, each with a link to where it is from"),
    "partner": Kind(("syndicated",), "whole pages of other sites, each with a link to where it is from"),
}
PAGES = 12
"""Pages of a planted site."""


class JudgedSites(SitePlanter):
    """Plants whole sites; `kinds` has the kind of each, by its domain."""

    def __init__(self, name: str, base: Sequence[Page], seed: int) -> None:
        super().__init__(name, base, seed)
        self.kinds = {f"{site}.example": "standing" for site, _ in self.standing}
        self.urls = {text: f"http://{site}.example/{place}" for place, (site, text) in enumerate(self.standing)}

    def new(self, kind: str) -> str:
        site = self.site(kind.replace(" ", "-"))
        self.kinds[f"{site}.example"] = kind
        return site

    def put(self, site: str, text: str, links: Sequence[str] = ()) -> None:
        """A page of a site; with links, it is HTML."""
        self.add(self.kinds[f"{site}.example"], site, text)
        if links:
            parts = "".join(f"<p>{html.escape(part)}</p>" for part in text.split("\n\n"))
            anchors = "".join(f'<p><a href="{link}">source</a></p>' for link in links)
            self.made[-1] = self.made[-1]._replace(html=f"<html><body>{parts}{anchors}</body></html>")

    def stitch(self, kind: str, change: Callable[[list[str]], list[str]], count: int = 6, least: int = 40) -> None:
        site = self.new(kind)
        for _ in range(PAGES):
            self.put(site, "\n\n".join(change(self.draw(count, least))))

    # Farms.

    def farms(self) -> None:
        table = str.maketrans("aeopcxAEO", "\u0430\u0435\u043e\u0440\u0441\u0445\u0410\u0415\u041e")
        self.pool(("wide",), 4)
        self.pool(("tight",), 15)
        self.stitch("sentences", list, 20, 16)
        self.stitch("glued", lambda parts: [f"{self.say(8)} {each}" for each in parts])
        self.stitch("padded", lambda parts: [f"{each}\n{self.say(count_words(each))}" for each in parts])
        self.stitch("edited", lambda parts: [self.edit(each, 20) for each in parts])
        self.stitch(
            "look-alike",
            lambda parts: [self.edit(each, 12, lambda word: word.translate(table) + "\u0430") for each in parts],
        )
        menu = self.say(300)
        self.stitch("template", lambda parts: [menu, *parts])
        self.half()
        self.pool(("network",) * 6, 5)
        self.pool(("second network",) * 5, 5)

    def pool(self, kinds: Sequence[str], uses: int, parts: Sequence[str] = ()) -> None:
        """Sites that share one pool, of which each paragraph is used about so many times."""
        count = PAGES * (len(kinds) if len(kinds) > 1 else 2)
        parts = parts or self.draw(count * 6 // uses)
        sites = [self.new(kind) for kind in kinds]
        for number in range(count):
            self.put(sites[number % len(sites)], "\n\n".join(self.rng.sample(list(parts), min(6, len(parts)))))

    def one_site(self) -> None:
        source, site = self.new("standing"), self.new("one site")
        texts = [self.withdraw(300) for _ in range(10)]
        for text in texts:
            self.put(source, text)
        for _ in range(PAGES):
            chosen = self.rng.sample(texts, 6)
            self.put(site, "\n\n".join(self.rng.choice(self.passages(text)) for text in chosen))

    def half(self) -> None:
        site = self.new("half")
        for _ in range(PAGES // 2):
            self.put(site, "\n\n".join(self.draw(6)))
            self.put(site, self.say(200))

    def network_alone(self) -> None:
        pool = [self.rng.choice(self.passages(self.withdraw())) for _ in range(6 * PAGES * 6 // 8)]
        self.pool(("network alone",) * 6, 8, pool)

    def scrapers(self) -> None:
        """Whole pages of as many sites: one of each, since a site has about five."""
        for kind in ("scraper", "framed scraper"):
            site, menu, seen = self.new(kind), self.say(20), set()
            for where, text in self.rng.sample(self.standing, len(self.standing)):
                if where not in seen and len(seen) < PAGES:
                    seen.add(where)
                    self.put(site, text if kind == "scraper" else f"{menu}\n\n{self.edit(text, 60)}")

    # Innocents.

    def taken_apart(self) -> None:
        texts = [self.withdraw(300, 3000) for _ in range(PAGES)]
        site = self.new("taken apart")
        for text in texts:
            self.put(site, text)
        passages = [part for text in texts for part in self.passages(text, 30)]
        for _ in range(PAGES):
            self.put(self.takers, "\n\n".join([*self.rng.sample(passages, 3), *self.draw(4)]))

    def blog(self) -> None:
        site, posts = self.new("blog"), [self.withdraw(150, 1500) for _ in range(PAGES)]
        for post in posts:
            self.put(site, post)
        for first in range(0, PAGES, 4):
            self.put(site, "\n\n".join(posts[first : first + 4]))
            self.put(site, "\n\n".join(begin(post, 60) for post in posts[first : first + 4]))
        self.put(site, "\n\n".join(begin(post, 50) for post in posts))
        passages = [part for post in posts for part in self.passages(post, 30)]
        for _ in range(PAGES // 2):
            self.put(self.takers, "\n\n".join([*self.rng.sample(passages, 3), *self.draw(4)]))

    def mirrors(self) -> None:
        pages = [self.withdraw(150, 1500) for _ in range(PAGES)]
        for site in (self.new("mirror"), self.new("mirror")):
            menu = self.say(20)
            for text in pages:
                self.put(site, f"{menu}\n\n{self.edit(text, 300)}")

    def manual(self) -> None:
        site, menu = self.new("manual"), self.say(40)
        for _ in range(3):
            chapter = self.withdraw(500)
            sections = self.passages(chapter, max(60, count_words(chapter) // 14))
            self.put(site, "\n\n".join(sections))
            for section in sections:
                self.put(site, f"{menu}\n\n{section}\n\n{self.say(8)}")

    def prints(self) -> None:
        source, site, menu = self.new("manual"), self.new("print"), self.say(40)
        for _ in range(10):
            chapter = self.withdraw(400)
            sections = self.passages(chapter, max(60, count_words(chapter) // 8))
            self.put(site, "\n\n".join(sections))
            for section in sections:
                self.put(source, f"{menu}\n\n{section}\n\n{self.say(8)}")

    def papers(self) -> None:
        agency, papers = self.new("agency"), [self.new("paper") for _ in range(5)]
        for _ in range(PAGES):
            report = self.withdraw(150, 1500)
            self.put(agency, report)
            for paper in self.rng.sample(papers, 3):
                kept = " ".join(each for each in split_sentences(report) if self.rng.random() < 0.9)
                self.put(paper, f"{self.say(15)}\n\n{kept}")
        for paper in papers:
            for _ in range(PAGES // 2):
                self.put(paper, self.say(200))

    def editions(self) -> None:
        pages = [self.withdraw(200, 3000) for _ in range(10)]
        for _ in range(6):
            site = self.new("edition")
            for place, text in enumerate(pages):
                said = split_sentences(text)
                pages[place] = " ".join(self.say(10) if self.rng.random() < 0.1 else each for each in said)
                self.put(site, pages[place])

    def shops(self) -> None:
        goods = [self.rng.choice(self.passages(self.withdraw(), 30)) for _ in range(20)]
        for _ in range(5):
            shop, menu = self.new("shop"), self.say(30)
            offered = self.rng.sample(goods, PAGES)
            for each in offered:
                self.put(shop, f"{menu}\n\n{each}\n\n{self.say(15)}")
            for _ in range(3):
                self.put(shop, f"{menu}\n\n" + "\n\n".join(self.rng.sample(offered, 8)))

    def forums(self) -> None:
        for _ in range(2):
            site = self.new("forum")
            for _ in range(PAGES):
                posts = [self.say(60) for _ in range(4)]
                quoted = [f"> {begin(post, 30)}\n{self.say(40)}" for post in posts]
                cited = [f"{begin(each, 25)}\n{self.say(70)}" for each in self.draw(2, least=25)]
                self.put(site, "\n\n".join((*posts, *quoted, *cited)))

    def laws(self) -> None:
        clauses = self.passages(self.withdraw(800), 30)
        for _ in range(3):
            site = self.new("law")
            for _ in range(PAGES):
                quoted = self.rng.sample(clauses, min(4, len(clauses)))
                self.put(site, "\n\n".join(f"{self.say(60)}\n{clause}" for clause in quoted))

    def linking(self) -> None:
        digest, partner = self.new("digest"), self.new("partner")
        for number in range(PAGES):
            chosen = self.rng.sample(self.standing, 6)
            parts = [(self.urls[text], self.passages(text, 40)) for _, text in chosen]
            self.put(
                digest,
                "\n\n".join(self.rng.choice(passages) for _, passages in parts if passages),
                [url for url, passages in parts if passages],
            )
            _, text = self.standing[number * len(self.standing) // PAGES]
            self.put(partner, text, [self.urls[text]])

    def plant(self) -> list[Page]:
        """All kinds, and the standing pages; a kind that a small corpus has no pages for is left out as a whole."""
        self.takers = self.new("wide")
        innocents = (self.taken_apart, self.blog, self.mirrors, self.manual, self.papers, self.editions, self.shops)
        for make in (
            *innocents,
            self.prints,
            self.one_site,
            self.network_alone,
            self.linking,
            self.scrapers,
            self.farms,
            self.forums,
            self.laws,
        ):
            there, known = len(self.made), dict(self.kinds)
            try:
                make()
            except (LookupError, StopIteration):
                del self.made[there:]
                self.kinds = known
        standing = [
            Page(f"{self.name}/standing/{number}", self.urls[text], text, None, None, "standing")
            for number, (_, text) in enumerate(self.standing)
        ]
        return [*standing, *self.made]


class Score(NamedTuple):
    """What verdicts on planted sites got right: the sites that are named for what they are, by kind; the others; the
    innocents among the first twenty; and the F1 of pairs of sites in one network."""

    right: Counter[str]
    all: Counter[str]
    wrong: list[str]
    early: list[str]
    networks: float

    @property
    def taking(self) -> tuple[int, int]:
        """How many sites are said to live off others, and of how many that is true."""
        named = [line for line in self.wrong if line.split(": ")[2] in ("stitched", "scraper")]
        farms = sum(number for kind, number in self.right.items() if KINDS[kind].is_farm)
        return farms + len(named), farms


def score(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> Score:
    """Hold verdicts against what was planted; sites of fewer than ten pages count only if they are called farms."""
    right, total, wrong, early = Counter[str](), Counter[str](), list[str](), list[str]()
    for row in rows:
        kind = kinds[row["site"]]
        total[kind] += 1
        if row["verdict"] in KINDS[kind].verdicts:
            right[kind] += 1
        else:
            wrong.append(f"{kind}: {row['site']}: {row['verdict']}: {row['reasons']}")
        if row["rank"] <= 20 and not KINDS[kind].is_farm:
            early.append(f"{row['rank']}: {kind}: {row['site']}")
    found = set(_pair({row["site"]: row["network"] for row in rows}))
    meant = set(_pair({site: kind if KINDS[kind].are_network else None for site, kind in kinds.items()}))
    return Score(right, total, wrong, early, 2 * len(found & meant) / max(1, len(found) + len(meant)))


def _pair(groups: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    named = sorted(site for site, group in groups.items() if group is not None)
    for place, one in enumerate(named):
        yield from ((one, other) for other in named[place + 1 :] if groups[one] == groups[other])
