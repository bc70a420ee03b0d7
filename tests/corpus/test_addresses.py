"""URLs that files get from where they lie: bases, folders of hosts, names that crawlers give."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from faulty import gz, write
from hypothesis import assume, given
from hypothesis import strategies as st
from snapshots import Snapshots

import unquilt
from unquilt.corpus.find.addresses import Whereabouts, give_urls, is_host
from unquilt.corpus.find.inputs import find
from unquilt.corpus.options import Reading
from unquilt.corpus.sources import Source
from unquilt.errors import InputError, ParameterError, RunError
from unquilt.settings import Settings

PAGE = b"<p>one two three <a href='b.html'>b</a> <a href='/c/'>c</a>"


def spread(folder: Path, *names: str) -> Path:
    for name in names:
        write(folder / name, PAGE)
    return folder


def made(inputs: Any, base: str = "auto") -> dict[str, str]:
    """The URLs of files, by their names."""
    return {Path(source.path).name: source.url for source in find(inputs, base_url=base)}


def test_a_base_and_the_path(tmp_path: Path) -> None:
    site = spread(tmp_path / "site", "index.html", "a/b.html", "a/c.txt")
    expected = {
        "index.html": "http://h.example/x/index.html",
        "b.html": "http://h.example/x/a/b.html",
        "c.txt": "http://h.example/x/a/c.txt",
    }
    for base in ("http://h.example/x", "http://h.example/x/"):
        assert made([site], base) == expected
    assert made(sorted(site.iterdir()), "http://h.example/x/") == expected
    assert made([f"{site}/*"], "http://h.example/x/") == expected
    assert made([site / "a" / "b.html"], "http://h.example") == {"b.html": "http://h.example/b.html"}
    assert made([site], "none") == dict.fromkeys(expected, "")


def test_only_pages_that_are_files_get_urls(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", b'{"text": "x"}\n')
    write(tmp_path / "in" / "m.eml", b"From: a@a.example\nSubject: x\n\nbody\n")
    write(tmp_path / "in" / "p.html.gz", gz(PAGE))
    assert made([tmp_path / "in"], "http://h.example/") == {
        "a.jsonl": "",
        "m.eml": "",
        "p.html.gz": "http://h.example/p.html",
    }


def test_folders_of_hosts_are_recognised(tmp_path: Path) -> None:
    crawl = spread(tmp_path / "crawl", "www.a.org/x/y.html", "b.co.uk:8080/z.html", "top.html")
    expected = {"y.html": "http://www.a.org/x/y.html", "z.html": "http://b.co.uk:8080/z.html", "top.html": ""}
    assert made([crawl]) == expected
    assert made([crawl / "www.a.org"]) == {"y.html": expected["y.html"]}
    assert made([f"{crawl}/*"]) == expected
    spread(crawl, "hts-cache/new.txt")  # as httrack leaves it
    assert made([crawl]) == {**expected, "new.txt": ""}
    spread(crawl, "notes/n.html")  # what is no host makes all of them doubtful
    assert set(made([crawl]).values()) == {""}


def test_folders_of_hosts_are_asked_for(tmp_path: Path, snapshots: Snapshots) -> None:
    crawl = spread(tmp_path / "crawl", "intranet/x.html", "10.0.0.1/y.html", "no host/z.html", "top.html")
    assert set(made([crawl]).values()) == {""}
    assert made([crawl], "https://") == {
        "x.html": "https://intranet/x.html",
        "y.html": "https://10.0.0.1/y.html",
        "z.html": "",
        "top.html": "",
    }
    spread(tmp_path / "flat", "a.html")
    with snapshots.error(InputError):
        made([tmp_path / "flat"], "http://")


HOSTS: Mapping[str, bool] = {
    "www.example.org": True,
    "EXAMPLE.com": True,
    "bücher.de": True,
    "xn--bcher-kva.de": True,
    "a.example.org:81": True,
    "a.example.org+81": True,
    "docs": False,
    "v1.2": False,
    "conf.d": False,
    "192.0.2.1": False,
    "co.uk": False,
    "org": False,
    "a b.org": False,
    "a@b.org": False,
    "..": False,
    "": False,
}


@pytest.mark.parametrize("name", HOSTS)
def test_names_of_hosts_are_told_from_other_names(name: str) -> None:
    assert is_host(name) is HOSTS[name]


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("a b.html", "a%20b.html"),
        ("ü#1.html", "%C3%BC%231.html"),
        ("50%.html", "50%25.html"),
        ("a%2Fb.html", "a%2Fb.html"),
        ("list.php?id=3&q=a b", "list.php?id=3&q=a%20b"),
        ("list.php?a=b?c", "list.php?a=b?c"),
        ("list.php@id=3", "list.php?id=3"),
        ("me@home.html", "me@home.html"),
        ("index.html", "index.html"),
    ],
)
def test_file_names_are_escaped_in_urls(tmp_path: Path, name: str, url: str) -> None:
    spread(tmp_path / "site", name)
    assert made([tmp_path / "site"], "http://h.example/") == {name: f"http://h.example/{url}"}


@given(
    st.lists(st.sampled_from(("a", "b.org", ".", "..", "", "c d")), min_size=0, max_size=3).map("/".join),
    st.lists(st.sampled_from(("a", "b.html", ".", "..", "")), min_size=1, max_size=4).map("/".join),
    st.booleans(),
)
def test_parts_are_those_of_pathlib(root: str, path: str, absolute: bool) -> None:
    """However both are spelled."""
    root = f"/{root}" if absolute else root
    place = Whereabouts(root, f"{root}/{path}" if root else path)
    assume(Path(place.path).is_relative_to(root))
    assert place.parts == Path(place.path).relative_to(root).parts


@given(st.lists(st.binary(min_size=1, max_size=12).filter(lambda name: not set(name) & set(b"/\0?@%")), min_size=1))
def test_any_path_becomes_a_url_that_leads_back(parts: list[bytes]) -> None:
    names = [os.fsdecode(part) for part in parts if part.strip(b".")] or ["x"]
    source = Source("/".join(["root", *names]), 1, "html")
    place = Whereabouts("root", source.path)
    (given_one,) = give_urls([source], [place], "root", "http://h.example/")
    url = urlsplit(given_one.url)
    assert url.hostname == "h.example"
    assert url.query == url.fragment == ""
    assert unquote_to_bytes(url.path) == b"/" + b"/".join(os.fsencode(part) for part in Path(*names).parts)


@pytest.mark.parametrize(
    "base", ["", "x", "ftp://a/", "http:///", "http://h/?q", "http://h/#f", "http://h:x/", "http://a b/", "http://h\n"]
)
def test_what_is_no_base(base: str, snapshots: Snapshots) -> None:
    with snapshots.error(ParameterError):
        Reading(base_url=base)


def test_a_corpus_has_urls_made_from_paths(tmp_path: Path, snapshots: Snapshots) -> None:
    settings = Settings(threads=2)
    crawl = spread(tmp_path / "crawl", "www.a.org/x/y.html", "b.co.uk/z.html")
    run = unquilt.ingest(crawl, tmp_path / "corpus", options=unquilt.JobOptions(settings))
    rows = [row for part in sorted(run.path.glob("documents/*")) for row in _rows(part)]
    assert [(row["id"], row["url"], row["host"], row["domain"]) for row in rows] == [
        (f"{crawl}/b.co.uk/z.html", "http://b.co.uk/z.html", "b.co.uk", "b.co.uk"),
        (f"{crawl}/www.a.org/x/y.html", "http://www.a.org/x/y.html", "www.a.org", "a.org"),
    ]
    assert rows[1]["links"] == ["http://www.a.org/x/b.html", "http://www.a.org/c/"]
    said = (
        "The URLs of 2 files were made from their paths, whose first folders are hosts, such as http://b.co.uk/z.html"
    )
    assert run.manifest["summary"]["urls"] == said
    assert run.manifest["parameters"]["base_url"] == "auto"
    with snapshots.error(RunError):
        unquilt.ingest(crawl, tmp_path / "corpus", options=unquilt.JobOptions(settings, Reading(base_url="http://h/")))
    based = unquilt.JobOptions(settings, Reading(base_url="http://h/"))
    unquilt.ingest(crawl / "www.a.org", tmp_path / "other", options=based)
    with snapshots.error(RunError):
        unquilt.ingest(crawl / "www.a.org" / "x", tmp_path / "other", options=based)


def _rows(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows
