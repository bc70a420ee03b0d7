"""The twin of restored words: what docs/definitions.md 1.7 defines, said in Python as plainly as can be.

Shares no code with the package; of look-alikes it reads the same list, which `tools/look_alikes.py` makes of Unicode's.
Scripts are told by the names of characters, which is right for all that matters here.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

IGNORABLE = [
    *[(0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F)],
    *[(0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3)],
    *[(0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)],
]
"""Unicode's Default_Ignorable_Code_Point, without the Hangul fillers."""
BLANKS = "\u3164\uffa0"
"""Hangul fillers that a reader takes for blanks."""
MANY = 3
FILLER = "\ufdd0"
FORMS = ("<wide>", "<narrow>", "<font>", "<circle>", "<square>", "<isolated>", "<final>", "<initial>", "<medial>")
LONGEST = 4096
LATIN, GREEK, CYRILLIC, OTHER = "Latin", "Greek", "Cyrillic", "other"
TARGETS = (LATIN, GREEK, CYRILLIC)
EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA LETTER", "HANGUL", "HALFWIDTH HANGUL")


class Seen(NamedTuple):
    text: str
    restored: int


@cache
def look_alikes() -> dict[tuple[str, str], str]:
    """The letter of a script that a letter looks like, by letter and script."""
    table = (Path(__file__).parents[1] / "native/kernels/src/text/look_alikes.rs").read_text()
    rows = re.findall(r"\('(.)', \['(\\0|.)', '(\\0|.)', '(\\0|.)'\]\)", table)
    return {(row[0], script): row[1 + i] for row in rows for i, script in enumerate(TARGETS) if row[1 + i] != "\\0"}


@cache
def is_ignorable(c: str) -> bool:
    return c == FILLER or any(first <= ord(c) <= last for first, last in IGNORABLE)


@cache
def is_letter(c: str) -> bool:
    return c not in BLANKS and (unicodedata.category(c)[0] == "L" or unicodedata.category(c) == "Nd")


@cache
def is_mark(c: str) -> bool:
    return unicodedata.category(c)[0] == "M" or c == FILLER


@cache
def plain(c: str) -> str:
    """What a character is a form of; itself, if it is none."""
    if c in BLANKS:
        return " "
    tag, *codes = unicodedata.decomposition(c).split() or [""]
    if tag not in FORMS or len(codes) != 1 or c == "ℹ":
        return c
    form = unicodedata.normalize("NFKC", c)
    if len(form) != 1 or not (is_letter(form) or is_mark(form)) or unicodedata.name(form).startswith("HANGUL"):
        return c
    return c if not is_letter(c) and not (form.isascii() and form.isalpha()) else form


@cache
def is_symbol(c: str) -> bool:
    return plain(c) not in (c, " ") and not is_letter(c)


@cache
def script(c: str) -> str | None:
    """The script of a letter or digit; None for characters of no script."""
    name = unicodedata.name(c, "")
    if not is_letter(c) or re.match("(FULLWIDTH |MATHEMATICAL .*|ARABIC-INDIC )?DIGIT", name):
        return None
    words = name.split()
    for word, found in (("GREEK", GREEK), ("OHM", GREEK), ("CYRILLIC", CYRILLIC), ("LATIN", LATIN)):
        if word in words:
            return found
    if name in ("KELVIN SIGN", "ANGSTROM SIGN", "FEMININE ORDINAL INDICATOR", "MASCULINE ORDINAL INDICATOR"):
        return LATIN
    if 0x2100 <= ord(c) <= 0x214F:  # letterlike symbols
        return LATIN if name.startswith("TURNED") else None
    if re.match("MODIFIER LETTER (SMALL|CAPITAL)", name):
        return LATIN
    common = ("MICRO", "MODIFIER", "KATAKANA-HIRAGANA", "HALFWIDTH KATAKANA", "ARABIC TATWEEL")
    return None if name.startswith(common) else OTHER


def see(text: str, stands_alone: object) -> Seen | None:
    """The text as a reader sees it; None if it is the same. `stands_alone` tells letters of scripts without spaces."""
    return _Page(text, stands_alone).see()  # type: ignore[arg-type]


class _Word(NamedTuple):
    """A word that only the page can decide."""

    places: list[int]
    line: int
    possible: set[str]
    own: str | None
    counts: bool
    part: str | None = None
    symbol: bool = False


