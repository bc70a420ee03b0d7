"""What can be known before the work: that no two documents can be compared, that sites are not known, that the disk is
too small. It is said before the work, since the same words after an hour are of little use."""

from __future__ import annotations

import shutil
from pathlib import Path

from unquilt.engines.progress import Progress
from unquilt.flow.kept import Kept
from unquilt.parameters import Parameters
from unquilt.site_names import name_site

_NAMES = ("url", "host", "domain", "ip")


def foresee(documents: Kept, given: Parameters, progress: Progress) -> None:
    """Says what the sites of documents mean for an analysis that compares pages of different sites, or counts sites.

    Stops reading at the second site; columns of names are read to the end where all documents are on one site.
    """
    compared: str = getattr(given, "foreign", "none")
    by: str = compared if compared != "none" else getattr(given, "group", "none")
    sides: tuple[str, ...] = getattr(given, "between", ())
    if by in ("none", "page") or sides or documents.rows <= 1:
        return
    site = find_only_site(documents, by)
    if site is None:
        return
    all_ = f"{documents.rows:,} documents"
    if site:
        told = f"all {all_} are on one site, {site!a} (--site {by})"
        if compared != "none":
            only = "only pages of different sites are compared"
            progress.say(f"{told}, and {only}: nothing can be found; --site none compares all pages")
        else:
            progress.say(f"{told}: nothing is on several sites")
    else:
        told = f"none of the {all_} has a URL, so that each counts as a site of its own"
        progress.say(f"{told}; --base-url, or a field named by --field url=…, gives them URLs")


def find_only_site(documents: Kept, by: str) -> str | None:
    """The site that all documents are on; empty if none has a URL; None if they are on several."""
    sites: set[str | None] = set()
    for split in documents.splits():
        part = split.read(_NAMES)
        if by in ("host", "domain"):
            sites.update(part[by].unique().to_pylist())
        else:
            for row in part.to_pylist():
                sites.add(name_site(by, row["url"], row["host"], row["domain"], row["ip"]))
                if len(sites) > 1:
                    break
        if len(sites) > 1:
            return None
    (site,) = sites or {None}
    return site or ""


def foresee_space(folder: Path, bytes_: int, progress: Progress) -> None:
    """Says that the disk has less space than the inputs take, from which a corpus is made that is hardly smaller."""
    place = next((each for each in (folder, *folder.parents) if each.exists()), None)
    if place is None:
        return
    free = shutil.disk_usage(place).free
    if free < bytes_:
        sizes = f"{free / 1e9:,.1f} GB are free, and the inputs have {bytes_ / 1e9:,.1f} GB"
        progress.say(f"the disk of {folder} is hardly large enough: {sizes}")
