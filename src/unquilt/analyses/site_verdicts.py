"""Sites: what each of them lives off, by a rule over the numbers of finished runs.

    stitched      many of its pages are stitched together of pages of other sites, and do not link to them
    scraper       most of its pages stand on other sites, which have more of their own
    mirror        most of its pages stand on another site, and most pages of that one here: one of them is the copy
    syndicated    it would be one of these, but links to its sources; or several sites print most of its pages
    original      few of its pages are quilts, and quilts of others draw on it, or sites full of copies have its pages
    ordinary      nothing of this
    cannot tell   too few pages, no URL, only one site, no run that says enough, or pages of others in few parts each

The rule is `judge_site`, and each step is a function of its own; nothing is weighed in secret. `jobs.site_tables`
counts the numbers. How the limits were chosen, and how often they are right: docs/sites.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses.analysis import Job
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import SITES as KINDS_OF_SITES
from unquilt.tables.sites import DRAWS, NETWORK_PAIRS, SITES

VERDICTS = ("stitched", "scraper", "mirror", "syndicated", "original", "ordinary", "cannot tell")
"""In the order in which sites are listed."""
TAKING = ("stitched", "scraper")
"""Verdicts of sites that live off others: these go on a block list. Of two mirrors, one is innocent."""
FEWEST = 3
"""Fewer quilts, or copies, are not enough for a verdict on a site."""
FEW_QUILTS = 0.1
"""An original has a smaller share of quilts than this."""
SEVERAL = 2
"""Homes of a copied page: text that so many sites with text of their own print was sold, not taken."""
HALF = 0.5
"""Of the pages of the twin of a mirror; and how full of copies of others the sites are that have an original."""
_MORE = "a run of neardups with --threshold 0.6, or one as low as 0.3, may tell more"
Numbers = Mapping[str, Any]
Judged = tuple[str, str]


@dataclass(frozen=True)
class SiteParameters(Parameters):
    """What a site is, and what is enough for a verdict."""

    site: str = parameter("domain", "what a site is", one_of=KINDS_OF_SITES)
    min_pages: int = parameter(5, "minimum number of pages of a site with a verdict", at_least=2)
    min_quilts: float = parameter(0.3, "minimum share of quilts among the pages of a stitched site", above=0, at_most=1)
    min_mixed: float = parameter(
        0.7, "minimum share of pages that three or more other pages have in parts", above=0, at_most=1
    )
    min_source_sites: int = parameter(1, "minimum number of sites that a stitched site draws on", at_least=1)
    min_copied: float = parameter(
        0.7, "minimum share of near-duplicates among the pages of a mirror or scraper", above=0, at_most=1
    )
    min_twin: float = parameter(
        0.8, "minimum share of these near-duplicates on the site that a mirror copies", above=0, at_most=1
    )
    min_linked: float = parameter(0.5, "minimum share of linked text of a syndicated site", above=0, at_most=1)
    min_shared: float = parameter(
        0.1, "minimum share of common paragraphs of two sites of a network; of passages, twice that", above=0, at_most=1
    )


def judge_site(of: Numbers, given: SiteParameters) -> Judged:
    """The verdict on a site by its numbers, with the reasons in words."""
    if of["site"] is None:
        return "cannot tell", "these pages have no URL"
    if of["pages"] < given.min_pages:
        return "cannot tell", f"it has {_count(of['pages'], 'page')}, and a verdict needs {given.min_pages}"
    if of["judged"] is None and of["copied"] is None:
        return "cannot tell", "no run looked for quilts or near-duplicates"
    return _judge_stitched(of, given) or _judge_copies(of, given) or _judge_rest(of, given)


def _judge_stitched(of: Numbers, given: SiteParameters) -> Judged | None:
    """Many quilts; or pages that others have in parts, and some quilts, or a site of its network that is stitched."""
    judged, quilts = of["judged"] or 0, of["quilts"] or 0
    linked = of["linked"] or 0
    verdict = "syndicated" if linked >= given.min_linked else "stitched"
    if quilts >= max(FEWEST, judged * given.min_quilts) and of["source_sites"] >= given.min_source_sites:
        sites = _count(of["source_sites"], "other site")
        return verdict, f"{quilts} of {judged} pages are quilts, stitched from {sites}; {_home(of)}; {_links(linked)}"
    if not is_mixed(of, given):
        return None
    parts = f"of {of['mixed']} of {judged} pages, three or more other pages have the parts"
    if quilts:
        return verdict, f"{parts}; {_count(quilts, 'page is a quilt', 'pages are quilts')}; {_links(linked)}"
    if of.get("shares"):
        return verdict, f"{parts}; it shares {of['shares']}, which is stitched; {_links(linked)}"
    return "cannot tell", f"{parts}, but no page is a quilt, and it shares nothing with a stitched site"


def is_mixed(of: Numbers, given: SiteParameters) -> bool:
    """Whether other pages have most pages of a site in parts."""
    return (of["mixed"] or 0) >= max(FEWEST, (of["judged"] or 0) * given.min_mixed)


def _judge_copies(of: Numbers, given: SiteParameters) -> Judged | None:
    """Most pages stand elsewhere, too: who copied is told by who has text of his own."""
    pages, copied = of["pages"], of["copied"] or 0
    if copied < max(FEWEST, pages * given.min_copied):
        whole = of["in_one_piece"] or 0
        if whole >= max(FEWEST, (of["judged"] or 0) * given.min_copied):
            why = f"of {whole} of {of['judged']} pages, one page of another site has most"
            return "cannot tell", f"{why}; {_MORE}"
        return None
    said = f"{copied} of {pages} pages stand also on"
    if of["linked_copies"] >= copied * given.min_linked:
        return "syndicated", f"{said} {_count(of['twins'], 'other site')}; {of['linked_copies']} of them link there"
    one = of["twin_pages"] >= copied * given.min_twin
    where = of["twin"] if one else _count(of["twins"], "other site")
    if (of["twin_back"] if one else of["back"]) >= HALF:
        return "mirror", f"{said} {where}, most of whose pages stand here"
    if of["twins_copied"] - of["back"] >= HALF * copied / pages:
        return "original", f"{said} {where}, which {'is' if one else 'are'} full of copies of other sites, too"
    if of["homes"] >= SEVERAL:
        return "syndicated", f"{said} {where}; {of['homes']:,} sites with text of their own print such a page"
    return "scraper", f"{said} {where}, which {'has' if one else 'have'} more of their own; nothing is linked"


def _judge_rest(of: Numbers, given: SiteParameters) -> Judged:
    quilts, judged = of["quilts"] or 0, of["judged"] or 0
    if of["takers"] and quilts <= judged * FEW_QUILTS:
        originals = f"; {of['originals']} of its pages read on where the copies jump" if of["originals"] else ""
        draw = _count(of["takers"], "other site draws", "other sites draw")
        return "original", f"quilts of {draw} on it{originals}"
    if of["elsewhere"] and of["elsewhere"] >= max(FEWEST, judged * given.min_copied):
        said = f"of {of['elsewhere']} of {judged} pages, other pages have half or more, but few are quilts or copies"
        return "cannot tell", f"{said}; {_MORE}"
    if judged:
        return "ordinary", f"{quilts} of {judged} pages are quilts, {of['copied'] or 0} of {of['pages']} copies"
    return "ordinary", f"{of['copied']} of {of['pages']} pages are copies"


def _home(of: Numbers) -> str:
    own = of["own"] or 0
    return "nothing of it has a home on the site" if own < 0.01 else f"{own:.0%} of it has a home on the site"


def _links(linked: float) -> str:
    return "no source is linked" if linked < 0.005 else f"sources of {linked:.0%} of it are linked"


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {nouns or noun + 's'}"


def rank_sites(rows: list[dict[str, Any]]) -> None:
    """Number sites from 1 on: by verdict, then those with the most pages that are others' first."""

    def place(row: Numbers) -> tuple[int, int, int]:
        taken = max(row["quilts"] or 0, row["mixed"] or 0) + (row["copied"] or 0)
        return VERDICTS.index(row["verdict"]), -taken, row["first"]

    for number, row in enumerate(sorted(rows, key=place), 1):
        row["rank"] = number


DECLARATION = Job(
    name="sites",
    results=(SITES, DRAWS, NETWORK_PAIRS),
    parameters=SiteParameters,
    summary="unquilt.cli.show.sites:SitesView",
    report="unquilt.page.report.sections.sites:show_sites",
    labels={"sites": "judging sites", "draws": "counting who draws on whom", "network_pairs": "finding networks"},
)
