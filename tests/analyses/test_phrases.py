"""Phrases are as the twin defines them: on many small corpora full of ties, whatever the parameters and the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from drawn import as_table, draw_corpus
from quilting import measure, read_files
from snapshots import Snapshots
from twin import Document, circular, sequence
from twin_phrases import FoundPhrases, whole_phrases
from twin_phrases import phrases as twin

import unquilt
from unquilt import _native
from unquilt.analyses.phrases import PhraseParameters, phrases
from unquilt.demo import pages as demo_pages
from unquilt.demo import write_jsonl
from unquilt.engines.tasks import Scale
from unquilt.errors import InputError, ParameterError
from unquilt.figures.phrases import plot
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.jobs.options import JobOptions
from unquilt.runs import InputRecord, Run
from unquilt.settings import Settings

Make = Callable[[Scale, int], Callable[[Run], Verbs]]
USUAL: dict[str, Any] = {"k": 2, "popular": 2, "min_pages": 2, "min_mean": 10.0}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"exact": True},
    {"collapse": "none", "popular": 3, "max_df": 3, "prune": True},
    {"collapse": "exact", "group": "host", "seed": 9, "k": 3},
    {"family": "rabin", "collapse": "exact", "seed": 3},
    {"exact": True, "group": "ip", "prune": True, "collapse": "none", "k": 1, "popular": 4, "max_df": 6},
]


def rows(run: Run, table: str, *columns: str) -> list[Any]:
    return [tuple(row[column] for column in columns) for row in run.table(table).to_pylist()]


def read_found(run: Run, k: int) -> FoundPhrases:
    """The tables of a run, as the twin has them. A phrase is known by the words that its text has."""
    popular = rows(run, "popular", "text", "documents", "sampled", "functions", "example")
    hosts = rows(run, "hosts", "site", "pages", "mean", "deviation", "foreign_contribution", "candidate")
    return FoundPhrases(
        popular={(sequence(text)[:k], *others) for text, *others in popular},
        document_phrases=rows(run, "document_phrases", "doc", "words", "shingles", "popular"),
        covers=rows(run, "covers", "doc", "popular", "common", "covered", "sources", "foreign_contribution"),
        cover_sources=rows(run, "cover_sources", "doc", "rank", "source", "new_shingles", "all_shingles", "foreign"),
        histogram=dict(rows(run, "histogram", "documents", "shingles")),
        hosts={site: tuple(others) for site, *others in hosts},
    )


def run_phrases(corpus: Run, folder: Path, engine: Callable[[Run], Verbs], **asked: Any) -> Run:
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    with Run.open(folder, analysis="phrases", parameters=asked, inputs=[record]) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            outcome = phrases(verbs, documents(corpus), PhraseParameters.from_dict(asked))
        run.finish({}, results=[table.name for table in outcome.tables])
    return run


def draw_pages(number: int) -> list[Document]:
    """A corpus of some dozens of pages, put together from four that have nothing in common but their number."""
    random = Random(number)
    return [document for _ in range(4) for document in draw_corpus(random, number)]


def ask_twin(asked: dict[str, Any]) -> dict[str, Any]:
    return {("pruned" if name == "prune" else name): value for name, value in asked.items()}


FEW_QUICKLY = [*range(2), *(pytest.param(number, marks=pytest.mark.slow) for number in range(2, 12))]
"""Random corpora: two of them for `make check`."""


@pytest.mark.parametrize("number", FEW_QUICKLY)
def test_as_the_twin_defines_them(number: int, tmp_path: Path) -> None:
    pages = draw_pages(number)
    corpus = unquilt.ingest(as_table(pages), tmp_path / "corpus")
    asked = USUAL | VARIANTS[number % len(VARIANTS)]
    options = JobOptions(settings=Settings(threads=1 + number % 2, memory=1 << 28))
    run = unquilt.phrases(corpus.path, tmp_path / "run", options=options, **asked)
    assert read_found(run, asked["k"]) == twin(pages, **ask_twin(asked))


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_on_every_engine(variant: dict[str, Any], make: Make, tmp_path: Path) -> None:
    pages = draw_pages(77)
    corpus = unquilt.ingest(as_table(pages), tmp_path / "corpus")
    asked = USUAL | variant
    run = run_phrases(corpus, tmp_path / "run", make(measure(corpus), 5), **asked)
    assert read_found(run, asked["k"]) == twin(pages, **ask_twin(asked))
    assert read_files(run) == read_files(unquilt.phrases(corpus.path, tmp_path / "alone", **asked))


@pytest.mark.parametrize(("draw", "exact"), [*product(("counts", "uniform"), (False, True))])
def test_samples_are_covered_like_all(draw: str, exact: bool, make: Make, tmp_path: Path) -> None:
    pages = draw_pages(5)
    corpus = unquilt.ingest(as_table(pages), tmp_path / "corpus")
    asked = USUAL | {"sample": draw, "sample_size": 2, "least": 20.0, "exact": exact, "collapse": "none", "k": 1}
    run = run_phrases(corpus, tmp_path / "run", make(measure(corpus), 3), **asked)
    found = read_found(run, 1)
    chosen = {doc for doc, *_ in found.covers}
    expected = twin(pages, k=1, popular=2, min_pages=2, min_mean=10.0, exact=exact, collapse="none", sampled=chosen)
    assert found == expected
    enough = [84 * popular / shingles for _, _, shingles, popular in expected.document_phrases if popular]
    enough = [int(count) for count in enough if count >= 20]
    if draw == "counts":
        assert len(chosen) == sum(min(2, enough.count(count)) for count in set(enough))
    else:
        assert len(chosen) == min(2, len(enough))


EVEN, THIRD = "doc % 2 = 0", "doc % 3 = 0"


@pytest.mark.parametrize("number", FEW_QUICKLY)
def test_sources_are_restricted_and_preferred(number: int, tmp_path: Path) -> None:
    pages = draw_pages(number)
    corpus = unquilt.ingest(as_table(pages), tmp_path / "corpus")
    asked = USUAL | VARIANTS[number % len(VARIANTS)] | {"collapse": "none"}
    even, third = set(range(0, len(pages), 2)), set(range(0, len(pages), 3))
    found = []
    for name, where, marks in (
        ("candidates", {"candidates": EVEN}, {"sources": even}),
        ("prefer", {"prefer": THIRD}, {"preferred": third}),
        ("both", {"candidates": EVEN, "prefer": THIRD}, {"sources": even, "preferred": third}),
    ):
        run = unquilt.phrases(corpus.path, tmp_path / name, **asked, **where)
        found.append(read_found(run, asked["k"]))
        assert found[-1] == twin(pages, **ask_twin(asked), **marks)
        assert "source_marks" not in run.tables
    assert len({str(each.cover_sources) for each in found}) == 3 or number % 3


@pytest.mark.parametrize("sample", ["all", "counts"])
def test_restricted_sources_on_every_engine(sample: str, tmp_path: Path) -> None:
    pages = draw_pages(77)
    corpus = unquilt.ingest(as_table(pages), tmp_path / "corpus")
    asked = USUAL | {"candidates": EVEN, "prefer": THIRD, "collapse": "none"}
    asked |= {} if sample == "all" else {"sample": sample, "sample_size": 3, "least": 10.0}
    settings = Settings(engine="processes", threads=2)
    one = unquilt.phrases(corpus.path, tmp_path / "one", options=JobOptions(settings=settings), **asked)
    other = unquilt.phrases(corpus.path, tmp_path / "other", **asked)
    assert read_files(one) == read_files(other)
    chosen = None if sample == "all" else {doc for doc, *_ in rows(one, "covers", "doc")}
    marks = {"sources": set(range(0, len(pages), 2)), "preferred": set(range(0, len(pages), 3)), "sampled": chosen}
    usual = USUAL | {"collapse": "none"} | ({} if sample == "all" else {"max_df": 2**32 - 1})
    assert read_found(one, asked["k"]).cover_sources == twin(pages, **usual, **marks).cover_sources


def test_conditions_on_sources_are_checked_before_work_begins(tmp_path: Path, snapshots: Snapshots) -> None:
    corpus = unquilt.ingest(as_table(draw_pages(3)), tmp_path / "corpus")
    for asked in ({"candidates": "nothing > 3"}, {"prefer": "words"}):
        with snapshots.error(ParameterError):
            unquilt.phrases(corpus.path, tmp_path / "run", **USUAL, **asked)
        assert not (tmp_path / "run").exists()
    with snapshots.error(InputError):
        unquilt.phrases(corpus.path, tmp_path / "run", **USUAL, prefer="words > 100000")


def test_a_sample_of_one_site(tmp_path: Path) -> None:
    pages = draw_pages(5)
    corpus = unquilt.ingest(as_table(pages), tmp_path / "corpus")
    asked = USUAL | {"sample": "uniform", "sample_size": 1000, "least": 1.0, "collapse": "none", "k": 1}
    everywhere = {doc for doc, *_ in rows(unquilt.phrases(corpus.path, **asked), "covers", "doc")}
    for name in ("host", "domain", "ip"):
        site = next(getattr(page, name) for page in pages if getattr(page, name) is not None)
        run = unquilt.phrases(corpus.path, sample_site=site, **asked)
        there = {doc for doc, page in enumerate(pages) if site in (page.host, page.domain, page.ip)}
        assert {doc for (doc,) in rows(run, "covers", "doc")} == everywhere & there
        (figure,) = (each for each in plot(run) if each.name == "counts")
        assert f"documents of {site}" in figure.draw()  # Figure 2 has its curve
        assert sum(row["site_share"] for row in figure.rows) == pytest.approx(1)


def test_a_page_of_one_word_and_one_without() -> None:
    texts = ["spam", "Spam!", "spam spam", "…", "eggs"]
    run = unquilt.phrases(pa.table({"id": list("abcde"), "text": texts}), popular=2, collapse="none", min_pages=1)
    assert rows(run, "popular", "text", "documents", "sampled") == [("spam spam spam spam spam", 3, 252)]
    assert [popular for *_, popular in rows(run, "document_phrases", "doc", "popular")] == [84, 84, 84, 0, 0]
    assert [shingles for *_, shingles in rows(run, "document_phrases", "doc", "shingles")] == [84, 84, 84, 0, 84]
    assert rows(run, "hosts", "site") == []
    assert run.manifest["summary"]["pages_without_site"] == 5


def test_circular_grams_are_as_many_as_words() -> None:
    for text in ("", "a", "a b", "a b c d e f", "a a a"):
        words = sequence(text)
        found = _native.gram_sequence(text, 3)
        assert len(found) == len(words)
        grams = circular(words, 3)
        assert len(set(found)) == len(set(grams))
        assert dict.fromkeys(found) == dict.fromkeys(_native.grams(text, 3, circular=True))


def test_common_shingles_are_left_out_and_counted() -> None:
    texts = [f"the same old words {name}" for name in "abcdefgh"]
    asked: dict[str, Any] = {"collapse": "none", "popular": 2, "exact": True, "k": 4}
    run = unquilt.phrases(pa.table({"id": list("abcdefgh"), "text": texts}), max_df=5, **asked)
    assert run.manifest["summary"]["common_shingles"] == 1
    assert rows(run, "covers", "popular", "common", "covered", "sources") == [(1, 1, 0, 0)] * 8
    run = unquilt.phrases(pa.table({"id": list("abcdefgh"), "text": texts}), **asked)
    assert rows(run, "covers", "popular", "common", "covered", "sources") == [(1, 0, 1, 1)] * 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"popular": 1}, "popular must be a whole number"),
        ({"sample": "some"}, "sample must be one of all, counts, uniform"),
        ({"sample_site": "example.com"}, "sample_site has no effect with sample all"),
        ({"site": "example.com"}, "site must be one of host, domain, suffix, ip, path:N"),
        ({"site": "host", "group": "ip"}, "given twice"),
        ({"sample": "counts", "max_df": 7}, "max_df has no effect with sample counts"),
        ({"group": "country"}, "site must be one of host, domain, suffix, ip, path:N"),
        ({"min_mean": 85.0}, "min_mean must be a number"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PhraseParameters.from_dict(wrong)


def test_lists_are_shared_by_pages_of_one_template(tmp_path: Path) -> None:
    """A hundred pages of one template have few distinct lists, however many of their phrases are popular."""
    template = " ".join(f"word{number}" for number in range(400))
    pages: Sequence[str] = [f"{template} page {number} of {number * number} here" for number in range(100)]
    table = pa.table({"id": [str(number) for number in range(100)], "text": pages})
    run = unquilt.phrases(table, tmp_path / "run", collapse="none", exact=True)
    counters = {name: value for stage in run.manifest["stages"].values() for name, value in stage["counters"].items()}
    assert counters.get("phrase_lists", 0) <= 5
    assert rows(run, "covers", "sources")[0][0] <= 2


@pytest.mark.slow
def test_the_site_that_slices_and_dices_stands_out(tmp_path: Path) -> None:
    """Many pages, a high mean, a small deviation, covered by foreign pages: as the paper found its German site."""
    write_jsonl(tmp_path / "web.jsonl", 3_000)
    corpus = unquilt.ingest(tmp_path / "web.jsonl", tmp_path / "corpus")
    (address,) = {page.ip for page in demo_pages(3_000) if page.kind == "slice"}
    for exact, foreign in ((False, 0.6), (True, 0.7)):
        run = unquilt.phrases(corpus.path, group="ip", exact=exact)
        candidates = [row for row in run.hosts.to_pylist() if row["candidate"]]
        first = max(candidates, key=lambda row: row["pages"])
        assert first["site"] == address
        assert first["pages"] > 100
        assert first["mean"] > 45
        assert first["deviation"] < 8
        assert first["foreign_contribution"] > foreign
    by_host = unquilt.phrases(corpus.path).hosts.to_pylist()
    assert not any(row["candidate"] and row["pages"] > 100 for row in by_host)


@pytest.mark.parametrize("seed", range(6))
def test_whole_phrases_as_the_twin_defines_them(seed: int) -> None:
    rng = Random(seed)
    pool = [[f"x{piece}y{word}" for word in range(rng.randint(3, 14))] for piece in range(8)]
    texts = []
    for number in range(14):
        words = [f"own{number}"]
        for piece in rng.choices(pool, k=rng.randint(1, 5)):
            begin = rng.choice((0, 0, 0, 1))
            words += [*piece[begin:], f"z{rng.randrange(10**9)}"]
        texts.append(words)
    sites = [rng.randrange(4) for _ in texts]
    urls = [f"http://site-{site}.example/{number}" for number, site in enumerate(sites)]
    table = pa.table({"id": urls, "url": urls, "text": [" ".join(words) for words in texts]})
    run = unquilt.phrases(table, k=3, popular=4, collapse="none")
    found = run.phrases.to_pylist()
    expected = whole_phrases(texts, list(sites), 3, 4)
    assert {(tuple(row["text"].split()), row["documents"], row["sites"]) for row in found} == expected
    assert len(found) == len(expected)
    assert all(row["weight"] == 0 for row in found if row["sites"] == 1)


def test_phrases_of_several_sites_are_listed_first_as_whole_sentences() -> None:
    said = "Nobody in the harbour wanted the lonely post of the keeper. The council offered a cottage and a boat."
    menu = "Home | News | Contact | About our shop | Imprint"
    licence = "Copyright of this site is held by us, and no licence is given to anybody else."
    pages = {}
    for site in range(5):
        for page in range(4):
            own = " ".join(f"w{site}x{page}y{word}" for word in range(20))
            shared = f"when {own} was old. {said} And {own}" if page == 0 else own
            pages[f"http://site-{site}.example/{page}"] = f"{menu}\n\n{shared}\n\n{licence}"
    table = pa.table({"id": list(pages), "url": list(pages), "text": list(pages.values())})
    run = unquilt.phrases(table, collapse="none")
    rows = sorted(run.phrases.to_pylist(), key=lambda row: (row["notice"], -row["weight"], -row["documents"]))
    assert (rows[0]["text"], rows[0]["sites"], rows[0]["documents"]) == (said, 5, 5)
    assert (rows[0]["prose"], rows[0]["notice"]) == (True, False)
    assert (rows[-1]["text"], rows[-1]["notice"]) == (licence, True)
    assert len({row["text"] for row in rows}) == len(rows)
    without = unquilt.phrases(table, collapse="none", whole=False)
    assert "phrases" not in without.tables
