"""The tables on the way to reworded passages: how common words are, what is boilerplate, which texts are aligned."""

from __future__ import annotations

from unquilt.tables.table import Table, document, integer

STEMS = Table(
    "stems",
    (
        integer(
            "stem",
            "fingerprint of a stem, the first five letters of words; rows are in its order, unsigned; 0 for all words",
        ),
        integer("language", "language of documents: a number, from 256 on by script"),
        integer("df", "how many documents in it have the stem; in all, at least 2"),
        integer("times", "how often it occurs in them"),
    ),
    key_columns=2,
    row=("stem", "stems"),
    see="how common stems are in each language, on the way to reworded passages",
    on_the_way=True,
)

BOILERPLATE = Table(
    "boilerplate",
    (
        integer("gram", "fingerprint of five stems in a row; rows are in its order, unsigned"),
        integer("documents", "how many documents have it"),
    ),
    row=("sequence of words", "sequences of words"),
    see="what very many documents have, stem for stem, on the way to reworded passages",
    on_the_way=True,
)

_CANDIDATE = (
    document("doc", "a document whose text is sent"),
    document("other", "the first document of a pair, to which it is sent; `doc` itself if it is that"),
    integer("shared", "what the stems weigh that their windows share which share most, in units of 2^-16 nats"),
    integer("sites", "what its site is to the other's, in bits, as relations.rs packs them"),
)

REWORDED_CANDIDATES = Table(
    "reworded_candidates",
    _CANDIDATE,
    key_columns=2,
    row=("candidate", "candidates"),
    see="which documents are aligned, on the way to reworded passages",
    on_the_way=True,
)

OWN_CANDIDATES = Table(
    "own_candidates",
    _CANDIDATE,
    key_columns=2,
    row=("candidate", "candidates"),
    see="which documents of one site are aligned, on the way to quilts",
    on_the_way=True,
)
