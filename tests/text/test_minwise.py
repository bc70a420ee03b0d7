"""Sketches find near-duplicates as often as the theory says: both families, on real twins and on planted edits.

With J the Jaccard coefficient of two texts' circular k-grams, a shingle agrees with probability J, a super-fingerprint
with q = J^14, and two of six with 1-(1-q)^6-6q(1-q)^5 (docs/definitions.md 3.2). What is found of many pairs is
held against the sum of their probabilities, to within four standard deviations. Pairs of one corpus share text, so
under one seed they are found or missed together; each pair therefore gets a seed, and functions, of its own.
"""

from __future__ import annotations

import itertools
import math
import random
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from snapshots import Snapshots

import unquilt
from unquilt._native import decode, extract, shingles, supers

DATA = Path(__file__).parents[3] / "shared" / "data"
ARTICLES = DATA / "minhash-articles.tar.xz"
KAFKA = DATA / "kafka-docs.tar.xz"
FAMILIES = ("fast", "rabin")
SHINGLES, RUN = 84, 14
ALLOWED = 4.0
"""Standard deviations: one in 16,000 by chance, and the seeds are fixed."""


class Pair(NamedTuple):
    a: str
    b: str
    jaccard: float


def curve(jaccard: float) -> float:
    q = jaccard**RUN
    return 1 - (1 - q) ** 6 - 6 * q * (1 - q) ** 5


def jaccard(a: str, b: str, k: int = 5) -> float:
    one, two = (set(unquilt.grams(text, k, circular=True)) for text in (a, b))
    return len(one & two) / len(one | two)


class Tally:
    """How far what happened is from what was to be expected, in standard deviations."""

    def __init__(self) -> None:
        self.excess = self.variance = 0.0

    def add(self, happened: float, expected: float, variance: float) -> None:
        self.excess += happened - expected
        self.variance += variance

    @property
    def deviations(self) -> float:
        return self.excess / math.sqrt(self.variance) if self.variance else 0.0


class Held:
    """Tallies of shingles that agree, of the spread of their number, and of pairs found."""

    def __init__(self) -> None:
        self.agreeing, self.found = Tally(), Tally()
        self.squares: list[float] = []

    def add(self, pair: Pair, family: str, seed: int, k: int = 5) -> None:
        one, two = shingles(pair.a, family, seed, k), shingles(pair.b, family, seed, k)
        assert one is not None
        assert two is not None
        agree = [x == y for x, y in zip(one, two, strict=True)]
        expected, variance = SHINGLES * pair.jaccard, SHINGLES * pair.jaccard * (1 - pair.jaccard)
        self.agreeing.add(sum(agree), expected, variance)
        if variance:
            self.squares.append((sum(agree) - expected) ** 2 / variance)
        runs = sum(all(agree[i : i + RUN]) for i in range(0, SHINGLES, RUN))
        chance = curve(pair.jaccard)
        self.found.add(runs >= 2, chance, chance * (1 - chance))

    def check(self) -> None:
        assert abs(self.agreeing.deviations) <= ALLOWED
        assert abs(self.found.deviations) <= ALLOWED
        # Functions that agree together more often than chance would spread their number, whatever its mean.
        spread = sum(self.squares) / len(self.squares)
        mean_square = sum(square**2 for square in self.squares) / len(self.squares)
        assert abs(spread - 1) <= ALLOWED * math.sqrt((mean_square - spread**2) / len(self.squares))


def read_tar(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path) as tar:
        for member in tar:
            if (file := tar.extractfile(member)) is not None:
                yield member.name, file.read()


@cache
def kafka_twins() -> list[Pair]:
    """Pages of the same path in two versions, different but not wholly; in random order."""
    versions: dict[str, list[str]] = defaultdict(list)
    for name, raw in read_tar(KAFKA):
        if name.endswith(".html"):
            versions[name.partition("/")[2]].append(extract(decode(raw, None, True)[0])[0].decode())
    twins = [both for texts in versions.values() for both in itertools.combinations(texts, 2) if all(both)]
    random.Random(1).shuffle(twins)
    pairs = (Pair(a, b, jaccard(a, b)) for a, b in twins)
    return [pair for pair in pairs if 0 < pair.jaccard < 1]


@pytest.mark.slow
@pytest.mark.skipif(not KAFKA.exists(), reason="kafka-docs.tar.xz is not here")
@pytest.mark.parametrize(("family", "rounds", "share"), [("fast", 2, 1.0), ("rabin", 1, 0.4)])
def test_twins_of_real_pages(family: str, rounds: int, share: float) -> None:
    """Rabin's polynomials take milliseconds a seed, so some of the pairs have to do there."""
    pairs = kafka_twins()
    assert len(pairs) > 2900
    near, far = Held(), Held()
    chosen = pairs[: int(share * len(pairs))] * rounds
    for seed, pair in enumerate(chosen):
        (near if pair.jaccard > 0.7 else far).add(pair, family, seed)
    assert near.found.variance > 75
    near.check()
    far.check()


def plant(draw: random.Random, length: int, edits: int) -> tuple[str, str]:
    """A text of random words, and the same with some of them changed, removed or added."""
    words = [f"w{draw.randrange(50_000)}" for _ in range(length)]
    changed = list(words)
    for _ in range(edits):
        place, how = draw.randrange(len(changed)), draw.random()
        if how < 0.6:
            changed[place] = f"n{draw.randrange(10**6)}"
        elif how < 0.8:
            changed.insert(place, f"n{draw.randrange(10**6)}")
        else:
            del changed[place]
    return " ".join(words), " ".join(changed)


