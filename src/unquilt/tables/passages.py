"""The tables of passages: what two documents share, where it is in each, and what very many share."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import OnPage, Table, column, document, integer, share

PASSAGES = Table(
    "passages",
    (
        document("a", "a document; with `--between`, one of the first collection"),
        document("b", "another document; without `--between`, the one with the higher number"),
        integer("a_begin", "where the passage begins in `a`, in code points of its text"),
        integer("b_begin", "where it begins in `b`"),
        integer("a_end", "where it ends in `a`: one behind its last code point"),
        integer("b_end", "where it ends in `b`"),
        integer("a_sentence", "number of its first sentence in `a`, from 0; before its borders were moved"),
        integer("b_sentence", "number of its first sentence in `b`"),
        integer("sentences", "how many sentences match; with `--signature grams`, how many of `a` it touches"),
        integer("words", "how many words it has in `a`; in `reworded` without boilerplate, as for all that follows"),
        share(
            "similarity",
            "Jaccard coefficient of the sets of shingles of `n` words of both sides; in `reworded` the share of stems "
            "in common, of the side with fewer",
        ),
        integer("documents", "how many documents share that part of it which fewest share; 2 if nobody else has it"),
        column(
            "weight",
            pa.float64(),
            "words · similarity / (documents - 1); in `reworded` words · rate / (documents - 1), of the side where "
            "that is less, and words that are not prose, such as menus, tables and code, count a tenth",
        ),
        column(
            "score",
            pa.float64(),
            "how much likelier reuse is than chance, in nats, in `reworded`; else null",
            null=True,
        ),
        column(
            "a_rate",
            pa.float64(),
            "share of its words in `a` that were taken over, in `reworded`; else null",
            null=True,
        ),
        column("b_rate", pa.float64(), "the same of its words in `b`", null=True),
    ),
    key_columns=4,
    row=("passage", "passages"),
    see="what two documents share, and where it is in each",
    notes="`weight` is what puts a page of a book before a licence of the same length: a passage that only two "
    "documents have counts in full, one that a hundred have for a hundredth.",
    first=("a", "b", "words", "similarity", "documents", "sentences"),
    hidden=("a_begin", "b_begin", "a_end", "b_end", "a_sentence", "b_sentence", "weight"),
    order=("-weight",),
    identified=("a", "b"),
    sparse=("score", "a_rate", "b_rate"),
    page=OnPage(
        tab="Passages",
        filters=("a_host", "b_host", "words", "similarity", "documents"),
        links={"a": "pairs/{a}/{b}", "b": "pairs/{a}/{b}"},
        judged="unquilt.page.views.passages:describe_row",
    ),
    texts={"a_text": ("a", "a_begin", "a_end"), "b_text": ("b", "b_begin", "b_end")},
    view="unquilt.cli.show.passages:PassagesView",
    options=("full", "pair"),
)

PASSAGE_PAIRS = Table(
    "passage_pairs",
    (
        document("a", "a document"),
        document("b", "another document that shares passages with it"),
        integer("passages", "how many passages they share"),
        integer("sentences", "how many sentences match in these"),
        integer("words", "how many words of `a` are in them, each counted once"),
        share("share_a", "share of the words of `a`"),
        share("share_b", "share of the words of `b`"),
        column("weight", pa.float64(), "sum of the weights of the passages"),
    ),
    key_columns=2,
    row=("pair", "pairs"),
    see="which documents share passages, and how much of each these are",
    first=("a", "b", "words", "share_a", "share_b", "passages"),
    hidden=("weight",),
    order=("-weight",),
    identified=("a", "b"),
    page=OnPage(
        tab="Pairs",
        filters=("a_host", "b_host", "words", "share_a", "share_b"),
        links={"a": "pairs/{a}/{b}", "b": "pairs/{a}/{b}"},
        documents=("a", "b"),
        judged="unquilt.page.views.passages:describe_row",
    ),
)

STOP_RUNS = Table(
    "stop_runs",
    (
        document("doc", "the lowest of the documents that have it"),
        integer("begin", "where it begins there, in code points of the text"),
        integer("end", "where it ends"),
        integer("sentences", "how many sentences it has"),
        integer("documents", "how many documents have exactly this run"),
        column("text", pa.string(), "what it says, white space collapsed"),
    ),
    key_columns=2,
    row=("run of stop sentences", "runs of stop sentences"),
    see="menus, notices and licences that very many documents share",
    notes="Sentences in more than `max_df` documents make no passage on their own. Runs of at least `gamma` of them "
    "are listed here, once each, if at least two documents have the same run. A text of more than 1,000 "
    "characters is cut.",
    first=("documents", "sentences", "text", "doc"),
    hidden=("begin", "end"),
    order=("-documents", "-sentences"),
    identified=("doc",),
    page=OnPage(
        tab="Stop runs",
        links={"doc": "documents/{doc}?begin={begin}&end={end}", "text": "documents/{doc}?begin={begin}&end={end}"},
        documents=("doc",),
    ),
)

STOP_GROUPS = Table(
    "stop_groups",
    (
        document("doc", "the lowest document that has a run of stop sentences"),
        integer("first", "its first sentence there"),
        integer("sentences", "how many sentences it has"),
        integer("documents", "how many documents have it"),
    ),
    key_columns=2,
    row=("run", "runs"),
    see="runs whose text is looked up, on the way to stop_runs",
    on_the_way=True,
)

MARKS = Table(
    "marks",
    (
        document("doc", "a document"),
        column("marks", pa.binary(), "its sentences, as pages.rs packs them: number, token, flags"),
    ),
    row=("document", "documents"),
    see="documents as sequences of tokens, on the way to passages",
    on_the_way=True,
)

PASSAGE_RUNS = Table(
    "passage_runs",
    (
        document("doc", "a document"),
        integer("second", "whether it is the second of a pair"),
        integer("from", "first sentence (or word) of a passage in it"),
        integer("to", "one behind its last sentence"),
        document("other", "the other document of the pair"),
        integer("other_from", "first sentence of the passage there"),
        integer("other_to", "one behind its last sentence there"),
        integer("matched", "how many sentences (or words) match"),
        integer("documents", "how many documents share that part of it which fewest share"),
    ),
    key_columns=6,
    row=("run", "runs"),
    see="passages by number of sentence, of both documents, on the way to passages",
    on_the_way=True,
)
