"""What can be said before the work: that sites of a corpus cannot be told apart, that the disk is too small.

Reading one column of the documents takes moments; the analysis that would find nothing may take hours. A few documents
take no time, and what a run says at its end is soon enough.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from unquilt.analyses.sites import see_names
from unquilt.flow.kept import Kept
from unquilt.remote.names import is_url

FEW = 1000
"""A corpus of fewer documents is analysed in moments."""


class Sites(NamedTuple):
    """Whether some documents have a site and some have none; and the names of sites, two at most."""

    names: list[str]
    nameless: bool


def look_at_sites(corpus: Kept, by: str) -> Sites:
    """Reads names of sites until there are two. Pages of one host are of one site also where sites are addresses."""
    sited, column = see_names(corpus, "host" if by == "ip" else by)
    names: dict[str, None] = {}
    nameless = False
    for split in sited.splits():
        found = split.read([column]).column(column).unique().to_pylist()
        nameless |= None in found
        names |= dict.fromkeys(filter(None, found))
        if len(names) > 1:
            break
    return Sites(list(names)[:2], nameless)


def foresee(corpus: Kept, foreign: str, *, counted: bool = False) -> str | None:
    """Why an analysis of pages of other sites cannot tell anything about this corpus, or not what it is asked for; of
    one that finds something on a single site, too, but counts by sites (`counted`), what it cannot tell then."""
    if foreign in ("", "none") or corpus.rows < FEW:
        return None
    sites = look_at_sites(corpus, foreign)
    asked = f"(--site {foreign})"
    if not sites.names:
        if counted:
            nowhere = f"none of the {corpus.rows:,} documents has a URL {asked}"
            return f"cannot tell which sites have a phrase: {nowhere}. URLs: field url, or --base-url"
        each = f"none of the {corpus.rows:,} documents has a URL, so each counts as a site of its own {asked}"
        return f"cannot tell what a page has from its own site: {each}. URLs: field url, or --base-url"
    if len(sites.names) > 1 or sites.nameless:
        return None
    what = {"host": "host", "ip": "host", "domain": "domain"}.get(foreign, "site")
    hosts = foreign not in ("host", "ip") and len(look_at_sites(corpus, "host").names) > 1
    others = "--site host, which tells its hosts apart, or " if hosts else ""
    one = f"all {corpus.rows:,} documents are on one {what}, {sites.names[0]}"
    if counted:
        told = "cannot tell phrases that several sites share from those of one site's template"
        return f"{told}: {one} {asked}{'. Try --site host, which tells its hosts apart' if hosts else ''}"
    where = f"{one}, and only pages of other sites count"
    return f"cannot tell who took from whom: {where} {asked}, so that nothing will be found. Try {others}--site none"


def foresee_space(folder: Path, size: int) -> str | None:
    """That the disk has less space than the inputs take, from which a corpus is made that is hardly smaller."""
    if is_url(folder):
        return None
    place = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    free = shutil.disk_usage(place).free
    if free >= size:
        return None
    sizes = f"{free / 1e9:,.1f} GB are free, the inputs have {size / 1e9:,.1f} GB"
    return f"the disk of {folder} is hardly large enough: {sizes}"
