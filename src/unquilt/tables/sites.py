"""The tables of sites: what is known of each site, over several runs, and which sites draw on which."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import OnPage, Table, column, document, integer, share

_SHARE = pa.float64()

SITES = Table(
    "sites",
    (
        document("first", "the lowest document of the site"),
        column(
            "site", pa.string(), "its name; null for all documents without a URL, which are counted together", null=True
        ),
        column(
            "verdict",
            pa.string(),
            "`stitched`, `scraper`, `mirror`, `syndicated`, `original`, `ordinary` or `cannot tell`",
        ),
        integer("rank", "1 for the site that is listed first: by verdict, then by the pages that are others'"),
        column("reasons", pa.string(), "the numbers that the verdict goes by, in words"),
        integer("network", "`first` of the first site of its network; null if it is in none", null=True),
        column("shares", pa.string(), "what it shares with a site of its network, in words", null=True),
        integer("pages", "its documents, copies included"),
        integer("judged", "how many of these `quilts` judged; null without such a run", null=True),
        integer("looked_at", "how many of these it looked at closely", null=True),
        integer("quilts", "how many of these are quilts", null=True),
        integer("elsewhere", "of how many of these other pages have half or more", null=True),
        integer("mixed", "how many of these three or more other pages have in parts, half of it in all", null=True),
        integer("in_one_piece", "how many of these one other page has, at least half of it", null=True),
        integer("originals", "how many of these are originals that others took from", null=True),
        share("own", "mean share of what these quilts copied that has a home on the site", null=True),
        integer("source_sites", "other sites that its quilts draw on", null=True),
        column("spread", _SHARE, "how many sites these would be if it drew on all of them alike", null=True),
        share(
            "linked",
            "mean share of what its quilts and mixed pages copied whose source they link to",
            null=True,
        ),
        integer("takers", "other sites whose quilts draw on it", null=True),
        integer("taken_grams", "grams that these took from it", null=True),
        integer("copied", "its pages with near-duplicates on other sites; null without a run that looked", null=True),
        integer("linked_copies", "how many of these link to such a site, if most of its pages are copies", null=True),
        integer("twins", "how many other sites have these", null=True),
        column("twin", pa.string(), "the site that has most of them", null=True),
        integer("twin_pages", "its pages with near-duplicates there", null=True),
        column("twin_back", _SHARE, "share of the pages of that site with near-duplicates here", null=True),
        column("back", _SHARE, "the same for all those sites, on average", null=True),
        integer("homes", "sites with clearly fewer copies that have such a page, the median", null=True),
        share("twins_copied", "share of the pages of those sites with near-duplicates elsewhere", null=True),
        column(
            "popular", _SHARE, "mean number of popular shingles of a page, of 84; null without `phrases`", null=True
        ),
        column("deviation", _SHARE, "their standard deviation", null=True),
        integer("targets", "pages with labelled content; null without `reuse detect`", null=True),
        integer("sharing", "pages that share passages with other sites; null without `passages`", null=True),
        column("words", _SHARE, "mean number of words of a page"),
        column("uneven", _SHARE, "standard deviation of the words of a page / their mean: near 0 for uniform pages"),
        integer("restored", "disguised words"),
        integer("hidden", "words that styles hide"),
    ),
    row=("site", "sites"),
    see="every site: its verdict, and the reasons",
    notes="People see the first columns; `--json`, exports and `--columns` have all numbers.",
    first=("site", "verdict", "reasons", "network", "pages"),
    hidden=(
        *("quilts", "source_sites", "takers"),
        *("first", "rank", "shares", "judged", "looked_at", "elsewhere", "mixed", "in_one_piece", "originals", "own"),
        *("spread", "linked", "taken_grams", "copied", "linked_copies", "twins", "twin", "twin_pages", "twin_back"),
        *("back", "homes", "twins_copied", "popular", "deviation", "targets", "sharing", "words", "uneven"),
        *("restored", "hidden"),
    ),
    order=("rank",),
    page=OnPage(
        tab="Sites",
        filters=("site", "verdict", "network", "pages", "quilts"),
        links={"site": "site?name={site}"},
        sites=("site",),
    ),
)

DRAWS = Table(
    "draws",
    (
        document("first", "the lowest document of a site with quilts"),
        document("from_first", "the lowest document of another site that they draw on"),
        column("site", pa.string(), "the name of the site with quilts", null=True),
        column("source_site", pa.string(), "the name of the other", null=True),
        integer("quilts", "quilts of the one that draw on the other"),
        integer("sources", "pages of the other that they draw on"),
        integer("new_grams", "grams that these add"),
        integer("linked_grams", "how many of these come from linked sources"),
    ),
    key_columns=2,
    row=("pair", "pairs"),
    see="which site draws on which",
    first=("site", "source_site", "quilts", "sources", "new_grams"),
    hidden=("first", "from_first"),
    order=("-quilts", "-new_grams"),
    page=OnPage(
        tab="Who draws on whom",
        filters=("site", "source_site", "quilts"),
        links={"site": "site?name={site}", "source_site": "site?name={source_site}"},
        sites=("site", "source_site"),
    ),
)

NETWORK_PAIRS = Table(
    "network_pairs",
    (
        document("first", "the lowest document of a site"),
        document("other_first", "the same of another site of its network"),
        column("site", pa.string(), "the one"),
        column("other", pa.string(), "the other"),
        integer("shared", "source pages that quilts of both draw on"),
        integer("passages", "source pages of which both took the same 100 characters"),
        integer("paragraphs", "paragraphs of 60 characters or more that stand on both, word for word"),
        integer("mutual", "pages of one that quilts of the other draw on"),
        integer("template", "paragraphs that stand on most pages of both"),
        integer("addresses", "IP addresses that both have"),
    ),
    key_columns=2,
    row=("pair", "pairs"),
    see="which sites are one network, and what they share",
    first=("site", "other", "paragraphs", "passages", "shared", "mutual", "template", "addresses"),
    hidden=("first", "other_first"),
    page=OnPage(
        tab="Networks",
        filters=("site", "other", "paragraphs", "passages"),
        links={"site": "site?name={site}", "other": "site?name={other}"},
        sites=("site", "other"),
    ),
)
