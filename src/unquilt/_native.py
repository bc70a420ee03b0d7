"""The only import of the compiled core. Light: it needs nothing else, not even Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unquilt._core import (
    UNICODE_VERSION,
    DamagedRowsError,
    Gunzip,
    Labels,
    Mapped,
    Members,
    Partition,
    Prototypes,
    SpoiledSetError,
    Unzstd,
    bucket_keys,
    chunk_hashes,
    contracts,
    decode,
    extract,
    gram_columns,
    gram_sequence,
    grams,
    gzip_index,
    join_chunks,
    locate,
    measure,
    pack_labels,
    pack_lexicon,
    pack_prototypes,
    paragraphs,
    polynomials,
    primitive,
    run_map,
    sample,
    sentences,
    shingles,
    signatures,
    supers,
    words,
)

__all__ = [
    "UNICODE_VERSION",
    "Counters",
    "DamagedRowsError",
    "Gunzip",
    "Labels",
    "Mapped",
    "Members",
    "Partition",
    "Prototypes",
    "Sink",
    "SpoiledSetError",
    "Unzstd",
    "bucket_keys",
    "chunk_hashes",
    "contracts",
    "decode",
    "extract",
    "gram_columns",
    "gram_sequence",
    "grams",
    "gzip_index",
    "join_chunks",
    "locate",
    "measure",
    "pack_labels",
    "pack_lexicon",
    "pack_prototypes",
    "paragraphs",
    "polynomials",
    "primitive",
    "run_map",
    "sample",
    "sentences",
    "shingles",
    "signatures",
    "supers",
    "words",
]

Sink = Callable[[int, int, bytes], None]
"""Takes (port, partition, block)."""

Counters = Mapping[str, tuple[str, int]]
"""What a kernel counted: how it folds ("sum" or "greatest") and the value."""
