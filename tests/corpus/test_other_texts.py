"""JavaScript, CSS and robots.txt of archives: kept for `reuse`, and neither seen nor numbered by anything else."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from faulty import invoke
from quilting import read_files

import unquilt
from unquilt import JobOptions, Settings
from unquilt.jobs.corpora import documents, measures
from unquilt.runs import Run

SCRIPT = "function menu() {\n  return 1;\n}\n\nfunction banner() {\n  return 'the banner of this site';\n}\n"
STYLE = "body { margin: 0; padding: 0; background: #fff }\n\nh1 { font-size: 120%; font-weight: bold }\n"
ROBOTS = "User-agent: *\nDisallow: /private/\n\nUser-agent: somebot\nDisallow: /\n"
TEXT = "A paragraph that says something by itself and says it at some length."


def record(number: int, url: str, media: str, content: str, coding: str = "") -> bytes:
    """A response record."""
    fields = f"Content-Type: {media}\r\n" + (f"Content-Encoding: {coding}\r\n" if coding else "")
    body = f"HTTP/1.1 200 OK\r\n{fields}\r\n{content}".encode()
    header = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <id:{number}>\r\nWARC-Target-URI: {url}\r\n"
    return f"{header}Content-Length: {len(body)}\r\n\r\n".encode() + body + b"\r\n\r\n"


def crawl(path: Path, sites: Sequence[int], *, others: bool = True) -> Path:
    """An archive: of each site two pages and, among them, its script, its style and its robots.txt."""
    records: list[bytes] = []
    for site in sites:
        root, number = f"http://site{site}.com/", 10 * site
        beside = [
            record(number + 2, f"{root}js/menu.js", "application/javascript", SCRIPT),
            record(number + 3, f"{root}style.css", "text/css", STYLE),
            record(number + 4, f"{root}robots.txt", "text/plain", ROBOTS),
        ]
        records += [
            record(number, f"{root}a.html", "text/html", f"<p>{TEXT}<p>Page a of {site}"),
            *(beside if others else ()),
            record(number + 5, f"{root}b/c.html", "text/html", f"<p>Page c of {site}, which has its own words"),
            record(number + 6, f"{root}logo.png", "image/png", "PNG"),
        ]
    path.write_bytes(b"".join(records))
    return path


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same crawl with and without the texts beside its pages."""
    folder = tmp_path_factory.mktemp("archives")
    for name in ("full", "bare"):
        (folder / name).mkdir()
        crawl(folder / name / "crawl.warc", range(4), others=name == "full")
    return folder / "full", folder / "bare"


def test_they_are_kept_apart(archives: tuple[Path, Path], tmp_path: Path) -> None:
    full, bare = (unquilt.ingest(path, tmp_path / path.name) for path in archives)
    assert measures(full)["documents"] == measures(bare)["documents"] == 8
    assert (full.manifest["summary"]["other_texts"], bare.manifest["summary"].get("other_texts")) == (12, None)
    assert full.manifest["summary"]["skipped"] == bare.manifest["summary"]["skipped"] == {"type image/png": 4}
    names = [name for name in full.documents.column_names if name != "offset"]
    assert full.documents.select(names).drop("file") == bare.documents.select(names).drop("file")
    others = full.table("other_texts")
    assert others["doc"].to_pylist() == list(range(8, 20))
    assert others["media"].to_pylist() == ["script", "style", "robots"] * 4
    assert others["text"][0].as_py() == SCRIPT
    assert [len(each) for each in others["chunks"].to_pylist()][:3] == [2, 2, 2]
    assert documents(full, others=True).rows == 20
    shown = invoke("show", tmp_path / "full", "other_texts", "--columns", "doc,url,media", "--limit", "2")
    assert "http://site0.com/js/menu.js" in shown.out
    assert "other texts  12 (JavaScript, CSS, robots.txt), for reuse only" in invoke("show", tmp_path / "full").out


def test_others_neither_see_nor_number_them(archives: tuple[Path, Path], tmp_path: Path) -> None:
    for analysis in (unquilt.quilts, unquilt.neardups, unquilt.phrases):
        runs = [analysis(path, tmp_path / f"{analysis.__name__}-{path.name}") for path in archives]
        assert read_files(runs[0]) == read_files(runs[1])


