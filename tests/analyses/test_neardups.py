"""Near-duplicates against the twin, on random and on nasty corpora; and the same bytes however they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import quilting
import twin
import twin_neardups
from drawn import as_table
from quilting import local, read_files
from twin import Document, two_agree
from twin_neardups import Found, agree, cosine, jaccard, join

import unquilt
from unquilt import Lexicon, _native
from unquilt.analyses.neardups import NeardupParameters, neardups
from unquilt.errors import InputChangedError, InputError, ParameterError
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.jobs.options import JobOptions
from unquilt.runs import InputRecord, Run
from unquilt.settings import LEAST_MEMORY, Settings

Ingest = Callable[[Sequence[str], Path], Run]

NOTHING = ["", "", "?!", " .\n-", "\u0301"]
SHORT = ["a", "A!", "b", "a a", "a a a", "a b", "b a", "a b a b", "a b b", "a b c", "c a b", "b a c", "a b c d e f"]
OTHERS = ["漢字", "字漢", "漢 字 漢 字", "漢字漢", "é", "e\u0301", "Straße", "STRASSE", "ß", "ss"]
LETTERS = [["a"], ["a", "b"], ["a", "b", "c", "d"]]
TERMS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima"]
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
CHINESE = "的一是在不了有和人這中大為上個國我以要他"


def draw_words(random: Random, number: int) -> list[str]:
    """Words that hardly any other text has."""
    return ["".join(random.choices(ALPHABET, k=6)) for _ in range(number)]


def edit(random: Random, words: Sequence[str]) -> list[str]:
    """The same words but for a few."""
    found = list(words)
    for _ in range(random.choice((0, 1, 1, 2, 3, 8))):
        at = random.randrange(len(found) + 1)
        begin, end = random.choice(((at, at), (at, at + 1), (max(0, at - 1), at)))
        found[begin:end] = random.choice(([], [random.choice((*TERMS, "x", "國"))]))
    return found


def draw_texts(random: Random, number: int, vocabularies: Sequence[Sequence[str]] = LETTERS) -> list[str]:
    """Texts of next to nothing, of few words, of templates; and of those before, edited, turned round or spelled
    otherwise."""
    template = draw_words(random, 80)
    texts = [*NOTHING, *SHORT, *OTHERS]
    for _ in range(number - len(texts)):
        options, earlier = random.random(), random.choice(texts[-60:])
        separator = "" if earlier and " " not in earlier and twin.stands_alone(earlier[0]) else " "
        words = list(earlier) if not separator else earlier.split()
        turn = random.randrange(len(words) + 1)
        if options < 0.15:
            words = random.choices(random.choice(vocabularies), k=random.choice((1, 2, 3, 5, 8, 40)))
        elif options < 0.25:
            words = draw_words(random, random.choice((3, 50, 150)))
        elif options < 0.4:
            words = [*template[:60], *draw_words(random, random.choice((1, 1, 2, 30))), *template[60:]]
        elif options < 0.45:
            words = ["".join(random.choices(CHINESE, k=random.choice((1, 2, 60))))]
        elif options < 0.55:
            words = words[turn:] + words[:turn]
        elif options < 0.6:
            separator, words = separator and "!\n", [word.upper() for word in words]
        else:
            words = edit(random, words)
        texts.append(separator.join(words))
    random.shuffle(texts)
    return texts


@pytest.fixture(scope="module")
def ingest(small_row_groups: Callable[[Any, Path], Run]) -> Ingest:
    """Texts as a corpus of several row groups."""

    def one(texts: Sequence[str], folder: Path) -> Run:
        pages = [Document(str(i), None, None, None, None, text) for i, text in enumerate(texts)]
        return small_row_groups(as_table(pages), folder)

    return one


def run_neardups(
    corpus: Run, folder: Path, engine: Callable[[Run], Verbs], lexicon: Lexicon | None = None, **parameters: Any
) -> Run:
    """Runs neardups on an engine of one's own making."""
    given = NeardupParameters.from_dict(parameters)
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    with Run.open(folder, analysis="neardups", parameters=given.to_dict(), inputs=[record]) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            outcome = neardups(verbs, documents(corpus), given, lexicon)
        run.finish(outcome.statistics, results=[table.name for table in outcome.tables])
    return run


