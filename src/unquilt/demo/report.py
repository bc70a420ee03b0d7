"""Planted against found: which pages an analysis took for quilts, and why planted quilts were not among them.

A page of the demo web is known by its number, so nothing has to be stored to tell what kind of page was found; only
the planted pages are made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unquilt.demo.layout import World, role
from unquilt.demo.web import Planted, planted

KINDS = {
    "quilt": ("planted quilts", "stitched from passages of several articles"),
    "scrap": ("scraps", "stitched from too few pages, or with too little copied"),
    "mirror": ("mirrors", "an article as it is, on another site"),
    "near-copy": ("near-copies", "the same with a few words changed"),
    "reworded": ("reworded pages", "an article retold in other words and in another order"),
    "twin": ("mirror site", "all articles of one site, on another domain"),
    "pool": ("pool farm", "passages of one pool of articles, all on one site"),
    "network": ("network", "paragraphs of the originals below, on four domains"),
    "original": ("originals", "articles that keep to their matter; the network took most of them apart"),
    "farm": ("link farm pages", "paragraphs that nobody else has, on several domains"),
    "slice": ("sliced pages", "sentences of a few articles at random, on many hosts"),
    "manual": ("manual versions", "one text in many versions"),
    "listing": ("shop listings", "goods and prices"),
    "article": ("articles", "written for this page only"),
}
"""The kinds of pages: what to call them, and what they are."""
REASONS = {
    "scrap": "made to be just no quilts, but a template or a sentence copied along can add a source",
    "slice": "each is stitched of sentences of other pages; `unquilt phrases --group ip` finds the whole site",
    "farm": "each mixes paragraphs that pages of other domains have, too: quilts, though not planted as such",
    "original": "the network took them apart, and these were taken for its quilts: wrong",
    "manual": "where versions of one text are on several sites, each explains a part of the next",
    "article": "quilts copied them and together hold most of their text; words do not tell who copied from whom",
}
"""Why pages of a kind are found that were not planted as quilts; of other kinds none should be."""
THIEVES = ("quilt", "pool", "network")
"""The kinds of pages that are stitched together of at least four others."""
_SAME = {"chinese": "article", "column": "article"}


@dataclass(frozen=True, slots=True)
class Measured:
    """A page as an analysis saw it: the share of its grams that sources cover, how many these are, the largest share of
    this that one of them holds, and which limits of a quilt the page fails, if any."""

    id: str
    covered: float
    sources: int
    largest: float
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Pages by kind, found pages by kind, pages called originals by kind, planted quilts that were not found, and how
    many sources were named.

    `stitched` counts the pages that the found planted quilts were really made of, `named` those of them that are among
    the sources found.
    """

    pages: Mapping[str, int]
    found: Mapping[str, Sequence[Measured]]
    originals: Mapping[str, int]
    missed: Sequence[Planted]
    stitched: int
    named: int


def compare_with_planted(
    count: int,
    seed: int,
    found: Iterable[Measured],
    sources: Mapping[str, Iterable[str]],
    originals: Iterable[str] = (),
) -> Report:
    """Compare what was found with what was planted; `sources` is the id of a quilt → the ids of its sources, and
    `originals` are the ids of pages that others took from."""
    world = World(seed)
    by_kind: dict[str, list[Measured]] = {kind: [] for kind in KINDS}
    for page in found:
        by_kind[_kind_of(world, page.id)].append(page)
    ids = {page.id for page in by_kind["quilt"]}
    quilts = [page for page in planted(count, seed=seed) if page.kind == "quilt"]
    pairs = [(page, set(sources.get(page.id, ()))) for page in quilts if page.id in ids]
    return Report(
        pages=Counter(_kind(world, number) for number in range(count)),
        found=by_kind,
        originals=Counter(_kind_of(world, name) for name in originals),
        missed=[page for page in quilts if page.id not in ids],
        stitched=sum(len(page.made_of) for page, _ in pairs),
        named=sum(len(named.intersection(page.made_of)) for page, named in pairs),
    )


WHOLE = ("quilt", "mirror", "near-copy")
"""The kinds of planted pages that copied whole passages."""


def count_pairs(
    count: int, seed: int, found: Iterable[tuple[str, str]], kinds: Sequence[str] = WHOLE
) -> tuple[int, int]:
    """How many pairs there are of a planted page of these kinds and a page that it was made of, and how many of them
    are among those that were found, in any order."""
    made = {
        tuple(sorted((page.id, other)))
        for page in planted(count, seed=seed)
        if page.kind in kinds
        for other in page.made_of
    }
    return len(made), len(made & {tuple(sorted(pair)) for pair in found})


def has_kind(count: int, seed: int, kind: str) -> bool:
    """Whether any page of a web is of a kind."""
    world = World(seed)
    return any(_kind(world, number) == kind for number in range(count))


def _kind_of(world: World, name: str) -> str:
    return _kind(world, int(name.removeprefix("page-")))


def _kind(world: World, number: int) -> str:
    kind = role(world, number).kind
    return _SAME.get(kind, kind)


_NO_SOURCES = {
    "short": "it is too short to have a gram",
    "nothing shared": "no other page shares any of its grams",
    "own site": "no page on another site shares any of its grams",
    "min_share": "no page on another site shares enough of its grams",
}


def explain_miss(page: Measured | None, *, c: int, sigma: float, max_largest: float) -> str:
    """Why a page is no quilt, by its verdict; None if it has none, as it was collapsed into another page.

    >>> page = Measured("page-0000099", 0.462, 3, 0.5, "sigma, c")
    >>> explain_miss(page, c=4, sigma=0.5, max_largest=0.8)
    'sources cover 0.46 of it < 0.5 and 3 sources < 4'
    """
    if page is None:
        return "it is a copy of another page"
    if page.why in _NO_SOURCES:
        return _NO_SOURCES[page.why]
    numbers = {
        "sigma": f"sources cover {page.covered:.2f} of it < {sigma:g}",
        "max_largest": f"one source holds {page.largest:.2f} of that > {max_largest:g}",
        "c": f"{page.sources} sources < {c}",
        "max_own": "its own site has the same text",
        "max_sections": "its sources are sections of it",
        "min_sewn": "others have parts of it that run into each other",
        "max_reads_on": "it reads on where its sources jump",
        "max_in_order": "others have the same passages in the same order",
    }
    failed = (page.why or "").split(", ")
    return " and ".join(number for limit, number in numbers.items() if limit in failed) or "it links to its sources"
