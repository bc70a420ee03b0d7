"""Sites: where quilts are and what feeds them, against the twin. That engines agree is tested with all of quilts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import twin
from drawn import Packed, as_table
from quilting import PLAIN, local, read_files, read_found, run_quilts
from twin import FOREIGN, Document

import unquilt
from unquilt.analyses.quilt_parameters import COLLAPSE
from unquilt.runs import Run

pytestmark = pytest.mark.slow

ASKED: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.3} | PLAIN


def read_sites(run: Run, kind: str = "domains") -> tuple[list[Any], list[Any]]:
    """Both tables, as the twin has them."""
    quilting, feeding = run.table(f"quilting_{kind}"), run.table(f"source_{kind}")
    return [tuple(row.values()) for row in quilting.to_pylist()], [tuple(row.values()) for row in feeding.to_pylist()]


@pytest.fixture(scope="module")
def pages(packed: Packed) -> list[Document]:
    return [packed.corpora[number][place] for number, place in packed.places]


def test_sites_are_counted_as_the_twin_does(pages: list[Document], packed_corpus: Run, tmp_path: Path) -> None:
    run = run_quilts(packed_corpus, tmp_path / "run", local(packed_corpus, partitions=5), **ASKED)
    quilting, feeding = read_sites(run)
    assert (quilting, feeding) == twin.count_sites(pages, read_found(run))
    assert sum(row[3] for row in quilting) == run.quilts.num_rows > 500
    assert sum(row[3] for row in feeding) == run.sources.num_rows
    assert max(row[3] for row in quilting if row[1]) > 1
    assert any(fed < sources for _, domain, fed, sources, _ in feeding if domain)
    assert None in {row[1] for row in quilting} & {row[1] for row in feeding}
    spilling = run_quilts(packed_corpus, tmp_path / "spilling", local(packed_corpus, memory=20_000), **ASKED)
    assert read_files(run) == read_files(spilling)


@pytest.mark.parametrize(("foreign", "collapse"), list(zip(FOREIGN, (*COLLAPSE, "near"), strict=True)))
def test_whatever_the_sources_are(
    foreign: str, collapse: str, pages: list[Document], packed_corpus: Run, tmp_path: Path
) -> None:
    """Sites are hosts where these are told apart, else domains."""
    asked = ASKED | {"foreign": foreign, "collapse": collapse}
    run = run_quilts(packed_corpus, tmp_path / "run", local(packed_corpus, partitions=3), **asked)
    kind, other = ("hosts", "domains") if foreign == "host" else ("domains", "hosts")
    assert read_sites(run, kind) == twin.count_sites(pages, read_found(run), foreign)
    assert not {f"quilting_{other}", f"source_{other}"} & set(run.tables)
    assert run.table(f"quilting_{kind}").column_names[1] == kind.removesuffix("s")


@pytest.mark.parametrize("domains", [1, 7])
def test_domains_of_many_documents(
    domains: int, pages: list[Document], small_row_groups: Callable[[Any, Path], Run], tmp_path: Path
) -> None:
    names = [None, *(f"d{number}.com" for number in range(domains))]
    draw = Random(domains)
    moved = [
        page._replace(url=name and f"http://{name}/{doc}", host=name, domain=name)
        for doc, (page, name) in enumerate((page, draw.choice(names)) for page in pages[:2000])
    ]
    corpus = small_row_groups(as_table(moved), tmp_path / "corpus")
    asked = ASKED | {"foreign": "none"}
    run = run_quilts(corpus, tmp_path / "run", local(corpus, memory=20_000, partitions=4), **asked)
    assert read_sites(run) == twin.count_sites(moved, read_found(run))
    assert run.source_domains.num_rows == len(names)


def test_without_quilts_there_are_no_domains(tmp_path: Path) -> None:
    run = unquilt.quilts(as_table([Document("a", "http://x.com/", None, None, None, "a b c")]), tmp_path / "run")
    assert read_sites(run) == ([], [])