def rows(run: Run, table: str) -> list[Any]:
    return [tuple(row.values()) for row in run.table(table).to_pylist()]


def read_found(run: Run) -> Found:
    return Found(rows(run, "clusters"), rows(run, "similarity"), rows(run, "kept"))


def sketch(texts: Sequence[str], family: str = "fast", seed: int = 0, k: int = 5) -> list[list[int] | None]:
    return [_native.supers(text, family, seed, k) for text in texts]


def sign(texts: Sequence[str], lexicon: Lexicon, **shape: Any) -> list[list[str | None]]:
    usual = {"lexicons": 10, "drop": 0.33, "seed": 0, "min_terms": 5, "min_share": 0.1, "randomise": "primary"}
    packed = lexicon.pack()
    return [_native.signatures(text, lexicon=packed, **usual | shape) for text in texts]  # type: ignore[arg-type]


def check(
    run: Run,
    texts: Sequence[str],
    sketches: Sequence[Any],
    near: Callable[[Any, Any], bool],
    k: int,
    *,
    rank: Callable[[int], Any] = int,
    words: bool = False,
) -> Found:
    """A run with pairs: all of its tables are what the twin says."""
    assert [name for name in run.tables if name != "audit"] == ["clusters", "kept", "pairs", "similarity"]
    found = read_found(run)
    assert found == twin_neardups.neardups(texts, sketches, near, k, rank=rank, words=words)
    pairs = rows(run, "pairs")
    assert [pair[:2] for pair in pairs] == sorted({pair[:2] for pair in pairs})
    for doc, other, similarity, of_words in pairs:
        assert doc > other
        assert near(sketches[doc], sketches[other])
        assert similarity == jaccard(texts[doc], texts[other], k)
        assert of_words == (cosine(texts[doc], texts[other]) if words else None)
    tied = join(len(texts), [pair[:2] for pair in pairs])
    assert tied == sorted((doc, cluster) for doc, cluster, _ in found.clusters)
    return found


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return draw_texts(Random(1), 450)


@pytest.fixture(scope="module")
def corpus(texts: list[str], ingest: Ingest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return ingest(texts, tmp_path_factory.mktemp("near") / "corpus")


@pytest.mark.parametrize(("family", "k", "seed"), [*product(("fast", "rabin"), (1, 2, 5), (0, 7)), ("fast", 40, 1)])
def test_shingles_give_what_the_twin_says(
    family: str, k: int, seed: int, texts: list[str], corpus: Run, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"family": family, "k": k, "seed": seed}
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=3), pairs=True, **asked)
    found = check(run, texts, sketch(texts, **asked), two_agree, k)
    assert len(found.similarity) > 20
    words = [len(twin.words(text)) for text in texts]
    assert run.manifest["summary"]["without_words"] == words.count(0) >= len(NOTHING)
    assert all(words[doc] for doc, *_ in found.clusters)
    assert run.manifest["summary"]["near_duplicates"] == sum(not keep for *_, keep in found.clusters)


@pytest.mark.parametrize("family", ["fast", "rabin"])
@pytest.mark.parametrize(("functions", "supers", "agree"), [(24, 8, 3), (12, 1, 1), (20, 20, 2), (84, 6, 6)])
def test_other_numbers_of_functions(
    family: str, functions: int, supers: int, agree: int, texts: list[str], corpus: Run, tmp_path: Path
) -> None:
    """Fewer functions are the first of the published ones; a super-fingerprint stands for a run of shingles."""
    asked: dict[str, Any] = {"family": family, "functions": functions, "supers": supers, "agree": agree}
    run = run_neardups(corpus, tmp_path / "run", local(corpus), pairs=True, **asked)
    each = functions // supers

    def near(one: list[int] | None, other: list[int] | None) -> bool:
        if one is None or other is None:
            return False
        runs = range(0, functions, each)
        return sum(one[at : at + each] == other[at : at + each] for at in runs) >= agree

    found = check(run, texts, [_native.shingles(text, family) for text in texts], near, 5)
    assert len(found.similarity) > 10


