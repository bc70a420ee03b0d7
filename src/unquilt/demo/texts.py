"""Texts that are not copied from other pages: articles, Chinese articles, listings and the pages of link farms.

Each is made in 15 to 150 µs for 500 words.
"""

from __future__ import annotations

from functools import lru_cache

from unquilt.demo.dice import Dice
from unquilt.demo.language import (
    MEAN_SENTENCE,
    draw_chinese,
    draw_goods,
    draw_offer,
    draw_sentences,
    draw_story,
    join_paragraphs,
)
from unquilt.demo.layout import World

_LENGTHS = (30, 45, 55, 70, 80, 90, 100, 110, 125, 145, 165, 185)  # per cent of the mean; they average 100
_FARM_PHRASES = 4  # a farm's pool is so many times as long as one of its pages
_FARM_PARAGRAPH = 2  # sentences


def draw_length(world: World, dice: Dice) -> int:
    """The number of words of a body, so that whole pages have `world.words` on average."""
    return max(40, (world.words * _LENGTHS[dice.below(len(_LENGTHS))] - 10 * world.words) // 100)


def article_sentences(world: World, number: int) -> list[str]:
    """The sentences of an article."""
    dice = Dice(world.seed, "article", number)
    return draw_sentences(dice, draw_length(world, dice))


def article_body(world: World, number: int) -> str:
    """The body of an article; copies and quilts ask for it again by its number."""
    return join_paragraphs(article_sentences(world, number))


def story_paragraphs(world: World, number: int) -> list[str]:
    """The paragraphs of an article that keeps to its matter from first to last, as those do that somebody wrote."""
    dice = Dice(world.seed, "story", number)
    return join_paragraphs(draw_story(dice, world.words * dice.between(80, 120) // 100)).split("\n\n")


def chinese_body(world: World, number: int) -> str:
    """The body of a Chinese article: as many characters as others have words."""
    dice = Dice(world.seed, "chinese", number)
    return draw_chinese(dice, draw_length(world, dice))


def listing_body(world: World, number: int, site: int) -> str:
    """Goods and prices, with the same words of the shop after each."""
    offer = draw_offer(Dice(world.seed, "offer", site))
    dice = Dice(world.seed, "listing", number)
    goods = draw_goods(dice, world.words // 12)
    return "\n\n".join(f"{name}: {dice.between(1, 999)}.{dice.below(100):02d}. {offer}." for name in goods)


@lru_cache(maxsize=4)
def _farm_paragraphs(world: World, block: int) -> list[str]:
    sentences = draw_sentences(Dice(world.seed, "farm", block), _FARM_PHRASES * world.words)
    return join_paragraphs(sentences, _FARM_PARAGRAPH).split("\n\n")


def farm_body(world: World, number: int, block: int) -> str:
    """Paragraphs of the pool that all pages of a farm share, in any order."""
    pool = _farm_paragraphs(world, block)
    dice = Dice(world.seed, "farm page", number)
    count = max(1, world.words // MEAN_SENTENCE // _FARM_PARAGRAPH)
    return "\n\n".join(pool[dice.below(len(pool))] for _ in range(count))