def test_reuse_looks_at_them(archives: tuple[Path, Path], settings: Settings, tmp_path: Path) -> None:
    options = JobOptions(settings=settings)
    run = unquilt.discover(archives[0], tmp_path / "run", options=options, auto_stop=False)
    objects = run.table("objects", names=True).to_pylist()
    found = {(row["kind"], row["first_url"].rpartition("/")[2], row["page"]): row["sites"] for row in objects}
    assert found["chunk", "a.html", True] == found["file", "menu.js", False] == found["file", "robots.txt", False] == 4
    assert [row["first_url"] for row in objects if row["page"]] == ["http://site0.com/a.html"]
    (best,) = unquilt.discover(
        archives[0], tmp_path / "best", options=options, top=1, auto_stop=False
    ).objects.to_pylist()
    assert best["example"] == TEXT  # scripts are longer, but no pages
    listed = invoke("show", tmp_path / "run", "objects", "--limit", "1")
    assert TEXT in listed.out
    few = unquilt.discover(archives[0], tmp_path / "few", options=options, pages_only=True, auto_stop=False)
    bare = unquilt.discover(archives[1], tmp_path / "bare", options=options, auto_stop=False)
    assert read_files(few) == read_files(bare)


def test_parts_are_numbered_as_the_whole(tmp_path: Path) -> None:
    reference = crawl(tmp_path / "ours.warc", [2])
    labels = unquilt.label(reference, tmp_path / "ours.labels")
    assert labels.counts["chunks"] == 2 + 1 + 6
    assert unquilt.label(reference, tmp_path / "pages.labels", pages_only=True).counts["chunks"] == 3
    paths = [crawl(tmp_path / f"{name}.warc", sites) for name, sites in (("a", [0, 1]), ("b", [2]), ("c", [1, 3]))]
    parts = [unquilt.detect(path, tmp_path / path.stem, labels=str(labels.path)) for path in paths]
    whole = unquilt.detect(paths, tmp_path / "whole", labels=str(labels.path))
    merged = unquilt.merge_runs([part.path for part in parts], tmp_path / "merged")
    for table in ("contents", "targets", "neighbourhoods", "shares", "path_lengths", "objects", "object_sites"):
        assert merged.table(table) == whole.table(table), table
    script = "http://site3.com/js/menu.js"
    (target,) = [row for row in whole.targets.to_pylist() if row["url"] == script]
    assert (target["file"], target["contains"]) == (True, 1.0)
    assert "function banner()" in invoke("show", tmp_path / "whole", "targets", "--doc", script).out


def test_an_archive_without_pages_says_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "robots.warc"
    path.write_bytes(record(1, "http://a.org/robots.txt", "text/plain", ROBOTS))
    ended = invoke("ingest", path, "-o", tmp_path / "corpus")
    assert ended.code == 1
    assert "1 × text beside pages" in ended.err


def test_a_broken_one_is_a_reject(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    page = record(1, "http://a.org/", "text/html", "<p>A page")
    path.write_bytes(page + record(2, "http://a.org/a.js", "text/javascript", "\x1f\x8b\x08\x00\x00\x01", "gzip"))
    corpus = unquilt.ingest(path, tmp_path / "corpus")
    assert [row["reason"] for row in corpus.rejects.to_pylist()] == ["bad content-encoding"]
    assert "other_texts" not in corpus.manifest["summary"]


def test_a_part_that_went_is_made_again(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """A corpus that was interrupted while its parts were written."""
    corpus = unquilt.ingest(archives[0], tmp_path / "corpus")
    before = {path.relative_to(corpus.path): path.read_bytes() for path in corpus.path.rglob("*.parquet")}
    assert {path.parent.name for path in before} >= {"documents", "other_texts"}
    shutil.rmtree(corpus.path / "other_texts")
    assert not Run.read(corpus.path).complete
    again = unquilt.ingest(archives[0], tmp_path / "corpus")
    assert {path.relative_to(again.path): path.read_bytes() for path in again.path.rglob("*.parquet")} == before