def test_the_random_corpus_has_what_it_is_for(texts: list[str]) -> None:
    found = twin_neardups.neardups(texts, sketch(texts), two_agree, 5)
    assert max(documents for _, documents, *_ in found.similarity) > 30
    assert sum(documents == 2 for _, documents, *_ in found.similarity) > 5
    assert sum(least == 1 for _, _, least, *_ in found.similarity) > 10
    assert sum(0 < least < median < 1 for _, _, least, median, *_ in found.similarity) > 2
    assert min(least for _, _, least, *_ in found.similarity) < 0.9
    assert any(twin.stands_alone(texts[doc][0]) and len(texts[doc]) > 50 for doc, *_ in found.clusters)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 203))
def test_other_corpora_every_time(seed: int, ingest: Ingest, tmp_path: Path) -> None:
    random = Random(seed)
    texts = draw_texts(random, random.choice((60, 200, 400)))
    corpus = ingest(texts, tmp_path / "corpus")
    for number in range(4):
        asked: dict[str, Any] = {
            "family": random.choice(("fast", "rabin")),
            "k": random.choice((1, 2, 3, 5, 8)),
            "seed": random.choice((0, 1, 2**63 - 1)),
        }
        engine = local(corpus, memory=random.choice((5_000, 1 << 30)), partitions=random.randint(1, 9))
        run = run_neardups(corpus, tmp_path / str(number), engine, pairs=True, **asked)
        check(run, texts, sketch(texts, **asked), two_agree, asked["k"])


@pytest.mark.parametrize("method", ["shingles", "imatch"])
def test_tables_that_are_not_wanted_are_not_there(method: str, terms_corpus: Run, tmp_path: Path) -> None:
    """And what is wanted is the same without them."""
    files = {}
    for similarity, pairs in product((True, False), repeat=2):
        asked = {"method": method, "similarity": similarity, "pairs": pairs}
        run = run_neardups(terms_corpus, tmp_path / f"{similarity} {pairs}", local(terms_corpus), **asked)
        files[similarity, pairs] = read_files(run)
    kept = {asked: found.pop("kept.parquet") for asked, found in files.items()}
    assert kept[True, True] == kept[True, False] != kept[False, True] == kept[False, False]  # with similarities, or not
    full = files[True, True]
    assert full.keys() == {"clusters.parquet", "similarity.parquet", "pairs.parquet"}
    for (similarity, pairs), found in files.items():
        wanted = ["clusters", *(["similarity"] if similarity else []), *(["pairs"] if pairs else [])]
        assert found == {f"{name}.parquet": full[f"{name}.parquet"] for name in wanted}


@pytest.mark.parametrize("family", ["fast", "rabin"])
def test_documents_of_few_words_are_documents(family: str, tmp_path: Path) -> None:
    """Their circular grams go round and round: those of "a b" are those of "b a", those of "a" are those of "a a"."""
    alike = [["a", "A!", "a a", "a a a"], ["a b", "b a", "a b a b"], ["a b c", "c a b"], ["b a c"], ["漢字", "字漢"]]
    table = pa.table({"text": [text for same in alike for text in same] + NOTHING})
    run = unquilt.neardups(table, tmp_path / "run", family=family, pairs=True)
    begins = [0, 4, 7, 10]
    expected = [(begin, n, 1.0, 1.0) for begin, n in zip(begins, (4, 3, 2, 2), strict=True)]
    assert [row[:4] for row in rows(run, "similarity")] == expected
    assert [row[0] for row in rows(run, "clusters")] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]
    pairs = [(doc, max(b for b in begins if b < doc), 1.0, None) for doc in (1, 2, 3, 5, 6, 8, 11)]
    assert rows(run, "pairs") == pairs
    words = unquilt.neardups(table, tmp_path / "words", family=family, k=1)
    assert [row[:2] for row in rows(words, "similarity")] == [(0, 4), (4, 3), (7, 3), (10, 2)]


