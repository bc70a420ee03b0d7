"""Files without text, such as images: noted on request, and compared by their SHA-1 in `reuse`."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from corpus.test_other_texts import crawl
from faulty import invoke

import unquilt
from unquilt import JobOptions, LabelSet, Reading
from unquilt.jobs.corpora import measures

OPTIONS = JobOptions(reading=Reading(other_files=True))
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two hosts with an image in common; one has two empty files, too."""
    for host in ("www.one", "www.two"):
        place = tmp_path / "saved" / f"{host}.com"
        place.mkdir(parents=True)
        (place / "index.html").write_text(f"<p>This page belongs to {host} and to no one else.")
        (place / "logo.png").write_bytes(PNG)
    (tmp_path / "saved/www.one.com/empty.gif").write_bytes(b"")
    (tmp_path / "saved/www.one.com/empty.txt").write_bytes(b"")
    return tmp_path / "saved"


def test_they_are_rejects_by_default_and_documents_on_request(folder: Path, tmp_path: Path) -> None:
    usual = unquilt.ingest(folder, tmp_path / "usual")
    assert sorted(usual.rejects["reason"].to_pylist()) == ["empty file"] * 2 + ["unknown kind"] * 2
    noted = unquilt.ingest(folder, tmp_path / "noted", options=OPTIONS)
    assert noted.rejects.num_rows == 0
    assert measures(noted)["documents"] == 2
    files = {row["url"]: row for row in noted.table("other_texts").to_pylist()}
    assert len(files) == 4
    image = files["http://www.two.com/logo.png"]
    assert (image["media"], image["text"], image["content_type"], image["bytes"]) == ("file", "", "image/png", len(PNG))
    assert image["raw_sha1"] == hashlib.sha1(PNG, usedforsecurity=False).digest()
    assert files["http://www.one.com/empty.gif"]["bytes"] == 0
    names = ["id", "url", "text", "raw_sha1", "chunks", "chunk_sha1"]
    assert noted.documents.select(names) == usual.documents.select(names)


def test_reuse_lists_and_finds_them(folder: Path, tmp_path: Path) -> None:
    corpus = unquilt.ingest(folder, tmp_path / "corpus", options=OPTIONS)
    run = unquilt.discover(corpus.path, tmp_path / "run")
    objects = {row["sha1"]: row for row in run.objects.to_pylist()}
    empty, image = (hashlib.sha1(content, usedforsecurity=False).digest() for content in (b"", PNG))
    assert objects.keys() == {empty, image}
    assert [(row["kind"], row["occurrences"], row["page"]) for row in objects.values()] == [("file", 2, False)] * 2
    assert (objects[image]["sites"], objects[empty]["sites"]) == (2, 1)
    (best,) = unquilt.discover(corpus.path, tmp_path / "best", top=1).objects.to_pylist()
    assert best["sha1"] == image
    assert unquilt.discover(corpus.path, tmp_path / "pages", pages_only=True).objects.num_rows == 0
    unquilt.label(run.path, tmp_path / "found.labels")
    assert LabelSet.load(tmp_path / "found.labels").counts["files"] == 2
    found = unquilt.detect(corpus.path, tmp_path / "found", labels=str(tmp_path / "found.labels"))
    assert {row["url"].rpartition("/")[2] for row in found.targets.to_pylist()} == {
        "logo.png",
        "empty.gif",
        "empty.txt",
    }
    assert "logo.png" in invoke("show", tmp_path / "run", "objects").out


def test_those_of_archives(tmp_path: Path) -> None:
    archive = crawl(tmp_path / "crawl.warc", range(4))
    corpus = unquilt.ingest(archive, tmp_path / "corpus", options=OPTIONS)
    assert corpus.manifest["summary"]["skipped"] == {}
    images = [row for row in corpus.table("other_texts").to_pylist() if row["media"] == "file"]
    assert [(row["url"], row["content_type"], row["bytes"], row["status"]) for row in images] == [
        (f"http://site{site}.com/logo.png", "image/png", 3, 200) for site in range(4)
    ]
    objects = unquilt.discover(corpus.path, tmp_path / "run", auto_stop=False).table("objects", names=True).to_pylist()
    assert [row["sites"] for row in objects if row["first_url"].endswith("logo.png")] == [4]
    shown = invoke("show", tmp_path / "corpus").out
    assert "16 (JavaScript, CSS, robots.txt, files without text), for reuse only" in shown


def test_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "a.txt").write_text("A text that stands beside it.")
    given = ("ingest", tmp_path / "a.png", tmp_path / "a.txt", "-o")
    assert "binary, and not a known kind" in invoke(*given, tmp_path / "refused").err
    assert invoke(*given, tmp_path / "noted", "--other-files").code == 0
