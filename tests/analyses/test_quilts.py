"""Quilts against the twin, on thousands of small random corpora; and the same bytes however they are computed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin
from drawn import Packed, as_table, draw_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from quilting import PLAIN, fit, local, read_files, read_found, run_quilts
from twin import FOREIGN, Document

import unquilt
from unquilt.analyses.quilt_parameters import COLLAPSE, PUBLISHED
from unquilt.errors import InputError, ParameterError
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings

SIGMAS = (0.0, 0.3, 0.5, 1.0)
LARGEST = (1.0, 1.0, 0.75, 0.5, 0.0)
SHARES = (0.0, 0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0)
ASKED = [  # every mode twice, with other numbers each time
    {"foreign": foreign, "collapse": collapse, "k": k, "m": m, "c": c, "sigma": sigma, "min_share": share}
    for random in [Random(2)]
    for _, foreign, collapse in product(range(2), FOREIGN, COLLAPSE)
    for k, m, c in [(random.randint(1, 4), random.choice((2, 3, 4, 50)), random.choice((1, 1, 2, 3)))]
    for sigma, share in [(random.choice(SIGMAS), random.choice(SHARES))]
]
for asked, largest in zip(ASKED, (0.6, 1.0, 1.0, 0.8) * len(ASKED), strict=False):
    asked["max_largest"] = largest
for asked, least in zip(ASKED, (1, 1, 2, 1, 3) * len(ASKED), strict=False):
    asked["min_grams"] = least
for asked, most in zip(ASKED, (1.0, 0.5, 0.0, 0.8, 1.0) * len(ASKED), strict=False):
    asked["max_sections"] = most
for asked, most in zip(ASKED, (1.0, 0.5, 0.0, 0.9, 1.0, 0.3, 1.0) * len(ASKED), strict=False):
    asked["max_own"] = most
for asked, least in zip(ASKED, (0.0, 0.6, 0.0, 1.0) * len(ASKED), strict=False):
    asked["min_sewn"] = least
for asked in ASKED[::3]:
    asked["max_attributed"] = 0.4
for asked, homes in zip(ASKED, (True, False, True) * len(ASKED), strict=False):
    asked["homes"] = homes
for asked, edits in zip(ASKED, ("light", "exact") * len(ASKED), strict=False):
    asked["edits"] = edits
for asked, sigma_of in zip(ASKED, ("spanned", "covered", "spanned", "patchfrac", "covered") * len(ASKED), strict=False):
    asked["sigma_of"] = sigma_of
for asked, most in zip(ASKED, (0.0, 1.0, 0.02, -0.1) * len(ASKED), strict=False):
    asked["max_reads_on"] = most
for asked, words in zip(ASKED, (0, 3, 0, 0, 5) * len(ASKED), strict=False):
    asked["min_part"] = words
for asked, most in zip(ASKED, (0.5, 0.0, 1.0) * len(ASKED), strict=False):
    asked["max_in_order"] = most
ASKED = [fit(asked) for asked in ASKED]


def spell(parameters: dict[str, Any]) -> str:
    return " ".join(str(value)[:5] for value in parameters.values())


@pytest.mark.parametrize(  # two of them are quick enough for `make check`
    "asked", [*ASKED[:2], *(pytest.param(asked, marks=pytest.mark.slow) for asked in ASKED[2:])], ids=spell
)
def test_hundreds_of_corpora_give_what_the_twin_says(
    asked: dict[str, Any], packed: Packed, packed_corpus: Run, tmp_path: Path
) -> None:
    run = run_quilts(packed_corpus, tmp_path / "run", local(packed_corpus, partitions=3), **asked)
    common = packed.common_words()
    for number, found in enumerate(packed.split(read_found(run))):
        assert found == twin.quilts(packed.corpora[number], common=common, **asked), f"corpus {number}"


@pytest.mark.slow
def test_the_random_corpora_have_what_they_are_for(packed: Packed) -> None:
    seen: Counter[str] = Counter()
    for corpus in packed.corpora:
        found = {by: twin.quilts(corpus, k=2, m=3, c=1, sigma=0, foreign=by, **PLAIN) for by in FOREIGN}
        pooled = twin.pool_addresses(corpus)
        news = Counter((quilt, new, all_) for quilt, _, _, new, all_, *_ in found["none"].sources)
        seen["links to pages"] += sum(linked == "page" for *_, linked, _, _ in found["none"].sources)
        seen["links to domains"] += sum(linked == "domain" for *_, linked, _, _ in found["none"].sources)
        numbers = [dict(zip(twin.NUMBERS, row[3:], strict=False)) for row in found["none"].quilts]
        seen["part of it attributed"] += sum(0 < row["attributed"] < 1 for row in numbers)
        seen["sections"] += sum(row["sections"] > 0 for row in numbers)
        seen["not all sewn in"] += sum(row["sewn"] < 1 for row in numbers)
        with_homes = twin.quilts(
            corpus, k=2, m=3, c=1, sigma=0.3, foreign="host", **PLAIN | {"max_own": 0.9, "homes": True}
        )
        seen["the own site's"] += sum(
            row[1 + twin.NUMBERS.index("own")] not in (None, 0) for row in with_homes.verdicts
        )
        without = twin.quilts(corpus, k=2, m=3, c=1, sigma=0.3, foreign="host", **PLAIN | {"max_own": 0.9})
        seen["other sources than suspects"] += with_homes.sources != without.sources
        light = twin.quilts(
            corpus, k=3, m=3, c=1, sigma=0.3, common=set(), **PLAIN | {"edits": "light", "max_reads_on": 0}
        )
        seen["originals"] += sum(row[-4] == "original" for row in light.verdicts)
        seen["passages of several patches"] += any(
            row[1 + twin.NUMBERS.index("spanned")] not in (None, row[1 + twin.NUMBERS.index("covered")])
            for row in light.verdicts
        )
        seen["quilts as published alone"] += sum(row[-1] and not row[-3] for row in with_homes.verdicts)
        seen["quilts"] += len(found["none"].quilts)
        seen["ties"] += sum(count > 1 for count in news.values())
        seen["clusters"] += sum(keep for _, _, keep in found["none"].clusters)
        seen["hosts of several addresses"] += sum(len(ips) > 1 for host, ips in pooled.items() if host)
        for a, b in combinations(FOREIGN, 2):
            seen[f"{a} is not {b}"] += found[a].sources != found[b].sources
        for document in corpus:
            length = len(twin.words(document.text))
            seen[f"pages of {length} words"] += length < 2
            seen["pages from nowhere"] += document.url is None
            seen["repeated grams"] += len(set(twin.linear(twin.sequence(document.text), 2))) < length - 1
    assert all(count > 5 for count in seen.values() if count), seen
    assert sum(count > 0 for count in seen.values()) == 24, seen


@pytest.mark.slow
def test_packing_is_sound(
    packed: Packed, packed_corpus: Run, small_row_groups: Callable[[Any, Path], Run], tmp_path: Path
) -> None:
    """What is found in a corpus alone is what is found in it among all others."""
    asked: dict[str, Any] = {"k": 2, "m": 3, "c": 1, "sigma": 0.3, "foreign": "ip"} | PLAIN
    together = packed.split(read_found(unquilt.quilts(packed_corpus.path, tmp_path / "run", **asked)))
    for number in range(0, len(packed.corpora), 30):
        corpus = small_row_groups(as_table(packed.corpora[number]), tmp_path / f"corpus{number}")
        alone = read_found(unquilt.quilts(corpus.path, tmp_path / str(number), **asked))
        assert alone == together[number]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 103))
def test_other_corpora_every_time(seed: int, tmp_path: Path, small_row_groups: Callable[[Any, Path], Run]) -> None:
    random = Random(seed)
    packed = Packed.of([draw_corpus(random, number) for number in range(400)], random)
    corpus = small_row_groups(packed.table(), tmp_path / "corpus")
    asked = {
        "k": random.randint(1, 5),
        "m": random.randint(2, 6),
        "c": random.randint(1, 2),
        "sigma": random.choice((0.0, 0.3, 0.5)),
        "foreign": random.choice(FOREIGN),
        "collapse": random.choice(COLLAPSE),
        "min_share": random.choice(SHARES),
        "max_largest": random.choice((1.0, 0.7, 0.5)),
        "min_grams": random.choice((1, 1, 2, 4)),
        "max_own": random.choice((1.0, 0.5, 0.0)),
        "max_sections": random.choice((1.0, 0.5, 0.0)),
        "min_sewn": random.choice((0.0, 0.5, 1.0)),
        "max_attributed": random.choice((1.0, 0.5, 0.0)),
        "max_reads_on": random.choice((1.0, 0.0, 0.1)),
        "min_part": random.choice((0, 3)),
        "edits": random.choice(("exact", "light")),
        "homes": random.choice((True, False)),
        "sigma_of": random.choice(("patchfrac", "covered", "spanned")),
    }
    asked = fit(asked)
    run = run_quilts(corpus, tmp_path / "run", local(corpus, memory=20_000, partitions=seed % 7 + 1), **asked)
    common = packed.common_words()
    for number, found in enumerate(packed.split(read_found(run))):
        assert found == twin.quilts(packed.corpora[number], common=common, **asked), f"corpus {number} of {asked}"


PLACES = [None, *((f"{host}{domain}", domain) for host in ("", "a.", "b.") for domain in ("x.com", "y.com"))]


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    """A corpus for hypothesis to shrink."""
    found = []
    for number in range(draw(st.integers(1, 6))):
        words = draw(st.lists(st.sampled_from("abc"), max_size=9))
        host, domain = draw(st.sampled_from(PLACES)) or (None, None)
        url = f"http://{host}/" if host else None
        ip = draw(st.sampled_from([None, "10.0.0.1", "10.0.0.2"]))
        found.append(Document(str(number), url, host, domain, ip, " ".join(words)))
    return found


asked_of_all = st.fixed_dictionaries(
    {
        "k": st.integers(1, 4),
        "m": st.integers(2, 5),
        "c": st.integers(1, 3),
        "sigma": st.sampled_from(SIGMAS),
        "foreign": st.sampled_from(FOREIGN),
        "collapse": st.sampled_from(COLLAPSE),
        "min_share": st.sampled_from(SHARES),
        "max_largest": st.sampled_from(LARGEST),
        "max_own": st.sampled_from((1.0, 0.5, 0.0)),
        "max_sections": st.sampled_from((1.0, 0.5, 0.0)),
        "min_sewn": st.sampled_from((0.0, 0.5, 1.0)),
        "min_grams": st.sampled_from((1, 1, 2, 4)),
    }
).map(fit)


@pytest.mark.slow
@given(corpora(), asked_of_all)
@settings(max_examples=15)
def test_any_corpus_gives_what_the_twin_says(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[Document], asked: dict[str, Any]
) -> None:
    run = unquilt.quilts(as_table(corpus), tmp_path_factory.mktemp("any") / "run", **asked)
    assert read_found(run) == twin.quilts(corpus, **asked)


BUSY: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.0, "foreign": "ip"} | PLAIN


@pytest.fixture(scope="module")
def reference(packed_corpus: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    run = unquilt.quilts(packed_corpus.path, tmp_path_factory.mktemp("reference") / "run", **BUSY)
    files = read_files(run)
    tables = ("clusters", "patches", "quilting_domains", "quilts", "source_domains", "sources", "verdicts")
    assert {f"{table}.parquet" for table in tables} == files.keys()  # and nothing else is left
    return files


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("memory", [LEAST_MEMORY, 1 << 30])
def test_threads_and_memory_change_nothing(
    threads: int, memory: int, packed_corpus: Run, reference: dict[str, bytes], tmp_path: Path
) -> None:
    options = JobOptions(settings=Settings(threads=threads, memory=memory))
    assert read_files(unquilt.quilts(packed_corpus.path, tmp_path / "run", options=options, **BUSY)) == reference


@pytest.mark.slow
@pytest.mark.parametrize(
    ("partitions", "memory"),
    [(1, 20_000), (2, 20_000), (7, 20_000), (64, 20_000), (5, 0), (1, 1 << 30), (64, 1 << 30)],
)
def test_partitions_and_spilling_change_nothing(
    partitions: int, memory: int, packed_corpus: Run, reference: dict[str, bytes], tmp_path: Path
) -> None:
    engine = local(packed_corpus, threads=2, memory=memory, partitions=partitions)
    run = run_quilts(packed_corpus, tmp_path / "run", engine, **BUSY)
    assert read_files(run) == reference
    spilled = sum(stage["counters"].get("spilled", 0) for stage in run.manifest["stages"].values())
    assert (spilled > 0) == (memory <= 20_000)


@pytest.mark.slow
def test_a_key_of_more_rows_than_memory_is_streamed(
    tmp_path: Path, small_row_groups: Callable[[Any, Path], Run]
) -> None:
    """One gram in all pages, and one page with a row for each of the others."""
    shared = [Document(f"s{i}", None, None, None, None, f"the same p{i} q{i}") for i in range(400)]
    pages = [*shared, Document("all", None, None, None, None, " ".join(page.text for page in shared))]
    corpus = small_row_groups(as_table(pages), tmp_path / "corpus")
    asked: dict[str, Any] = {"k": 2, "m": 3, "c": 1, "sigma": 0.1} | PLAIN
    tight = run_quilts(corpus, tmp_path / "tight", local(corpus, memory=2_000, partitions=1), **asked)
    assert read_found(tight) == twin.quilts(pages, **asked)


def test_what_is_counted(packed: Packed, packed_corpus: Run, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"k": 2, "m": 3, "c": 1, "sigma": 0.0, "foreign": "domain", "collapse": "exact"}
    summary = unquilt.quilts(packed_corpus.path, tmp_path / "run", **asked).manifest["summary"]
    df: Counter[tuple[int, tuple[str, ...]]] = Counter()
    copies = 0
    for number, corpus in enumerate(packed.corpora):
        sequences = [twin.sequence(document.text) for document in corpus]
        members = twin.gather_copies([document.text for document in corpus], asked["collapse"])
        copies += len(corpus) - len(members)
        df.update((number, gram) for doc in members for gram in set(twin.linear(sequences[doc], 2)))
    assert summary["unique_pairs"] == sum(count == 1 for count in df.values())
    assert summary["patch_pairs"] == sum(count for count in df.values() if 1 < count <= 3)
    assert summary["common_pairs"] == sum(count for count in df.values() if count > 3)
    assert summary["copies"] == copies
    assert summary["documents"] == len(packed.places)


LITTLE = ([""], ["", ""], ["?!"], ["one"], ["one two three four"], ["a b c d e"] * 2, [None, "a b c d e", None])


@pytest.mark.slow
@pytest.mark.parametrize("texts", LITTLE, ids=repr)
@pytest.mark.parametrize("collapse", COLLAPSE)
def test_next_to_nothing(texts: list[str | None], collapse: str, tmp_path: Path) -> None:
    """docs/faults.md 25: empty pages, pages shorter than k words, rejected pages beside others."""
    foreign = FOREIGN[(LITTLE.index(texts) + COLLAPSE.index(collapse)) % len(FOREIGN)]  # each with each of the others
    pages = [Document(str(i), None, None, None, None, text) for i, text in enumerate(texts) if text is not None]
    table = pa.table({"id": [str(i) for i in range(len(texts))], "text": pa.array(texts, pa.string())})
    asked: dict[str, Any] = {"c": 1, "sigma": 0.0, "foreign": foreign, "collapse": collapse} | PLAIN
    assert read_found(unquilt.quilts(table, tmp_path / "run", **asked)) == twin.quilts(pages, **asked)


@pytest.mark.slow
def test_keyed_fingerprints_find_the_same(packed: Packed, packed_corpus: Run, tmp_path: Path) -> None:
    """But for near-duplicates, which are a sample, another one for each key."""
    asked: dict[str, Any] = {"k": 3, "m": 3, "c": 1, "sigma": 0.3, "collapse": "exact"} | PLAIN
    plain = unquilt.quilts(packed_corpus.path, tmp_path / "plain", **asked)
    keyed = unquilt.quilts(packed_corpus.path, tmp_path / "keyed", key="00112233445566778899aabbccddeeff", **asked)
    assert read_files(plain) == read_files(keyed)


@pytest.mark.parametrize("key", ["xyz", "0" * 31, "g" * 32, "0" * 64])
def test_a_bad_key_is_refused_by_name(key: str) -> None:
    with pytest.raises(ParameterError, match="key"):
        unquilt.QuiltParameters(key=key)


@pytest.mark.parametrize("name", ["m", "c"])
def test_numbers_beyond_all_documents_are_numbers_too(name: str, tmp_path: Path) -> None:
    """Whatever `QuiltParameters` lets pass must run; what it does not is a ParameterError."""
    pages = as_table([Document(str(i), None, None, None, None, "a b c d e f") for i in range(2)])
    try:
        unquilt.QuiltParameters(**{name: 2**64})
    except ParameterError:
        return
    run = unquilt.quilts(
        pages, tmp_path / "run", collapse="none", sigma=0, min_grams=1, max_largest=1, **{"c": 1, name: 2**64}
    )
    assert run.quilts.num_rows == (2 if name == "m" else 0)


def test_an_arrow_table_is_the_same_input_every_time(tmp_path: Path) -> None:
    """docs/definitions.md 2.1, 4.1, 5: ids are stable, results depend on corpus and parameters, a run resumes."""
    pages = pa.table({"text": ["a b c d e f", "a b c d e f g"]})
    asked: dict[str, Any] = {"c": 1, "sigma": 0} | PLAIN
    first, second = (unquilt.quilts(pages, tmp_path / name, **asked) for name in ("first", "second"))
    assert read_files(first) == read_files(second)
    assert first.quilts["id"].to_pylist() == second.quilts["id"].to_pylist()
    assert unquilt.quilts(pages, tmp_path / "first", **asked).complete


def test_a_column_given_twice_is_said_to_be() -> None:
    """Not a KeyError: an input of no use is an InputError (errors.py)."""
    twice = pa.table([pa.array(["a b"]), pa.array(["c d"])], names=["text", "text"])
    with pytest.raises(InputError, match="text"):
        unquilt.quilts(twice)


@pytest.mark.slow
def test_results_without_a_folder_leave_no_trace() -> None:
    """Neither files nor, where warnings are errors, a word on the way out."""
    program = (
        "import pyarrow as pa, tempfile, unquilt\n"
        "run = unquilt.quilts(pa.table({'text': ['a b c d e', 'a b c d e f']}), c=1, min_grams=1, max_largest=1)\n"
        "print(run.quilts.num_rows, run.path)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    rows, path = done.stdout.split()
    assert rows == "2"
    assert not Path(path).exists()
    assert done.stderr == ""


def test_every_document_has_a_verdict() -> None:
    """Each limit alone, and what keeps pages from having sources at all."""
    sources = {f"http://s{i}.com/": " ".join(f"{letter}{i}" for letter in "abcdefgh") for i in range(5)}
    first, second, third, fourth, fifth = sources.values()
    pages = sources | {
        "http://s4.com/own": f"x {fifth} y",
        "http://quilt.com/": f"{first} . {second}",
        "http://short.com/": "a b",
        "http://alone.com/": "nobody else says this",
        "http://version.com/": f"0 {third} a0 b0 c0",
        "http://crumbs.com/": f"{fourth} 0 1 2 3 4 5 6 7 8 9 10 11 12 {second}",
    }
    table = pa.table({"url": list(pages), "text": list(pages.values())})
    asked: dict[str, Any] = {"k": 3, "c": 2, "sigma": 0.5, "max_largest": 0.8, "min_share": 0.05, "min_grams": 1}
    run = unquilt.quilts(table, **asked | {"collapse": "none"})
    found = {list(pages)[row["doc"]]: row["why"] for row in run.verdicts.to_pylist()}
    assert found == dict.fromkeys(sources, "max_largest, c") | {
        "http://s4.com/": "own site",
        "http://s4.com/own": "own site",
        "http://quilt.com/": None,
        "http://short.com/": "short",
        "http://alone.com/": "nothing shared",
        "http://version.com/": "max_largest",
        "http://crumbs.com/": "sigma",
    }
    summary = run.manifest["summary"]
    counted = {"too_short": 1, "nothing_shared": 1, "own_site_only": 2, "below_sigma": 1, "above_max_largest": 5}
    assert {name: summary[name] for name in counted} == counted
    assert sum(summary[name] for name in counted) + run.quilts.num_rows == len(pages)


def test_a_mirror_does_not_make_a_site_foreign_to_itself() -> None:
    """Of a manual on two sites, the chapter is no quilt of its sections, though each has a copy on the other site."""
    sections = [" ".join(f"{letter}{i}" for letter in "abcdefghijkl") for i in range(4)]
    pages = [" . ".join(sections), *sections]
    sites = [f"http://{site}.com/{page}" for site in ("one", "two") for page in range(5)]
    table = pa.table({"url": sites, "text": [*pages, *pages]})
    assert unquilt.quilts(table, k=3, c=2, min_grams=1).quilts.num_rows == 0
    elsewhere = table.set_column(0, "url", pa.array([sites[0], *(f"http://{i}.com/" for i in range(9))]))
    assert unquilt.quilts(elsewhere, k=3, c=2, min_grams=1).quilts["url"].to_pylist() == [sites[0]]


@pytest.mark.slow
@given(corpora(), asked_of_all)
@settings(max_examples=8)
def test_as_published_all_patch_grams_are_covered(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[Document], asked: dict[str, Any]
) -> None:
    """So that σ means what it does in the paper."""
    run = unquilt.quilts(as_table(corpus), tmp_path_factory.mktemp("any") / "run", **asked | PUBLISHED)
    assert run.verdicts["covered"] == run.verdicts["patchfrac"]
