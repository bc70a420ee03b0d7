"""Passages that were reworded, in a corpus: `unquilt passages --signature fuzzy`.

    stem(w)       the first five letters of a word; in scripts without spaces each character is a word
    keys(d)       pairs of the six rarest stems (by the number of documents; in two at least) of each window of 40
                  words, one every 20
    candidates    documents that share at least two keys, each in at most `max_df` documents, that are together: at most
                  10 windows away from each other in one document and 50 in the other; of a document, the
                  `max_candidates` that share most
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
from unquilt.tables import FUZZY_CANDIDATES, STEMS

MOST_STEMS = 1 << 22
LEAST_RATE = 1e-4
RATE_UNITS = 1 << 32
WINDOW_LABELS = {
    "stem counts": "counting stems",
    "stem sums": "counting stems",
    "stems": "counting stems",
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
    """Which texts are sent to whom, how common stems are, and counters."""

    table: Kept
    rates: Side
    counters: dict[str, int]


def find_candidates(
    verbs: Verbs, corpus: Kept, standing: Kept | None, collections: dict[str, Any], *, max_df: int, most: int
) -> CandidatePairs:
    """The documents that share keys.

    Reads the texts twice; shuffles 24 bytes for each stem of a batch, 17 bytes for each key (about seven for ten words)
    and 20 for each pair of documents that shares one: at most `max_df` · (`max_df` - 1) / 2 for a key.
    """
    (counts,) = verbs.map(corpus, Kernel("stem counts"), beside=standing)
    counters = verbs.fold(counts, "stem_words")
    (sums,) = verbs.group([counts], Kernel("stem sums"))
    stems = verbs.keep(sums, STEMS)
    counters["stems_left_out"] = max(0, stems.rows - MOST_STEMS)
    words = counters.get("stemmed_words", 0)
    table = verbs.side("stem_documents", lambda: pack_documents(stems))
    rates = verbs.side("stem_rates", lambda: pack_rates(stems, words))
    (keys,) = verbs.map(corpus, Kernel("stem keys", stems=table, **collections), beside=standing)
    counters |= verbs.fold(keys, "keys") if any(collections.values()) else {}
    (pairs,) = verbs.group([keys], Kernel("key pairs", max_df=max_df))
    counters |= verbs.fold(pairs, "key_pairs")
    (chosen,) = verbs.group([pairs], Kernel("fuzzy candidates", most=most))
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


def pack_documents(stems: Kept) -> bytes:
    """In how many documents stems are, of those in most documents; of equal ones, those that come first."""
    parts = [split.read(["stem", "df"]) for split in stems.splits()]
    table = pa.concat_tables([STEMS.schema.empty_table().select(["stem", "df"]), *parts])
    if table.num_rows > MOST_STEMS:
        order = pc.select_k_unstable(table, MOST_STEMS, [("df", "descending"), ("stem", "ascending")])
        table = table.take(order)
    return _native.pack_stems(buffers(table["stem"]), buffers(table["df"]))


def pack_rates(stems: Kept, words: int) -> bytes:
    """The shares of common stems, as the core packs them: at most ten thousand."""
    entries = []
    for split in stems.splits():
        part = split.read(["stem", "times"])
        part = part.filter(pc.greater_equal(part["times"], LEAST_RATE * words - 1))
        for stem, times in zip(part["stem"].to_pylist(), part["times"].to_pylist(), strict=True):
            rate = (times + 0.5) / max(1, words)
            units = min(int(rate * RATE_UNITS), RATE_UNITS - 1)
            if units / RATE_UNITS > LEAST_RATE:
                entries.append((stem % 2**64, units))
    return b"".join(stem.to_bytes(8, "big") + units.to_bytes(4, "big") for stem, units in sorted(entries))
