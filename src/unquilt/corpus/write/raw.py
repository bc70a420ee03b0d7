"""The tables that reading makes: documents as found, and what was rejected.

`RAW_DOCUMENTS` has no `doc` numbers yet: those are given once the order of all pieces is known. `offset` is the byte
at which the record begins in the (decompressed) file; for Parquet the number of its row, for a compressed WARC the byte
at which its gzip member begins in the file as it is. `begin` and `end` of a chunk are code points of `text`, half-open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from unquilt.corpus.records import Revisit
from unquilt.corpus.write.given import GivenChunk
from unquilt.tables.corpus import DOCUMENTS

RAW_DOCUMENTS = pa.schema([field for field in DOCUMENTS.schema if field.name not in ("doc", "words", "sequence")])


class Batch(NamedTuple):
    """Some documents (`RAW_DOCUMENTS`), the rejects (`REJECTS`) met while reading them, how many records were no
    documents, by what they were, and texts that stand beside pages (`RAW_DOCUMENTS`); each may be empty. And what the
    inputs say of the documents, and of the other texts, beside all that; and the revisits that were met.
    """

    documents: pa.RecordBatch
    rejects: pa.RecordBatch
    skipped: Counter[str]
    others: pa.RecordBatch
    given: Sequence[GivenChunk]
    others_given: Sequence[GivenChunk]
    revisits: Sequence[Revisit] = ()
