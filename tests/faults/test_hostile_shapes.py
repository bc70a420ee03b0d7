"""Corpora made to hurt (docs/faults.md 25, 26, 28-31): defined results, and costs that grow no faster than the corpus.

Costs are read off the kernels' counters and the sizes of tables where these tell; elsewhere they are processor time, of
which a shape of several times the size may take several times as much and a generous second more.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import twin
from quilting import PLAIN
from twin import Document

import unquilt
from unquilt.analyses.quilt_parameters import COLLAPSE
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings

pytestmark = pytest.mark.slow

TIGHT = JobOptions(settings=Settings(threads=2, memory=LEAST_MEMORY))


@pytest.fixture
def all_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run made on the way stays, so that it can be measured."""
    finish = Run.finish
    monkeypatch.setattr(Run, "finish", lambda run, summary, **_: finish(run, summary))


def address(number: int) -> str:
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def pages(texts: Sequence[str], **columns: Sequence[str]) -> pa.Table:
    ids = pa.array(range(len(texts))).cast(pa.string())
    return pa.table({"id": ids, "text": pa.array(texts, pa.large_string())} | columns)


def run(table: pa.Table, folder: Path, **parameters: Any) -> Run:
    return unquilt.quilts(table, folder, options=TIGHT, **{"c": 1, "sigma": 0.0} | PLAIN | parameters)


