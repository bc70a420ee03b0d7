"""Passages that were reworded, in a corpus: `unquilt passages --signature fuzzy`.

    stem(w)       the first five letters of a word; in scripts without spaces each character is a word
    keys(d)       pairs of the six rarest stems (by the number of documents; in two at least) of each window of 40
                  words, one every 20
    rate(w)       its share of the words of all documents, or of those in one language, whichever is higher
    candidates    documents that share two keys that at most `max_df` documents have, or one that at most five have, and
                  in one of whose pairs of windows with shared keys (the eight that share most) the 60 words around have
                  stems in common that would take chance 24 nats, plus ln (pairs of windows / 5,000) if these are more;
                  of a document, the `max_candidates` that share most
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
from unquilt.columns import buffers
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables import FUZZY_CANDIDATES, STEMS, WANTED_WINDOWS

FUZZY_TABLES = (STEMS, WANTED_WINDOWS, FUZZY_CANDIDATES)
MOST_STEMS = 1 << 22
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
    "stem keys": "making keys of rare stems",
    "keys": "making keys of rare stems",
    "key pairs": "finding candidates",
    "key_pairs": "finding candidates",
    "shared windows": "finding candidates",
    "shared_windows": "finding candidates",
    "wanted_windows": "finding candidates",
    "window stems": "comparing windows that share keys",
    "fuzzy candidates": "finding candidates",
    "fuzzy_candidates": "finding candidates",
    "candidates": "finding candidates",
    "candidate texts": "sending texts to candidates",
    "aligned passages": "aligning texts",
    "aligned": "aligning texts",
}


@dataclass(frozen=True)
class CandidatePairs:
    """Which texts are sent to whom, how common stems are, and counters."""

    table: Kept
    rates: Side
    counters: dict[str, int]


def find_candidates(
    verbs: Verbs, corpus: Kept, standing: Kept | None, collections: dict[str, Any], *, max_df: int, most: int
) -> CandidatePairs:
    """The documents that share keys.

    Reads the texts three times; shuffles 28 bytes for each stem of a batch, 9 bytes for each key (about seven for ten
    words), 21 for each pair of windows that share one (at most `max_df` · (`max_df` - 1) / 2 for a key) and about 70
    for each that is compared.
    """
    (counts,) = verbs.map(corpus, Kernel("stem counts"), beside=standing)
    counters = verbs.fold(counts, "stem_words")
    (sums,) = verbs.group([counts], Kernel("stem sums"))
    counters |= verbs.fold(sums, "stem_sums")
    counters["stems_left_out"] = max(0, counters.get("shared_stems", 0) - MOST_STEMS)
    stems = verbs.keep(sums, STEMS)
    words = counters.get("stemmed_words", 0)
    table = verbs.side("stem_documents", lambda: pack_documents(stems))
    rates = verbs.side("stem_rates", lambda: pack_rates(stems, words))
    (keys,) = verbs.map(corpus, Kernel("stem keys", stems=table, **collections), beside=standing)
    counters |= verbs.fold(keys, "keys") if any(collections.values()) else {}
    (places,) = verbs.group([keys], Kernel("key pairs", max_df=max_df))
    counters |= verbs.fold(places, "key_pairs")
    (shared,) = verbs.group([places], Kernel("shared windows"))
    counters |= verbs.fold(shared, "shared_windows")
    wanted = verbs.keep(shared, WANTED_WINDOWS)
    (windows,) = verbs.map(corpus, Kernel("window stems", rates=rates), among=wanted)
    (chosen,) = verbs.group([windows], Kernel("fuzzy candidates", most=most))
    counters |= verbs.fold(chosen, "candidates")
    return CandidatePairs(verbs.keep(chosen, FUZZY_CANDIDATES), rates, counters)


def align_candidates(
    verbs: Verbs, corpus: Kept, candidates: CandidatePairs, *, n: int, both_ways: bool
) -> tuple[Rows, Rows, dict[str, int]]:
    """The passages of candidates, their spans, and counters.

    Reads the texts of candidates, and shuffles each once for each partition that has documents that it is aligned with.
    """
    (texts,) = verbs.map(corpus, Kernel("candidate texts"), among=candidates.table)
    kernel = Kernel("aligned passages", rates=candidates.rates, n=n, both_ways=both_ways)
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
    table = count_all(stems)
    if table.num_rows > MOST_STEMS:
        order = pc.select_k_unstable(table, MOST_STEMS, [("df", "descending"), ("stem", "ascending")])
        table = table.take(order)
    return _native.pack_stems(buffers(table["stem"]), buffers(table["df"]))


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
