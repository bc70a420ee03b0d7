"""Addresses of views: one of each kind, over the runs of a small web."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb


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
    return [
        "/runs/quilts/tables/quilts",
        "/runs/quilts/tables/sites",
        "/runs/near/tables/similarity",
        "/runs/phrases/tables/hosts",
        "/runs/phrases/tables/popular",
        "/runs/objects/tables/objects",
        "/runs/targets/tables/neighbourhoods",
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
