"""Discovery: what the twin says, on both engines; stop chunks; what leads the list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin_reuse
from hypothesis import given
from hypothesis import strategies as st
from quilting import DEBIAN, read_files
from snapshots import Snapshots
from twin_reuse import Page

import unquilt
from unquilt import JobOptions, Settings, _native
from unquilt.columns import buffers
from unquilt.errors import InputError, ParameterError
from unquilt.runs import Run
from unquilt.stores.labels import HashList, hash_text
from unquilt.tables.corpus import CHUNK, SHA1

LABELLED = Path(__file__).parent / "labelled_chunks.txt"
PARAGRAPHS = [
    *(
        "Alpha beta gamma.",
        "alpha  BETA\ngamma",
        "ALPHA, beta: gamma!",
        "*",
        "7",
        "Home",
        "Über die Straße",
        "über die STRASSE",
    ),
    *(f"{'Paragraph number of some length ' * (1 + number % 3)}{number}" for number in range(12)),
    *("© 2020 Somebody", "Redistribution of data", f"{'A long text, ' * 60}with a licence, and a warranty."),
    f"{'A licence, or two licences, ' * 15}and a page about them.",
]


def draw_pages(random: Random, number: int) -> list[Page]:
    """Pages of a few paragraphs each, some of which are copies of others."""
    pages: list[Page] = []
    for place in range(number):
        parts = random.choices(PARAGRAPHS, k=random.randint(0, 6))
        text = random.choice(("", "\n\n", "  ")) + random.choice(("\n\n", "\n \n\n")).join(parts)
        if pages and random.random() < 0.1:
            text = random.choice(pages).text
        host = f"{random.choice(('', 'www.'))}site{random.randint(0, 5)}.com"
        url = f"http://{host}/{'a/' * random.randint(0, 2)}{random.choice(('', 'b/'))}{place}"
        looped = random.random() < 0.05
        url = f"http://{host}/{'loop/' * 6}{place}" if looped else url
        pages.append(Page(text, None if random.random() < 0.1 and not looped else url, looped))
    return pages


def tabulate(pages: Sequence[Page]) -> pa.Table:
    return pa.table({"url": [page.url for page in pages], "text": [page.text for page in pages]})


def read_objects(run: Run, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = getattr(run, table).to_pylist()
    return rows


ASKED: list[dict[str, Any]] = [
    {},
    {"raw": True, "auto_stop": False, "site": "host"},
    {"normalise": True, "min_sites": 2, "chunk_threshold": 3},
    {"top": 7, "file_threshold": 2, "min_length": 12},
    {"trivial_stop": False, "auto_stop": False, "min_length": 1, "min_length_of": "labels"},
    {"top": 5, "rank": "occurrences", "auto_stop": False},
]


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_random_pages_give_what_the_twin_says(asked: dict[str, Any], settings: Settings, tmp_path: Path) -> None:
    pages = draw_pages(Random(str(asked)), 300)
    reading = unquilt.Reading(source=asked.get("raw", False))
    corpus = unquilt.ingest(tabulate(pages), tmp_path / "corpus", options=JobOptions(reading=reading))
    run = unquilt.discover(corpus.path, tmp_path / "run", options=JobOptions(settings=settings), **asked)
    by = "raw" if asked.get("raw") else "words" if asked.get("normalise") else "text"
    others = {name: value for name, value in asked.items() if name not in ("raw", "normalise", "min_length_of")}
    objects, stopped, frequencies = twin_reuse.discover(pages, by=by, **others)
    assert read_objects(run, "objects") == objects
    assert read_objects(run, "stop_chunks") == stopped
    found = {(row["occurrences"], row["what"]): row["count"] for row in run.frequencies.to_pylist()}
    assert found == frequencies
    assert run.manifest["summary"]["recursive"] == sum(page.recursive for page in pages)
    assert run.manifest["summary"]["without_url"] == sum(page.url is None for page in pages)


@pytest.mark.slow
@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_real_pages_are_the_same_everywhere(debian: Run, tmp_path: Path) -> None:
    files = []
    for settings in (Settings(threads=2, memory=1 << 27), Settings(threads=1, memory=1 << 30)):
        run = unquilt.discover(debian.path, tmp_path / f"{len(files)}", options=JobOptions(settings=settings))
        files.append(read_files(run))
    assert files[0] == files[1]
    leading = sorted(run.objects.to_pylist(), key=lambda row: (row["notice"], -row["weight"]))[:100]
    assert min(row["length"] for row in leading) > 60
    assert not any("copyright" in row["example"].lower()[:100] for row in leading)


def test_a_rule_for_stop_chunks_stops_what_says_nothing() -> None:
    """A floor for chunks that were labelled by hand: who changes the rule measures it here."""
    rows = [line.split() for line in LABELLED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    stopped = [row for row in rows if int(row[1]) * 256 < 10 * twin_reuse.log2_256(int(row[2]))]
    nothing = [row for row in stopped if row[4] == "none"]
    assert len(rows) == 340
    assert len(nothing) / len(stopped) >= 0.98
    assert len(nothing) / sum(row[4] == "none" for row in rows) >= 0.67


texts = st.text(st.sampled_from("aÀbß二は*. \n7"), max_size=40)


@given(texts, st.sampled_from(("text", "raw", "words")), st.integers(0, 4))
def test_chunks_are_those_of_the_twin(text: str, by: str, min_length: int) -> None:
    begins, ends, raws, collapsed, trivial = _native.paragraphs(text.encode())
    spans = [
        {"begin": int.from_bytes(begins[at : at + 4], "little"), "end": int.from_bytes(ends[at : at + 4], "little")}
        for at in range(0, len(begins), 4)
    ]
    hashes = [[each[at : at + 20] for at in range(0, len(each), 20)] for each in (collapsed, raws)]
    compared = {
        "words": pa.array([text], pa.large_string()),
        **{name: pa.array([each], pa.list_(SHA1)) for name, each in zip(("text", "raw"), hashes, strict=True)},
    }
    numbers = [int.from_bytes(trivial[at : at + 4], "little") for at in range(0, len(trivial), 4)]
    columns = (pa.array([spans], pa.list_(CHUNK)), pa.array([numbers], pa.list_(pa.int32())), compared[by])
    a, b, c = (buffers(column) for column in columns)
    found = _native.chunk_hashes(a, b, c, by == "words", min_length)
    assert found == b"".join(chunk.sha1 for chunk in twin_reuse.cut(text, by, min_length))


def test_lists_of_hashes_and_texts(tmp_path: Path, snapshots: Snapshots) -> None:
    path = tmp_path / "list.txt"
    path.write_text(f"# a remark\n\n  Home \n{'0a' * 20}\nfile {'0B' * 20}\nChunk {'0c' * 20}\n{'0d' * 19}\n")
    found = HashList.read(path)
    assert (found.texts, found.files) == (("Home", "0d" * 19), (b"\x0b" * 20,))
    assert found.hash_chunks("words") == b"\x0a" * 20 + b"\x0c" * 20 + hash_text("home", "words") + hash_text(
        "0d" * 19, "text"
    )
    for content, complaint in ((b"\xff\xfe", "not UTF-8 at byte 0"), (b"unquilt labels\n\0", "is a set of labels")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=complaint):
            HashList.read(path)
    with snapshots.error(InputError):
        HashList.read(tmp_path / "none")


def test_stop_chunks_of_a_file_are_passed_over(tmp_path: Path) -> None:
    pages = [Page(f"Some text that says a lot.\n\nAnother text, which is as long.\n\nOf {n} alone") for n in range(4)]
    (tmp_path / "stops").write_text("Some  text that says a lot.\n")
    run = unquilt.discover(tabulate(pages), tmp_path / "run", stop=str(tmp_path / "stops"))
    assert [row["example"] for row in run.objects.to_pylist()] == ["Another text, which is as long."]
    assert run.manifest["summary"]["passed_chunks"] == 4
    assert any(record["path"].endswith("stops") for record in run.manifest["inputs"])


NOTICE_PARTS = ("copyright", "x©", "écopyright", "warranty_", "redistribution", "a page of it", *["x " * 200] * 4)


@pytest.mark.slow
def test_notices_are_those_of_the_twin(tmp_path: Path) -> None:
    random = Random(6)
    texts = [" ".join(random.choices(NOTICE_PARTS, k=random.randint(1, 9))) for _ in range(400)]
    run = unquilt.discover(tabulate([Page(text) for text in texts]), tmp_path / "run", chunk_threshold=0)
    found = {row["sha1"]: row["notice"] for row in run.objects.to_pylist() if row["kind"] == "chunk"}
    expected = {twin_reuse.hash_chunk(text, "text"): twin_reuse.is_notice(text.strip()) for text in texts}
    assert found == {sha1: notice for sha1, notice in expected.items() if sha1 in found}
    assert 50 < sum(found.values()) < len(found) - 50


def test_pages_with_a_notice_are_no_notices(tmp_path: Path) -> None:
    """A footer does not make a page one."""
    text = "A long text about something else. " * 60 + "\n\nCopyright by somebody; the license says more."
    run = unquilt.discover(tabulate([Page(text), Page(text)]), tmp_path / "run")
    assert {(row["kind"], row["length"] > 100): row["notice"] for row in run.objects.to_pylist()} == {
        ("file", True): False,
        ("chunk", True): False,
        ("chunk", False): True,
    }


def test_notices_come_last(tmp_path: Path) -> None:
    notice = "Copyright 2026 by somebody, who reserves all rights, and has a lot of words for it. " * 3
    pages = [Page(f"{notice}\n\nA text that is not as long as that.\n\nOf {n} alone") for n in range(4)]
    run = unquilt.discover(tabulate(pages), tmp_path / "run")
    assert {row["example"][:6]: row["notice"] for row in run.objects.to_pylist()} == {"Copyri": True, "A text": False}


def test_wrong_parameters(snapshots: Snapshots) -> None:
    with snapshots.error(ParameterError):
        unquilt.DiscoverParameters(raw=True, normalise=True)
    for name in ("chunk_threshold", "min_length"):
        with pytest.raises(ParameterError, match=name):
            unquilt.DiscoverParameters(**{name: -1})
