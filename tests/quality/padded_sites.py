"""Thieves who hide little stolen text in much else, and innocents who look like them, made from real pages.

The stolen part of a thief is six paragraphs of six pages. Around it is 60, 70 or 80 % of the page: the template of the
site, before, around or between the paragraphs, or words drawn at random. The innocents are long pages that quote, and
originals below the same templates. What `planted_sites` says of its pages holds here, too.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from planted_pages import count_words, split_sentences
from planted_sites import HOLD, SitePlanter
from real_pages import Page

SHARES = (60, 70, 80)
STOLEN = 400
"""About so many words of a page are stolen."""
THIEVES = {
    **{f"template-{share}": f"a template of {share} % of the page before or around the paragraphs" for share in SHARES},
    **{f"woven-{share}": f"the same in pieces between the paragraphs, {share} %" for share in SHARES},
    "template-large": "a template of 80 % on a site of sixty pages, more than may share a gram",
    **{f"generated-{share}": f"random words before each paragraph, {share} % of the page" for share in SHARES},
}
INNOCENTS = {
    "quoting": "long pages with a template that quote four to six pages, up to a sixth of their own text",
    "quoting-near": "the same, and the quotations are on the matter of the page",
    "framed-quoting": "short pages below a template of more than half of the page that quote four pages",
    "framed-original": "originals below a template of more than half of the page, whose paragraphs others have",
}


class PaddedPlanter(SitePlanter):
    """Makes pages of each kind, on sites of eight pages that share a template."""

    def __init__(self, name: str, base: Sequence[Page], seed: int, count: int) -> None:
        super().__init__(name, base, seed, count)
        self.spaced = _has_spaces(" ".join(self.texts[:100]))
        self.vocabulary = [word for text in self.texts[:400] for word in _words(text[:2000])]
        self.frequency = Counter(word for _, text in self.standing for word in set(_words(text)))

    def generate(self, words: int) -> str:
        """Words drawn at random from many texts."""
        if self.spaced:
            return " ".join(self.rng.choices(self.vocabulary, k=words))
        return "".join(self.rng.choices(self.vocabulary, k=words // 2))

    def framed(self, kind: str, words: int, pages: int | None = None, *, woven: bool = False) -> None:
        """Stitched pages on sites with a template of so many words: all of it before the paragraphs, or a third behind
        them, or in pieces between them."""
        each = pages or 8
        for number in range((pages or self.count) // each):
            site, sentences = self.site(kind), split_sentences(self.say(words))
            for _ in range(each):
                parts = self.draw(6)
                cuts = [len(sentences) * at // 7 for at in range(8)] if woven else [0, *[len(sentences)] * 7]
                if number % 2 and not woven:
                    cuts = [0, *[len(sentences) * 2 // 3] * 6, len(sentences)]
                pieces = [" ".join(sentences[low:high]) for low, high in itertools.pairwise(cuts)]
                page = [piece for pair in zip(pieces, [*parts, ""], strict=True) for piece in pair if piece]
                self.add_padded(kind, site, "\n\n".join(page))

    def add_padded(self, kind: str, site: str, text: str) -> None:
        self.add(kind, site, text)
        stitched = True if kind in THIEVES else False if kind in INNOCENTS else None
        self.made[-1] = self.made[-1]._replace(stitched=stitched)

    def generated(self, share: int) -> None:
        for _ in range(self.count):
            parts = self.draw(6)
            padded = (f"{self.generate(count_words(each) * share // (100 - share))}\n\n{each}" for each in parts)
            self.add_padded(f"generated-{share}", self.site("generated"), "\n\n".join(padded))

    def quoting(self, *, near: bool) -> None:
        kind = "quoting-near" if near else "quoting"
        for _ in range(self.count // 8):
            site, menu = self.site(kind), self.say(200)
            for _ in range(8):
                count = self.rng.randint(4, 6)
                text = self.withdraw(40 * count * 5, 40 * count * 12)
                own = split_sentences(text)
                quoted = self.quote(text, count) if near else [_begin(each, 40) for each in self.draw(count, 30)]
                for place, each in enumerate(quoted, 1):
                    at = len(own) * place // (len(quoted) + 1)
                    own[at] = f"{own[at]}\n\n{each}\n\n"
                self.add_padded(kind, site, f"{menu}\n\n{' '.join(own)}")

    def quote(self, text: str, count: int) -> list[str]:
        """Of the passages of some pages, those with the most in common with a text."""
        rare = {word for word in _words(text) if self.frequency[word] < len(self.standing) / 10}
        offered = self.draw(80, 30)
        found = sorted(offered, key=lambda part: -len(rare & set(_words(part))))[:count]
        return [_begin(part, 40) for part in found]

    def framed_quoting(self) -> None:
        for _ in range(self.count // 8):
            site, menu = self.site("framed-quoting"), self.say(700)
            for _ in range(8):
                parts = (f"{self.say(50)} {_begin(each, 30)}" for each in self.draw(4, 25))
                self.add_padded("framed-quoting", site, f"{menu}\n\n" + "\n\n".join(parts) + self.say(40))

    def framed_original(self) -> None:
        originals = []
        for number in range(self.count // 8):
            site, menu = self.site("framed-original"), self.say(700 + 400 * (number % 2))
            for _ in range(8):
                originals.append(self.withdraw(300, 1000))
                self.add_padded("framed-original", site, f"{menu}\n\n{originals[-1]}")
        self._scatter(originals, 12)

    def plant(self) -> list[Page]:
        makers = (
            *(self.framed_original, lambda: self.quoting(near=False), lambda: self.quoting(near=True)),
            self.framed_quoting,
            *(lambda share=share: self.generated(share) for share in SHARES),
            *(
                lambda share=share, kind=kind, woven=woven: self.framed(
                    f"{kind}-{share}", STOLEN * share // (100 - share), woven=woven
                )
                for kind, woven in (("template", False), ("woven", True))
                for share in SHARES
            ),
            lambda: self.framed("template-large", STOLEN * 4, pages=self.count * 3 // 2),
        )
        for make in makers:
            there = len(self.made)
            try:
                make()
            except LookupError:
                del self.made[there:]  # a small corpus has no pages left for this kind
        standing = [
            Page(f"{self.name}/standing/{number}", f"http://{site}.example/{number}", text, None, None, "standing")
            for number, (site, text) in enumerate(self.standing)
        ]
        return [*standing, *self.made]


def _has_spaces(text: str) -> bool:
    return len(text.split()) * 12 > len(text)


def _begin(text: str, words: int) -> str:
    return " ".join(text.split(" ")[:words]) if _has_spaces(text) else text[:words]


def _words(text: str) -> list[str]:
    """Words; of a script without spaces, two characters at a time."""
    return text.split() if _has_spaces(text) else re.findall(r"\w\w", text)


def plant_padded(name: str, base: Sequence[Page], seed: int, count: int = HOLD) -> list[Page]:
    """A corpus in which every kind of padded thief and its innocents occur, as far as `base` has pages for them."""
    return PaddedPlanter(f"{name}-padded", base, seed, count).plant()
