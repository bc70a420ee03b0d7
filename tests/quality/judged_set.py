"""The judged set: real pages that were looked at, and planted ones, in one corpus; and what a verdict on it is worth.

Besides real pages, there are two crawls that a script makes, of a university and of a code of law, with all that such
sites repeat (`campus_pages.py`, `law_pages.py`); each is a corpus of its own.

Its parts are told apart, since limits that were chosen on one part have to hold on the others. Chosen on: PAN 2013 and
what was planted in it. Held back: Debian's manuals, Chinese articles and what was planted in these; Kafka's manual in
three versions, news, mails. Labels of real pages are in `quilt_labels.tsv`: whether a person calls the page stitched
together, and why. For PAN's texts it is known how they were made: the suspicious ones were put together from pages of
the web, not all of which are there, so they count for precision only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from planted_pages import count_words, plant, split_sentences
from real_pages import Page, read_articles, read_debian, read_kafka, read_mails, read_news, read_pan, read_wiki

LABELS = Path(__file__).with_name("quilt_labels.tsv")
CHOSEN_ON = ("pan", "in-pan")


class Judged(NamedTuple):
    """What a verdict got right and wrong, of pages whose truth is known."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def read_labels() -> dict[str, tuple[bool, str]]:
    """By id: whether the page is stitched together, and of which kind it is."""
    lines = LABELS.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {name: (verdict == "stitched", kind) for name, verdict, kind in rows}


def gather(seed: int = 12) -> list[Page]:
    """All pages of the judged set, real and planted; the same for the same seed."""
    rng = Random(seed)
    own = _own_sentences(rng)
    pan, debian, wiki = read_pan(), read_debian(), read_wiki()
    planted = [
        *[page for page in pan if page.stitched],
        *plant("in-pan", [page for page in pan if not page.stitched], own, rng),
        *plant("in-debian", debian, own, rng),
        *plant("in-wiki", wiki, own, rng),
    ]
    labels = read_labels()
    return [
        page._replace(stitched=labels[page.id][0], kind=labels[page.id][1]) if page.id in labels else page
        for page in (*planted, *read_kafka(), *read_news(), *read_mails())
    ]


def write(pages: Iterable[Page], path: Path) -> None:
    with path.open("w", encoding="utf-8") as lines:
        for page in pages:
            content = {"text": page.text} if page.html is None else {"html": page.html}
            lines.write(json.dumps({"id": page.id, "url": page.url} | content) + "\n")


def judge(pages: Iterable[Page], found: set[str]) -> Judged:
    right = wrong = missed = 0
    for page in pages:
        right += page.id in found and page.stitched is True
        wrong += page.id in found and page.stitched is False
        missed += page.id not in found and page.stitched is True and part_of(page) != "pan"
    return Judged(right, wrong, missed)


def part_of(page: Page) -> str:
    return page.id.split("/")[0]


def _own_sentences(rng: Random) -> Iterator[str]:
    sentences = (sentence for body in read_articles() for sentence in split_sentences(body))
    kept = list(dict.fromkeys(sentence for sentence in sentences if 8 <= count_words(sentence) <= 40))
    rng.shuffle(kept)
    return iter(kept)