@pytest.mark.parametrize("texts", [[""], ["?!", ""], ["one"], [None, "one two", None]], ids=repr)
def test_next_to_nothing_is_near_to_nothing(texts: list[str | None], tmp_path: Path) -> None:
    """docs/faults.md 25."""
    table = pa.table({"id": [str(i) for i in range(len(texts))], "text": pa.array(texts, pa.string())})
    for number, asked in enumerate(({}, {"threshold": 0.5}, {"keep": "longest", "min_words": 2})):
        run = unquilt.neardups(table, tmp_path / str(number), pairs=True, **asked)
        assert (run.clusters.num_rows, run.similarity.num_rows, run.pairs.num_rows) == (0, 0, 0)
        kept = [(doc, True, None, None) for doc in range(run.manifest["summary"]["documents"])]
        assert rows(run, "kept") == kept
        assert run.manifest["summary"]["near_duplicates"] == 0


@pytest.fixture(scope="module")
def terms() -> list[str]:
    """Texts of words long enough for I-Match."""
    return draw_texts(Random(3), 400, [TERMS, TERMS[:5], TERMS[4:]])


@pytest.fixture(scope="module")
def terms_corpus(terms: list[str], ingest: Ingest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return ingest(terms, tmp_path_factory.mktemp("terms") / "corpus")


SHAPES: list[dict[str, Any]] = [
    {},
    {"lexicons": 0},
    {"lexicons": 3, "drop": 0.6, "seed": 5},
    {"min_terms": 1, "min_share": 0.0, "seed": 2**63 - 1},
    {"min_terms": 8, "min_share": 0.5},
    {"min_terms": 8, "min_share": 0.5, "randomise": "both"},
]


def check_signed(run: Run, texts: Sequence[str], lexicon: Lexicon, shape: dict[str, Any]) -> Found:
    signatures = sign(texts, lexicon, **shape)
    found = check(run, texts, signatures, agree, 5, words=True)
    unsigned = [doc for doc, own in enumerate(signatures) if not any(own)]
    assert run.manifest["summary"]["without_signature"] == len(unsigned) > len(NOTHING)
    assert not set(unsigned) & {doc for doc, *_ in found.clusters}
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
@pytest.mark.parametrize("ranges", [{}, {"nidf": (0.1, 0.6), "min_df": 2}], ids=repr)
def test_imatch_gives_what_the_twin_says(
    shape: dict[str, Any], ranges: dict[str, Any], terms: list[str], terms_corpus: Run, tmp_path: Path
) -> None:
    asked = {"method": "imatch", "pairs": True} | shape | ranges
    run = run_neardups(terms_corpus, tmp_path / "run", local(terms_corpus, partitions=4), **asked)
    lexicon = unquilt.build_lexicon(terms_corpus.path, **ranges)
    found = check_signed(run, terms, lexicon, shape)
    assert len(found.similarity) > 10
    assert max(documents for _, documents, *_ in found.similarity) > 20


def test_a_lexicon_may_come_from_elsewhere(terms: list[str], terms_corpus: Run, tmp_path: Path) -> None:
    elsewhere = draw_texts(Random(4), 100, [TERMS[:6], TERMS]) + terms[:50]
    lexicon = unquilt.build_lexicon(pa.table({"text": elsewhere}), tmp_path / "lexicon", nidf=(0.1, 0.7))
    asked: dict[str, Any] = {"method": "imatch", "lexicon": str(tmp_path / "lexicon"), "pairs": True}
    run = unquilt.neardups(terms_corpus.path, tmp_path / "run", **asked)
    assert check_signed(run, terms, lexicon, {}).clusters
    own = unquilt.neardups(terms_corpus.path, tmp_path / "own", method="imatch", pairs=True)
    assert read_files(run) != read_files(own)
    unquilt.build_lexicon(terms_corpus.path, tmp_path / "the same")
    same = unquilt.neardups(terms_corpus.path, tmp_path / "run2", **asked | {"lexicon": str(tmp_path / "the same")})
    assert read_files(same) == read_files(own)


URLS = [None, "http://a.example/", "http://a.example/longer", "http://b.example/", "http://b.example/#a-long-place"]


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["longest", "shortest", "shortest-url"])
def test_another_than_the_first_may_be_kept(
    keep: str, texts: list[str], small_row_groups: Callable[[Any, Path], Run], tmp_path: Path
) -> None:
    """Clusters have the same numbers; similarity is to the one that is kept."""
    random = Random(6)
    urls = [random.choice(URLS) for _ in texts]
    pages = [
        Document(str(i), url, None, None, None, text) for i, (url, text) in enumerate(zip(urls, texts, strict=True))
    ]
    corpus = small_row_groups(as_table(pages), tmp_path / "corpus")
    words = [len(twin.words(text)) for text in texts]
    ranks = {
        "longest": lambda doc: -words[doc],
        "shortest": lambda doc: words[doc],
        "shortest-url": lambda doc: len((urls[doc] or "x" * 99).partition("#")[0]),
    }
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=3), pairs=True, keep=keep)
    found = check(run, texts, sketch(texts), two_agree, 5, rank=ranks[keep])
    assert any(row[4] != row[0] for row in found.similarity)
    plain = unquilt.neardups(corpus.path, tmp_path / "plain", similarity=False, keep=keep)
    assert rows(plain, "kept") == [(*row[:3], None) for row in found.kept]
    assert rows(plain, "clusters") == found.clusters


