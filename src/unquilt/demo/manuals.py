"""Families of manuals: one document in 2 to 40 versions, which is where most patch grams of real corpora come from.

A manual is a row of sentences. From one version to the next a paragraph may be rewritten or left out, and so may a
single sentence; what stays keeps its words. Besides, each version leaves out some sentences that the next one may have
again. A gram's df is therefore the number of versions its sentence is in, and the grams of a sentence have about one
posting list in common. The chances below were tuned on the number of patch grams per posting list (see `layout`).

All versions of a family are made at once, in about 100 µs a version, and kept for the 256 families used last.
"""

from __future__ import annotations

from functools import lru_cache

from unquilt.demo.dice import Dice
from unquilt.demo.language import MEAN_SENTENCE, draw_sentences, draw_title
from unquilt.demo.layout import World

_PARAGRAPH = 5  # sentences
_REWRITE = 3  # chances in 100 that a paragraph is new in the next version
_REWORD = 3  # the same for a single sentence
_GONE = 15  # chances in 100 that what would be rewritten is left out instead
_LEFT_OUT = 16  # chances in 100 that a sentence is missing in one version


@lru_cache(maxsize=256)
def manual_texts(world: World, block: int, family: int, size: int) -> tuple[str, tuple[str, ...]]:
    """The name of a manual and the texts of its versions."""
    dice = Dice(world.seed, "manual", block, family)
    length = world.words * dice.between(68, 150) // 100
    paragraphs: list[list[str]] = [[] for _ in range(size)]
    for _ in range(max(1, length // (_PARAGRAPH * MEAN_SENTENCE))):
        for version, text in enumerate(_live(dice, size)):
            if text:
                paragraphs[version].append(text)
    return draw_title(dice), tuple("\n\n".join(texts) for texts in paragraphs)


def _live(dice: Dice, size: int) -> list[str]:
    """One paragraph through all versions."""
    now = _write(dice, _PARAGRAPH)
    life: list[str] = []
    for version in range(size):
        if version and dice.below(100) < _REWRITE:
            now = [] if dice.below(100) < _GONE else _write(dice, _PARAGRAPH)
        elif version:
            now = [new for old in now for new in _reword(dice, old)]
        life.append(" ".join(sentence for sentence in now if dice.below(100) >= _LEFT_OUT))
    return life


def _write(dice: Dice, sentences: int) -> list[str]:
    return draw_sentences(dice, sentences * MEAN_SENTENCE)


def _reword(dice: Dice, old: str) -> list[str]:
    if dice.below(100) >= _REWORD:
        return [old]
    return [] if dice.below(100) < _GONE else _write(dice, 1)
