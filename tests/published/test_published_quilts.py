"""`quilts --as-published` against the text of the paper (Najork, SIGIR 2012), by an oracle of its own; and that each
row of docs/deviations.md names what makes the difference: with the options of all rows, quilts and their sources are
the published ones; without those of one row, they are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from published_rows import options, run

pytestmark = pytest.mark.slow
PAPER = "Quilts"
ROWS = {
    "any other page": options(PAPER, "any other page"),
    "σ is held against": options(PAPER, "σ is held against"),
    "every page is a document": options(PAPER, "every page is a document"),
    "a source may add a single gram": options(PAPER, "a source may add a single gram"),
    "quilts are told by": options(PAPER, "quilts are told by"),
    "all pages are sources alike": options(PAPER, "all pages are sources alike"),
}
K, M, C, SIGMA = 5, 50, 4, 0.5
Quilts = dict[int, list[int]]
"""Documents, each with its sources in the order in which they were picked."""


class Page(NamedTuple):
    domain: str
    ip: str
    words: list[str]

    @property
    def row(self) -> dict[str, str]:
        return {"url": f"http://www.{self.domain}/", "ip": self.ip, "text": " ".join(self.words)}


def draw(seed: int) -> list[Page]:
    """Originals; pages stitched together from pieces of them, some with a word changed; copies, and copies of
    quilts."""
    random = Random(seed)
    fresh: Iterator[str] = (f"w{number}" for number in range(10**9))

    def page(words: list[str]) -> Page:
        site = random.randrange(14)
        return Page(f"site{site}.example", f"10.0.0.{site % 11}", words)

    def piece(pages: list[Page], least: int, most: int) -> list[str]:
        words = random.choice(pages).words
        length = min(len(words), random.randint(least, most))
        begin = random.randrange(len(words) - length + 1)
        return words[begin : begin + length]

    originals = [page([next(fresh) for _ in range(random.randint(40, 120))]) for _ in range(24)]
    stitched: list[Page] = []
    for number in range(16):
        words: list[str] = []
        for _ in range(random.randint(3, 7)):
            added = piece(originals + stitched if number % 4 == 0 else originals, 6, 30)
            if number % 3 == 1:
                added[len(added) // 2] = next(fresh)
            words += added + [next(fresh) for _ in range(random.randint(0, 9 if number % 2 else 25))]
        stitched.append(page(words))
    copies = [page(list(random.choice(originals + stitched).words)) for _ in range(6)]
    lists = [page([word for each in random.sample(originals, 5) for word in each.words]) for _ in range(2)]
    pages = originals + stitched + copies + lists
    random.shuffle(pages)
    return pages


def find(pages: list[Page], foreign: Callable[[Page, Page], bool]) -> Quilts:
    """d is quilted iff patchfrac(d) >= σ and |sources(d)| >= c. Of sources that are equally good by the paper, that
    with more patch grams, then the first."""
    grams = [{tuple(page.words[at : at + K]) for at in range(len(page.words) - K + 1)} for page in pages]
    docs: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for doc, found in enumerate(grams):
        for gram in found:
            docs[gram].add(doc)
    quilts = {}
    for doc, page in enumerate(pages):
        patch = {gram for gram in grams[doc] if 1 < len(docs[gram]) <= M}
        held = {
            other: patch & grams[other]
            for other in range(len(pages))
            if other != doc and foreign(page, pages[other]) and patch & grams[other]
        }
        missing, sources = set().union(*held.values()), []
        while missing:
            best = max(held, key=lambda other: (len(held[other] & missing), len(held[other]), -other))
            missing -= held[best]
            sources.append(best)
        if grams[doc] and len(patch) / len(grams[doc]) >= SIGMA and len(sources) >= C:
            quilts[doc] = sources
    return quilts


def read(folder: Path, pages: list[Page], *given: str) -> Quilts:
    made = run(folder, "quilts", [page.row for page in pages], *given)
    found: Quilts = {doc: [] for doc in made.quilts["doc"].to_pylist()}
    for row in made.sources.to_pylist():
        if row["quilt"] in found:
            found[row["quilt"]].append(row["source"])
    return found


EVERYTHING = [word for words in ROWS.values() for word in words]


def test_as_published(tmp_path: Path) -> None:
    """`--as-published` is what the rows say, and that is the paper's."""
    found = 0
    for seed in range(6):
        pages = draw(seed)
        expected = find(pages, lambda _, __: True)
        assert read(tmp_path, pages, "--as-published") == expected, seed
        assert read(tmp_path, pages, *EVERYTHING) == expected, seed
        found += len(expected)
    assert found > 30


ADDRESS = options(PAPER, "a server by IP")
REFINED = {
    "domain": lambda one, other: one.domain != other.domain,
    "ip": lambda one, other: one.ip != other.ip,
}


@pytest.mark.parametrize("foreign", REFINED)
def test_refinements(tmp_path: Path, foreign: str) -> None:
    """Sources of another domain, or of another canonical address: each host has one address here."""
    others = 0
    for seed in range(6):
        pages = draw(seed)
        expected = find(pages, REFINED[foreign])
        assert read(tmp_path, pages, *ADDRESS[:-1], foreign) == expected, seed
        others += expected != find(pages, lambda _, __: True)
    assert others


@pytest.mark.parametrize("row", ROWS)
def test_a_row_makes_a_difference(tmp_path: Path, row: str) -> None:
    """Without its options quilts are others: these options are what the row is about."""
    others = [word for name, words in ROWS.items() if name != row for word in words]
    for seed in range(20):
        pages = draw(seed)
        if read(tmp_path, pages, *others) != find(pages, lambda _, __: True):
            return
    raise AssertionError(f"{row}: nothing changes without {ROWS[row]}")