def test_short_documents_stand_alone(texts: list[str], corpus: Run, tmp_path: Path) -> None:
    short = [len(twin.words(text)) < 40 for text in texts]
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=3), pairs=True, min_words=40)
    sketches = [None if alone else own for own, alone in zip(sketch(texts), short, strict=True)]
    found = check(run, texts, sketches, two_agree, 5)
    assert len(found.similarity) > 5
    assert run.manifest["summary"]["below_min_words"] == sum(short)
    assert "without_words" not in run.manifest["summary"]


METHODS: list[dict[str, Any]] = [
    {"method": "shingles", "pairs": True},
    {"method": "shingles", "pairs": True, "keep": "longest", "min_words": 3},
    {"method": "imatch", "pairs": True, "nidf": (0.1, 0.8), "lexicons": 4},
]


@pytest.fixture(scope="module")
def references(terms_corpus: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("references")
    found = {
        repr(asked): read_files(unquilt.neardups(terms_corpus.path, folder / str(number), **asked))
        for number, asked in enumerate(METHODS)
    }
    assert {name for files in found.values() for name in files} == {
        f"{table}.parquet" for table in ("audit", "clusters", "kept", "similarity", "pairs")
    }  # and nothing else is left
    return found


def without_audit(files: dict[str, bytes]) -> dict[str, bytes]:
    """What the analysis makes; the table `audit` is added by the job around it."""
    return {name: content for name, content in files.items() if name != "audit.parquet"}


@pytest.mark.slow
@pytest.mark.parametrize("asked", METHODS, ids=repr)
@pytest.mark.parametrize(("threads", "memory"), [(1, LEAST_MEMORY), (4, LEAST_MEMORY), (3, 1 << 30)])
def test_threads_and_memory_change_nothing(
    asked: dict[str, Any],
    threads: int,
    memory: int,
    terms_corpus: Run,
    references: dict[str, dict[str, bytes]],
    tmp_path: Path,
) -> None:
    options = JobOptions(settings=Settings(threads=threads, memory=memory))
    run = unquilt.neardups(terms_corpus.path, tmp_path / "run", options=options, **asked)
    assert read_files(run) == references[repr(asked)]


@pytest.mark.slow
@pytest.mark.parametrize("asked", METHODS, ids=repr)
@pytest.mark.parametrize(("partitions", "memory"), [(1, 2_000), (64, 0), (64, 1 << 30)])
def test_partitions_and_spilling_change_nothing(
    asked: dict[str, Any],
    partitions: int,
    memory: int,
    terms_corpus: Run,
    references: dict[str, dict[str, bytes]],
    tmp_path: Path,
) -> None:
    engine = local(terms_corpus, memory=memory, partitions=partitions)
    run = run_neardups(terms_corpus, tmp_path / "run", engine, **asked)
    assert read_files(run) == without_audit(references[repr(asked)])
    spilled = sum(stage["counters"].get("spilled", 0) for stage in run.manifest["stages"].values())
    assert (spilled > 0) == (memory <= 2_000 and partitions > 1)  # one block alone is sorted, whatever its size


MANY = 20_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "alike"), [("shingles", "identical"), ("shingles", "of one template"), ("imatch", "of one template")]
)
def test_many_pages_alike_are_no_product(method: str, alike: str, tmp_path: Path) -> None:
    """All pairs would be two hundred million."""
    template = " ".join(draw_words(Random(1), 70))
    names = draw_words(Random(2), MANY) if alike != "identical" else [""] * MANY
    others = [" ".join(draw_words(Random(doc + 3), 9)) for doc in range(3)]
    asked = {"method": method}
    if method == "imatch":  # of words that all documents have, none would be in a lexicon of their own
        unquilt.build_lexicon(pa.table({"text": [template, *others]}), tmp_path / "lexicon", nidf=(0.1, 1))
        asked["lexicon"] = str(tmp_path / "lexicon")
    table = pa.table({"text": [f"{template} {name}" for name in names] + others})
    run = unquilt.neardups(table, tmp_path / "run", **asked)
    edges = run.manifest["stages"]["edges"]["rows"]
    similarity = rows(run, "similarity")
    assert max(documents for _, documents, *_ in similarity) > 0.5 * MANY
    assert run.manifest["summary"]["near_duplicates"] <= edges < 15 * MANY
    if alike == "identical":
        assert edges == MANY - 1
        assert [row[:4] for row in similarity] == [(0, MANY, 1.0, 1.0)]