def planted(draw: random.Random, length: int, k: int, count: int) -> Iterator[Pair]:
    """Pairs with a J of .5 and more; one edit changes about k grams of either text."""
    while count:
        edits = draw.randint(1, max(1, int(length / k / 3)))
        if draw.random() < 0.5:  # where the curve is steep
            edits = max(1, edits // 4)
        a, b = plant(draw, length, edits)
        similar = jaccard(a, b, k)
        if 0.5 <= similar < 1:
            count -= 1
            yield Pair(a, b, similar)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("length", "k"), [(20, 1), (20, 2), (20, 5), (150, 5), (1000, 5), (5000, 5)])
def test_planted_edits(family: str, length: int, k: int) -> None:
    """Texts of 20 words, too: there the functions, which are few, must not go together. At k = 5 a single edit takes
    them below J = .7, so that only shingles are put to the test; smaller k have the rest of the curve.
    """
    many = {20: 1000, 150: 800, 1000: 250, 5000: 50}[length]
    held = Held()
    pairs = planted(random.Random(length + k), length, k, many if family == "fast" else many // 4)
    for number, pair in enumerate(pairs):
        held.add(pair, family, 10_000 * k + number, k)
    held.check()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_one_seed_for_many_texts(family: str) -> None:
    """The functions of a seed are fit for all texts: these have no words in common, so that one seed is enough."""
    for seed in (0, 1, 2):
        draw = random.Random(seed)
        held = Held()
        for length, k in ((20, 1), (20, 5), (200, 5)):
            for pair in planted(draw, length, k, 600):
                held.add(pair, family, seed, k)
        held.check()


def pairs_found(sketches: dict[str, list[int]]) -> set[tuple[str, str]]:
    """All pairs of texts of which at least two super-fingerprints agree."""
    buckets: dict[tuple[int, int, int, int], list[str]] = defaultdict(list)
    for name, sketch in sketches.items():
        for (i, x), (j, y) in itertools.combinations(enumerate(sketch), 2):
            buckets[i, x, j, y].append(name)
    return {pair for names in buckets.values() for pair in itertools.combinations(sorted(names), 2)}


def sketch_all(texts: Iterable[tuple[str, str]], family: str, seed: int) -> dict[str, list[int]]:
    sketches = ((name, supers(text, family, seed)) for name, text in texts)
    return {name: sketch for name, sketch in sketches if sketch is not None}


@cache
def articles() -> tuple[list[tuple[str, str]], set[tuple[str, str]]]:
    """Texts by their names, and the pairs that are near-duplicates."""
    files = {name: raw.decode().splitlines() for name, raw in read_tar(ARTICLES)}
    texts = [(name, text) for name, _, text in (line.partition(" ") for line in files["articles_2500.train"])]
    truth = set()
    for line in files["articles_2500.truth"]:
        one, two = sorted(line.split())
        truth.add((one, two))
    return texts, truth


@pytest.mark.slow
@pytest.mark.skipif(not ARTICLES.exists(), reason="minhash-articles.tar.xz is not here")
@pytest.mark.parametrize("family", FAMILIES)
def test_articles(family: str) -> None:
    """Twenty pairs with J about .966, of which 96 % are to be found, over four seeds; the next has J below .2."""
    texts, truth = articles()
    by_name = dict(texts)
    chances = [curve(jaccard(by_name[a], by_name[b])) for a, b in truth]
    assert (len(texts), len(truth)) == (2500, 20)
    tally, recalls = Tally(), []
    for seed in range(4):
        found = pairs_found(sketch_all(texts, family, seed))
        assert found <= truth
        recalls.append(len(found) / len(truth))
        tally.add(len(found), sum(chances), sum(chance * (1 - chance) for chance in chances))
    assert abs(tally.deviations) <= ALLOWED
    assert sum(recalls) / len(recalls) >= 0.93


def test_supers_are_made_of_shingles() -> None:
    """Each of 14 in their order: two texts agree in one when, and only when, they agree in all of these."""
    a, b = plant(random.Random(5), 300, 4)
    for family, seed in itertools.product(FAMILIES, range(10)):
        made = [(shingles(text, family, seed), supers(text, family, seed)) for text in (a, b)]
        (one, over_one), (two, over_two) = made
        assert one is not None
        assert two is not None
        assert over_one is not None
        assert over_two is not None
        runs: list[tuple[Sequence[int], Sequence[int]]] = [
            (one[i : i + RUN], two[i : i + RUN]) for i in range(0, SHINGLES, RUN)
        ]
        assert [x == y for x, y in runs] == [x == y for x, y in zip(over_one, over_two, strict=True)]


def test_fast_sketches_are_the_same_for_ever() -> None:
    """Prototype sets are kept in files."""
    fox = "The quick brown fox jumps over"
    assert supers(fox, "fast", 1) == [
        2022735534279023924,
        16267822857915444931,
        5199058382601458443,
        14207490705181431948,
        12641085030745533777,
        9384442934473451681,
    ]
    assert supers(fox) == supers(fox, "fast", 0, 5) == supers(f"  {fox.upper()}!")


@pytest.mark.parametrize("family", FAMILIES)
def test_short_texts_are_read_as_circles(family: str) -> None:
    assert shingles("", family) is supers("?!", family) is None
    assert shingles("a", family) == shingles("A, a", family) == shingles("a a a a a a", family)
    assert shingles("a b c", family) == shingles("b c a", family) == shingles("c a b c a b", family)
    assert shingles("a b c", family) != shingles("c b a", family)


def test_what_cannot_be_asked(snapshots: Snapshots) -> None:
    with snapshots.error(ValueError):
        supers("a", "sha")
    with snapshots.error(ValueError):
        shingles("a", "fast", 0, 0)
    with pytest.raises(OverflowError):
        shingles("a", "fast", -1)
