"""A small web with a run of each analysis, and addresses of views over it: one of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb

import unquilt as uq
from unquilt.demo import write_jsonl

RUNS = ("quilts", "near", "passages", "reworded", "phrases", "objects", "targets")


def make_web(folder: Path, pages: int) -> Path:
    """Make the corpus of a small web in a folder, and a run of each analysis over it."""
    write_jsonl(folder / "pages.jsonl", pages, seed=1, start=0, stop=pages)
    corpus = folder / "corpus"
    uq.ingest(folder / "pages.jsonl", corpus)
    make_runs(corpus, folder)
    return folder


def make_runs(corpus: Path, folder: Path) -> None:
    """Make a run of each analysis over a corpus."""
    uq.quilts(corpus, folder / "quilts")
    uq.neardups(corpus, folder / "near")
    uq.passages(corpus, folder / "passages")
    uq.reworded(corpus, folder / "reworded")
    uq.phrases(corpus, folder / "phrases", group="ip")
    uq.discover(corpus, folder / "objects")
    uq.label(folder / "objects", output=folder / "known.labels")
    uq.detect(corpus, folder / "targets", labels=str(folder / "known.labels"), page_threshold=0.1)


def find_first(web: Path, table: str, column: str, where: str = "true") -> Any:
    """The first value in a column of a table, such as quilts/quilts."""
    found = duckdb.sql(f"SELECT {column} FROM '{web}/{table}.parquet' WHERE {where} LIMIT 1").fetchall()
    return found[0][0]


def addresses(web: Path) -> list[str]:
    """A view of each kind."""
    quilt, cluster = find_first(web, "quilts/quilts", "doc"), find_first(web, "near/similarity", "cluster")
    cover = find_first(web, "phrases/covers", "doc", "sources > 0")
    target = find_first(web, "targets/targets", "doc")
    site = quote(find_first(web, "phrases/hosts", "site"))
    prefix = quote(find_first(web, "targets/neighbourhoods", "prefix", "level = 1"))
    pair, reworded = (
        "/".join(str(find_first(web, f"{run}/passage_pairs", each, "passages > 1")) for each in "ab")
        for run in ("passages", "reworded")
    )
    first, begin, kind = (find_first(web, "objects/objects", each) for each in ("first", "begin", "kind"))
    return [
        f"/runs/objects/objects/{first}/{begin}/{kind}",
        "/runs/quilts/tables/quilts",
        "/runs/quilts/tables/corpus_hosts",
        "/runs/near/tables/similarity",
        "/runs/phrases/tables/hosts",
        "/runs/phrases/tables/popular",
        "/runs/objects/tables/objects",
        "/runs/targets/tables/neighbourhoods",
        "/runs/passages/tables/passage_pairs",
        f"/runs/passages/pairs/{pair}",
        f"/runs/passages/pairs/{pair}?patch=1",
        "/runs/reworded/tables/passage_pairs",
        f"/runs/reworded/pairs/{reworded}",
        f"/runs/reworded/pairs/{reworded}?patch=1",
        f"/runs/quilts/quilts/{quilt}",
        f"/runs/quilts/quilts/{quilt}?patch=0",
        f"/runs/near/clusters/{cluster}",
        f"/runs/phrases/covers/{cover}",
        f"/runs/phrases/covers/{cover}?patch=0",
        f"/runs/phrases/phrases?site={site}",
        f"/runs/targets/targets/{target}",
        f"/runs/targets/targets/{target}?patch=0",
        "/runs/targets/neighbourhoods",
        f"/runs/targets/neighbourhoods?under={prefix}",
        f"/runs/near/documents/{quilt}",
        f"/runs/near/sites?name={prefix.rstrip('/')}",
    ]
