"""Near-duplicates by a threshold, against all pairs: on random and nasty corpora, and on real pages, with floors."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from quilting import local, read_files
from test_neardups import Ingest, draw_texts, draw_words, ingest, rows, run_neardups  # noqa: F401
from twin import sequence
from twin_neardups import containment, jaccard, join, keep

import unquilt
from benchmarks.evidence import TEMPLATE, follow_rule_of_template
from benchmarks.threshold import all_pairs, grams
from unquilt import JobOptions
from unquilt.analyses.banding import Banding
from unquilt.jobs.corpora import documents
from unquilt.runs import Run

KAFKA = Path(__file__).parents[3] / "shared" / "data" / "kafka-docs.tar.xz"
THRESHOLDS = (0.3, 0.5, 0.8, 0.95, 1.0)


def near(texts: Sequence[str], threshold: float, k: int = 5) -> list[tuple[int, int]]:
    """All pairs that reach it, the lower document second."""
    pairs = ((a, b) for a in range(len(texts)) for b in range(a))
    return [(a, b) for a, b in pairs if jaccard(texts[a], texts[b], k) >= threshold]


def clusters(run: Run) -> dict[int, int]:
    return {doc: cluster for doc, cluster, _ in rows(run, "clusters")}


def recall(pairs: Iterable[tuple[int, int]], cluster_of: dict[int, int]) -> tuple[int, int]:
    """How many pairs are in one cluster, of how many."""
    together = [cluster_of.get(a, -1) == cluster_of.get(b, -2) for a, b in pairs]
    return sum(together), len(together)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return draw_texts(Random(11), 400)


@pytest.fixture(scope="module")
def corpus(texts: list[str], ingest: Ingest, tmp_path_factory: pytest.TempPathFactory) -> Run:  # noqa: F811
    return ingest(texts, tmp_path_factory.mktemp("threshold") / "corpus")


@pytest.mark.slow
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_all_pairs_that_reach_it_and_no_others(threshold: float, texts: list[str], corpus: Run, tmp_path: Path) -> None:
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=3), pairs=True, threshold=threshold)
    pairs = rows(run, "pairs")
    for doc, other, found, _ in pairs:
        assert doc > other  # the first are preferred
        assert found == jaccard(texts[doc], texts[other], 5) >= threshold
    assert join(len(texts), [pair[:2] for pair in pairs]) == sorted(clusters(run).items())
    found, of = recall(near(texts, threshold), clusters(run))
    assert of > 100
    assert found >= 0.99 * of
    summary = run.manifest["summary"]
    assert summary["verified"] == len(pairs) <= summary["compared"]


RANKS: dict[str, Callable[[str], Any]] = {
    "first": lambda _: 0,
    "longest": lambda text: -len(sequence(text)),
    "shortest": lambda text: len(sequence(text)),
}


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("rule", RANKS)
def test_what_is_kept_is_what_the_sequential_rule_says(
    rule: str, threshold: float, texts: list[str], corpus: Run, tmp_path: Path
) -> None:
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=3), threshold=threshold, keep=rule)
    expected = keep(texts, threshold, 5, lambda doc: RANKS[rule](texts[doc]))
    found = {doc: (instead, similarity) for doc, keep_, instead, similarity in rows(run, "kept") if not keep_}
    assert len(found) > 50
    for doc, (instead, similarity) in found.items():
        assert instead not in found
        assert similarity == jaccard(texts[doc], texts[instead], 5) >= threshold
    if threshold >= 0.8:  # below, a pair in two hundred may be missed
        assert found.keys() == expected.instead.keys()
    assert len(found.keys() ^ expected.instead.keys()) <= 0.02 * len(found)
    assert {doc for doc, _, kept in rows(run, "clusters") if not kept} == found.keys()


def draw_pages(random: Random) -> list[str]:
    """Pages of words of their own."""
    return [" ".join(draw_words(random, 150)) for _ in range(60)]


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.5, 0.8])
@pytest.mark.parametrize(
    ("draw", "floor"), [(draw_pages, 0.99), (lambda random: draw_texts(random, 400), 0.85)], ids=["own", "template"]
)
def test_pages_inside_others_go(
    draw: Callable[[Random], list[str]],
    floor: float,
    threshold: float,
    ingest: Ingest,  # noqa: F811
    tmp_path: Path,
) -> None:
    """Parts of pages, among these; the longest is preferred, so that parts go and not the whole. Among many pages of
    one template some are missed, and none goes wrongly."""
    random = Random(3)
    texts = draw(random)
    parts = [words[at : at + 30] for words in map(sequence, texts) if len(words) > 60 for at in (0, len(words) // 2)]
    pages = [*texts, *(" ".join(part) for part in parts)]
    random.shuffle(pages)
    corpus = ingest(pages, tmp_path / "corpus")
    asked: dict[str, Any] = {"threshold": threshold, "measure": "containment", "keep": "longest"}
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=3), **asked)
    expected = keep(pages, threshold, 5, lambda doc: -len(sequence(pages[doc])), containment)
    found = {doc: (instead, similarity) for doc, keep_, instead, similarity in rows(run, "kept") if not keep_}
    for doc, (instead, similarity) in found.items():
        assert instead not in found
        assert similarity == containment(pages[doc], pages[instead], 5) >= threshold
    assert len(expected.instead) >= 100
    assert len(found.keys() & expected.instead.keys()) >= floor * len(expected.instead)


@pytest.mark.parametrize("rule", ["first", "longest"])
def test_chains_drop_nothing(rule: str, tmp_path: Path) -> None:
    """60 versions of a page, each at J = .835 to the one before: every other one is kept, with direct evidence."""
    random = Random(1)
    words = draw_words(random, 200)
    pages = [" ".join(words)]
    for step in range(59):
        for place in range(14):
            words[(step * 14 + place) % 200] = draw_words(random, 1)[0]
        pages.append(" ".join(words))
    run = unquilt.neardups(pa.table({"text": pages}), tmp_path / "run", threshold=0.8, keep=rule)
    gone = {doc: instead for doc, kept, instead, _ in rows(run, "kept") if not kept}
    assert gone == {doc: doc - 1 for doc in range(1, 60, 2)}
    assert all(jaccard(pages[doc], pages[instead], 5) >= 0.8 for doc, instead in gone.items())
    summary = run.manifest["summary"]
    assert (summary["near_duplicates"], summary["chained"]) == (30, 29)
    assert [row[:2] for row in rows(run, "similarity")] == [(0, 60)]


@pytest.mark.parametrize("by", ["jaccard", "containment"])
def test_results_do_not_depend_on_how_they_are_computed(
    by: str,
    ingest: Ingest,  # noqa: F811
    tmp_path: Path,
) -> None:
    corpus = ingest(draw_texts(Random(11), 100), tmp_path / "corpus")
    asked: dict[str, Any] = {"threshold": 0.8, "measure": by, "pairs": True, "keep": "longest"}
    plain = read_files(run_neardups(corpus, tmp_path / "plain", local(corpus), **asked))
    assert len(plain) > 3
    small = local(corpus, memory=2_000, partitions=7)
    assert read_files(run_neardups(corpus, tmp_path / "small", small, **asked)) == plain


def test_a_lowest_document_that_is_far_from_some_costs_no_pair(tmp_path: Path) -> None:
    """Nine in ten of many pairs are near the first page, those of the rest only to each other."""
    random = Random(4)
    words = draw_words(random, 200)
    pages = [" ".join(words)]
    for _ in range(40):
        changed = list(words)
        for at in random.sample(range(len(words)), 9):  # about 45 of 200 grams
            changed[at] = draw_words(random, 1)[0]
        twin = list(changed)
        twin[random.randrange(len(words))] = "other"
        pages += [" ".join(changed), " ".join(twin)]
    pairs = near(pages, 0.8)
    assert 40 <= len(pairs) < 100
    run = unquilt.neardups(pa.table({"text": pages}), tmp_path / "run", threshold=0.8)
    assert recall(pairs, clusters(run)) == (len(pairs), len(pairs))


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
def test_the_banding_keeps_its_promise(threshold: float) -> None:
    banding = Banding.of(threshold)
    assert banding.bands * banding.rows <= 128
    assert banding.least <= banding.sure <= banding.bands * banding.rows
    assert banding.found(threshold) >= 0.99
    assert banding.found(min(1.0, threshold + 0.05)) >= banding.found(threshold)


@pytest.mark.slow
def test_planted_pairs_at_the_threshold_are_found_as_often_as_stated(tmp_path: Path) -> None:
    """2,000 pairs of pages of J = .8 and a little more, each of words of its own."""
    random = Random(8)
    pages = []
    for _ in range(2000):
        words = draw_words(random, 90)
        changed = [*words[:10], "changed", *words[11:50], "too", *words[51:]]  # 10 of 90 grams: J = 80 / 100
        pages += [" ".join(words), " ".join(changed)]
    run = unquilt.neardups(pa.table({"text": pages}), tmp_path / "run", threshold=0.8, pairs=True)
    assert {found for _, _, found, _ in rows(run, "pairs")} == {0.8}
    assert run.pairs.num_rows >= 0.99 * 2000


MANY = 10_000


@pytest.mark.slow
@pytest.mark.parametrize("own", [0, 1, 3, 9])
def test_many_pages_alike_are_no_product(own: int, tmp_path: Path) -> None:
    """docs/faults.md 26, 27, 29: identical pages, one template, and one that is not enough to reach the threshold."""
    random = Random(own)
    template = " ".join(draw_words(random, 70))
    pages = [f"{template} {' '.join(draw_words(random, own))}" for _ in range(MANY)]
    run = unquilt.neardups(pa.table({"text": pages}), tmp_path / "run", threshold=0.8)
    summary = run.manifest["summary"]
    assert summary["compared"] <= 12 * MANY
    if own < 9:
        assert rows(run, "similarity")[0][:2] == (0, MANY)
        assert summary["near_duplicates"] == MANY - 1
        assert summary["compared"] < 2.5 * MANY
    else:
        assert summary["near_duplicates"] == 0


@pytest.mark.slow
def test_pages_of_a_template_go_for_what_is_kept_in_place_of_their_candidates(tmp_path: Path) -> None:
    """3,000 pages of one template, of J from .64 to .94: each could have hundreds of candidates."""
    random = Random(5)
    template = draw_words(random, TEMPLATE)
    own = [random.randint(5, 80) for _ in range(3000)]
    pages = [
        " ".join([*template, *(f"p{page}w{number}" for number in range(length))]) for page, length in enumerate(own)
    ]
    expected = follow_rule_of_template(own)
    names = [str(page) for page in range(len(pages))]
    run = unquilt.neardups(pa.table({"id": names, "text": pages}), tmp_path / "run", threshold=0.8)
    gone = {doc: instead for doc, kept, instead, _ in rows(run, "kept") if not kept}
    assert all(jaccard(pages[doc], pages[instead], 5) >= 0.8 for doc, instead in list(gone.items())[::20])
    assert len(gone.keys() & expected) >= 0.95 * len(expected) > 500
    again = unquilt.neardups(run.path, tmp_path / "again", threshold=0.8, seed=1, options=JobOptions(accept=True))
    left = {int(row["id"]) for row in again.table("kept", names=True).to_pylist() if row["keep"]}
    assert len(expected & left) <= 0.02 * len(expected)


def texts_of(corpus: Run) -> list[str]:
    return [text for split in documents(corpus).splits() for text in split.read(["text"])["text"].to_pylist()]


@pytest.mark.slow
@pytest.mark.skipif(not KAFKA.exists(), reason="kafka-docs.tar.xz is not here")
def test_recall_on_real_pages(tmp_path: Path) -> None:
    """Four versions of Kafka's documentation."""
    with tarfile.open(KAFKA) as tar:
        tar.extractall(tmp_path / "pages", filter="data")
    corpus = unquilt.ingest(tmp_path / "pages", tmp_path / "corpus")
    pairs = list(all_pairs([grams(text) for text in texts_of(corpus)], 0.8))
    run = unquilt.neardups(corpus.path, tmp_path / "run", threshold=0.8, pairs=True)
    found, of = recall(pairs, clusters(run))
    assert of > 1000
    assert found >= 0.99 * of
    assert {(doc, other) for doc, other, *_ in rows(run, "pairs")} <= set(pairs)
