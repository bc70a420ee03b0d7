"""A made-up language: words of syllables, drawn by a flattened Zipf law, in sentences with capitals and punctuation.

The law is flattened (1 / (rank + 5), so that no word makes up more than 2 % of a text) because a 5-gram that two pages
share by accident would blur the planted truth: two grams are equal by chance with a probability below 1e-12, so that
few of the 5e8 grams of a million pages are.

A language is a table of 65,536 printed words, made once for each seed (0.1 s); a word is then one look-up, and 500
words in sentences take about 65 µs. Commas, quotes and numbers are entries of the table, so they cost nothing extra.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from unquilt.demo.dice import Dice

Table = tuple[str, ...]

_SIZE = 1 << 16
_WORDS = 16_000
_FLATNESS = 5
_ONSETS = (*"bcdfghklmnprstvw", "br", "cl", "dr", "fl", "gr", "pl", "pr", "sk", "st", "tr", "th", "sh", "ch")
_VOWELS = (*"aeiouaeio", "ai", "ea", "ou")
_CODAS = ("", "", "", "", *"nrsltm", "nd", "st")
_ACCENTS = {"a": "á", "e": "é", "i": "ï", "o": "ö", "u": "ü"}
_COMMA, _STOP = "\uff0c", "\u3002"  # the Chinese ones
_ENDS = "." * 13 + "?!."
_LENGTHS = (5, 7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 19, 21, 24)
MEAN_SENTENCE = sum(_LENGTHS) // len(_LENGTHS)


@lru_cache(maxsize=4)
def table(seed: int) -> Table:
    """The printed words of the language of `seed`; frequent ones fill more of the 65,536 places."""
    words = _vocabulary(Dice(seed, "vocabulary"))
    weights = [1_000_000_000 // (rank + _FLATNESS) for rank in range(1, len(words) + 1)]
    total = sum(weights)
    places: list[str] = []
    reached = 0
    for word, weight in zip(words, weights, strict=True):
        reached += weight
        places.extend([word] * (reached * _SIZE // total - len(places)))
    return tuple(_dress(word, place) for place, word in enumerate(places))


def _vocabulary(dice: Dice) -> list[str]:
    """Distinct words, the frequent ones shorter."""
    found: dict[str, None] = {}
    while len(found) < _WORDS:
        syllables = 1 + (len(found) > 120) + (len(found) > 4_000 or dice.below(4) == 0)
        word = "".join(_pick(dice, _ONSETS) + _pick(dice, _VOWELS) + _pick(dice, _CODAS) for _ in range(syllables))
        if dice.below(40) == 0:
            word = word[:-1] + _ACCENTS.get(word[-1], word[-1])
        found.setdefault(word)
    return list(found)


def _pick(dice: Dice, parts: tuple[str, ...]) -> str:
    return parts[dice.below(len(parts))]


def _dress(word: str, place: int) -> str:
    """Some places of the table carry a comma, quotes, a capital or a number with them."""
    match place * 40_503 % 400:
        case 0:
            return f"“{word}”"
        case 1 | 2 | 3:
            return word.capitalize()
        case 4 | 5:
            return str(1 + place % 1_999)
        case rest if rest < 28:
            return word + ","
    return word


def draw_words(language: Table, dice: Dice, count: int) -> list[str]:
    """`count` printed words."""
    return [language[place] for place in dice.shorts(count)]


def draw_sentences(language: Table, dice: Dice, count: int) -> list[str]:
    """Sentences of 5 to 24 words, `count` words in all (the last one may be shorter)."""
    words = draw_words(language, dice, count)
    shapes = dice.take(count // _LENGTHS[0] + 1)
    cuts = [0]
    for shape in shapes:
        if cuts[-1] >= count:
            break
        cuts.append(cuts[-1] + _LENGTHS[shape & 15])
    return [
        _sentence(words[begin:end], _ENDS[shape >> 4])
        for (begin, end), shape in zip(pairwise(cuts), shapes, strict=False)
    ]


def _sentence(words: list[str], end: str) -> str:
    text = " ".join(words).rstrip(",")
    return text[:1].upper() + text[1:] + end


def draw_title(language: Table, dice: Dice) -> str:
    """A headline of 4 to 9 words, without a full stop."""
    return _sentence(draw_words(language, dice, dice.between(4, 9)), "").replace(",", "")


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
