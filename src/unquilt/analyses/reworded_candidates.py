"""Which documents may have reworded each other: those that share rare words, around which they share more.

    stem(w)       the first five letters of a word; in scripts without spaces each character is a word
    boilerplate   five stems in a row that more than `boilerplate` documents have, and more than one in a thousand;
                  their words are left out of all that follows
    keys(d)       pairs of the six rarest stems (by the number of documents; in two at least) of each window of 40
                  words, one every 20
    rate(w)       its share of the words of all documents, or of those in one language, whichever is higher
    candidates    documents that share a key which at most `max_df` documents have, if the 60 words around it in one and
                  in the other have stems in common that would take chance 26 nats, plus ln (pairs of windows / 5,000)
                  if these are more; of a document, the `max_candidates` that share most

Which stems are rare is counted in a pass of its own, over all documents that stand. The table of stems that kernels
look them up in holds at most four million, those in most documents; the others are left out of keys, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.stores.stems import MOST_GRAMS, MOST_STEMS, pack_boilerplate, pack_documents, pack_rates
from unquilt.tables.reworded import BOILERPLATE, REWORDED_CANDIDATES, STEMS

CANDIDATE_TABLES = (STEMS, BOILERPLATE, REWORDED_CANDIDATES)
"""The tables that `find_candidates` makes on the way."""
ONE_OF = 1000
"""A sequence of words that only one document of so many has is not boilerplate."""
COUNTERS = ("boilerplate_grams", "candidates", "candidates_left_out", "documents_with_candidates", "most_candidates")
"""What kernels count only where there is something to count."""
CANDIDATE_LABELS = {
    "stem counts": "counting stems",
    "stem_words": "counting stems",
    "stem sums": "counting stems",
    "stem_sums": "counting stems",
    "stems": "counting stems",
    "stem grams": "finding boilerplate",
    "common grams": "finding boilerplate",
    "common_grams": "finding boilerplate",
    "boilerplate": "finding boilerplate",
    "stem keys": "making keys of rare stems",
    "keys": "making keys of rare stems",
    "key pairs": "finding candidates",
    "key_pairs": "finding candidates",
    "reworded candidates": "finding candidates",
    "reworded_candidates": "finding candidates",
    "candidates": "finding candidates",
}


@dataclass(frozen=True)
class CandidatePairs:
    """Which texts are sent to whom, in how many documents stems are, how common they are, what is boilerplate; and
    counters."""

    table: Kept
    own_site: Rows
    """Candidates of documents of one site, if these are compared."""
    stems: Side
    rates: Side
    boilerplate: Side
    counters: dict[str, int]


def find_candidates(
    verbs: Verbs,
    corpus: Kept,
    copies: Kept | None,
    collections: dict[str, Any],
    *,
    boilerplate: int,
    max_df: int,
    most: int,
    compared: str = "foreign",
) -> CandidatePairs:
    """The documents that share keys: those foreign to each other; or (`other sites`) if one is foreign to the other, or
    `all`, of which those of one site are rows apart.

    Reads the texts three times; shuffles 28 bytes for each stem of a batch, 8 for each word, about 18 for each key
    (about seven for ten words; the stems of the words around travel with keys), and 20 for each key that two documents
    share with enough around it (at most `max_df` · (`max_df` - 1) / 2 for a key).
    """
    (counts,) = verbs.map(corpus, Kernel("stem counts"), beside=copies)
    counters = dict.fromkeys(COUNTERS, 0) | verbs.fold(counts, "stem_words")
    (sums,) = verbs.group([counts], Kernel("stem sums"))
    counters |= verbs.fold(sums, "stem_sums")
    counters["stems_left_out"] = max(0, counters.get("shared_stems", 0) - MOST_STEMS)
    stems = verbs.keep(sums, STEMS)
    words = counters.get("stemmed_words", 0)
    table = verbs.side("stem_documents", lambda: pack_documents(stems))
    rates = verbs.side("stem_rates", lambda: pack_rates(stems, words))
    common = find_boilerplate(verbs, corpus, copies, counters, boilerplate)
    known: dict[str, Any] = {"stems": table, "rates": rates, "boilerplate": common}
    (keys,) = verbs.map(corpus, Kernel("stem keys", **known, **collections), beside=copies)
    counters |= verbs.fold(keys, "keys")
    (pairs,) = verbs.group([keys], Kernel("key pairs", max_df=max_df, compared=compared))
    counters |= verbs.fold(pairs, "key_pairs")
    chosen, own_site = verbs.group([pairs], Kernel("reworded candidates", most=most))
    counters |= verbs.fold(chosen, "candidates")
    return CandidatePairs(verbs.keep(chosen, REWORDED_CANDIDATES), own_site, table, rates, common, counters)


def find_boilerplate(
    verbs: Verbs, corpus: Kept, copies: Kept | None, counters: dict[str, int], boilerplate: int
) -> Side:
    """The sequences of words that more documents have, and more than one of a thousand; adds to the counters.

    Reads the texts, and shuffles 8 bytes for each word.
    """
    if not boilerplate:
        return verbs.side("boilerplate", lambda: b"")
    limit = max(boilerplate, counters.get("stemmed_documents", 0) // ONE_OF)
    (grams,) = verbs.map(corpus, Kernel("stem grams"), beside=copies)
    (common,) = verbs.group([grams], Kernel("common grams", most=limit))
    counters |= verbs.fold(common, "common_grams")
    counters["boilerplate_limit"] = limit
    counters["boilerplate_left_out"] = max(0, counters["boilerplate_grams"] - MOST_GRAMS)
    kept = verbs.keep(common, BOILERPLATE)
    return verbs.side("boilerplate", lambda: pack_boilerplate(kept))
