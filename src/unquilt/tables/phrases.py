"""The tables of phrases: what many documents share, what pages consist of it, and which sites."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, OnPage, Table, column, document, integer, share

POPULAR = Table(
    "popular",
    (
        integer("phrase", "fingerprint of the phrase; rows are in its order, read as an unsigned number"),
        column("text", pa.string(), "what it says, as `example` writes it, white space collapsed"),
        integer("documents", "in how many documents it was sampled, by whichever functions"),
        integer("sampled", "how often it was sampled: the sum over documents of the functions that did"),
        integer("functions", "how many functions found it in enough documents, so that it is popular"),
        document("example", "the lowest of the documents"),
    ),
    row=("popular phrase", "popular phrases"),
    see="the shingles that most documents share, as the paper counts them",
    notes="With `--exact`, every gram is looked at instead of a sample: `documents` and `sampled` are then the number "
    "of documents that have the phrase, and `functions` is 1. A text of more than 1,000 characters is cut.",
    first=("documents", "text", "sampled", "example"),
    hidden=("phrase", "functions"),
    order=("-documents", "-sampled"),
    identified=("example",),
    page=OnPage(
        tab="Popular shingles",
        filters=("documents",),
    ),
)

ASKED_PHRASES = Table(
    "asked_phrases",
    (
        document("doc", "the lowest document that sampled a phrase"),
        integer("gram", "fingerprint of the phrase"),
        *(integer(name, f"as in `popular`: {name}") for name in ("documents", "sampled", "functions")),
    ),
    key_columns=2,
    row=("phrase", "phrases"),
    see="phrases whose text is looked up, on the way to popular",
    on_the_way=True,
)

PHRASES = Table(
    "phrases",
    (
        integer("phrase", "fingerprint of its words; rows are in its order, read as an unsigned number"),
        column("text", pa.string(), "what it says, as `example` writes it, white space collapsed"),
        integer("words", "how many words it has"),
        integer("documents", "how many documents have it: of its grams, the number of the one that fewest have"),
        integer("sites", "on how many sites these are; a document without a URL is one of its own"),
        column("whole", pa.bool_(), "whether it is made of whole sentences, headings or items"),
        column("prose", pa.bool_(), "whether these read like sentences, not like a menu, a list or a program"),
        column("notice", pa.bool_(), "whether it is a notice of copyright or of a licence"),
        column("weight", pa.float64(), "log2 sites · log2 (words + 1) · rarity · form; see docs/definitions.md 3.3"),
        document("example", "the lowest of the documents"),
        integer("begin", "where it begins there, in code points of the text"),
        integer("end", "where it ends"),
    ),
    row=("phrase", "phrases"),
    see="the phrases that several sites share, those that say most first",
    notes="Grams that overlap and stand in the same documents are one phrase; so are neighbours whose numbers of "
    "documents differ by a fifth at most. Where a phrase holds whole sentences, it is cut to these. A phrase of one "
    "site, as of its template, weighs nothing, and comes behind those of several; notices come last. A text of more "
    "than 1,000 characters is cut.",
    first=("sites", "documents", "words", "text", "example"),
    hidden=("phrase", "whole", "prose", "notice", "weight", "begin", "end"),
    order=("notice", "-weight", "-documents"),
    identified=("example",),
    page=OnPage(
        tab="Phrases",
        filters=("sites", "documents", "words", "prose", "notice"),
        links={"text": "documents/{example}?begin={begin}&end={end}"},
    ),
)

ASKED_GRAMS = Table(
    "asked_grams",
    (
        document("doc", "the lowest document that has a gram"),
        integer("gram", "its fingerprint"),
        integer("documents", "how many documents have it"),
        integer("sites", "on how many sites these are"),
        integer("list", "fingerprint of the list of these documents"),
    ),
    key_columns=2,
    row=("gram", "grams"),
    see="grams that are joined to phrases, on the way to phrases",
    on_the_way=True,
)

HISTOGRAM = Table(
    "histogram",
    (
        integer("documents", "a number of documents"),
        integer("shingles", "how many shingles (pairs of a function and a phrase) are in so many documents"),
    ),
    row=("number", "numbers"),
    see="how many shingles are in how many documents",
    page=NOT_LISTED,
)

DOCUMENT_PHRASES = Table(
    "document_phrases",
    (
        document("doc", "a document; near-duplicates of others are left out"),
        integer("words", "how many words it has"),
        integer(
            "shingles", "how many shingles: 84, or with `--exact` as many as it has distinct grams; 0 without words"
        ),
        integer("popular", "how many of these are popular"),
        column("of_84", pa.float64(), "the same for 84 shingles: 84 · popular / shingles"),
    ),
    row=("document", "documents"),
    see="how much of each page consists of popular phrases",
    first=("doc", "of_84", "words"),
    order=("-of_84", "-words"),
    identified=("doc",),
    page=OnPage(
        filters=("host", "of_84", "words"),
        documents=("doc",),
    ),
)

COVERS = Table(
    "covers",
    (
        document("doc", "a document with popular phrases"),
        integer("popular", "how many of its shingles are popular"),
        integer("common", "how many of these are in more than `max_df` documents, and left to nobody to cover"),
        integer("covered", "how many of the others the sources cover"),
        integer("sources", "how many documents cover them"),
        integer("foreign_contribution", "how many of the covered ones a source on another site has"),
    ),
    row=("covering set", "covering sets"),
    see="from how many other pages each page could be put together",
    first=("doc", "popular", "sources", "foreign_contribution", "covered", "common"),
    order=("-popular", "-foreign_contribution"),
    identified=("doc",),
    page=OnPage(
        tab="Covers",
        filters=("host", "popular", "foreign_contribution"),
        links={"doc": "covers/{doc}"},
        documents=("doc",),
        evidence="unquilt.results.phrases:find_cover",
    ),
    options=("full",),
)

COVER_SOURCES = Table(
    "cover_sources",
    (
        document("doc", "a document with popular phrases"),
        integer("rank", "1 for the source picked first; with `--prune`, numbers of those left out are missing"),
        document("source", "a document that has some of these phrases"),
        integer("new_shingles", "popular shingles that no source before it covers"),
        integer("all_shingles", "popular shingles of `doc` that it has"),
        column("foreign", pa.bool_(), "whether it is on another site; by address, also on another domain"),
    ),
    key_columns=2,
    row=("source", "sources"),
    see="the pages that cover them",
    identified=("doc", "source"),
    page=OnPage(
        links={"doc": "covers/{doc}"},
        documents=("source",),
    ),
)

DRAWN = Table(
    "drawn",
    (
        document("doc", "a document that is kept"),
        column("servers", pa.binary(), "code of the servers it stands on, as servers.rs packs it", null=True),
        integer("marks", "the sum of 1 if it is to be covered, 2 if it may be a source, and 4 if it is preferred"),
    ),
    row=("document", "documents"),
    see="which documents were drawn, on the way to covers",
    on_the_way=True,
)

SOURCE_MARKS = Table(
    "source_marks",
    (
        document("doc", "a document: all of them are here"),
        integer("mark", "the sum of 2 if it may be a source, and 4 if it is preferred"),
    ),
    row=("document", "documents"),
    see="which documents may be sources, on the way to covers",
    on_the_way=True,
)

HOSTS = Table(
    "hosts",
    (
        document("first", "the lowest document of the site"),
        column("site", pa.string(), "its name, by what `--site` says a site is"),
        integer("pages", "how many documents it has; near-duplicates of others are left out"),
        column("mean", pa.float64(), "mean number of popular shingles of a page, of 84"),
        column("deviation", pa.float64(), "their standard deviation"),
        share(
            "foreign_contribution",
            "share of the covered shingles of its pages that sources on other sites have",
        ),
        column("candidate", pa.bool_(), "whether mean and deviation make it a candidate"),
    ),
    row=("site", "sites"),
    see="how much of whole sites consists of popular phrases; candidates first",
    notes="Sites with fewer than `min_pages` pages are counted (`small_sites` in the manifest), not listed. Documents "
    "without a URL are on no site.",
    first=("site", "pages", "mean", "deviation", "foreign_contribution", "candidate"),
    order=("-candidate", "-pages"),
    page=OnPage(
        tab="Sites",
        filters=("site", "pages", "mean", "candidate"),
        links={"site": "phrases?site={site}"},
        sites=("site",),
        judged="unquilt.page.views.phrases:describe_row",
    ),
    view="unquilt.cli.show.phrases:HostsView",
)
