"""Small corpora drawn at random, full of ties and copies, and many of them packed into one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pyarrow as pa
from twin import Document, Found, common_words

SEPARATORS = (" ", "  ", "\n", ", ", " - ", "_", ".\n\n", "!?")
LETTERS = ("a", "A", "b", "c", "é", "e\u0301", "É", "ß", "ss", "SS", "x", "y")  # seven words, twelve spellings


def draw_corpus(random: Random, number: int) -> list[Document]:
    """A small corpus full of ties, copies and repetitions. All of its words, hosts and addresses bear its number."""
    letters = random.sample(LETTERS, random.randint(1, len(LETTERS)))
    spellings = [f"{letter}{number}" for letter in letters]
    texts: list[list[str]] = []
    for _ in range(random.randint(1, 12)):
        texts.append(_draw_words(random, spellings, texts))
    documents = [_draw_document(random, number, place, words) for place, words in enumerate(texts)]
    return _draw_links(Random(number), documents)


def _draw_words(random: Random, spellings: Sequence[str], earlier: Sequence[Sequence[str]]) -> list[str]:
    """Some words: at random, those of an earlier document, or passages stitched together."""
    how = random.random()
    if how < 0.4 or not earlier:
        return [random.choice(spellings) for _ in range(random.choice((0, 1, 2, 3, 5, 8, 13, 21)))]
    if how < 0.55:
        return [word.upper() for word in random.choice(earlier)]
    passages = (random.choice(earlier) for _ in range(random.randint(1, 4)))
    return [word for words in passages for word in words[random.randint(0, 4) : random.randint(4, 15)]]


def _draw_document(random: Random, number: int, place: int, words: Sequence[str]) -> Document:
    domain = f"d{random.randint(0, 2)}n{number}.com"
    host = f"{random.choice(('', 'a.', 'b.'))}{domain}"
    nowhere = random.random() < 0.15
    ip = None if random.random() < 0.4 else f"10.{number >> 8}.{number & 255}.{random.randint(0, 3)}"
    separator = random.choice(SEPARATORS)
    return Document(
        id=f"{number}/{place}",
        url=None if nowhere else f"http://{host}/{place}",
        host=None if nowhere else host,
        domain=None if nowhere else domain,
        ip=ip,
        text=random.choice(("", separator)) + separator.join(words),
    )


def _draw_links(random: Random, documents: Sequence[Document]) -> list[Document]:
    """The documents with some links: to each other under any of their names, to their sites, and elsewhere."""
    urls = [document.url for document in documents if document.url]
    urls = urls + [url.replace("http", "https") + "/#top" for url in urls] + [f"{url}0?" for url in urls]
    urls += [url.replace("//", "//www.") for url in urls] + ["http://elsewhere.com/"]
    some = random.choice((0, 0, 1, 2, 5))
    return [document._replace(links=tuple(random.sample(urls, min(some, len(urls))))) for document in documents]


@dataclass(frozen=True)
class Packed:
    """Many small corpora that have no word, host or address in common, dealt into one, each in its order."""

    corpora: Sequence[Sequence[Document]]
    places: Sequence[tuple[int, int]]
    """Of each document of the whole: its corpus, and its number there."""

    @classmethod
    def of(cls, corpora: Sequence[Sequence[Document]], random: Random) -> Packed:
        deal = [number for number, corpus in enumerate(corpora) for _ in corpus]
        random.shuffle(deal)
        counters = [itertools.count() for _ in corpora]
        return cls(corpora, [(number, next(counters[number])) for number in deal])

    def table(self) -> pa.Table:
        return as_table([self.corpora[number][place] for number, place in self.places])

    def common_words(self) -> set[str]:
        """The common words of the whole."""
        return common_words([self.corpora[number][place].text for number, place in self.places])

    def split(self, found: Found) -> list[Found]:
        """What was found in each corpus, in its own numbers."""
        parts = [Found([], [], [], [], []) for _ in self.corpora]
        for doc, *rest in found.quilts:
            number, place = self.places[doc]
            parts[number].quilts.append((place, *rest))
        for quilt, rank, source, *others in found.sources:
            number, place = self.places[quilt]
            assert self.places[source][0] == number
            parts[number].sources.append((place, rank, self.places[source][1], *others))
        for quilt, begin, end, source, *rest in found.patches:
            number, place = self.places[quilt]
            assert self.places[source][0] == number
            parts[number].patches.append((place, begin, end, self.places[source][1], *rest))
        for doc, cluster, keep in found.clusters:
            number, place = self.places[doc]
            assert self.places[cluster][0] == number
            parts[number].clusters.append((place, self.places[cluster][1], keep))
        for doc, *verdict in found.verdicts:
            number, place = self.places[doc]
            parts[number].verdicts.append((place, *verdict))
        return parts


def as_table(corpus: Sequence[Document]) -> pa.Table:
    columns = ("id", "url", "ip", "text")
    strings = {name: pa.array([getattr(d, name) for d in corpus], pa.string()) for name in columns}
    return pa.table(strings | {"links": pa.array([d.links for d in corpus], pa.list_(pa.string()))})