@pytest.mark.slow
def test_chains_collapse_and_say_how_loose_they_are(ingest: Ingest, tmp_path: Path) -> None:
    """A window that moves on, each page near to the next, until nothing of the first is left."""
    words = draw_words(Random(5), 2000)
    texts = [" ".join(words[:300])]
    begin = 0
    while begin < 500:
        shifts = [(begin + shift, " ".join(words[begin + shift : begin + shift + 300])) for shift in (4, 3, 2, 1)]
        found = ((at, text) for at, text in shifts if two_agree(_native.supers(texts[-1]), _native.supers(text)))
        begin, text = next(found)
        texts.append(text)
    corpus = ingest(texts, tmp_path / "corpus")
    run = run_neardups(corpus, tmp_path / "run", local(corpus, partitions=5), pairs=True)
    ((cluster, number, least, median, *_),) = check(run, texts, sketch(texts), two_agree, 5).similarity
    assert (cluster, number) == (0, len(texts))
    assert number > 120
    assert least == 0
    assert median < 0.1
    assert min(jaccard for _, _, jaccard, _ in rows(run, "pairs")) > 0.6
    rounds = sum(name.startswith("components_") and name.endswith("large") for name in run.manifest["stages"])
    assert rounds < 10


def page(text: str, host: str) -> Document:
    return Document(text[:9] + host, f"http://{host}/", host, host, None, text)


