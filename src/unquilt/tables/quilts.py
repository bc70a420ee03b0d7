"""The tables of quilts: pages stitched together from other pages."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from unquilt.tables.table import Column, OnPage, Table, column, document, integer, share

_COUNTED = (
    integer("words", "how many words it has"),
    integer("grams", "how many distinct k-grams it has"),
    integer("patch_grams", "how many of these are in 2 to m documents"),
    share("patchfrac", "patch_grams / grams"),
    share("covered", "share of the grams that the sources cover"),
    share("spanned", "share of its text that passages span, a few changed words included", null=True),
    integer("sources", "how many sources cover the patch grams"),
    share("largest", "largest share of the covered grams that one source holds"),
    share(
        "own",
        "share of them that another document of its own site has, too, and that is not stitched together itself",
        null=True,
    ),
    share(
        "sections",
        "share of them that sources add with a third or more in it, of domains with two or more of these",
        null=True,
    ),
    share("sewn", "share of its passages that has seams", null=True),
    integer("sewn_words", "words in these", null=True),
    integer("sewn_sources", "sources of these", null=True),
    integer("joined_words", "words in those that stand side by side with one of another source", null=True),
    integer("joined_sources", "sources of these", null=True),
    column(
        "reads_on",
        pa.float64(),
        "uncommon words that both sides of the borders of passages share: in the page, less in the sources",
        null=True,
    ),
    column(
        "resumes",
        pa.float64(),
        "whether its own words go on behind its passages: uncommon words on both sides, beside those of sources",
        null=True,
    ),
    share("borders_on", "share of the borders of its passages at which it reads on better than the source", null=True),
    share(
        "in_order",
        "how much of it other pages that are stitched together have in the same order, as versions of a form do",
        null=True,
    ),
    share(
        "stitched",
        "share of the covered grams that only pages add which are stitched together themselves; 0 where the page's own "
        "site draws on their pool, too",
    ),
    column("from_pool", pa.bool_(), "whether several pages of its own site draw on the same pool"),
    share("attributed", "share of the patch grams that linked sources cover", null=True),
    column(
        "evidence",
        pa.float64(),
        "sources × covered × (1 - own) × (1 - sections), less if the page does not jump: the more, the surer",
    ),
    column(
        "reworded",
        pa.bool_(),
        "with `--edits reworded`: whether reworded passages were counted in place of equal grams; else null",
        null=True,
    ),
)

VERDICTS = Table(
    "verdicts",
    (
        document("doc", "a document that stands: any but those that were collapsed into another"),
        *_COUNTED,
        column("verdict", pa.string(), "`quilt`, `in part` (a quilt, too), `original` (others took from it) or `none`"),
        column("quilt", pa.bool_(), "whether it is a quilt, whole or in part"),
        column("why", pa.string(), "what keeps it from being one; null for quilts", null=True),
        column(
            "published",
            pa.bool_(),
            "whether it is one as published: by k, m, c and sigma alone, with any other document as a source",
            null=True,
        ),
    ),
    row=("verdict", "verdicts"),
    see="every document: its numbers, and why it is or is not a quilt",
    notes="`why` is one word for a document without sources: `short` (fewer than k words, so it has no grams), "
    "`nothing shared` (no gram is in 2 to m documents), `own site` (all that it shares is on its own site, see "
    "`--site`) or `min_share` (no source covers enough: see `--min-share` and `--min-grams`). Else it names the "
    "limits that the document fails, "
    "separated by `, ` and in this order: `sigma`, `max_largest`, `c`, `max_own`, `max_sections`, `min_sewn`, "
    "`max_reads_on`, `max_in_order`, `max_attributed`. Only documents that may be quilts are looked at closely; of the "
    "others, columns that may be null are null.",
    first=(
        *(
            "doc",
            "verdict",
            "why",
            "spanned",
            "sources",
            "largest",
            "own",
            "sections",
            "sewn",
            "reads_on",
            "attributed",
        ),
        *("covered", "patchfrac", "words", "evidence"),
    ),
    hidden=("stitched", "borders_on", "from_pool"),
    identified=("doc",),
    sparse=("reworded",),
    page=OnPage(
        filters=("host", "quilt", "why", "patchfrac", "sources"),
        links={"doc": "quilts/{doc}"},
        documents=("doc",),
    ),
    view="unquilt.cli.show.judged:VerdictsView",
    options=("limits",),
)

QUILTS = Table(
    "quilts",
    (
        document("doc", "the quilted document"),
        column("id", pa.string(), "its id"),
        column("url", pa.string(), "its URL", null=True),
        *_COUNTED,
        column("verdict", pa.string(), "`quilt`, or `in part` if it is stitched together in part"),
    ),
    row=("quilt", "quilts"),
    see="the quilts",
    first=(
        *(
            "doc",
            "id",
            "verdict",
            "evidence",
            "spanned",
            "sources",
            "largest",
            "own",
            "sewn",
            "reads_on",
            "words",
            "url",
        ),
        *("sections", "attributed", "covered", "patchfrac", "patch_grams"),
    ),
    hidden=("stitched", "borders_on", "from_pool"),
    sparse=("reworded",),
    # The surest first: of generated crawls, this order has the most right ones at the top. Runs before had no evidence.
    order=("-evidence", "-sources", "largest"),
    page=OnPage(
        tab="Quilts",
        filters=("host", "domain", "patchfrac", "sources", "attributed"),
        links={"doc": "quilts/{doc}"},
        documents=("doc",),
        sites=("host",),
        evidence="unquilt.results.judged:find_quilt",
    ),
    listed_in="quilts",
    view="unquilt.cli.show.judged:QuiltsView",
    options=("full", "limits"),
    with_evidence="unquilt.results.quilt_rows:QuiltRows",
)

_SOURCE = (
    document("quilt", "a document that was looked at closely"),
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
        ),
        integer("linked_grams", "patch grams that the linked sources up to this one cover"),
        integer("section_grams", "what sections, up to this source, add"),
    ),
    key_columns=2,
    row=("source", "sources"),
    see="the pages that quilts draw on",
    notes="Pages that were looked at closely and are not quilts have rows, too; `quilts` says which are quilts. "
    "A link leads to a page if both URLs, as browsers parse them, differ at most in the fragment, in http or "
    "https, and in a slash at the end of the path; it leads to a domain if its host is the domain or lies under it. "
    "A link to the quilt's own site (its domain; its host with `--site host`) leads to a page only. "
    "If copies of a source were collapsed, a link to any of the first hundred of them counts, too.",
    first=("quilt", "rank", "source", "new_grams", "all_grams"),
    hidden=("linked_grams", "section_grams"),
    identified=("quilt", "source"),
    page=OnPage(
        filters=("quilt_host", "source_host", "new_grams"),
        links={"quilt": "quilts/{quilt}"},
        documents=("quilt", "source"),
        sites=("source_host",),
    ),
    listed_in="quilts",
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
        integer("words", "how many words it has, the same in both, at least k; if it was reworded, in the quilt"),
        share("similarity", "share of stems in common, if it was reworded; else null", null=True),
    ),
    key_columns=2,
    row=("patch", "patches"),
    see="the passages that quilts have in common with their sources",
    notes="A patch is a run of words that quilt and source have in common, whose grams are all patch grams, and that "
    "can be made longer on neither side. Where several runs contain a gram of the quilt, the longest is taken, among "
    "equals that of the source with the best rank, then the first in the source, then the first in the quilt. So "
    "patches may overlap by some words, and together they cover what the sources cover. Each was verified on the words "
    "of both texts. With `--edits reworded`, the patches of pages that are judged by reworded passages are these.",
    sparse=("similarity",),
    page=OnPage(
        filters=("quilt", "source", "words"),
        links={"quilt": "quilts/{quilt}"},
    ),
    texts={"text": ("quilt", "begin", "end"), "source_text": ("source", "source_begin", "source_end")},
    listed_in="quilts",
    view="unquilt.cli.show.evidence:PatchesView",
    options=("full",),
)

SPANNED = Table(
    "spanned",
    (
        document("doc", "a document"),
        document("other", "another document with a passage of it"),
        integer("sites", "what the site of the other is to its own, in bits, as relations.rs packs them"),
        integer("begin", "the number of the first word of the passage"),
        integer("end", "one behind the number of its last word"),
        integer("other_begin", "the number of its first word in the other document"),
        integer("other_end", "one behind that of its last word there"),
        integer("words", "how many words the document has"),
        integer("from", "where the passage begins, in code points of the text"),
        integer("to", "where it ends"),
        integer("other_from", "where it begins in the other document"),
        integer("other_to", "where it ends there"),
        integer("shared", "how many different stems both sides have in common"),
        integer("stems", "how many the side has that has fewer"),
        integer("twice_before", "twice the uncommon stems on both sides of its beginning"),
        integer("words_before", "the uncommon stems there"),
        integer("twice_behind", "twice the uncommon stems on both sides of its end"),
        integer("words_behind", "the uncommon stems there"),
        integer("twice_there_before", "twice the uncommon stems on both sides of its beginning in the other document"),
        integer("words_there_before", "the uncommon stems there"),
        integer("twice_there_behind", "twice the uncommon stems on both sides of its end in the other document"),
        integer("words_there_behind", "the uncommon stems there"),
    ),
    key_columns=6,
    row=("passage", "passages"),
    see="reworded passages, with both sides of each, on the way to quilts",
    on_the_way=True,
)

SPANNED_AT_HOME = replace(
    SPANNED,
    name="spanned_at_home",
    see="the same of documents of one site, for pages that reworded passages may decide of",
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
        integer("first_word", "the number of its first word there"),
        integer("twice_before", "twice the uncommon words on both sides of its beginning in the source"),
        integer("words_before", "the uncommon words there"),
        integer("twice_behind", "twice the uncommon words on both sides of its end in the source"),
        integer("words_behind", "the uncommon words there"),
        column("words", pa.large_binary(), "its words, as places.rs packs them"),
        column("places", pa.large_binary(), "where these stand in the source, as places.rs packs them"),
    ),
    key_columns=4,
    row=("passage", "passages"),
    see="passages of sources, on the way to patches",
    on_the_way=True,
)

_MADE = {"domain": "Made unless `--site host` is given.", "host": "Made with `--site host`."}
_FEEDING = (
    integer("quilts", "quilts that draw on documents of the site"),
    integer("sources", "rows of `sources` whose source is on the site"),
    integer("new_grams", "the sum of `new_grams` of these rows"),
)


def _site(by: str) -> tuple[Column, Column]:
    """The first columns of the tables of sites, which are domains or hosts."""
    nowhere = "null for all documents without a URL (or whose URL has no host), which are counted together"
    return document("first", f"the lowest document of the {by}"), column(by, pa.string(), nowhere, null=True)


def _leads(by: str) -> dict[str, str]:
    """The name of a site leads to its page."""
    return {by: f"sites?name={{{by}}}"}


def _quilting(by: str, others: str) -> Table:
    return Table(
        f"quilting_{others}",
        (
            *_site(by),
            integer("documents", f"documents of the {by}, copies included"),
            integer("quilts", "how many of them are quilts"),
            share("share", "quilts / documents"),
        ),
        row=(by, others),
        see=f"the {others} that quilts are on",
        notes=_MADE[by],
        page=OnPage(tab=f"Quilting {others}", filters=(by,), links=_leads(by), sites=(by,)),
        first=(by, "quilts", "documents", "share", "first"),
        order=("-quilts", "-share"),
    )


def _feeding(by: str, others: str) -> Table:
    return Table(
        f"source_{others}",
        (*_site(by), *_FEEDING),
        row=(by, others),
        see=f"the {others} that quilts draw on most",
        notes=f"{_MADE[by]} A collapsed source counts for the {by} of the document that was kept.",
        page=OnPage(tab=f"Sources by {by}", filters=(by,), links=_leads(by), sites=(by,)),
        first=(by, "quilts", "sources", "new_grams", "first"),
        order=("-quilts", "-new_grams"),
    )


QUILTING_DOMAINS, QUILTING_HOSTS = _quilting("domain", "domains"), _quilting("host", "hosts")
SOURCE_DOMAINS, SOURCE_HOSTS = _feeding("domain", "domains"), _feeding("host", "hosts")
SITE_TABLES = {"domain": (QUILTING_DOMAINS, SOURCE_DOMAINS), "host": (QUILTING_HOSTS, SOURCE_HOSTS)}
"""The sites with quilts, and those that quilts draw on, by what sites are."""
