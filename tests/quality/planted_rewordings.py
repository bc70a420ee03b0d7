"""Thieves who change what they take, and innocents beside them, planted with all kinds of `planted_sites.py`.

They replace words with words of other pages, swap neighbouring words, put sentences into another order. Equal grams say
little of them, so they are for `--edits reworded`.
"""

from __future__ import annotations

from collections.abc import Sequence

from planted_pages import split_sentences
from planted_sites import HOLD, INNOCENTS, THIEVES, SitePlanter, begin
from real_pages import Page

REWORDING_THIEVES = {
    "reworded-8": "six paragraphs of six pages, one word in 8 replaced with a word of another page",
    "reworded-5": "one word in 5 replaced",
    "reworded-3": "one word in 3 replaced",
    "swapped": "of five words, two neighbours have changed places",
    "shuffled": "the sentences of each paragraph in another order",
    "shuffled-5": "the same, and one word in 5 replaced",
    "reworded-pool": "pages of one site, with one pool of paragraphs of which one word in 5 is replaced",
    "reworded-scraper": "pages on several domains that took the same originals apart, one word in 5 replaced",
}
REWORDED_INNOCENTS = {
    "reworded-original": "originals whose paragraphs are scattered over these pages",
    "retold": "whole articles, one word in 5 replaced, each on another site",
    "reworded-post": "posts of a blog, which were scattered so",
    "reworded-archive": "pages of such a blog that list posts, whole or shortened",
    "reworded-forum": "threads that quote earlier posts of the thread, and reworded passages of other sites",
}
ALL_THIEVES = THIEVES | REWORDING_THIEVES
ALL_INNOCENTS = INNOCENTS | REWORDED_INNOCENTS


class RewordingPlanter(SitePlanter):
    """Plants rewording thieves beside the others."""

    def __init__(self, name: str, base: Sequence[Page], seed: int, count: int = HOLD) -> None:
        super().__init__(name, base, seed, count)
        texts = [text for _, text in self.standing]
        self.spaced = sum(len(text.split()) for text in texts) * 12 > sum(map(len, texts))
        self.words = [word for text in texts[:200] for word in self.split(text) if word.isalpha()]

    def split(self, text: str) -> list[str]:
        """Words; of a script without spaces, characters."""
        return text.split() if self.spaced else [letter for letter in text if not letter.isspace()]

    def join(self, words: Sequence[str]) -> str:
        return (" " if self.spaced else "").join(words)

    def reword(self, text: str, every: int) -> str:
        """One word in so many replaced, anywhere among these."""
        words = self.split(text)
        for first in range(0, len(words) - every + 1, every):
            words[first + self.rng.randrange(every)] = self.rng.choice(self.words)
        return self.join(words)

    def swap(self, text: str) -> str:
        words = self.split(text)
        for first in range(0, len(words) - 4, 5):
            at = first + self.rng.randrange(4)
            words[at], words[at + 1] = words[at + 1], words[at]
        return self.join(words)

    def shuffle(self, text: str) -> str:
        sentences = split_sentences(text)
        self.rng.shuffle(sentences)
        return " ".join(sentences)

    def rewording(self) -> None:
        """Lone pages of six paragraphs of six pages."""
        changes = {
            "reworded-8": lambda text: self.reword(text, 8),
            "reworded-5": lambda text: self.reword(text, 5),
            "reworded-3": lambda text: self.reword(text, 3),
            "swapped": self.swap,
            "shuffled": self.shuffle,
            "shuffled-5": lambda text: self.reword(self.shuffle(text), 5),
        }
        for kind, change in changes.items():
            for _ in range(self.count):
                self.add(kind, self.site("reworded"), "\n\n".join(map(change, self.draw(6))))

    def reworded_pool(self) -> None:
        pages = 2 * self.count
        pool = [self.reword(part, 5) for part in self.draw(pages * 6 // 4)]
        self._farm("reworded-pool", pages, pool, [self.site("farm")])

    def reworded_scraper(self) -> None:
        originals = [self.withdraw(300) for _ in range(self.count // 2)]
        for text in originals:
            self.add("reworded-original", self.site("original"), text)
        self._scatter_reworded(originals)

    def _scatter_reworded(self, originals: Sequence[str]) -> None:
        passages = [self.passages(text, 30) for text in originals]
        changed = ["\n".join(self.reword(part, 5) for part in parts) for parts in passages]
        before = len(self.made)
        self._scatter(changed, 8, "reworded-scraper")
        assert len(self.made) > before

    def retold(self) -> None:
        for _ in range(self.count // 2):
            text = self.withdraw(200, 3000)
            self.add("base", self.site("news"), text)
            self.add("retold", self.site("retold"), self.reword(text, 5))

    def reworded_archive(self) -> None:
        for _ in range(2):
            site, posts = self.site("blog"), [self.withdraw(150, 1500) for _ in range(12)]
            for post in posts:
                self.add("reworded-post", site, post)
            for first in range(0, 12, 4):
                self.add("reworded-archive", site, "\n\n".join(posts[first : first + 4]))
                self.add("reworded-archive", site, "\n\n".join(begin(post, 60) for post in posts[first : first + 4]))
            self.add("reworded-archive", site, "\n\n".join(begin(post, 50) for post in posts))
            self._scatter_reworded(posts)

    def reworded_forum(self) -> None:
        for _ in range(self.count // 2):
            posts = [self.say(60) for _ in range(4)]
            quoted = [f"> {begin(post, 30)}\n{self.say(40)}" for post in posts]
            cut = [self.join(self.split(each)[:60]) for each in self.draw(4, least=40)]
            cited = [f"{self.reword(each, 5)}\n{self.say(70)}" for each in cut]
            page = "\n\n".join((*posts, *quoted, *cited))
            # What is left of own text may be long names, which count as many words there.
            if 3 * len(self.split(page)) > 10 * sum(len(self.split(each)) for each in cut):
                self.add("reworded-forum", self.site("forum"), page)

    def plant(self) -> list[Page]:
        """All kinds of `planted_sites.py`, and then these."""
        pages = super().plant()
        before = len(self.made)
        makers = (self.reworded_scraper, self.retold, self.reworded_archive, self.rewording, self.reworded_pool)
        for make in (*makers, self.reworded_forum):
            try:
                make()
            except LookupError:
                continue  # a small corpus has no pages left for this kind
        return pages + self.made[before:]


def plant_rewordings(name: str, base: Sequence[Page], seed: int, count: int = HOLD) -> list[Page]:
    """A corpus in which every kind of thief and innocent occurs, as far as `base` has pages for it."""
    return RewordingPlanter(name, base, seed, count).plant()
