"""The tables of quilts: pages stitched together from other pages."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import Table, column, document, integer

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

QUILTS = Table(
    "quilts",
    (
        document("doc", "the quilted document"),
        column("id", pa.string(), "its id"),
        column("url", pa.string(), "its URL", null=True),
        integer("words", "how many words it has"),
        integer("grams", "how many distinct k-grams it has"),
        integer("patch_grams", "how many of these are in 2 to m documents"),
        column("patchfrac", pa.float64(), "patch_grams / grams"),
        integer("sources", "how many sources cover the patch grams"),
        column("attributed", pa.float64(), "share of the patch grams that linked sources cover", later=True),
    ),
    row=("quilt", "quilts"),
    see="the quilts",
    first=("doc", "id", "patchfrac", "sources", "attributed", "words", "url", "patch_grams", "grams"),
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
    ),
    key_columns=2,
    row=("source", "sources"),
    see="the pages that quilts draw on",
    notes="A link leads to a page if both URLs, as browsers parse them, differ at most in the fragment, in http or "
    "https, and in a slash at the end of the path; it leads to a domain if its host is the domain or lies under it. "
    "If copies of a source were collapsed, a link to any of the first hundred of them counts, too.",
    first=("quilt", "rank", "source", "new_grams", "all_grams"),
    identified=("quilt", "source"),
)

NAMED = Table(
    "named",
    (
        *_SOURCE,
        integer("patch_grams", "patch grams of the quilt"),
        column("shared", pa.large_binary(), "how many of the new grams later sources have, too"),
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

_FIRST = document("first", "the lowest document of the domain")
_DOMAIN = column(
    "domain",
    pa.string(),
    "null for all documents without a URL (or whose URL has no host), which are counted together",
    null=True,
)

QUILTING_DOMAINS = Table(
    "quilting_domains",
    (
        _FIRST,
        _DOMAIN,
        integer("documents", "documents of the domain, copies included"),
        integer("quilts", "how many of them are quilts"),
        column("share", pa.float64(), "quilts / documents"),
    ),
    row=("domain", "domains"),
    see="the sites that quilts are on",
    first=("domain", "quilts", "documents", "share", "first"),
    order=("quilts", "share"),
)

SOURCE_DOMAINS = Table(
    "source_domains",
    (
        _FIRST,
        _DOMAIN,
        integer("quilts", "quilts that draw on documents of the domain"),
        integer("sources", "rows of `sources` whose source is on the domain"),
        integer("new_grams", "the sum of `new_grams` of these rows"),
    ),
    row=("domain", "domains"),
    see="the sites that quilts draw on most",
    notes="A collapsed source counts for the domain of the document that was kept.",
    first=("domain", "quilts", "sources", "new_grams", "first"),
    order=("quilts", "new_grams"),
)
