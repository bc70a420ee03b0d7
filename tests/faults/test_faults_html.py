"""docs/faults.md 18 to 25: pages that are made, or happen, to be too much for a parser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from faulty import Row, begins, execute, gz, ingest, invoke, line, peruse, response, tables, without_progress, write

import unquilt
from unquilt.corpus.options import Reading
from unquilt.guard import HUNGRY

pytestmark = pytest.mark.slow

MANY = 200_000


def only(page: bytes, folder: Path, reading: Reading | None = None) -> Row:
    """The document of a page, whose neighbours are read too."""
    found = peruse(write(folder / "a.warc", response(0), response(1, page), response(2)), reading=reading)
    assert [row["id"] for row in found.documents] == ["urn:0", "urn:1", "urn:2"]
    assert not found.rejects
    return found.documents[1]


NESTED = {
    "div": (b"<div>" * MANY + b"deep" + b"</div>" * MANY, "deep"),
    "never closed": (b"<b><i>" * (MANY // 2) + b"deep", "deep"),
    "tables": (b"<table><tr><td>" * (MANY // 3) + b"deep", "deep"),
    "links": (b"<a href=x>" * MANY + b"deep", "deep"),
    "only closed": (b"</div>" * MANY + b"deep", "deep"),
    "text at each level": (b"<b>x " * MANY, "x " * (MANY - 1) + "x"),
    "foreign": (b"<svg><math>" * (MANY // 2) + b"deep", "deep"),
}


@pytest.mark.parametrize("what", NESTED)
def test_fault_18_nested_tags(what: str, tmp_path: Path) -> None:
    page, text = NESTED[what]
    assert only(page, tmp_path)["text"] == text


@pytest.mark.parametrize("attribute", [b" a%d=b", b" a", b' %d="x>y"', b" style=color:%d"])
def test_fault_19_attributes(attribute: bytes, tmp_path: Path) -> None:
    attributes = b"".join(attribute % number if b"%d" in attribute else attribute for number in range(MANY))
    assert only(b"<p" + attributes + b">attributes</p>", tmp_path)["text"] == "attributes"


def test_fault_20_a_million_paragraphs(tmp_path: Path) -> None:
    row = only(b"".join(b"<p>w%d" % number for number in range(1_000_000)), tmp_path)
    assert row["text"] == "\n\n".join(f"w{number}" for number in range(1_000_000))
    assert len(row["chunks"]) == 1_000_000


@pytest.mark.parametrize("depth", [260, 5_000])
def test_fault_21_depth_loses_no_text(depth: int, tmp_path: Path) -> None:
    page = b"".join(b"<div>down %d" % level for level in range(depth)) + b"</div>up" * depth
    expected = [f"down {level}" for level in range(depth)] + ["up"] * depth
    assert only(page, tmp_path)["text"].split("\n\n") == expected


def test_fault_21_depth_with_main_content(tmp_path: Path) -> None:
    article = b"<p>" + b"an article with many words in it, of which none is lost. " * 20
    page = b"<html><body>" + b"<div>" * 260 + article + b"</div>" * 260
    row = only(page, tmp_path, Reading(main_content=True))
    assert row["text"].split() == (article[3:].decode()).split()


def test_fault_22_one_word_of_50_mb(tmp_path: Path) -> None:
    word = b"x" * (50 << 20)
    write(tmp_path / "in" / "a.txt", word)
    write(tmp_path / "in" / "b.html", b"<p>" + word + b"<p>end")
    write(tmp_path / "in" / "c.jsonl", line(1), b'{"id": "long", "text": "' + word + b'"}\n', line(2))
    found = ingest(tmp_path / "in", output=tmp_path / "out")
    assert [row["words"] for row in found.documents] == [1, 2, 2, 1, 2]
    assert {len(row["text"]) for row in found.documents} == {6, len(word), len(word) + len("\n\nend")}
    assert not found.rejects


def test_faults_18_to_23_with_main_content(tmp_path: Path) -> None:
    """What the limits do not stop, the clock does, or on a fast machine the lack of memory; pages before and after are
    read."""
    formats = b"".join(b"<font a=%d>" % number for number in range(900))
    hostile = {
        "18": (NESTED["div"][0], "too many nodes"),
        "19": (b"<p" + b"".join(b" a%d=b" % number for number in range(MANY)) + b">x", "too slow"),
        "20": (b"<p>w" * 1_000_000, "too many nodes"),
        "21": (b"<div>" * 5_000 + b"deep", "too deep"),
        "23": (b"<p>" + formats + b"<p>x" * 60_000, "too slow"),  # each x is put into 900 elements
    }
    records = [response(0)]
    for number, (page, _) in enumerate(hostile.values(), 1):
        records += [response(2 * number - 1, page), response(2 * number)]
    file = write(tmp_path / "a.warc", *records)
    ended = execute("ingest", file, "-o", tmp_path / "out", "--main-content", "--deadline", 1)
    assert ended.code == 0
    assert without_progress(ended.err) == []
    assert "5 records rejected (2 too many nodes, " in ended.out
    found = tables(tmp_path / "out")
    assert found.pages == [0, 2, 4, 6, 8, 10]
    at = begins(records)
    lost = [(place, "too slow" if reason == HUNGRY else reason) for place, reason in found.lost]
    assert lost == [(at[2 * number + 1], reason) for number, (_, reason) in enumerate(hostile.values())]


STARVED = """
import resource
from unquilt.corpus.extract.documents import main_content
main_content(b"<p>warm")
held = 1024 * int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1])
resource.setrlimit(resource.RLIMIT_DATA, (held + (200 << 20),) * 2)
try:
    main_content(b"<p>" + b"".join(b"<font a=%d>" % number for number in range(900)) + b"<p>x" * 60_000)
