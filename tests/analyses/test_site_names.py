"""One notion of site (docs/definitions.md 2.3): by suffix, folder or address, every analysis finds what it finds by
domain where each site has a domain of its own."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import unquilt as uq
from unquilt.errors import ParameterError
from unquilt.site_names import name_site

NAMES = [
    ("suffix", "http://jane.github.io/x", "jane.github.io"),
    ("suffix", "http://cs.uni.example.edu/%7Ejane/x", "example.edu/~jane"),
    ("suffix", "http://192.0.2.7/x", "192.0.2.7"),
    ("path:2", "http://a.example.edu/b/c/d", "a.example.edu/b/c"),
    ("path:2", "http://a.example.edu/b", "a.example.edu"),
    ("host", "http://a.example.edu/b", "a.example.edu"),
    ("ip", "http://a.example.edu/b", "example.edu"),
]
WORDS = [f"w{number}" for number in range(300)]
KINDS = ("suffix", "path:1", "ip")
CALLS: dict[str, dict[str, Any]] = {
    "quilts": {"k": 3, "c": 2, "sigma": 0.2, "min_grams": 2, "max_sections": 1.0},
    "phrases": {"k": 2, "popular": 2, "min_pages": 1, "min_mean": 1.0},
    "passages": {"signature": "grams", "k": 3, "gamma": 5, "min_words": 5},
    "repeats": {"n": 5, "min_sites": 2},
    "discover": {"min_sites": 2, "min_length": 5, "auto_stop": False},
}


@pytest.mark.parametrize(("by", "url", "expected"), NAMES)
def test_each_url_has_the_site_that_people_mean(by: str, url: str, expected: str) -> None:
    host = url.split("/")[2]
    domain = host if host[0].isdigit() else ".".join(host.split(".")[-2:])
    assert name_site(by, url, host, domain, None) == expected


def test_a_document_without_a_host_is_on_no_site() -> None:
    assert {name_site(by, None, None, None, "192.0.2.1") for by in ("host", "domain", "suffix", "ip", "path:3")} == {
        None
    }


@pytest.mark.parametrize("wrong", ["path:N", "path:0", "path:01", "path:97", "path:", "planet"])
def test_what_is_no_site(wrong: str) -> None:
    with pytest.raises(ParameterError, match="path:N"):
        uq.quilts(pa.table({"id": ["a"], "text": ["b"]}), site=wrong)


def _pages(seed: int, by: str) -> tuple[pa.Table, pa.Table]:
    """Pages of five sites that share paragraphs, as they are by `by`, and each site with a domain of its own."""
    rng = Random(seed)
    pool = [" ".join(rng.choices(WORDS, k=12)) for _ in range(20)]
    urls, plain, ips, texts = [], [], [], []
    for number in range(30):
        site = rng.randrange(5)
        urls.append(
            {"suffix": f"http://user{site}.github.io/{number}", "path:1": f"http://x.example/f{site}/{number}"}.get(
                by, f"http://h.d{site}x{number % 2}.example/{number}"
            )
        )
        plain.append(f"http://site{site}.example/{number}")
        ips.append(f"192.0.2.{site}" if by == "ip" else None)
        texts.append("\n\n".join(rng.sample(pool, 4)))
    ids = [str(number) for number in range(30)]
    made = {"id": ids, "text": texts}
    kind = pa.string()
    return (
        pa.table(made | {"url": urls, "ip": pa.array(ips, kind)}),
        pa.table(made | {"url": plain, "ip": pa.array([None] * 30, kind)}),
    )


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_sites_are_as_domains_of_their_own(name: str, by: str, tmp_path: Path) -> None:
    seen, plain = _pages(len(name) + len(by), by)
    asked = CALLS[name] | {"collapse": "none"} if name in ("quilts", "phrases", "passages") else CALLS[name]
    call = getattr(uq, name)
    one, other = call(seen, tmp_path / "one", site=by, **asked), call(plain, tmp_path / "other", site="domain", **asked)
    assert one.tables == other.tables
    # Sections are told by domain, and so are links; evidence depends on sections.
    apart = ("url", "site", "domain", "linked", "sections", "section_grams", "evidence")
    for table in one.tables:
        tables = [run.table(table) for run in (one, other)]
        left, right = (each.select([column for column in each.schema.names if column not in apart]) for each in tables)
        assert left.to_pylist() == right.to_pylist(), table


def test_hosts_of_one_domain_are_foreign_to_each_other() -> None:
    pages = [(f"http://h{n % 3}.one.example/{n}", " ".join(WORDS[:40]) + f" own{n}") for n in range(12)]
    table = pa.table({"id": [url for url, _ in pages], "url": [url for url, _ in pages], "text": [t for _, t in pages]})
    run = uq.phrases(table, site="host", min_pages=2, popular=3, collapse="none")
    assert {row["site"]: row["foreign_contribution"] for row in run.hosts.to_pylist()} == {
        f"h{n}.one.example": 1.0 for n in range(3)
    }
    assert [
        row["foreign_contribution"]
        for row in uq.phrases(table, min_pages=2, popular=3, collapse="none").hosts.to_pylist()
    ] == [0.0]
