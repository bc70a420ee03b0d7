"""A small synthetic web, made from a seed: articles, templates, copies, manuals in versions, farms and planted quilts,
a site that slices and dices what others wrote, a farm, a site with its mirror, and originals with the network that
takes them apart.

It exists because a demo needs pages whose making is known, and a benchmark needs a million pages that behave like
real ones without downloading any. Every page is a pure function of (seed, words, number): pages stream, nothing grows
with their number but the hosts, any page can be made again, and the first n pages of a larger web are the web of n.

`layout` says which page is what and how the mix was tuned, `planted` lists what was planted. One process makes about
6,000 pages of 500 words a second, in 37 MB.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from unquilt.demo.copies import (
    change_words,
    draw_from_pool,
    farm_pool,
    find_sources,
    network_pool,
    page_site,
    quilt_body,
    reworded_body,
    slice_body,
    slice_pool,
)
from unquilt.demo.dice import Dice
from unquilt.demo.language import draw_title
from unquilt.demo.layout import BLOCK, Role, World, find_pages, is_copy, role, versions
from unquilt.demo.manuals import manual_texts
from unquilt.demo.sites import Site, choose_site, farm_site, known_site, operator, slice_site, wrap_page
from unquilt.demo.texts import article_body, chinese_body, farm_body, listing_body, story_paragraphs


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page and how it came about.

    `kind` is article, original, listing, manual, near-copy, mirror, twin, reworded, farm, pool, network, quilt, scrap
    or slice. An original is an article that keeps to its matter; the pages of a network take apart those of the block
    before. A pool page is of a farm on one site, a twin of a site that mirrors another one. A scrap is stitched like a
    quilt, but of too few sources (2 or 3) or with too small a share (a third) to be one at c = 4, σ = 0.5. A few are
    quilts all the same, since a copied template or glue may add a source. `made_of` names the sources of a quilt,
    scrap, pool or network page, the original of a copy, mirror, twin or reworded page, the version before of a manual,
    the articles whose sentences are diced in a slice; it is empty for the others.
    """

    id: str
    url: str
    ip: str
    text: str
    kind: str
    made_of: tuple[str, ...]


def pages(
    count: int, *, seed: int = 1, words: int = 500, start: int = 0, stop: int | None = None
) -> Iterator[DemoPage]:
    """The pages start … stop - 1 of a web of `count` pages with about `words` words each.

    The mix and the planted verdicts hold from 200 words up; shorter pages have room for few passages.

    >>> [page.id for page in pages(1000, start=998)]
    ['page-0000998', 'page-0000999']
    """
    world = World(seed, words)
    end = count if stop is None else min(stop, count)
    if start < 0:
        raise ValueError(f"start must not be below 0, got {start}")
    return (make_page(world, number) for number in range(start, end))


def page(number: int, *, seed: int = 1, words: int = 500) -> DemoPage:
    """Page `number` alone, exactly as `pages` makes it."""
    if number < 0:
        raise ValueError(f"number must not be below 0, got {number}")
    return make_page(World(seed, words), number)


def page_id(number: int) -> str:
    """The id of page `number`."""
    return f"page-{number:07d}"


def make_page(world: World, number: int) -> DemoPage:
    """Page `number` of a world."""
    part = role(world, number)
    match part.kind:
        case "manual":
            return _manual(world, number, part)
        case "farm":
            return _farm(world, number)
        case "mirror" | "near-copy":
            return _copy(world, number, part.kind)
        case "reworded":
            return _reworded(world, number)
        case "quilt" | "scrap":
            return _quilt(world, number, part.kind)
        case "slice":
            return _slice(world, number)
        case "original" | "column":
            return _housed(world, number, part)
        case "twin":
            return _twin(world, number, part)
        case "network" | "pool":
            return _pooled(world, number, part)
    return _original(world, number, part.kind)


def _original(world: World, number: int, kind: str) -> DemoPage:
    where = page_site(world, number)
    if kind == "listing":
        text = wrap_page(world, where, _title(world, number), listing_body(world, number, where.number))
        return DemoPage(page_id(number), _url(where, "shop", number), where.ip, text, kind, ())
    text = _article(world, number, where) if kind == "article" else _chinese(world, number, where)
    return DemoPage(page_id(number), _url(where, f"{2001 + number % 24}", number), where.ip, text, "article", ())


def _article(world: World, number: int, where: Site) -> str:
    return wrap_page(world, where, _title(world, number), article_body(world, number))


def _chinese(world: World, number: int, where: Site) -> str:
    return wrap_page(world, where, _title(world, number), chinese_body(world, number))


def _title(world: World, number: int) -> str:
    return draw_title(Dice(world.seed, "title", number))


def _url(where: Site, folder: str, number: int) -> str:
    return f"http://{where.host}/{folder}/{number}.html"


def _manual(world: World, number: int, part: Role) -> DemoPage:
    """Eleven of twelve families are each on one host; the others are scattered, as if packages carried them along."""
    block = number // BLOCK
    family = versions(world, block, part)
    version = family.index(number)
    where = page_site(world, number)
    if part.family % 12:
        where = choose_site(Dice(world.seed, "manual site", block, part.family), block)
    name, texts = manual_texts(world, block, part.family, len(family))
    release = f"{1 + version // 10}.{version % 10}"
    text = wrap_page(world, where, f"{name}, version {release}", texts[version])
    made_of = (page_id(family[version - 1]),) if version else ()
    return DemoPage(page_id(number), _url(where, f"manuals/{release}", number), where.ip, text, "manual", made_of)


def _farm(world: World, number: int) -> DemoPage:
    block = number // BLOCK
    where = farm_site(Dice(world.seed, "site", number), block)
    text = f"{_title(world, number)}\n\n{farm_body(world, number, block)}"
    return DemoPage(page_id(number), _url(where, "top", number), where.ip, text, "farm", ())


def _copy(world: World, number: int, kind: str) -> DemoPage:
    """The whole text of an article, template and all, on another site."""
    where = page_site(world, number)
    dice = Dice(world.seed, "copy", number)
    (source,) = find_sources(world, dice, number, 1)
    text = _article(world, source, page_site(world, source))
    if kind == "near-copy":
        text = change_words(world, dice, text)
    return DemoPage(page_id(number), _url(where, "copies", number), where.ip, text, kind, (page_id(source),))


def _reworded(world: World, number: int) -> DemoPage:
    where = page_site(world, number)
    body, source = reworded_body(world, number)
    text = wrap_page(world, where, _title(world, number), body)
    return DemoPage(page_id(number), _url(where, "retold", number), where.ip, text, "reworded", (page_id(source),))


def _quilt(world: World, number: int, kind: str) -> DemoPage:
    where = page_site(world, number)
    body, sources = quilt_body(world, number, kind)
    text = wrap_page(world, where, _title(world, number), body)
    made_of = tuple(page_id(source) for source in sources)
    return DemoPage(page_id(number), _url(where, "posts", number), where.ip, text, kind, made_of)


def _slice(world: World, number: int) -> DemoPage:
    """Sentences of a few articles at random, on one of very many host names of one operator."""
    block = number // BLOCK
    where = slice_site(Dice(world.seed, "site", number), block)
    who = operator(block)
    text = f"{_title(world, number)}\n\n{slice_body(world, number, who)}"
    made_of = tuple(map(page_id, slice_pool(world, who)[1]))
    return DemoPage(page_id(number), _url(where, "info", number), where.ip, text, "slice", made_of)


def _housed(world: World, number: int, part: Role) -> DemoPage:
    """An article on a site that has nothing but its own: an original story, or a page of a site that has a mirror."""
    where = known_site(part.kind, part.family, number // BLOCK)
    if part.kind == "column":
        text = _article(world, number, where)
        return DemoPage(page_id(number), _url(where, "columns", number), where.ip, text, "article", ())
    text = wrap_page(world, where, _title(world, number), "\n\n".join(story_paragraphs(world, number)))
    return DemoPage(page_id(number), _url(where, "essays", number), where.ip, text, "original", ())


def _twin(world: World, number: int, part: Role) -> DemoPage:
    """A page of a mirror: the text of a page of the other site, template and all."""
    block = number // BLOCK
    source = find_pages(world, block - 1, "column")[part.family]
    text = _article(world, source, known_site("column", part.family, block - 1))
    where = known_site("twin", part.family, block)
    return DemoPage(page_id(number), _url(where, "columns", source), where.ip, text, "twin", (page_id(source),))


def _pooled(world: World, number: int, part: Role) -> DemoPage:
    """Passages of one pool: of articles, all on one site; or of the originals, on several domains."""
    block = number // BLOCK
    where = known_site(part.kind, part.family, block)
    pool = farm_pool(world, block) if part.kind == "pool" else network_pool(world, block)
    body, sources = draw_from_pool(world, number, pool)
    text = f"{_title(world, number)}\n\n{body}"
    return DemoPage(
        page_id(number), _url(where, "top", number), where.ip, text, part.kind, tuple(map(page_id, sources))
    )


def write_jsonl(
    path: str | Path, count: int, *, seed: int = 1, words: int = 500, start: int = 0, stop: int | None = None
) -> int:
    """Write the pages start … stop - 1 of a web of `count` pages; a name that ends in .gz is compressed.

    Returns how many pages were written.
    """
    encode = json.JSONEncoder(ensure_ascii=False).encode
    written = 0
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(Path(path).open("wb"))
        if Path(path).suffix == ".gz":
            packed = gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=file, mtime=0)
            file = cast("IO[bytes]", stack.enter_context(packed))
        for page in pages(count, seed=seed, words=words, start=start, stop=stop):
            record = {"id": page.id, "url": page.url, "ip": page.ip, "text": page.text}
            file.write(encode(record).encode() + b"\n")
            written += 1
    return written


@dataclass(frozen=True, slots=True)
class Planted:
    """A page without its text: a quilt, scrap, slice, pool or network page with its sources; a mirror, twin, near-copy
    or reworded page with its original."""

    id: str
    url: str
    kind: str
    made_of: tuple[str, ...]


def planted(count: int, *, seed: int = 1, words: int = 500) -> list[Planted]:
    """All pages among the first `count` that were made from others, in their order; manuals and farms are not listed.

    >>> sorted({page.kind for page in planted(1024)})
    ['mirror', 'near-copy', 'quilt', 'reworded', 'scrap', 'slice']
    """
    world = World(seed, words)
    made = (make_page(world, number) for number in range(count) if is_copy(role(world, number).kind))
    return [Planted(page.id, page.url, page.kind, page.made_of) for page in made]
