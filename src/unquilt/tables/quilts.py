"""The tables of quilts: pages stitched together from other pages."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import Column, Table, column, document, integer

STANDING = Table(
    "standing",
    (
        document("doc", "a document"),
        document("kept", "itself, or the copy that is kept instead"),
        column("servers", pa.binary(), "code of the servers it stands on, as servers.rs packs it", null=True),
    ),
    row=("document", "documents"),
    see="on which servers documents stand, and which copy is kept",
    on_the_way=True,
)

_COUNTED = (
    integer("words", "how many words it has"),
    integer("grams", "how many distinct k-grams it has"),
    integer("patch_grams", "how many of these are in 2 to m documents"),
    column("patchfrac", pa.float64(), "patch_grams / grams"),
    column("covered", pa.float64(), "share of the grams that the sources cover", later=True),
    integer("sources", "how many sources cover the patch grams"),
    column("largest", pa.float64(), "largest share of the covered grams that one source holds", later=True),
    column(
        "own",
        pa.float64(),
        "share of them that another document on its own server has, too (or two on its domain)",
        later=True,
    ),
    column(
        "sections",
        pa.float64(),
        "share of them that sources add with a third or more in it, of domains with two or more of these",
        later=True,
    ),
    column(
        "sewn",
        pa.float64(),
        "share of its patches in passages with seams; null if other limits left it out before",
        null=True,
        later=True,
    ),
    column("attributed", pa.float64(), "share of the patch grams that linked sources cover", later=True),
    column("evidence", pa.float64(), "sources × covered × (1 - own): the more, the surer", later=True),
)

VERDICTS = Table(
    "verdicts",
    (
        document("doc", "a document that stands: any but those that were collapsed into another"),
        *_COUNTED,
        column("quilt", pa.bool_(), "whether it is a quilt"),
        column("why", pa.string(), "what keeps it from being one; null for quilts", null=True),
    ),
    row=("verdict", "verdicts"),
    see="every document: its numbers, and why it is or is not a quilt",
    notes="`why` is one word for a document without sources: `short` (fewer than k words, so it has no grams), "
    "`nothing shared` (no gram is in 2 to m documents), `own site` (all that it shares is on its own site, see "
    "`--foreign`) or `min_share` (no source covers enough: see `--min-share` and `--min-grams`). Else it names the "
    "limits that the document fails, "
    "separated by `, ` and in this order: `sigma`, `max_largest`, `c`, `max_own`, `max_sections`, `min_sewn`, "
    "`max_attributed`. Patches are looked for where a document passes the first four of these limits; else `sewn` is "
    "not known.",
    first=(
        *("doc", "quilt", "why", "covered", "sources", "largest", "own", "sections", "sewn", "attributed"),
        *("patchfrac", "words", "evidence"),
    ),
    identified=("doc",),
)

QUILTS = Table(
    "quilts",
    (
        document("doc", "the quilted document"),
        column("id", pa.string(), "its id"),
        column("url", pa.string(), "its URL", null=True),
        *_COUNTED,
    ),
    row=("quilt", "quilts"),
    see="the quilts",
    first=(
        *("doc", "id", "evidence", "covered", "sources", "largest", "own", "sections", "sewn", "attributed", "words"),
        *("url", "patchfrac", "patch_grams"),
    ),
    # The surest first: of generated crawls, this order has the most right ones at the top. Runs before had no evidence.
    order=("evidence", "sources", "-largest"),
)

_SOURCE = (
    document("quilt", "a quilt"),
    integer("rank", "1 for the source picked first"),
    document("source", "a document that it draws on"),
    integer("new_grams", "patch grams that no source before it covers"),
    integer("all_grams", "patch grams of the quilt that it contains"),
)

SOURCES = Table(
    "sources",
    (
        *_SOURCE,
        column(
            "linked",
            pa.string(),
            "`page` if the quilt links to it, `domain` if to some page of its domain, else null",
            null=True,
            later=True,
        ),
        integer("linked_grams", "patch grams that the linked sources up to this one cover", later=True),
        integer("section_grams", "what sections, up to this source, add", later=True),
    ),
    key_columns=2,
    row=("source", "sources"),
    see="the pages that quilts draw on",
    notes="A link leads to a page if both URLs, as browsers parse them, differ at most in the fragment, in http or "
    "https, and in a slash at the end of the path; it leads to a domain if its host is the domain or lies under it. "
    "A link to the quilt's own site (its domain; its host with `--foreign host`) leads to a page only. "
    "If copies of a source were collapsed, a link to any of the first hundred of them counts, too.",
    first=("quilt", "rank", "source", "new_grams", "all_grams"),
    hidden=("linked_grams", "section_grams"),
    identified=("quilt", "source"),
)

NAMED = Table(
    "named",
    (
        *_SOURCE,
        integer("patch_grams", "patch grams of the quilt"),
        column("shared", pa.large_binary(), "how many of the new grams later sources have, too"),
        integer("is_quilt", "1 if the document fails no limit, as far as its links do not matter, else 0"),
        integer("source_grams", "how many distinct grams the source has"),
        column("names", pa.large_binary(), "fingerprints of the source's URLs and domains"),
    ),
    key_columns=2,
    row=("source", "sources"),
    see="sources with their names, on the way to sources",
    on_the_way=True,
)

PATCHES = Table(
    "patches",
    (
        document("quilt", "a quilt"),
        integer("begin", "where the patch begins in the quilt, in code points of its `text`"),
        integer("end", "where it ends there: `[begin, end)`"),
        document("source", "the source it was taken from"),
        integer("source_begin", "where it begins in the source"),
        integer("source_end", "where it ends there"),
        integer("words", "how many words it has, the same in both, at least k"),
    ),
    key_columns=2,
    row=("patch", "patches"),
    see="the passages that quilts have in common with their sources",
    notes="A patch is a run of words that quilt and source have in common, whose grams are all patch grams, and that "
    "can be made longer on neither side. Where several runs contain a gram of the quilt, the longest is taken, among "
    "equals that of the source with the best rank, then the first in the source, then the first in the quilt. So "
    "patches may overlap by some words, and together they cover what the sources cover. Each was verified on the words "
    "of both texts.",
)

ASKED = Table(
    "asked",
    (
        document("source", "a source"),
        document("quilt", "a quilt that draws on it"),
        integer("rank", "the rank of the source"),
        column("grams", pa.large_binary(), "fingerprints of those that both have"),
    ),
    key_columns=2,
    row=("request", "requests"),
    see="the grams that sources are asked for, on the way to patches",
    on_the_way=True,
)

SLICES = Table(
    "slices",
    (
        document("quilt", "a quilt"),
        integer("rank", "the rank of the source"),
        document("source", "a source"),
        integer("begin", "where the passage begins in the source"),
        column("words", pa.large_binary(), "its words, as places.rs packs them"),
        column("places", pa.large_binary(), "where these stand in the source, as places.rs packs them"),
    ),
    key_columns=4,
    row=("passage", "passages"),
    see="passages of sources, on the way to patches",
    on_the_way=True,
)

_MADE = {"domain": "Made unless `--foreign host` is given.", "host": "Made with `--foreign host`."}
_FEEDING = (
    integer("quilts", "quilts that draw on documents of the site"),
    integer("sources", "rows of `sources` whose source is on the site"),
    integer("new_grams", "the sum of `new_grams` of these rows"),
)


def _site(by: str) -> tuple[Column, Column]:
    """The first columns of the tables of sites, which are domains or hosts."""
    nowhere = "null for all documents without a URL (or whose URL has no host), which are counted together"
    return document("first", f"the lowest document of the {by}"), column(by, pa.string(), nowhere, null=True)


def _quilting(by: str, others: str) -> Table:
    return Table(
        f"quilting_{others}",
        (
            *_site(by),
            integer("documents", f"documents of the {by}, copies included"),
            integer("quilts", "how many of them are quilts"),
            column("share", pa.float64(), "quilts / documents"),
        ),
        row=(by, others),
        see=f"the {others} that quilts are on",
        notes=_MADE[by],
        first=(by, "quilts", "documents", "share", "first"),
        order=("quilts", "share"),
    )


def _feeding(by: str, others: str) -> Table:
    return Table(
        f"source_{others}",
        (*_site(by), *_FEEDING),
        row=(by, others),
        see=f"the {others} that quilts draw on most",
        notes=f"{_MADE[by]} A collapsed source counts for the {by} of the document that was kept.",
        first=(by, "quilts", "sources", "new_grams", "first"),
        order=("quilts", "new_grams"),
    )


QUILTING_DOMAINS, QUILTING_HOSTS = _quilting("domain", "domains"), _quilting("host", "hosts")
SOURCE_DOMAINS, SOURCE_HOSTS = _feeding("domain", "domains"), _feeding("host", "hosts")
