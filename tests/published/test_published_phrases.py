"""`neardups --family rabin` and `phrases` with the options of docs/deviations.md against the text of the paper
(Fetterly, Manasse and Najork, SIGIR 2005), by an oracle of its own: Rabin fingerprints by long division, runs of 14
shingles compared as they are, covering sets by trying every page. Only which primitive polynomials are drawn is asked
of the package: the paper does not say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from published_rows import options, run

from unquilt._native import polynomials

pytestmark = pytest.mark.slow
PAPER = "Near-duplicates and phrases"
RABIN = options(PAPER, "84 Rabin fingerprints")
SAMPLE = options(PAPER, "covering sets of samples")
FOREIGN = options(PAPER, "pages of another domain")
PREFER = options(PAPER, "in one data set, pages")
K, RUN, POPULAR, LEAST = 5, 14, 5, 30
Shingles = tuple[int, ...]


class Page(NamedTuple):
    host: str
    domain: str
    ip: str
    words: tuple[str, ...]

    @property
    def row(self) -> dict[str, str]:
        return {"url": f"http://{self.host}/", "ip": self.ip, "text": " ".join(self.words)}


@cache
def divide(polynomial: int) -> list[int]:
    """What the eight bits above x^63 leave."""
    table = []
    for top in range(256):
        rest = top
        for _ in range(64):
            rest <<= 1
            if rest >> 64:
                rest ^= 1 << 64 | polynomial
        table.append(rest)
    return table


def fingerprint(data: bytes, polynomial: int) -> int:
    """The bits behind a 1 and before 64 zeros, modulo the polynomial."""
    table, rest = divide(polynomial), 1
    for byte in data + bytes(8):
        rest = (rest << 8 & 2**64 - 1 | byte) ^ table[rest >> 56]
    return rest


def pack(number: int) -> bytes:
    return number.to_bytes(8, "big")


def shingle(words: tuple[str, ...]) -> Shingles:
    """Of each of 84 functions the least fingerprint of a circular five-word phrase, and it tells the phrase."""
    by_word, by_phrase, *functions = polynomials(0, 86)
    tokens = [pack(fingerprint(word.encode(), by_word)) for word in words]
    phrases = {b"".join(tokens[(at + step) % len(tokens)] for step in range(K)) for at in range(len(tokens))}
    prints = [pack(fingerprint(phrase, by_phrase)) for phrase in phrases]
    return tuple(min(fingerprint(each, function) for each in prints) for function in functions)


def cluster(shingles: list[Shingles]) -> list[int]:
    """The lowest document of the class of each: the closure of "at least two of six runs of 14 shingles agree"."""
    lowest = list(range(len(shingles)))
    for doc, mine in enumerate(shingles):
        for other in range(doc):
            agree = sum(mine[at : at + RUN] == shingles[other][at : at + RUN] for at in range(0, len(mine), RUN))
            if agree >= 2 and lowest[doc] != lowest[other]:
                joined = {lowest[doc], lowest[other]}
                lowest = [min(joined) if each in joined else each for each in lowest]
    return lowest


def draw_near(seed: int) -> list[Page]:
    """Pages of a hundred words, and copies with one to three of them changed."""
    random = Random(seed)
    pages = []
    for number in range(9):
        words = [f"w{number}x{at}" for at in range(100)]
        for copy in range(4):
            changed = list(words)
            for at in random.sample(range(100), copy):
                changed[at] = f"c{number}x{copy}x{at}"
            pages.append(Page("a.example", "a.example", "10.0.0.1", tuple(changed)))
    random.shuffle(pages)
    return pages


def test_near_duplicates(tmp_path: Path) -> None:
    """Six in seven of these pairs agree in less than two runs: which ones, only the published functions say."""
    found, others = 0, 0
    for seed in range(2):
        pages = draw_near(seed)
        lowest = cluster([shingle(page.words) for page in pages])
        sizes = Counter(lowest)
        expected = {(doc, low) for doc, low in enumerate(lowest) if sizes[low] > 1}
        for given, same in ((RABIN, True), ([], False)):
            made = run(tmp_path, "neardups", [page.row for page in pages], *given)
            clusters = {(row["doc"], row["cluster"]) for row in made.clusters.to_pylist()}
            assert clusters == expected or not same
            others += clusters != expected
        found += len(expected)
    assert 0 < found < 72
    assert others, "our own functions take others for near-duplicates"


def draw_phrases(seed: int) -> list[Page]:
    """Pages stitched together from sentences that many have, on hosts of several domains and addresses."""
    random = Random(seed)
    stock = [tuple(f"s{number}x{at}" for at in range(12)) for number in range(14)]
    pages = []
    for number in range(70):
        domain = f"d{random.randrange(12)}.example"
        host = f"h{random.randrange(2)}.{domain}"
        words: list[str] = []
        for sentence in random.sample(stock, random.randint(2, 5)):
            words += [*sentence, f"own{number}x{len(words)}"]
        pages.append(Page(host, domain, f"10.0.{random.randrange(9)}.1", tuple(words)))
    return pages


Cover = tuple[list[tuple[int, int, int]], int]
"""Sources, each with the shingles that it adds and those that it has, and the foreign contribution."""


def cover(
    doc: int,
    pages: list[Page],
    popular: dict[int, set[tuple[int, int]]],
    candidates: Iterable[int] | None = None,
    preferred: Container[int] = (),
) -> Cover:
    """Greedy. Pages of the same domain, or of an address from which the page might have been retrieved, come when no
    others have any of what is uncovered. Candidates are pages with other special properties, or such pages are
    preferred to those with a greater number of matching shingles."""
    addresses = defaultdict(set)
    for page in pages:
        addresses[page.host].add(page.ip)

    def is_elsewhere(other: int) -> bool:
        return not addresses[pages[doc].host] & addresses[pages[other].host]

    def is_foreign(other: int) -> bool:
        return pages[doc].domain != pages[other].domain and is_elsewhere(other)

    mine, picked = popular[doc], []
    left = set(mine)
    able = popular.keys() - {doc} if candidates is None else {*candidates} & popular.keys() - {doc}
    held = {other: mine & popular[other] for other in able}
    while useful := [other for other in held if held[other] & left]:
        best = max(useful, key=lambda o: (is_foreign(o), o in preferred, len(held[o] & left), len(held[o]), -o))
        picked.append((best, len(held[best] & left), len(held[best])))
        left -= held[best]
    foreign = set().union(*(held[source] for source, _, _ in picked if is_elsewhere(source)))
    return picked, len(foreign)


@pytest.mark.parametrize("sample", ["counts", "uniform"])
def test_covering_sets(tmp_path: Path, sample: str) -> None:
    """Of a sample of pages with at least 30 popular shingles; near-duplicates are left out first."""
    pages = draw_phrases(1)
    shingles = [shingle(page.words) for page in pages]
    lowest = cluster(shingles)
    kept = [doc for doc in range(len(pages)) if lowest[doc] == doc]
    df = Counter((i, s) for doc in kept for i, s in enumerate(shingles[doc]))
    popular = {doc: {(i, s) for i, s in enumerate(shingles[doc]) if df[i, s] >= POPULAR} for doc in kept}
    asked = [*SAMPLE[:-1], sample, "--sample-size", "5", *RABIN, *FOREIGN]
    made = run(tmp_path, "phrases", [page.row for page in pages], *asked)

    counts = {row["doc"]: row["popular"] for row in made.document_phrases.to_pylist()}
    assert counts == {doc: len(found) for doc, found in popular.items()}
    sources: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row in made.cover_sources.to_pylist():
        sources[row["doc"]].append((row["source"], row["new_shingles"], row["all_shingles"]))
    drawn = {row["doc"]: (sources[row["doc"]], row["foreign_contribution"]) for row in made.covers.to_pylist()}
    assert drawn == {doc: cover(doc, pages, popular) for doc in drawn}
    able = Counter(len(found) for found in popular.values() if len(found) >= LEAST)
    wanted = {count: min(5, number) for count, number in able.items()} if sample == "counts" else {}
    assert len(drawn) == (sum(wanted.values()) if wanted else 5)
    if wanted:
        assert Counter(counts[doc] for doc in drawn) == wanted


@pytest.mark.parametrize("which", ["prefer", "candidates"])
def test_pages_that_were_held_complete(tmp_path: Path, which: str) -> None:
    """They are preferred as sources, or the only ones."""
    pages = draw_phrases(3)
    complete = {doc for doc in range(len(pages)) if doc % 3}
    shingles = [shingle(page.words) for page in pages]
    lowest = cluster(shingles)
    kept = [doc for doc in range(len(pages)) if lowest[doc] == doc]
    df = Counter((i, s) for doc in kept for i, s in enumerate(shingles[doc]))
    popular = {doc: {(i, s) for i, s in enumerate(shingles[doc]) if df[i, s] >= POPULAR} for doc in kept}
    rows = [page.row | {"complete": doc in complete} for doc, page in enumerate(pages)]
    asked = [f"--{which}", "complete"]
    assert PREFER[0] == "--prefer"
    made = run(tmp_path, "phrases", rows, *asked, *SAMPLE[:-1], "uniform", "--sample-size", "20", *RABIN, *FOREIGN)
    sources: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row in made.cover_sources.to_pylist():
        sources[row["doc"]].append((row["source"], row["new_shingles"], row["all_shingles"]))
    drawn = {row["doc"]: (sources[row["doc"]], row["foreign_contribution"]) for row in made.covers.to_pylist()}
    only = None if which == "prefer" else complete
    assert drawn == {doc: cover(doc, pages, popular, only, complete) for doc in drawn}
    assert drawn != {doc: cover(doc, pages, popular) for doc in drawn}
    assert len(drawn) == 20


def test_sites_are_hosts_or_addresses(tmp_path: Path) -> None:
    """Mean and deviation of popular shingles by site, which the paper has by host name and by address."""
    pages = draw_phrases(2)
    rows = [page.row for page in pages]
    for site, name in (("ip", lambda page: page.ip), ("host", lambda page: page.host)):
        made = run(tmp_path, "phrases", rows, *RABIN, "--site", site, "--min-pages", "3")
        counts = {row["doc"]: row["popular"] for row in made.document_phrases.to_pylist()}
        by_site = defaultdict(list)
        for doc, count in counts.items():
            by_site[name(pages[doc])].append(count)
        found = {row["site"]: row for row in made.hosts.to_pylist()}
        assert found.keys() == {each for each, numbers in by_site.items() if len(numbers) >= 3}
        for each, row in found.items():
            mean = sum(by_site[each]) / len(by_site[each])
            variance = sum((count - mean) ** 2 for count in by_site[each]) / len(by_site[each])
            assert row["mean"] == pytest.approx(mean, abs=1e-4)
            assert row["deviation"] == pytest.approx(variance**0.5, abs=1e-4)
