"""Sites: what each of them lives off, by a rule over the numbers of finished runs.

    stitched      many of its pages are quilts of many other sites, and do not link to them
    mirror        most of its pages are near-duplicates of pages of one other site
    scraper       most of its pages are near-duplicates of pages of several sites that have text of their own
    syndicated    the same, or stitched, but most of it links to its sources
    original      quilts of other sites draw on it, or sites full of copies have its pages
    ordinary      nothing of this
    cannot tell   too few pages, no URL, or no run that looked

The rule is `judge_site`, a few lines; nothing is weighed in secret. `jobs.site_tables` counts the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses.analysis import Job
from unquilt.errors import ParameterError
from unquilt.parameters import Parameters, parameter
from unquilt.tables import DRAWS, NETWORK_PAIRS, SITES

NAMED = ("host", "domain", "suffix", "ip")
MOST_FOLDERS = 96
VERDICTS = ("stitched", "scraper", "mirror", "syndicated", "original", "ordinary", "cannot tell")
FEW_QUILTS = 0.1
"""An original has a smaller share of quilts than this."""
STOLEN = ("stitched", "scraper", "mirror")
"""Verdicts of sites that a block list names."""


@dataclass(frozen=True)
class SiteParameters(Parameters):
    """What a site is, and what is enough for a verdict."""

    site: str = parameter("domain", "what a site is: host, domain, suffix, ip or path:N")
    min_pages: int = parameter(5, "minimum number of pages of a site with a verdict", at_least=2)
    min_quilts: float = parameter(0.3, "minimum share of quilts among the pages of a stitched site", above=0, at_most=1)
    min_source_sites: int = parameter(4, "minimum number of sites that a stitched site draws on", at_least=1)
    min_copied: float = parameter(
        0.5, "minimum share of near-duplicates among the pages of a mirror or scraper", above=0, at_most=1
    )
    min_twin: float = parameter(
        0.8, "minimum share of these near-duplicates on the site that a mirror copies", above=0, at_most=1
    )
    min_linked: float = parameter(0.5, "minimum share of linked text of a syndicated site", above=0, at_most=1)
    min_shared: float = parameter(0.3, "minimum share of common sources of two sites of a network", above=0, at_most=1)

    def check(self) -> None:
        """Refuse a site that is not a site."""
        kind, _, number = self.site.partition(":")
        folders = kind == "path" and number.isascii() and number.isdigit() and 1 <= int(number) <= MOST_FOLDERS
        if self.site not in NAMED and not folders:
            raise ParameterError(f"site must be one of {', '.join(NAMED)}, or path:N, not {self.site!r}")


def judge_site(of: Mapping[str, Any], given: SiteParameters) -> tuple[str, str]:
    """The verdict on a site by its numbers, with the reasons in words."""
    pages = of["pages"]
    if of["site"] is None:
        return "cannot tell", "these pages have no URL"
    if pages < given.min_pages:
        return "cannot tell", f"{pages} of {given.min_pages} pages that a verdict needs"
    if of["judged"] is None and of["copied"] is None:
        return "cannot tell", "no run looked for quilts or near-duplicates"
    quilts, judged = of["quilts"] or 0, of["judged"] or 0
    if judged and quilts >= 3 and quilts / judged >= given.min_quilts and of["source_sites"] >= given.min_source_sites:
        linked = of["linked"] or 0
        why = f"{quilts} of {judged} pages are quilts of {of['source_sites']} sites; {_home(of)}; {_links(linked)}"
        return ("syndicated" if linked >= given.min_linked else "stitched"), why
    copied = of["copied"] or 0
    if copied >= 3 and copied / pages >= given.min_copied:
        said = f"{copied} of {pages} pages are near-duplicates of pages of"
        if of["twin_pages"] / copied >= given.min_twin:
            return "mirror", f"{said} {of['twin']} ({of['twin_pages']})"
        if of["twins_copied"] < copied / pages:
            return "scraper", f"{said} {of['twins']} sites, which have more of their own"
        return "original", f"{said} {of['twins']} sites, which have less of their own"
    if of["takers"] and quilts < judged * FEW_QUILTS:
        originals = f"; {of['originals']} of its pages read on where the copies jump" if of["originals"] else ""
        sites = "1 site draw" if of["takers"] == 1 else f"{of['takers']} sites draw"
        return "original", f"quilts of {sites} on it{originals}"
    return "ordinary", f"{quilts} of {judged} pages are quilts" if judged else f"{copied} of {pages} pages are copies"


def _home(of: Mapping[str, Any]) -> str:
    own = of["own"] or 0
    return "nothing of it has a home here" if own < 0.01 else f"{own:.0%} of it has a home here"


def _links(linked: float) -> str:
    return "no source is linked" if linked == 0 else f"{linked:.0%} of it is linked"


DECLARATION = Job(
    name="sites",
    results=(SITES, DRAWS, NETWORK_PAIRS),
    summary="unquilt.cli.show.sites:SitesView",
    report="",
    labels={"sites": "judging sites", "draws": "counting who draws on whom", "network_pairs": "finding networks"},
)
