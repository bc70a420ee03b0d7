"""Passages that were reworded, in a corpus: `unquilt passages --signature fuzzy`.

    stem(w)       the first five letters of a word; in scripts without spaces each character is a word
    boilerplate   five stems in a row that more than `boilerplate` documents have, and more than one in a thousand;
                  their words are left out of all that follows
    keys(d)       pairs of the six rarest stems (by the number of documents; in two at least) of each window of 40
                  words, one every 20
    rate(w)       its share of the words of all documents, or of those in one language, whichever is higher
    candidates    documents that share a key which at most `max_df` documents have, if the 60 words around it in one and
                  in the other have stems in common that would take chance 26 nats, plus ln (pairs of windows / 5,000)
                  if these are more; of a document, the `max_candidates` that share most
    passage(a, b) what a took from b, as `native/kernels/src/alignment.rs` defines: windows that share rare stems, grown
                  to the two intervals that explain each other best

Which stems are rare is counted in a pass of its own, over all documents that stand. The table of stems that kernels
look them up in holds at most four million, those in most documents; the others are left out of keys, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.columns import buffers, pack
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables import BOILERPLATE, FUZZY_CANDIDATES, STEMS

FUZZY_TABLES = (STEMS, BOILERPLATE, FUZZY_CANDIDATES)
MOST_STEMS = 1 << 22
MOST_GRAMS = 1 << 20
ONE_OF = 1000
"""What one document of so many has is no boilerplate yet."""
COUNTERS = ("boilerplate_grams", "candidates", "candidates_left_out", "documents_with_candidates", "most_candidates")
"""What kernels count only where there is something to count."""
ALL_WORDS = 0
"""In place of a stem: how many documents and words a language has."""
LEAST_TIMES = 9
"""A stem that occurs less often is not common, as 100,000 words are added to those of any language."""
COUNTS = pa.schema([(name, pa.int64()) for name in ("stem", "language", "times")])
WINDOW_LABELS = {
    "stem counts": "counting stems",
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
    "fuzzy candidates": "finding candidates",
    "fuzzy_candidates": "finding candidates",
    "candidates": "finding candidates",
    "candidate texts": "sending texts to candidates",
    "aligned passages": "aligning texts",
    "aligned": "aligning texts",
}


@dataclass(frozen=True)
class CandidatePairs:
    """Which texts are sent to whom, how common stems are, what is boilerplate, and counters."""

    table: Kept
    rates: Side
    boilerplate: Side
    counters: dict[str, int]


def find_candidates(
    verbs: Verbs,
    corpus: Kept,
    standing: Kept | None,
    collections: dict[str, Any],
    *,
    boilerplate: int,
    max_df: int,
    most: int,
) -> CandidatePairs:
    """The documents that share keys.

    Reads the texts three times; shuffles 28 bytes for each stem of a batch, 8 for each word, about 18 for each key
    (about seven for ten words; the stems of the words around travel with keys), and 20 for each key that two documents
    share with enough around it (at most `max_df` · (`max_df` - 1) / 2 for a key).
    """
    (counts,) = verbs.map(corpus, Kernel("stem counts"), beside=standing)
    counters = dict.fromkeys(COUNTERS, 0) | verbs.fold(counts, "stem_words")
    (sums,) = verbs.group([counts], Kernel("stem sums"))
    counters |= verbs.fold(sums, "stem_sums")
    counters["stems_left_out"] = max(0, counters.get("shared_stems", 0) - MOST_STEMS)
    stems = verbs.keep(sums, STEMS)
    words = counters.get("stemmed_words", 0)
    table = verbs.side("stem_documents", lambda: pack_documents(stems))
    rates = verbs.side("stem_rates", lambda: pack_rates(stems, words))
    common = find_boilerplate(verbs, corpus, standing, counters, boilerplate)
    known: dict[str, Any] = {"stems": table, "rates": rates, "boilerplate": common}
    (keys,) = verbs.map(corpus, Kernel("stem keys", **known, **collections), beside=standing)
    counters |= verbs.fold(keys, "keys")
    (pairs,) = verbs.group([keys], Kernel("key pairs", max_df=max_df))
    counters |= verbs.fold(pairs, "key_pairs")
    (chosen,) = verbs.group([pairs], Kernel("fuzzy candidates", most=most))
    counters |= verbs.fold(chosen, "candidates")
    return CandidatePairs(verbs.keep(chosen, FUZZY_CANDIDATES), rates, common, counters)


def find_boilerplate(
    verbs: Verbs, corpus: Kept, standing: Kept | None, counters: dict[str, int], boilerplate: int
) -> Side:
    """The sequences of words that more documents have, and more than one of a thousand; adds to the counters.

    Reads the texts, and shuffles 8 bytes for each word.
    """
    if not boilerplate:
        return verbs.side("boilerplate", lambda: b"")
    limit = max(boilerplate, counters.get("stemmed_documents", 0) // ONE_OF)
    (grams,) = verbs.map(corpus, Kernel("stem grams"), beside=standing)
    (common,) = verbs.group([grams], Kernel("common grams", most=limit))
    counters |= verbs.fold(common, "common_grams")
    counters["boilerplate_limit"] = limit
    counters["boilerplate_left_out"] = max(0, counters["boilerplate_grams"] - MOST_GRAMS)
    kept = verbs.keep(common, BOILERPLATE)
    return verbs.side("boilerplate", lambda: pack_boilerplate(kept))


def align_candidates(
    verbs: Verbs, corpus: Kept, candidates: CandidatePairs, *, n: int, both_ways: bool
) -> tuple[Rows, Rows, dict[str, int]]:
    """The passages of candidates, their spans, and counters.

    Reads the texts of candidates, and shuffles each once for each partition that has documents that it is aligned with.
    """
    (texts,) = verbs.map(corpus, Kernel("candidate texts"), among=candidates.table)
    known: dict[str, Any] = {"rates": candidates.rates, "boilerplate": candidates.boilerplate}
    kernel = Kernel("aligned passages", **known, n=n, both_ways=both_ways)
    found, spans = verbs.group([texts], kernel)
    return found, spans, candidates.counters | verbs.fold(found, "aligned")


def count_all(stems: Kept) -> pa.Table:
    """Stems with the number of documents that have them, and how often they occur, in all languages."""
    parts = [split.read(["stem", "df", "times"]) for split in stems.splits()]
    table = pa.concat_tables([STEMS.schema.empty_table().select(["stem", "df", "times"]), *parts])
    sums = table.group_by("stem", use_threads=False).aggregate([("df", "sum"), ("times", "sum")])
    return sums.rename_columns(["stem", "df", "times"]).filter(pc.not_equal(sums["stem"], ALL_WORDS))


def pack_documents(stems: Kept) -> bytes:
    """In how many documents stems are, of those in most documents; of equal ones, those that come first."""
    table = choose_highest(count_all(stems), MOST_STEMS, "df", "stem")
    return _native.pack_stems(buffers(table["stem"]), buffers(table["df"]))


def pack_boilerplate(grams: Kept) -> bytes:
    """The sequences in most documents; of equal ones, those that come first. Eight megabytes at most."""
    parts = [split.read(["gram", "documents"]) for split in grams.splits()]
    table = pa.concat_tables([BOILERPLATE.schema.empty_table(), *parts])
    chosen = choose_highest(table, MOST_GRAMS, "documents", "gram")
    return pack(chosen["gram"])


def choose_highest(table: pa.Table, most: int, number: str, name: str) -> pa.Table:
    """The rows with the highest numbers, if there are more; of equal ones, those with the lowest names."""
    if table.num_rows <= most:
        return table
    return table.take(pc.select_k_unstable(table, most, [(number, "descending"), (name, "ascending")]))


def pack_rates(stems: Kept, words: int) -> bytes:
    """The rates of stems that are common in all documents, or in those of a language: three megabytes at most."""
    everywhere = count_all(stems).select(["stem", "times"])
    everywhere = everywhere.append_column("language", pa.repeat(_native.ALL_LANGUAGES, everywhere.num_rows))
    usual = pa.array(_native.usual_stems(), pa.int64())
    sizes = {_native.ALL_LANGUAGES: words}
    counts = []
    for part in (everywhere, *(split.read(["stem", "language", "times"]) for split in stems.splits())):
        of_all = part.filter(pc.equal(part["stem"], ALL_WORDS))
        sizes |= dict(zip(of_all["language"].to_pylist(), of_all["times"].to_pylist(), strict=True))
        often = pc.or_(pc.greater_equal(part["times"], LEAST_TIMES), pc.is_in(part["stem"], usual))
        wanted = part.filter(pc.and_(often, pc.not_equal(part["stem"], ALL_WORDS)))
        counts.append(wanted.select(["stem", "language", "times"]).cast(COUNTS))
    table = pa.concat_tables(counts)
    stem, language, times = (buffers(table[name]) for name in table.column_names)
    return _native.pack_rates(stem, language, times, sorted(sizes.items()))
