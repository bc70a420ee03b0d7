"""Which of its sources a quilt links to. That it is what the twin says, test_quilts.py says on random corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from quilting import PLAIN, read_files

import unquilt
from unquilt.runs import Run

SOURCES = {  # what each is called, and the links to it
    "http://one.example.org/a": "a b c d",
    "https://two.example.net/": "e f g h",
    "http://three.example.com/x?y=z": "i j k l",
    "http://four.co.uk/page/": "m n o p",
}


def quilt(*links: str, **parameters: Any) -> Run:
    """A page with these links that is made of all sources."""
    anchors = " ".join(f"<a href='{link}'></a>" for link in links)
    text = " . ".join(SOURCES.values())
    pages = {url: f"<p>{words}" for url, words in SOURCES.items()} | {"http://quilt.org/": f"<p>{text}{anchors}"}
    table = pa.table({"url": list(pages), "html": list(pages.values())})
    return unquilt.quilts(table, **{"k": 3, "c": 2, "sigma": 0.5} | PLAIN | parameters)


def linked(run: Run) -> list[str | None]:
    return run.sources["linked"].to_pylist()


@pytest.mark.parametrize(
    ("links", "expected", "attributed"),
    [
        ((), [None, None, None, None], 0.0),
        (("http://one.example.org/a",), ["page", None, None, None], 0.25),
        (("https://one.example.org/a/#top", "http://two.example.net"), ["page", "page", None, None], 0.5),
        (("http://example.org/", "https://deep.www.example.net/y"), ["domain", "domain", None, None], 0.5),
        (("http://three.example.com/x?y=zz", "http://FOUR.co.uk:80/./page"), [None, None, "domain", "page"], 0.5),
        (("http://notexample.org/", "http://co.uk/", "http://example.org.evil.com/"), [None, None, None, None], 0.0),
        (("//www.example.com", "mailto:a@four.co.uk", "javascript:void(0)"), [None, None, "domain", None], 0.25),
        (tuple(SOURCES), ["page"] * 4, 1.0),
    ],
)
def test_links_attribute_what_their_pages_cover(
    links: tuple[str, ...], expected: list[str | None], attributed: float
) -> None:
    run = quilt(*links)
    assert linked(run) == expected
    assert run.quilts["attributed"].to_pylist() == [attributed]


@pytest.mark.parametrize(("most", "quilts"), [(0.49, 0), (0.5, 1), (1.0, 1)])
def test_pages_that_say_where_they_are_from_can_be_left_out(most: float, quilts: int) -> None:
    """Their sources and patches are kept, to look at."""
    run = quilt("http://one.example.org/a", "http://two.example.net/", max_attributed=most)
    assert (run.quilts.num_rows, run.sources.num_rows, run.patches.num_rows) == (quilts, 4, 4)
    assert run.manifest["summary"].get("too_attributed", 0) == 1 - quilts


def test_a_link_to_a_copy_is_a_link() -> None:
    """Of the first hundred copies of a page, each under a name of its own; the kept one stands for all."""
    number = 102
    links = ["http://site99.com/", "https://a.site98.com/x", "http://site100.com/"]
    pages = {f"http://site{i}.com/": "<p>one two three" for i in range(number)}
    pages |= {f"http://quilt{i}.com/": f"<p>{i} one two three <a href='{link}'>" for i, link in enumerate(links)}
    run = unquilt.quilts(pa.table({"url": list(pages), "html": list(pages.values())}), k=3, c=1, sigma=0.1, **PLAIN)
    found = {row["quilt"]: row["linked"] for row in run.sources.to_pylist() if row["source"] == 0}
    assert found == {number: "page", number + 1: "domain", number + 2: None}


@pytest.mark.parametrize(("foreign", "kinds"), [("none", [None, "page"]), ("host", ["domain", "page"])])
def test_a_link_to_the_own_site_leads_to_a_page_only(foreign: str, kinds: list[str | None]) -> None:
    """A menu links to all of a site; with hosts told apart, another host of the domain is another site."""
    sources = {"http://a.site.com/1": "<p>a b c d", "http://b.site.com/2": "<p>e f g h"}
    links = "<a href='http://b.site.com/2'></a><a href='http://c.site.com/'></a>"
    pages = sources | {"http://www.site.com/": f"<p>a b c d . e f g h {links}"}
    table = pa.table({"url": list(pages), "html": list(pages.values())})
    run = unquilt.quilts(table, k=3, c=2, sigma=0.5, foreign=foreign, **PLAIN)
    assert linked(run) == kinds


def test_documents_without_links_or_urls() -> None:
    run = unquilt.quilts(pa.table({"text": ["a b c", "a b c d"]}), k=3, c=1, sigma=0, **PLAIN)
    assert linked(run) == [None, None]
    assert run.quilts["attributed"].to_pylist() == [0.0, 0.0]


@pytest.mark.slow
def test_the_limit_changes_nothing_else(packed_corpus: Run, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0} | PLAIN
    everything, none = (
        read_files(unquilt.quilts(packed_corpus.path, tmp_path / str(most), max_attributed=most, **asked))
        for most in (1.0, 0.999999)
    )
    assert everything.keys() == none.keys()
    assert everything["clusters.parquet"] == none["clusters.parquet"]
    assert everything["patches.parquet"] == none["patches.parquet"]
    assert everything["quilts.parquet"] != none["quilts.parquet"]
