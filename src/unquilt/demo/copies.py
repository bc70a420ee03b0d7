"""Pages made from other pages: mirrors, near-copies, reworded articles, planted quilts, sliced pages, and those of a
farm and of a network, each with one pool.

Sources are articles of lower number on another address (hence on another domain), found by drawing numbers until one
fits and made again from their number alone. A copy costs as much as one article, a quilt as much as its sources: for
pages of 500 words, 0.13 to 1.1 ms on average.
"""

from __future__ import annotations

from functools import lru_cache

from unquilt.demo.dice import Dice
from unquilt.demo.language import MEAN_SENTENCE, draw_sentences, join_paragraphs, replace_word, reword
from unquilt.demo.layout import BLOCK, World, find_pages, role
from unquilt.demo.sites import Site, choose_site
from unquilt.demo.texts import article_body, article_sentences, story_paragraphs

_SHORTEST, _LONGEST = 25, 120  # words of a passage
_QUILTS = ((6, 12, 85), (5, 12, 75), (5, 7, 65))  # sources from, to, per cent of the words that are copied
_SCRAPS = ((2, 3, 85), (6, 10, 35))  # too few sources; too small a share
_ATTEMPTS = 64
_SLICED = 12  # articles whose sentences a slice-and-dice site has: short ones, of fewer words than
_SHORT = 250
_POOL = 24  # passages in the pool of a farm, each of an article of its own
_PASSAGE = 75  # words that a passage of it may have beside the shortest
_DRAWN = 8  # passages of a pool on one page
_FIRST_ARTICLES = 64  # pages of the web among which the first such site finds them


def page_site(world: World, number: int) -> Site:
    """The host of any page but a manual's or a farm's."""
    return choose_site(Dice(world.seed, "site", number), number // BLOCK)


def find_sources(world: World, dice: Dice, number: int, count: int) -> list[int]:
    """Up to `count` articles before page `number` that are not on its address."""
    ip = page_site(world, number).ip
    found: list[int] = []
    for _ in range(_ATTEMPTS * count):
        if len(found) == count:
            break
        source = dice.below(number)
        if source not in found and role(world, source).kind == "article" and page_site(world, source).ip != ip:
            found.append(source)
    return found


def change_words(world: World, dice: Dice, text: str) -> str:
    """A near-copy: one to seven words of 500 are replaced by others of their kind."""
    words = text.split(" ")
    for _ in range(1 + dice.below(max(1, world.words // 70))):
        new = None
        while new is None:
            place = dice.below(len(words))
            new = replace_word(dice, words[place])
        words[place] = new
    return " ".join(words)


def reworded_body(world: World, number: int) -> tuple[str, int]:
    """A text whose middle retells another page, reworded and with neighbouring sentences swapped, and that page."""
    dice = Dice(world.seed, "reworded", number)
    (source,) = find_sources(world, dice, number, 1)
    told = [reword(dice, sentence) for sentence in article_sentences(world, source)]
    for place in range(0, len(told) - 1, 2):
        if dice.below(2):
            told[place : place + 2] = reversed(told[place : place + 2])
    own = world.words // 4
    return join_paragraphs([*draw_sentences(dice, own), *told, *draw_sentences(dice, own)]), source


def quilt_body(world: World, number: int, kind: str) -> tuple[str, list[int]]:
    """A text stitched of passages of other pages with a little glue between them, and the pages it was made of."""
    dice = Dice(world.seed, "quilt", number)
    plans = _QUILTS if kind == "quilt" else _SCRAPS
    fewest, most, share = plans[dice.below(len(plans))]
    length = world.words * dice.between(80, 150) // 100
    copied = length * share // 100
    count = max(2, min(dice.between(fewest, most), copied // _SHORTEST))
    sources = find_sources(world, dice, number, count)
    passages = _cut_passages(dice, [article_body(world, source).split() for source in sources], copied)
    glue = draw_sentences(dice, max(8, length - copied - world.words // 10))
    return _stitch(passages, glue), sources


def _cut_passages(dice: Dice, texts: list[list[str]], copied: int) -> list[str]:
    """Passages in turn from each text, never the same words twice, until about `copied` words are together."""
    mean = copied // len(texts)
    longest = min(_LONGEST, max(_SHORTEST + 1, 2 * mean - _SHORTEST))
    reached = [0] * len(texts)
    passages: list[str] = []
    while copied > 0:
        before = copied
        for which, words in enumerate(texts):
            spare = len(words) - reached[which] - _SHORTEST
            if spare < 0 or (copied <= 0 and reached[which]):
                continue
            begin = reached[which] + dice.below(spare // 3 + 1)
            end = min(begin + dice.between(_SHORTEST, longest), len(words))
            passages.append(" ".join(words[begin:end]))
            reached[which] = end
            copied -= end - begin
        if copied == before:
            break
    return passages


def _stitch(passages: list[str], glue: list[str]) -> str:
    """Glue sentences spread evenly before the passages; each passage ends a paragraph."""
    parts: list[str] = []
    for which, passage in enumerate(passages):
        here = glue[which * len(glue) // len(passages) : (which + 1) * len(glue) // len(passages)]
        parts.append(" ".join([*here, passage]))
    return "\n\n".join(parts)


@lru_cache(maxsize=4)
def slice_pool(world: World, who: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The sentences that an operator of a slice-and-dice site collected, and the articles he took them from."""
    dice = Dice(world.seed, "slices", who)
    before = max(_FIRST_ARTICLES, 4 * who * who * BLOCK)
    drawn = dict.fromkeys(dice.below(before) for _ in range(_ATTEMPTS * _SLICED))
    articles = [number for number in drawn if role(world, number).kind == "article"]
    short = [number for number in articles if len(article_body(world, number).split()) < _SHORT]
    chosen = sorted((short or articles)[:_SLICED])
    return tuple(sentence for number in chosen for sentence in article_sentences(world, number)), tuple(chosen)


def slice_body(world: World, number: int, who: int) -> str:
    """Sentences of the pool, stitched together at random, to a page of one and a half times the usual length."""
    pool, _ = slice_pool(world, who)
    dice = Dice(world.seed, "slice", number)
    sentences = world.words * 3 // 2 // MEAN_SENTENCE
    return join_paragraphs([pool[dice.below(len(pool))] for _ in range(sentences)], 5)


Pool = tuple[tuple[str, int], ...]
"""Passages, each with the page that it was taken from."""


@lru_cache(maxsize=4)
def farm_pool(world: World, block: int) -> Pool:
    """A passage of each of some articles of the blocks before."""
    dice = Dice(world.seed, "pool", block)
    drawn = dict.fromkeys(dice.below(block * BLOCK) for _ in range(_ATTEMPTS * _POOL))
    articles = [number for number in drawn if role(world, number).kind == "article"][:_POOL]
    return tuple(
        (_cut_passages(dice, [article_body(world, number).split()], _PASSAGE)[0], number) for number in articles
    )


@lru_cache(maxsize=4)
def network_pool(world: World, block: int) -> Pool:
    """All paragraphs of the stories of the block before."""
    stories = find_pages(world, block - 1, "original")
    return tuple((paragraph, number) for number in stories for paragraph in story_paragraphs(world, number))


def draw_from_pool(world: World, number: int, pool: Pool) -> tuple[str, list[int]]:
    """A text of some passages of a pool, in any order, and the pages that they were taken from."""
    dice = Dice(world.seed, "pool page", number)
    left = list(pool)
    taken = [left.pop(dice.below(len(left))) for _ in range(min(_DRAWN, len(left)))]
    return "\n\n".join(passage for passage, _ in taken), sorted({source for _, source in taken})
