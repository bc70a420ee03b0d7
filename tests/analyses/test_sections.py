"""Long pages whose sections are pages of another site, and pages that lead to the rest of their own: no quilts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import unquilt

PARTS = 5


def passage(number: int, words: int = 30) -> str:
    return " ".join(f"p{number}w{i}" for i in range(words))


def made_of(parts: str, page: str, links: str = "", own: int = 0, **asked: Any) -> tuple[float, str | None]:
    """`sections` and `why` of a page of five passages, each of which is on a page with so many words of its own."""
    rows = [
        {
            "id": str(number),
            "url": parts.format(number),
            "html": f"<p>{passage(number)}</p><p>{passage(90 + number, own)}",
        }
        for number in range(PARTS)
    ]
    linked = "".join(f"<a href='{links.format(number)}'>" for number in range(PARTS) if links)
    together = "".join(f"<p>{passage(number)}</p>" for number in range(PARTS))
    rows.append({"id": "page", "url": page, "html": f"{linked}{together}"})
    run = unquilt.quilts(pa.Table.from_pylist(rows), **asked)
    row = run.verdicts.to_pylist()[-1]
    assert (row["why"] is None) == (row["doc"] in run.quilts["doc"].to_pylist())
    return row["sections"], row["why"]


SITE, SITES, PRINT = "http://law.example/{}", "http://site{}.example/", "http://print.example/"


@pytest.mark.parametrize(
    ("found", "made"),
    [
        pytest.param((1.0, "max_sections"), {"parts": SITE, "page": PRINT}, id="a print view"),
        pytest.param((1.0, "max_sections"), {"parts": SITE, "page": PRINT, "own": 48}, id="of pages with menus"),
        pytest.param((0.0, None), {"parts": SITE, "page": PRINT, "own": 70}, id="passages of one site"),
        pytest.param((0.0, None), {"parts": SITES, "page": PRINT}, id="short pages of many sites"),
        pytest.param((0.0, None), {"parts": SITE, "page": PRINT, "own": 70, "links": SITE}, id="a digest of a site"),
        pytest.param((1.0, None), {"parts": SITE, "page": PRINT, "max_sections": 1.0}, id="as published"),
    ],
)
def test_pages_of_other_sites(found: tuple[float, str | None], made: dict[str, Any]) -> None:
    assert made_of(**made) == found


@pytest.mark.parametrize(
    ("found", "made"),
    [
        pytest.param((1.0, "max_sections"), {"links": SITE}, id="contents"),
        pytest.param((0.0, None), {"links": "http://law.example/other/{}"}, id="links to other pages"),
        pytest.param((0.0, None), {}, id="no links"),
    ],
)
def test_pages_of_the_own_site(found: tuple[float, str | None], made: dict[str, Any]) -> None:
    assert made_of(SITE, "http://law.example/", own=70, foreign="none", **made) == found


def test_sections_are_of_one_domain_also_where_hosts_are_told_apart() -> None:
    hosts = "http://host{}.law.example/"
    assert made_of(hosts, "http://www.law.example/", foreign="host") == (1.0, "max_sections")
    assert made_of("http://host.law.example/{}", "http://www.law.example/", foreign="host") == (1.0, "max_sections")
    assert made_of(hosts, PRINT) == (1.0, "max_sections")