except MemoryError:
    print("MemoryError")
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory cannot be limited like this here")
def test_fault_23_a_page_whose_tree_does_not_fit_into_memory() -> None:
    """The parser says that it could not parse; the guard of readers has to hear that memory ran out."""
    done = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "MemoryError\n", done.stderr


PUNCTUATION = {
    "!?": b"!?" * 50_000,
    "dots": b"." * 100_000,
    "brackets": b"([{<" * 25_000,
    "less": b"<" * 100_000,
    "ampersands": b"&" * 100_000,
    "entities": b"&#x" * 33_000 + b"&amp" * 1000,
    "comments": b"<!--" * 25_000,
    "comment ends": b"-->" * 33_000,
    "declarations": b"<!" * 50_000,
    "cdata": b"<![CDATA[" * 11_000 + b"]]>",
    "quotes": b"<a href=\"'" * 10_000,
    "scripts": b"<script><!--<script>" * 5_000,
    "text areas": b"<textarea>" * 10_000,
    "blank lines": b"\n \n\t\r\n" * 20_000,
    "angles": b"<p><" * 25_000,
    "hyphens": b"-=-" * 33_000,
    "marks": "x\u0301\u0302".encode() * 20_000,
}


@pytest.mark.parametrize("what", PUNCTUATION)
def test_fault_24_punctuation(what: str, tmp_path: Path) -> None:
    """As text, page, mail, line and table, and with main content: nothing is lost or takes long."""
    content = PUNCTUATION[what]
    write(tmp_path / "in" / "a.txt", b"text: " + content)
    write(tmp_path / "in" / "b.html", b"<html><p>" + content)
    write(tmp_path / "in" / "c.eml", b"Subject: x\nFrom: y\nTo: z\n\n" + content)
    write(tmp_path / "in" / "d.jsonl", line(1, text="text: " + content.decode()), line(2))
    write(tmp_path / "in" / "e.txt.gz", gz(b"text: " + content))
    for reading in (Reading(), Reading(main_content=True)):
        found = peruse(tmp_path / "in", reading=reading)
        assert len(found.documents) == 6
        assert found.texts["urn:1"] == "text: " + content.decode()
        assert not found.rejects


SHORT = [b"", b"<html></html>", b"<script>x</script>", b" \n\t", b"<p>one", b"<p>one two three four"]


def test_fault_25_pages_without_or_with_few_words(tmp_path: Path) -> None:
    """They are documents, have no grams of five words, and so are neither quilts nor sources."""
    long = b"<p>one two three four five six seven"
    file = write(tmp_path / "a.warc", *(response(number, page) for number, page in enumerate([*SHORT, long, long])))
    found = ingest(file, output=tmp_path / "corpus")
    assert [row["words"] for row in found.documents] == [0, 0, 0, 0, 1, 4, 7, 7]
    assert [row["text"] for row in found.documents[:4]] == [""] * 4
    assert not found.rejects
    for options in ([], ["--as-published"]):
        output = tmp_path / f"run{len(options)}"
        ended = invoke("quilts", tmp_path / "corpus", "-o", output, "-c", 1, "--min-grams", "1", *options)
        assert ended.code == 0
        quilts = unquilt.read(output).quilts.to_pylist()
        published = [(6, 7, 3, 3, 1.0, 1), (7, 7, 3, 3, 1.0, 1)]
        names = ("doc", "words", "grams", "patch_grams", "patchfrac", "sources")
        assert [tuple(row[name] for name in names) for row in quilts] == (published if options else [])


def test_fault_25_nothing_but_empty_pages(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", line(1, text=""), line(2, text=" "))
    ended = invoke("quilts", file, "-o", tmp_path / "run")
    assert ended.code == 0
    assert ended.out.startswith("2 documents, 0 words; nothing was rejected\n0 quilts, 0 sources; ")
