"""Passages planted into other pages after their words were changed: what alignment sees in other languages.

`python -m benchmarks.planted` prints a table. German and French pages are those of Debian's installation guide (one
architecture), Chinese ones the shared sample of Wikipedia. Of a page, a passage of 120 words (Chinese: 200 characters)
is changed and put between two lines of another page; how common words are is counted in all pages of the language.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import sys
from collections.abc import Callable, Sequence
from random import Random

import pyarrow as pa

import unquilt
from benchmarks.debian import SHARED, debian
from unquilt.results.measures import Case, PassageSpans, measure

GUIDE = re.compile(r"installation-guide-amd64/(de|fr)/")
PAIRS = 150
SHARES = (0.1, 0.3, 0.5)
Change = Callable[[list[str], float, Sequence[str], Random], list[str]]


def delete(words: list[str], share: float, _: Sequence[str], random: Random) -> list[str]:
    """Leave words out."""
    return [word for word in words if random.random() >= share]


def insert(words: list[str], share: float, others: Sequence[str], random: Random) -> list[str]:
    """Put words of other pages between them."""
    return [each for word in words for each in ((word, random.choice(others)) if random.random() < share else (word,))]


def replace(words: list[str], share: float, others: Sequence[str], random: Random) -> list[str]:
    """Put words of other pages in their place."""
    return [random.choice(others) if random.random() < share else word for word in words]


def swap(words: list[str], share: float, _: Sequence[str], random: Random) -> list[str]:
    """Exchange words with others up to ten words away."""
    changed = list(words)
    for at in range(len(changed)):
        if random.random() < share:
            other = min(len(changed) - 1, at + random.randint(1, 10))
            changed[at], changed[other] = changed[other], changed[at]
    return changed


CHANGES: dict[str, Change] = {"deleted": delete, "inserted": insert, "replaced": replace, "swapped": swap}


def read_pages() -> dict[str, list[str]]:
    """Texts of German, French and Chinese pages."""
    rows: dict[str, list[dict[str, str]]] = {"de": [], "fr": []}
    with gzip.open(debian("medium"), "rb") as lines:
        for line in lines:
            page = json.loads(line)
            if found := GUIDE.search(page["id"]):
                rows[found[1]].append({"id": page["id"], "url": page["url"], "html": page["html"]})
    texts = {}
    for language, pages in rows.items():
        corpus = unquilt.ingest(pa.Table.from_pylist(pages))
        texts[language] = corpus.table("documents", columns=["text"]).column("text").to_pylist()
    with lzma.open(SHARED / "zh-wiki-sample.jsonl.xz", "rt", encoding="utf-8") as lines:
        texts["zh"] = [json.loads(line)["text"] for line in lines]
    return texts


def cut(text: str, language: str) -> tuple[list[str], str]:
    """Words, or characters, and what stands between them."""
    return (list(text), "") if language == "zh" else (text.split(), " ")


def plant(
    texts: Sequence[str], language: str, change: Change, share: float, random: Random
) -> list[tuple[str, str, PassageSpans]]:
    """Pairs of texts, and where the passage is in both."""
    length = 200 if language == "zh" else 120
    cuts = [(text, cut(text, language)[0]) for text in texts]
    usable = [(text, words) for text, words in cuts if len(words) > 2 * length]
    planted = []
    for _ in range(PAIRS):
        (a, _own), (_source, words), (_other, others) = random.sample(usable, 3)
        begin = random.randrange(len(words) - length)
        joiner = cut("", language)[1]
        taken = words[begin : begin + length]
        source, new = joiner.join(words), joiner.join(change(taken, share, others, random))
        at = len(joiner.join(words[:begin])) + (len(joiner) if begin else 0)
        places = [match.end() for match in re.finditer(r"\n", a)] or [0]
        place = random.choice(places)
        suspicious = f"{a[:place]}{new}\n{a[place:]}"
        planted.append((suspicious, source, PassageSpans(place, place + len(new), at, at + len(joiner.join(taken)))))
    return planted


def main() -> None:
    """Prints plagdet for each language, change and share."""
    pages = read_pages()
    heads = " | ".join(f"{share:.0%}" for share in SHARES)
    sys.stdout.write(f"| language | words | {heads} |\n| --- | --- |{' ---: |' * len(SHARES)}\n")
    for language, texts in pages.items():
        rates = unquilt.StemRates.count(texts)
        for name, change in CHANGES.items():
            shown = []
            for share in SHARES:
                planted = plant(texts, language, change, share, Random(1))
                cases = []
                for a, b, known in planted:
                    found = unquilt.align(a, b, rates=rates)
                    cases.append(Case([known], [PassageSpans(*each[:4]) for each in found]))
                shown.append(f"{measure(cases).plagdet:.2f}")
            sys.stdout.write(f"| {language} | {name} | {' | '.join(shown)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
