"""The tables that reading makes: documents as found, and what was rejected.

`RAW_DOCUMENTS` has no `doc` numbers yet: those are given once the order of all pieces is known. `offset` is the byte
at which the record begins in the (decompressed) file, for Parquet the number of its row; `begin` and `end` of a chunk
are code points of `text`, half-open.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

CHUNK = pa.struct([pa.field("begin", pa.int32(), nullable=False), pa.field("end", pa.int32(), nullable=False)])
SHA1 = pa.binary(20)

RAW_DOCUMENTS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("url", pa.string()),
        pa.field("host", pa.string()),
        pa.field("domain", pa.string()),
        pa.field("ip", pa.string()),
        pa.field("text", pa.large_string(), nullable=False),
        pa.field("raw_sha1", SHA1, nullable=False),
        pa.field("links", pa.list_(pa.string()), nullable=False),
        pa.field("chunks", pa.list_(CHUNK), nullable=False),
        pa.field("chunk_sha1", pa.list_(SHA1), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
    ]
)

REJECTS = pa.schema(
    [
        pa.field("file", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("detail", pa.string(), nullable=False),
    ]
)


class Batch(NamedTuple):
    """Some documents (`RAW_DOCUMENTS`) and the rejects (`REJECTS`) met while reading them; either may be empty."""

    documents: pa.RecordBatch
    rejects: pa.RecordBatch