def seconds(work: Callable[[], object]) -> float:
    """The processor time that work takes in this process, which is the same on a busy machine."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def new(folder: Path) -> Path:
    """A name that nothing has yet: what is measured again is run again."""
    return Path(tempfile.mkdtemp(dir=folder)) / "run"


def grows_no_faster(cost: Callable[[int], float], size: int, times: int) -> None:
    """`cost` of a shape `times` as large is at most 4 × `times` as high, give or take a second, in one of
    three tries: what shares the cache with others costs more."""
    for _ in range(3):
        small = cost(size)
        large = cost(size * times)
        if large <= 4 * times * small + 1:
            return
    pytest.fail(f"{small:.3f} s became {large:.3f} s at {times} times the size")


# ---------------------------------------------------------------------------------------------------- grams and copies


@pytest.fixture(scope="module")
def one_gram_everywhere(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], dict[str, int]]:
    def count(number: int) -> dict[str, int]:
        own = (f"w{i} x{i} y{i} z{i} p{i // 2} q{i // 2} r{i // 2}" for i in range(number))
        texts = [f"all pages share these words {words}" for words in own]
        folder = tmp_path_factory.mktemp("everywhere") / "run"
        found = run(pages(texts), folder, k=3)
        assert found.quilts.num_rows == number
        return dict(found.manifest["summary"])

    return count


def test_a_gram_in_every_page(one_gram_everywhere: Callable[[int], dict[str, int]]) -> None:
    """docs/faults.md 26: the shared grams are counted and dropped; only pages that share a rare one are paired."""
    for number in (3_000, 9_000):
        summary = one_gram_everywhere(number)
        assert summary["common_pairs"] == 3 * number  # "all pages share", "pages share these", "share these words"
        assert summary["patch_grams"] == number // 2  # "p q r" of each couple
        assert summary["gram_squares"] == 4 * (number // 2)
        assert summary["sources"] == number


@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("collapse", COLLAPSE)
def test_many_thousand_identical_pages(collapse: str, tmp_path: Path) -> None:
    """docs/faults.md 29: one cluster, and no pairs; every copy on a site of its own, or (a third) without a URL."""
    number = 12_000
    urls = [None if i % 3 == 0 else f"http://site{i}.com/" for i in range(number)]
    table = pages(["The very same page, word for word!"] * number, url=pa.array(urls, pa.string()))
    found = run(table, tmp_path / "run", collapse=collapse, k=2)
    assert found.quilts.num_rows == found.sources.num_rows == 0
    assert found.kept_copies.nbytes < 60 * number
    if collapse != "none":
        assert found.manifest["summary"]["copies"] == number - 1
        assert found.clusters["cluster"].unique().to_pylist() == [0]
        assert found.clusters.num_rows == number
    else:
        assert found.manifest["summary"]["common_pairs"] == 6 * number


@pytest.mark.usefixtures("all_tables")
def test_identical_pages_on_hosts_with_addresses_of_their_own(tmp_path: Path) -> None:
    """docs/faults.md 29 by address: what is kept for a cluster stays small however many sites its copies stand on."""
    number = 10_000
    table = pages(
        ["the very same page word for word"] * number + ["same page word", "page word for"],
        url=[f"http://site{i}.com/" for i in range(number)] + ["http://site7.com/x", "http://other.com/"],
        ip=[address(i) for i in range(number)] + [address(7), address(number)],
    )
    found = run(table, tmp_path / "run", k=2, foreign="ip")
    # The page on site 7 is no source of the first one, a copy of which is there, too.
    assert [row["source"] for row in found.sources.to_pylist()] == [number + 1, 0, 0]
    assert found.kept_copies.nbytes < 60 * number


@pytest.mark.parametrize("m", [2, 7, 50])
def test_one_document_more_than_m(m: int, tmp_path: Path) -> None:
    """A gram of m documents is a patch gram, one of m + 1 is none, neither is one of a single document."""
    texts = [f"alone{i} at m" + (" x beyond m" if i <= m else "") for i in range(m + 1)]
    texts = [f"{text} y" if i < m else text for i, text in enumerate(texts)]
    documents = [Document(str(i), None, None, None, None, text) for i, text in enumerate(texts)]
    found = run(pages(texts), tmp_path / "run", k=2, m=m)
    expected = twin.quilts(documents, k=2, m=m, c=1, sigma=0.0, **PLAIN)
    assert [tuple(row.values()) for row in found.sources.to_pylist()] == expected.sources
    assert {row["patch_grams"] for row in found.quilts.to_pylist()} == {1}  # "m y"
    assert found.quilts.num_rows == m


def test_as_many_lists_as_grams(tmp_path: Path) -> None:
    """Every gram in m documents, no two grams in the same: Σ df² is its bound, m times the pairs, and no more."""
    m, number = 10, 3000
    shared = [[] for _ in range(number)]
    for gram in range(number):
        for step in range(m):
            shared[(gram + step * step) % number].append(f"a{gram} b{gram} .")
    texts = [" ".join(f"{words} u{i}n{j}" for j, words in enumerate(page)) for i, page in enumerate(shared)]
    found = run(pages(texts), tmp_path / "run", k=2, m=m)
    summary = found.manifest["summary"]
    assert summary["patch_grams"] == number
    assert summary["gram_squares"] == m * m * number
    assert {row["patch_grams"] for row in found.quilts.to_pylist()} == {m}


# ------------------------------------------------------------------------------------------------------------- covers


def test_a_page_with_as_many_sources_as_there_are_pages(tmp_path: Path) -> None:
    """docs/faults.md 31: many thousand sources of one gram each, all ties: the lowest first."""
    number = 20_000
    texts = [f"a{i} b{i}" for i in range(number)]
    found = run(pages([*texts, " ".join(texts)]), tmp_path / "run", k=2, sigma=0.3)
    sources = found.sources.filter(pa.compute.equal(found.sources["quilt"], number))
    assert sources["source"].to_pylist() == list(range(number))
    assert set(sources["new_grams"].to_pylist()) == set(sources["all_grams"].to_pylist()) == {1}
    quilt = found.quilts.to_pylist()[-1]
    assert (quilt["doc"], quilt["grams"], quilt["patch_grams"]) == (number, 2 * number - 1, number)
    assert found.quilts.num_rows == number + 1  # each of the others draws on the one


def test_gains_that_fall_with_every_pick(tmp_path: Path) -> None:
    """20,000 candidates in a chain, each sharing a gram with the next: picking one spoils its neighbours' gains."""
    number = 20_000
    page = " ".join(f"w{i}" for i in range(number + 2))
    texts = [f"w{i} w{i + 1} w{i + 2}" for i in range(number)]
    found = run(pages([page, *texts]), tmp_path / "run", k=2, sigma=0.3, m=3)
    sources = found.sources.filter(pa.compute.equal(found.sources["quilt"], 0))
    assert sources.num_rows == number // 2 + 1
    assert sources["source"].to_pylist()[:3] == [1, 3, 5]
    assert sources["new_grams"].to_pylist() == [2] * (number // 2) + [1]


# -------------------------------------------------------------------------------------------------------- single texts


@pytest.mark.parametrize(("number", "patches"), [(4_000_000, False), (500_000, True)])
def test_millions_of_equal_words(number: int, patches: bool, tmp_path: Path) -> None:
    """docs/faults.md 28: one gram, twice. To locate them takes ten times as long as to find them."""
    texts = ["a " * number, "A, a; a: a. a! b"]
    found = run(pages(texts), tmp_path / "run", collapse="none", patches=patches)
    rows = [(row["words"], row["grams"], row["patch_grams"]) for row in found.quilts.to_pylist()]
    assert rows == [(number, 1, 1), (6, 2, 1)]


LONG: dict[str, Callable[[int], str]] = {
    "a word": lambda n: "x" * n,
    "a word beyond ASCII": lambda n: "é" * (n // 2),
    "a word beyond ASCII at its end": lambda n: "x" * n + "é",
    "a letter with marks": lambda n: "a" + "\u0301" * (n // 2),
    "marks to be put in order": lambda n: "a" + "\u0301\u0323" * (n // 4),
    "jamo": lambda n: "\u1100\u1161\u11a8" * (n // 9),
    "letters that fold to three": lambda n: "ΐ" * (n // 2),
    "a script without spaces": lambda n: "漢" * (n // 3),
    "now one, now the other": lambda n: "a漢" * (n // 4),
    "punctuation": lambda n: "!?.()[]" * (n // 7),
    "dashes": lambda n: "—" * (n // 3),
    "equal words": lambda n: "a " * (n // 2),
    "blank lines": lambda n: "\n" * n,
}


@pytest.mark.parametrize("shape", LONG)
def test_long_texts_are_read_in_linear_time(shape: str) -> None:
    def cost(size: int) -> float:
        text = LONG[shape](size)
        return min(seconds(lambda: unquilt.grams(text, 5)) for _ in range(2))

    grows_no_faster(cost, 300_000, 16)


def test_a_word_of_many_megabytes(tmp_path: Path) -> None:
    """docs/faults.md 22: in ASCII, and so that it has to be normalised (5 MB of it); read, measured, counted."""
    texts = ["x" * 20_000_000, "e\u0301" + "x" * 5_000_000, "one two three four five six", "One two three four FIVE"]
    found = run(pages(texts), tmp_path / "run")
    assert found.manifest["summary"]["documents"] == 4
    assert found.manifest["summary"]["words"] == 1 + 1 + 6 + 5
    assert [row["doc"] for row in found.quilts.to_pylist()] == [2, 3]
    ((word, begin, end),) = unquilt.words(texts[1][:1_000_000])
    assert (word[:2], begin, end) == ("éx", 0, 1_000_000)


@pytest.mark.parametrize("text", ["!?" * 50_000, "." * 100_000, "[]()" * 25_000, "\n\n" * 50_000, "- \n\n" * 25_000])
def test_a_hundred_kilobytes_of_punctuation(text: str, tmp_path: Path) -> None:
    """docs/faults.md 24, 25: no words, hence no grams and no copies."""
    found = run(pages([text, text, "a b c d e", "a b c d e f"]), tmp_path / "run")
    assert found.manifest["summary"]["words"] == 11
    assert found.manifest["summary"].get("copies", 0) == 0
    assert [row["doc"] for row in found.quilts.to_pylist()] == [2, 3]


# ------------------------------------------------------------------------------------------------------------- patches

PERIODIC: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {  # a page, and what it may have copied
    "one word": (lambda n: "a " * n, lambda n: "a " * (n + 1)),
    "one word, in many places": (lambda n: "a a a a a a b " * (n // 7), lambda n: "a " * n),
    "two words": (lambda n: "a b " * (n // 2), lambda n: "b a " * (n // 2 + 1)),
    "one gram": (lambda n: "".join(f"a b c d e u{i} " for i in range(n // 6)), lambda n: "a b c d e . 1 " * (n // 6)),
    "a word that all follow": (
        lambda n: "".join(f"a w{i} " for i in range(n)),
        lambda n: "".join(f"w{i} a " for i in range(n)),
    ),
    "words and their doubles": (
        lambda n: "".join(f"{bin(i)[2:]} " for i in range(n)).replace("0", "0 "),
        lambda n: "1 0 0 1 " * n,
    ),
}


@pytest.mark.parametrize("shape", PERIODIC)
def test_patches_of_pages_that_repeat_themselves(shape: str, tmp_path: Path) -> None:
    """As many equal runs as pairs of words, none of which is listed."""

    def cost(size: int) -> float:
        table = pages([make(size) for make in PERIODIC[shape]])
        begin = time.process_time()
        found = run(table, new(tmp_path), k=3, collapse="none")
        cost = time.process_time() - begin
        assert found.manifest["summary"]["collisions"] == 0
        assert 0 < found.patches.num_rows <= 2 * found.manifest["summary"]["words"]
        return cost

    grows_no_faster(cost, 10_000, 10)


def test_a_gram_a_hundred_thousand_times_in_a_source(tmp_path: Path) -> None:
    """The first of them is the patch, in each page that has it."""
    texts = ["a b c d e ! 1 " * 100_000, *(f"u{i} a b c d e v{i}" for i in range(40))]
    found = run(pages(texts), tmp_path / "run", sigma=0.1)
    rows = found.patches.to_pylist()
    assert len(rows) == 40 + 100_000
    assert {(row["source"], row["source_begin"], row["words"]) for row in rows if row["quilt"]} == {(0, 0, 5)}
    assert {(row["source"], row["source_begin"], row["words"]) for row in rows if not row["quilt"]} == {(1, 3, 5)}


def test_patches_of_a_page_with_very_many_sources(tmp_path: Path) -> None:
    """Ten thousand sources of one patch each."""
    number = 10_000
    texts = [f"a{i} b{i} c{i}" for i in range(number)]
    found = run(pages([*texts, " | ".join(texts)]), tmp_path / "run", k=3)
    rows = [row for row in found.patches.to_pylist() if row["quilt"] == number]
    assert [row["source"] for row in rows] == list(range(number))


# ----------------------------------------------------------------------------------------------------------- addresses


@pytest.mark.usefixtures("all_tables")
def test_a_host_of_many_addresses(tmp_path: Path) -> None:
    """What travels with a document does not grow with the number of addresses that its host was seen at:
    docs/definitions.md 4.3, and what `stand` promises. A content network answers from as many as there are pages."""

    def standing(number: int) -> int:
        table = pages(
            [f"u{i} v{i} w{i}" for i in range(number)],
            url=[f"http://cdn.example.com/{i}" for i in range(number)],
            ip=[address(i) for i in range(number)],
        )
        return int(run(table, tmp_path / str(number), foreign="ip").kept_copies.nbytes)

    assert standing(1600) <= 3 * standing(800)


def test_copies_beside_a_host_of_many_addresses(tmp_path: Path) -> None:
    """docs/faults.md 29 again: a copy costs no more where some other host has very many addresses."""

    def cost(addresses: int) -> float:
        copies = 4000
        table = pages(
            [f"u{i} v{i} w{i}" for i in range(addresses)] + ["the very same page"] * copies,
            url=[f"http://cdn.example.com/{i}" for i in range(addresses)]
            + [f"http://site{i}.com/" for i in range(copies)],
            ip=[address(i) for i in range(addresses + copies)],
        )
        begin = time.process_time()
        found = run(table, new(tmp_path), foreign="ip")
        cost = time.process_time() - begin
        assert found.manifest["summary"]["copies"] == copies - 1
        return cost

    grows_no_faster(cost, 50, 24)


# ---------------------------------------------------------------------------------------------------------- collisions

CRAFTED = ("elljgezu1prsy84d", "rlqvkrsnh1bmt7yx")
"""Two beginnings of words after which the plain fingerprint has forgotten what came before: found in a second."""


def crafted_pages() -> Iterator[str]:
    yield from (" ".join(f"{beginning}{i:02}" for i in range(40)) for beginning in CRAFTED)


def test_crafted_collisions_do_not_survive_a_key(tmp_path: Path) -> None:
    """docs/faults.md 30: two pages that have no word in common, made to look alike by the plain fingerprints."""
    first, second = crafted_pages()
    assert not set(twin.sequence(first)) & set(twin.sequence(second))
    key = "000102030405060708090a0b0c0d0e0f"
    assert not {*unquilt.grams(first, 1, key=bytes.fromhex(key))} & {*unquilt.grams(second, 1, key=bytes.fromhex(key))}
    found = run(pages([first, second]), tmp_path / "run", key=key)
    assert found.quilts.num_rows == 0
    assert found.manifest["summary"]["patch_grams"] == 0


def test_crafted_collisions_are_no_copies(tmp_path: Path) -> None:
    """Copies are told by a digest that nobody can aim at, with or without a key."""
    first, second = crafted_pages()
    assert run(pages([first, second]), tmp_path / "run").clusters.num_rows == 0
