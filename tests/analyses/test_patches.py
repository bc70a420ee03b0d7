"""Patches: where copied passages begin and end, in both texts. That they are those of the twin, test_quilts.py says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import twin
from drawn import Packed
from quilting import PLAIN, local, read_files, read_found, run_quilts

import unquilt
from unquilt.analyses.quilt_parameters import PUBLISHED
from unquilt.engines import engine
from unquilt.runs import Run


def find(texts: Sequence[str], **parameters: Any) -> list[tuple[int, str, int, str]]:
    """Quilts and sources, with what is between the offsets of each patch in either text."""
    table = pa.table({"id": [str(i) for i in range(len(texts))], "text": pa.array(texts, pa.string())})
    run = unquilt.quilts(table, **{"k": 3, "c": 1, "sigma": 0.0} | PLAIN | parameters)
    found = []
    for row in run.patches.to_pylist():
        here = texts[row["quilt"]][row["begin"] : row["end"]]
        there = texts[row["source"]][row["source_begin"] : row["source_end"]]
        assert twin.sequence(here) == twin.sequence(there)
        assert len(twin.sequence(here)) == row["words"] >= 3
        found.append((row["quilt"], here, row["source"], there))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"k": 2, "m": 4, "c": 1, "sigma": 0.3, "foreign": "host", "min_grams": 1, "max_largest": 1.0},
        {"k": 1, "m": 3, "c": 2, "sigma": 0.0} | PUBLISHED,
        {
            "k": 3,
            "m": 50,
            "c": 1,
            "sigma": 0.5,
            "min_share": 0.25,
            "min_grams": 2,
            "max_largest": 0.9,
            "max_own": 1.0,
            "max_sections": 1.0,
            "min_sewn": 0.0,
            "max_reads_on": 1.0,
            "homes": False,
            "edits": "exact",
        },
    ],
    ids=str,
)
def test_patches_cover_what_sources_cover(
    asked: dict[str, Any], packed: Packed, packed_corpus: Run, tmp_path: Path
) -> None:
    """The grams at the places that patches cover are pg(d) ∩ the grams of the chosen sources: all of them, no other."""
    k, m = asked["k"], asked["m"]
    run = run_quilts(packed_corpus, tmp_path / "run", local(packed_corpus, partitions=3), **asked)
    covered = 0
    for number, found in enumerate(packed.split(read_found(run))):
        texts = [document.text for document in packed.corpora[number]]
        kept = twin.gather_copies(texts, asked.get("collapse", "near"))
        grams = {doc: set(twin.linear(twin.sequence(texts[doc]), k)) for doc in kept}
        df = Counter(gram for own in grams.values() for gram in own)
        for d, *_ in found.quilts:
            shared = {gram for q, _, source, *_ in found.sources if q == d for gram in grams[d] & grams[source]}
            spans = [(begin, end) for q, begin, end, *_ in found.patches if q == d]
            within = [twin.sequence(texts[d][begin:end]) for begin, end in spans]
            assert {gram for words in within for gram in twin.linear(words, k)} == {g for g in shared if df[g] <= m}
            covered += len(spans)
    assert covered > 100


def test_a_copy_from_the_very_top_of_a_page() -> None:
    assert find(["One two three. Four", "ONE, two: three! five"]) == [
        (0, "One two three", 1, "ONE, two: three"),
        (1, "ONE, two: three", 0, "One two three"),
    ]


def test_parts_in_another_order_than_in_the_source() -> None:
    source = "a b c d. 0 e f g h. i j k l."
    page = "(i j k l) (a b c d) (e f g h)"
    found = find([source, page])
    assert [(here, there) for quilt, here, _, there in found if quilt == 1] == [
        ("i j k l", "i j k l"),
        ("a b c d", "a b c d"),
        ("e f g h", "e f g h"),
    ]


def test_a_patch_that_occurs_twice_in_the_source() -> None:
    """The first of them counts, unless the second goes on for longer; in the page, both count."""
    source, page = "x a b c y a b c z", "a b c 1 a b c 2 a b c z"
    run = unquilt.quilts(pa.table({"text": [source, page]}), k=3, c=1, sigma=0, **PLAIN)
    rows = [(row["quilt"], row["begin"], row["source_begin"], row["words"]) for row in run.patches.to_pylist()]
    assert rows == [(0, 2, 0, 3), (0, 10, 16, 4), (1, 0, 2, 3), (1, 8, 2, 3), (1, 16, 10, 4)]


def test_pages_in_chinese() -> None:
    source = "他们说，这是一个很长的句子。"
    page = "标题：这是一個很長的，不對：这是一个很长的句子！"
    assert find([source, page], k=5) == [
        (0, "这是一个很长的句子", 1, "这是一个很长的句子"),
        (1, "这是一个很长的句子", 0, "这是一个很长的句子"),
    ]


def test_offsets_are_code_points() -> None:
    source = "😀 ‹Ünï› e\u0301t\u0301E\u0301 STRASSE 漢. ok"
    page = "— 🎉🎉 «ÜNÏ» ÉT\u0301É straße漢"
    assert find([source, page], k=4) == [
        (0, "Ünï› e\u0301t\u0301E\u0301 STRASSE 漢", 1, "ÜNÏ» ÉT\u0301É straße漢"),
        (1, "ÜNÏ» ÉT\u0301É straße漢", 0, "Ünï› e\u0301t\u0301E\u0301 STRASSE 漢"),
    ]


def test_the_longest_then_the_best_then_the_first() -> None:
    longest = ["a b c d", "b c d e f", "0 a b c d e"]
    assert [(here, source) for quilt, here, source, _ in find(longest) if quilt == 2] == [
        ("a b c d", 0),
        ("b c d e", 1),
    ]
    better = ["a b c x", "a b c 1 2 3", "0 a b c 4 1 2 3"]
    assert [(here, source) for quilt, here, source, _ in find(better) if quilt == 2] == [("a b c", 1), ("1 2 3", 1)]


def test_common_grams_end_a_patch() -> None:
    """One gram, `c d e`, is in more than m pages: a run across it is two."""
    texts = ["a b c d e f g", "A B C D E F G h", "c d e 1", "c d e 2"]
    assert [(here, there) for quilt, here, _, there in find(texts, m=3) if quilt == 0] == [
        ("a b c d", "A B C D"),
        ("d e f g", "D E F G"),
    ]


def test_copies_are_sources_once() -> None:
    """The kept document stands for its copies, and offsets are those of its text."""
    texts = ["?? a b c d", "a b c d", "x a b c d e"]
    assert find(texts) == [(0, "a b c d", 2, "a b c d"), (2, "a b c d", 0, "a b c d")]


COLLIDING = ("flongjpocdgdolib", "mijjabhhfnknniel")
"""Two words of one plain fingerprint; it took 2^30 of them to find these."""


def test_what_only_fingerprints_promise_is_no_patch() -> None:
    """Pages that share grams by fingerprint alone, also next to words that they do share."""
    first, second = (f"a b {word} c d" for word in COLLIDING)
    assert unquilt.grams(first, 5) == unquilt.grams(second, 5)
    run = unquilt.quilts(pa.table({"text": [first, second]}), c=1, sigma=0, collapse="exact", **PLAIN)
    assert run.quilts.num_rows == 2
    assert run.patches.num_rows == 0
    assert run.manifest["summary"]["collisions"] == 2
    texts = [f"a b c d e {word} 1 2 3 4 5" for word in COLLIDING]
    run = unquilt.quilts(pa.table({"text": texts}), c=1, sigma=0, collapse="exact", **PLAIN)
    found = [texts[row["quilt"]][row["begin"] : row["end"]] for row in run.patches.to_pylist()]
    assert found == ["a b c d e", "1 2 3 4 5"] * 2
    assert run.manifest["summary"]["collisions"] == 2 * 5


def test_no_collisions_in_ordinary_corpora(packed_corpus: Run) -> None:
    run = unquilt.quilts(packed_corpus.path, k=2, m=4, c=1, sigma=0, **PLAIN)
    assert run.patches.num_rows > 1000
    assert run.manifest["summary"]["collisions"] == 0


@pytest.mark.slow
def test_patches_can_be_left_out(packed_corpus: Run, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0} | PLAIN | {"min_sewn": 0.01}
    full = read_files(unquilt.quilts(packed_corpus.path, tmp_path / "full", **asked))
    without = read_files(unquilt.quilts(packed_corpus.path, tmp_path / "without", patches=False, **asked))
    assert full.keys() - without.keys() == {"patches.parquet"}
    assert all(full[name] == without[name] for name in without)


@pytest.mark.slow
def test_what_is_asked_may_be_cut_anywhere(packed_corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of one document in several row groups, beside documents in several row groups."""
    asked: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0} | PLAIN
    whole = unquilt.quilts(packed_corpus.path, tmp_path / "whole", **asked)
    monkeypatch.setattr(engine, "LONG_ROWS_PER_GROUP", 7)
    cut = unquilt.quilts(packed_corpus.path, tmp_path / "cut", **asked)
    assert cut.manifest["stages"]["slices"]["rows"] > 100 * 7
    assert cut.patches == whole.patches
