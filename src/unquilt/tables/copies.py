"""The tables of copies of ours: who has what of ours, page by page and site by site."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from unquilt.tables.neardups import KEPT_COPIES
from unquilt.tables.passages import PASSAGES
from unquilt.tables.table import OnPage, Table, column, document, integer, share

COPIES = Table(
    "copies",
    (
        document("ours", "a page of ours"),
        document("theirs", "a page of others that has text of it"),
        column("site", pa.string(), "the site of their page; null if it has no URL", null=True),
        column(
            "strength",
            pa.string(),
            "`paragraphs` if at least one paragraph of ours, of ten words or more, is there as a whole; `words` if at "
            "least half of the words are there word for word; else `reworded`",
        ),
        integer(
            "words",
            "how many words of our page are there, each counted once; of reworded passages no more than their side has",
        ),
        share("share_ours", "share of the words of our page"),
        share("share_theirs", "share of the words of their page that is ours"),
        integer("equal_words", "how many of `words` are there word for word; the others were reworded"),
        integer("passages", "how many passages that is; the table `passages` has them, ours as `a`"),
        integer("paragraphs", "how many whole paragraphs of ours"),
        integer("also", "how many other pages of ours have the same text, and less of their page in all"),
        column(
            "linked",
            pa.string(),
            "`page` if their page links to ours, `site` if it links to a site of ours, `no`; null for a text without "
            "links",
            null=True,
        ),
        column("our_date", pa.string(), "when our page was fetched; null if that is not known", null=True),
        column("their_date", pa.string(), "when theirs was fetched", null=True),
        column("our_sha1", pa.string(), "SHA-1 of our page as it was found, in hexadecimal"),
        column("their_sha1", pa.string(), "the same of theirs"),
    ),
    key_columns=2,
    row=("copy", "copies"),
    see="who has what of ours, page by page",
    notes="Text that several pages of ours have counts for the page of ours that their page has most of.",
    first=("theirs", "ours", "strength", "words", "share_ours", "share_theirs", "linked"),
    hidden=("our_sha1", "their_sha1", "also", "site"),
    sparse=("our_date", "their_date"),
    order=("-words",),
    identified=("theirs", "ours"),
    page=OnPage(
        tab="Copies",
        filters=("site", "strength", "words", "share_ours", "share_theirs", "linked"),
        links={"ours": "pairs/{ours}/{theirs}", "theirs": "pairs/{ours}/{theirs}", "site": "sites?name={site}"},
        documents=("ours", "theirs"),
        sites=("site",),
    ),
)

COPYING_SITES = Table(
    "copying_sites",
    (
        document("first", "the lowest page of the site that has text of ours"),
        column(
            "site", pa.string(), "its name; null for all pages without a URL, which are counted together", null=True
        ),
        integer("pages", "how many pages of it have text of ours"),
        integer("our_pages", "how many pages of ours they have text of"),
        integer("words", "how many words of ours they have, a page of ours counted for each page that has it"),
        integer("paragraphs", "how many copies have whole paragraphs"),
        integer("equal", "how many have no whole paragraph, but passages word for word"),
        integer("reworded", "how many have reworded passages mostly"),
        integer("linking", "how many of its pages link to us"),
    ),
    row=("site", "sites"),
    see="the sites that have text of ours, and how much",
    first=("site", "words", "pages", "our_pages", "paragraphs", "equal", "reworded", "linking"),
    hidden=("first",),
    order=("-words",),
    page=OnPage(
        tab="Sites",
        filters=("site", "pages", "our_pages", "words"),
        links={"site": "sites?name={site}"},
        sites=("site",),
    ),
)

SIDES = replace(
    KEPT_COPIES,
    name="sides",
    see="which documents are ours, which are theirs, and which are left out, on the way to copies",
)

EQUAL_PASSAGES, REWORDED_PASSAGES = (
    replace(
        PASSAGES, name=name, see=see, on_the_way=True, page=None, view="", options=(), texts={}, notes="", identified=()
    )
    for name, see in (
        ("equal_passages", "what our pages and others share word for word, on the way to copies"),
        ("reworded_passages", "the same of reworded passages"),
    )
)
