"""English that nobody wrote: sentences of a small grammar, titles, goods; and Chinese characters.

A reader can follow it, and see at a glance that two passages are the same. Pages must not share 5-grams by accident,
or the planted truth would blur. There are 2·10^32 sentences, but windows of five words in them are far fewer, so this
was measured: of the 1.2·10^7 5-grams of 24,000 texts of 500 words, one in 20,000 is also in another text (318 pairs,
4.5·10^-12 of all). So it is one in 400 of the grams of a million pages.

500 words in sentences take about 60 µs, after 0.1 s once for the tables.
"""

from __future__ import annotations

from functools import cache

from unquilt.demo.dice import Dice
from unquilt.demo.grammar import PLACE_BITS, PLACES, Pattern, fill, kin, patterns, sounds_open, tables

MEAN_SENTENCE = 12  # words
_SHORTEST = 7
_MATTER = 9  # words of each kind that a story keeps to; no multiple of four
_TURNING = frozenset({"after", "although", "because", "before", "once", "since", "though", "until", "when", "while"})
_COMMA, _STOP = "\uff0c", "\u3002"  # the Chinese ones


def draw_sentences(dice: Dice, count: int) -> list[str]:
    """Sentences with about `count` words in all, at least one."""
    listed = patterns("sentences")
    chosen: list[Pattern] = []
    for shape in dice.take(count // _SHORTEST + 1):
        if chosen and count <= MEAN_SENTENCE // 2:
            break
        chosen.append(listed[shape & 63])
        count -= chosen[-1].words
    return fill(chosen, dice.small(sum(len(pattern.tables) for pattern in chosen), PLACE_BITS))


def draw_story(dice: Dice, count: int) -> list[str]:
    """Sentences as `draw_sentences` makes them, but about the same few people, places and things from first to last."""
    listed = patterns("sentences")
    chosen = [listed[shape & 63] for shape in dice.take(count // MEAN_SENTENCE + 1)]
    few = dice.small(_MATTER, PLACE_BITS)
    drawn = dice.small(sum(len(pattern.tables) for pattern in chosen), PLACE_BITS)
    return fill(chosen, [place if place % 4 == 0 else few[place % _MATTER] for place in drawn])


def draw_title(dice: Dice) -> str:
    """A headline of 4 to 9 words, without a full stop."""
    return _draw(dice, "titles")


def draw_offer(dice: Dice) -> str:
    """What a shop says behind all its prices."""
    return _draw(dice, "offers")


def _draw(dice: Dice, which: str) -> str:
    listed = patterns(which)
    pattern = listed[dice.below(len(listed))]
    return fill([pattern], dice.small(len(pattern.tables), PLACE_BITS))[0]


def draw_headings(dice: Dice, count: int) -> list[str]:
    """`count` words to click on."""
    known = tables()
    kinds = known["O"], known["L"], known["S"]
    return [kinds[place % 3][place].capitalize() for place in dice.small(count, PLACE_BITS)]


def draw_goods(dice: Dice, count: int) -> list[str]:
    """`count` things that a shop has, three words each."""
    known = tables()
    drawn = dice.small(3 * count, PLACE_BITS)
    names = zip(drawn[::3], drawn[1::3], drawn[2::3], strict=True)
    return [f"{known['a'][how]} {known['e'][of]} {known['o'][what]}".title() for how, of, what in names]


def replace_word(dice: Dice, word: str) -> str | None:
    """Another word that fits where this one stands, also behind "a" or "an"; none for names and small words."""
    others = kin().get(word)
    while others:
        other = others[dice.below(PLACES)]
        if other != word and sounds_open(other) == sounds_open(word):
            return other
    return None


def reword(dice: Dice, sentence: str) -> str:
    """The same said otherwise: a third of the words that have others of their kind are replaced, and where a clause
    begins with a conjunction, it comes first.

    >>> reword(Dice("example"), "A potter repaired the bridge, because the baker slept.").startswith("Because the ")
    True
    """
    first, comma, second = sentence.removesuffix(".").partition(", ")
    word = second.partition(" ")[0]
    if comma and "," not in second and word in _TURNING and sentence.endswith("."):
        sentence = f"{second[:1].upper()}{second[1:]}, {_uncapitalised(first)}."
    words = sentence.split(" ")
    for place, word in enumerate(words):
        if dice.below(3) == 0:
            words[place] = replace_word(dice, word) or word
    return " ".join(words)


def _uncapitalised(clause: str) -> str:
    """A clause that does not begin a sentence any more: what is no article or the like is a name."""
    first = clause.partition(" ")[0].lower()
    return f"{clause[:1].lower()}{clause[1:]}" if first in _articles() else clause


@cache
def _articles() -> frozenset[str]:
    """Articles, numbers and other words that phrases begin with."""
    return frozenset(phrase.partition(" ")[0] for kind in "XYQ" for phrase in tables()[kind])


def join_paragraphs(sentences: list[str], size: int = 4) -> str:
    """Paragraphs of `size` sentences, separated by blank lines."""
    return "\n\n".join(" ".join(sentences[begin : begin + size]) for begin in range(0, len(sentences), size))


def draw_chinese(dice: Dice, count: int) -> str:
    """`count` Chinese characters in sentences and paragraphs; the characters are real, what they say is not."""
    characters = [chr(0x4E00 + place * 7 % 2_000) for place in dice.shorts(count)]
    sentences: list[str] = []
    begin = 0
    while begin < count:
        end = begin + dice.between(8, 30)
        middle = (begin + min(end, count)) // 2
        sentences.append("".join(characters[begin:middle]) + _COMMA + "".join(characters[middle:end]) + _STOP)
        begin = end
    return "\n\n".join("".join(sentences[first : first + 4]) for first in range(0, len(sentences), 4))