def test_near_duplicates_on_several_hosts_are_one_source(small_row_groups: Any, tmp_path: Path) -> None:
    """Foreign if any of them is; the one that is kept, on the quilt's own domain, is named."""
    passage = draw_words(Random(7), 250)
    others = draw_words(Random(8), 120)
    edited = " ".join([*passage[:100], "edited", *passage[101:]])
    assert two_agree(_native.supers(" ".join(passage)), _native.supers(edited))
    patch = " ".join([*passage[:60], *others[:60]])
    pages = [
        page(" ".join(passage), "here.com"),
        page(patch, "here.com"),
        page(" ".join(others), "there.com"),
        page(edited, "elsewhere.com"),
    ]
    asked: dict[str, Any] = {
        "k": 5,
        "c": 1,
        "sigma": 0.3,
        "foreign": "domain",
        "min_grams": 1,
        "max_largest": 1.0,
        "max_own": 1.0,
    }
    corpus = small_row_groups(as_table(pages), tmp_path / "corpus")
    near = unquilt.quilts(corpus.path, tmp_path / "near", **asked)
    assert near.manifest["parameters"]["collapse"] == "near"
    assert rows(near, "clusters") == [(0, 0, True), (3, 0, False)]
    assert {row[2] for row in rows(near, "sources") if row[0] == 1} == {0, 2}
    assert quilting.read_found(near) == twin.quilts(pages, **asked)
    assert near.manifest["summary"]["copies"] == 1
    exact = unquilt.quilts(corpus.path, tmp_path / "exact", collapse="exact", **asked)
    assert {row[2] for row in rows(exact, "sources") if row[0] == 1} == {2, 3}
    assert exact.clusters.num_rows == 0
    at_home = [pages[0], pages[1], pages[2], page(edited, "here.com")]
    alone = unquilt.quilts(as_table(at_home), tmp_path / "alone", **asked)
    assert {row[2] for row in rows(alone, "sources") if row[0] == 1} == {2}


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"functions": 85}, "functions must be a multiple of supers, but 85 is not one of 6"),
        ({"agree": 7}, "agree must be at most supers, which is 6, not 7"),
        ({"supers": 84, "agree": 6}, "agree and supers are too large: 6 of 84 super-fingerprints are 406,481,544 "),
        ({"method": "imatch", "agree": 1}, "agree has no effect with method imatch"),
        ({"threshold": 0.8, "functions": 42}, "functions has no effect with a threshold"),
        ({"method": "imatch", "family": "rabin"}, "family has no effect with method imatch"),
        ({"lexicon": "file"}, "lexicon has no effect with method shingles"),
        ({"nidf": (0.1, 0.9)}, "nidf has no effect with method shingles"),
        ({"min_df": 2}, "min_df has no effect with method shingles"),
        ({"min_terms": 4}, "min_terms has no effect with method shingles"),
        ({"min_share": 0.2}, "min_share has no effect with method shingles"),
        ({"lexicons": 5}, "lexicons has no effect with method shingles"),
        ({"drop": 0.5}, "drop has no effect with method shingles"),
        ({"randomise": "both"}, "randomise has no effect with method shingles"),
        ({"method": "imatch", "randomise": "none"}, "randomise must be"),
        ({"method": "imatch", "threshold": 0.8}, "threshold has no effect with method imatch"),
        ({"family": "rabin", "threshold": 0.8}, "threshold has no effect with family rabin"),
        ({"threshold": 0.2}, "threshold must be"),
        ({"threshold": 1.1}, "threshold must be"),
        ({"keep": "newest,"}, "keep must be"),
        ({"min_words": -1}, "min_words must be"),
        ({"method": "imatch", "lexicon": "file", "nidf": (0.1, 0.9)}, "come from the lexicon file"),
        ({"method": "imatch", "lexicon": "file", "min_df": 3}, "come from the lexicon file"),
        ({"method": "imatch", "nidf": (0.9, 0.1)}, "nidf must be two numbers"),
        ({"method": "imatch", "nidf": (0.5,)}, "nidf must be two numbers"),
        ({"method": "imatch", "drop": 1.0}, "drop must be"),
        ({"method": "imatch", "lexicons": 256}, "lexicons must be"),
        ({"method": "simhash"}, "method must be"),
        ({"family": "sha"}, "family must be"),
        ({"k": 0}, "k must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_has_no_effect_is_refused_by_name(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint) as caught:
        unquilt.neardups(pa.table({"text": ["a b"]}), **asked)
    assert "\n" not in str(caught.value)


def write_lexicon(path: Path, words: Sequence[str] = TERMS) -> Path:
    unquilt.build_lexicon(pa.table({"text": [" ".join(words), " ".join(words[::2]), "others"]}), path, nidf=(0.1, 1))
    return path


def test_a_lexicon_that_fits_no_document_finds_none(terms: list[str], terms_corpus: Run, tmp_path: Path) -> None:
    lexicon = write_lexicon(tmp_path / "lexicon", draw_words(Random(9), 30))
    run = unquilt.neardups(terms_corpus.path, tmp_path / "run", method="imatch", lexicon=str(lexicon), pairs=True)
    assert (run.clusters.num_rows, run.similarity.num_rows, run.pairs.num_rows) == (0, 0, 0)
    assert rows(run, "kept") == [(doc, True, None, None) for doc in range(len(terms))]
    assert run.manifest["summary"]["without_signature"] == run.manifest["summary"]["documents"] == len(terms)


@pytest.mark.parametrize(
    ("texts", "asked", "complaint"),
    [
        (["alpha bravo charlie delta echo"], {}, "needs at least 2 documents, and there is 1"),
        (["alpha bravo charlie delta echo"] * 4, {}, "no word has nidf in 0.2:0.8"),
        (["", "?!"], {"nidf": (0, 1)}, "no word has nidf in 0:1"),
    ],
)
def test_corpora_without_a_lexicon_of_their_own(
    texts: list[str], asked: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        unquilt.neardups(pa.table({"text": pa.array(texts, pa.string())}), tmp_path / "run", method="imatch", **asked)
    assert "\n" not in str(caught.value)
    assert not unquilt.read(tmp_path / "run").complete


def test_files_that_are_no_lexicon_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    whole = write_lexicon(tmp_path / "lexicon").read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-20])
    (tmp_path / "text").write_text("alpha\nbravo\n")
    pq.write_table(pa.table({"word": ["alpha"], "df": [1]}), tmp_path / "foreign")
    (tmp_path / "folder").mkdir()
    for name in ("missing", "cut", "text", "foreign", "folder"):
        with pytest.raises(InputError, match=name) as caught:
            unquilt.neardups(
                tmp_path / "nowhere.jsonl", tmp_path / "run", method="imatch", lexicon=str(tmp_path / name)
            )
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_another_lexicon_is_another_run(terms_corpus: Run, tmp_path: Path) -> None:
    lexicon = write_lexicon(tmp_path / "lexicon")
    asked: dict[str, Any] = {"method": "imatch", "lexicon": str(lexicon)}
    first = read_files(unquilt.neardups(terms_corpus.path, tmp_path / "run", **asked))
    assert read_files(unquilt.neardups(terms_corpus.path, tmp_path / "run", **asked)) == first
    lexicon.unlink()
    write_lexicon(lexicon, TERMS[:-1])
    with pytest.raises(InputChangedError, match="lexicon changed since") as caught:
        unquilt.neardups(terms_corpus.path, tmp_path / "run", **asked)
    assert "\n" not in str(caught.value)
    again = unquilt.neardups(terms_corpus.path, tmp_path / "run", options=JobOptions(overwrite=True), **asked)
    assert read_files(again) != first


def test_a_key_draws_other_functions_and_is_not_written_down(tmp_path: Path) -> None:
    pages = pa.table({"text": ["one two three four", "ONE two, three four", "other words"]})
    run = unquilt.neardups(pages, tmp_path / "run", key="00112233445566778899aabbccddeeff", pairs=True)
    assert run.pairs.to_pylist() == [{"doc": 1, "other": 0, "jaccard": 1.0, "cosine": None}]
    assert "00112233" not in (run.path / "manifest.json").read_text()
    for asked, why in [({"family": "rabin"}, "family rabin"), ({"method": "imatch"}, "method imatch")]:
        with pytest.raises(ParameterError, match=f"key has no effect with {why}"):
            unquilt.NeardupParameters(key="0" * 32, **asked)