class _Page:
    def __init__(self, text: str, stands_alone: object) -> None:
        self.text, self.alone = text, stands_alone
        self.out = list(text)
        self.circled = any(is_symbol(a) and is_symbol(b) for a, b in itertools.pairwise(text))
        self.letters = dict.fromkeys((*TARGETS, OTHER), 0)
        self.east_asian = self.restored = self.wide = 0
        self.sure: dict[int, set[str]] = {}
        self.disguising: set[str] = set()
        self.greek_for_latin = 0
        self.undecided: list[_Word] = []

    def see(self) -> Seen | None:
        at = 0
        while at < len(self.text):
            end = at
            while end < len(self.text) and self.continues(self.text[end]):
                end += 1
            if end > at:
                if end - at <= LONGEST:
                    self.word(at, end)
            else:
                end = self.single(at)
            at = end
        self.decide()
        if 2 * self.east_asian < sum(self.letters.values()):
            self.restored += self.wide
        seen = "".join(self.out)
        return None if seen == self.text else Seen(seen, self.restored)

    def continues(self, c: str) -> bool:
        if is_letter(c):
            return not self.alone(c)  # type: ignore[operator]
        return is_mark(c) or is_ignorable(c) or is_symbol(c)

    def single(self, at: int) -> int:
        """A letter of a script without spaces, and its marks; or a character of no word."""
        c = self.text[at]
        self.out[at] = plain(c)
        if not is_letter(c):
            return at + 1
        self.letters[OTHER] += 1
        self.east_asian += unicodedata.name(plain(c)).startswith(EAST_ASIAN)
        at += 1
        while at < len(self.text) and (
            is_mark(self.text[at]) or is_mark(plain(self.text[at])) or is_ignorable(self.text[at])
        ):
            self.out[at] = FILLER if is_ignorable(self.text[at]) else plain(self.text[at])
            at += 1
        return at

    def word(self, begin: int, end: int) -> None:
        text = self.text
        symbols = sum(is_symbol(text[i]) for i in range(begin, end))
        belong = [
            i
            for i in range(begin, end)
            if (is_letter(text[i]) or (is_symbol(text[i]) and (symbols > 1 or self.circled)))
            and not is_mark(plain(text[i]))
        ]
        if not belong:
            return
        first, last = belong[0], belong[-1]
        counts, wide, before = False, True, None
        places = []
        for i in range(begin, end):
            inside = first <= i <= last or (i > last and is_mark(text[i]))
            if is_ignorable(text[i]):
                self.out[i] = FILLER
                by_custom = text[i] in "\u200c\u200d" and before == OTHER
                if inside and self.out[i] != text[i] and not by_custom:
                    counts, wide = True, False
            elif inside:
                self.out[i] = plain(text[i])
                if self.out[i] != text[i]:
                    counts = True
                    wide = wide and 0xFF00 <= ord(text[i]) <= 0xFFEF
                if not is_mark(text[i]):
                    places.append(i)
                    before = script(self.out[i])
                    self.east_asian += unicodedata.name(self.out[i], "").startswith(EAST_ASIAN)
        counts = counts and len(places) > 1
        line = text.count("\n", 0, begin)
        sure = self.sure.setdefault(line, set())
        scripts = {script(self.out[i]) for i in places} - {None}
        lettered = [self.out[i] for i in places if script(self.out[i])]
        side_by_side = any(script(a) == script(b) == LATIN for a, b in itertools.pairwise(lettered))
        possible = {
            target
            for target in TARGETS
            if all(script(c) == target or (c, target) in look_alikes() for c in lettered)
            and (target == LATIN or (target in scripts and not side_by_side))
        }
        small_greek = [c for c in (*lettered[:1], *lettered[-1:]) if script(c) == GREEK and c.islower()]
        greek = [c for c in lettered if script(c) == GREEK]
        formula = (
            scripts == {LATIN, GREEK} and len(greek) == 1 and (small_greek or (greek[0], LATIN) not in look_alikes())
        )
        if scripts <= {LATIN}:
            self.letters[LATIN] += len(lettered)
            self.count(counts, wide)
        elif len(scripts) == 1:
            (own,) = scripts
            if LATIN not in possible or (len(places) == 1 and own not in (GREEK, CYRILLIC)):
                self.letters[own] += len(lettered)
                sure.add(own)
                self.count(counts, wide)
            else:
                symbol = len(places) == 1 and own == GREEK
                self.undecided.append(_Word(places, line, {LATIN}, own, counts, symbol=symbol))
        elif formula and LATIN in possible:
            self.undecided.append(_Word(places, line, {LATIN}, None, counts, symbol=True))
        elif not possible or formula:
            sure |= {script(c) for c in lettered if script(c) != LATIN and (c, LATIN) not in look_alikes()}
            self.count(counts, wide)
        elif len(possible) > 1:
            self.undecided.append(_Word(places, line, possible, None, counts))
        else:
            (target,) = possible
            runs = [each for each, _ in itertools.groupby(script(c) for c in lettered)]
            others = [each for each in runs if each != LATIN]
            if target == LATIN and len(runs) == 2 and others[0] in (GREEK, CYRILLIC):
                self.letters[LATIN] += len(lettered)
                sure.add(LATIN)
                self.undecided.append(_Word(places, line, possible, None, counts, others[0]))
                return
            self.disguising |= scripts - {target}
            self.greek_for_latin += target == LATIN and GREEK in scripts
            self.map(places, target)
            self.letters[target] += len(lettered)
            sure.add(target)
            self.count(len(places) > 1, False)

    def count(self, counts: bool, wide: bool) -> None:
        self.restored += counts and not wide
        self.wide += counts and wide

    def map(self, places: list[int], target: str) -> bool:
        before = [self.out[i] for i in places]
        for i in places:
            if script(self.out[i]) not in (None, target):
                self.out[i] = look_alikes().get((self.out[i], target), self.out[i])
        return before != [self.out[i] for i in places]

    def decide(self) -> None:
        page = max(self.letters, key=lambda each: self.letters[each])
        for word in self.undecided:
            if word.own is None and word.part != page and not word.symbol:
                scripts = {script(self.out[i]) for i in word.places} - {None}
                chosen = self.choose(word, page)
                self.disguising |= scripts - {chosen}
                self.greek_for_latin += chosen == LATIN and GREEK in scripts
        target: str | None
        for word in self.undecided:
            if word.symbol:
                many = self.greek_for_latin >= MANY
                target = LATIN if page == LATIN and many and GREEK not in self.sure[word.line] else None
            elif word.own is None:
                target = None if word.part == page else self.choose(word, page)
            else:
                disguised = page == LATIN and word.own in self.disguising and word.own not in self.sure[word.line]
                target = LATIN if disguised else None
            differs = target is not None and self.map(word.places, target)
            self.restored += word.counts or (differs and len(word.places) > 1)

    def choose(self, word: _Word, page: str) -> str:
        sure = self.sure[word.line] & word.possible - {LATIN}
        for each in (sure, {page} & word.possible, word.possible):
            if each:
                return next(target for target in TARGETS if target in each)
        raise AssertionError("a word can be of some script")
