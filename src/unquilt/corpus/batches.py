"""Records, one by one, become Arrow batches of bounded size."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import pyarrow as pa

from unquilt.corpus.options import MIB
from unquilt.corpus.raw import CHUNK, RAW_DOCUMENTS, REJECTS, SHA1, Batch
from unquilt.corpus.records import Document, Reject
from unquilt.corpus.urls import address, locate

BATCH_BYTES = 8 * MIB
BATCH_ROWS = 8192


def batches(records: Iterable[Document | Reject]) -> Iterator[Batch]:
    """Batches that close at 8 MiB of text or 8,192 documents (or rejects), whichever comes first.

    Ids and URLs count as text: 8,192 URLs of 1 MB would be no small batch. Memory: one batch and its largest document.
    """
    documents: list[Document] = []
    rejects: list[Reject] = []
    size = 0
    for record in records:
        if isinstance(record, Document):
            documents.append(record)
            size += len(record.text) + len(record.id) + len(record.url or "")
        else:
            rejects.append(record)
        if size >= BATCH_BYTES or len(documents) >= BATCH_ROWS or len(rejects) >= BATCH_ROWS:
            yield Batch(_documents(documents), _rejects(rejects))
            documents, rejects, size = [], [], 0
    if documents or rejects:
        yield Batch(_documents(documents), _rejects(rejects))


def _documents(documents: Sequence[Document]) -> pa.RecordBatch:
    places = [locate(document.url) for document in documents]
    lengths = [len(document.begins) for document in documents]
    columns = [
        pa.array([document.id for document in documents], pa.string()),
        pa.array([document.url for document in documents], pa.string()),
        pa.array([place.host for place in places], pa.string()),
        pa.array([place.domain for place in places], pa.string()),
        pa.array([address(document.ip) if document.ip else None for document in documents], pa.string()),
        _texts([document.text for document in documents]),
        _digests(document.raw_sha1 for document in documents),
        pa.array([document.links for document in documents], pa.list_(pa.string())),
        _lists(lengths, _chunks(documents)),
        _lists(lengths, _digests(document.digests for document in documents)),
        pa.array([document.file for document in documents], pa.string()),
        pa.array([document.offset for document in documents], pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=RAW_DOCUMENTS)


def _rejects(rejects: Sequence[Reject]) -> pa.RecordBatch:
    columns = [pa.array([reject[i] for reject in rejects], field.type) for i, field in enumerate(REJECTS)]
    return pa.RecordBatch.from_arrays(columns, schema=REJECTS)


def _texts(texts: Sequence[bytes]) -> pa.Array:
    """A column of texts from their UTF-8, which the readers have checked: nothing is encoded twice."""
    offsets = pa.array(list(accumulate(map(len, texts), initial=0)), pa.int64())
    return pa.LargeStringArray.from_buffers(len(texts), offsets.buffers()[1], pa.py_buffer(b"".join(texts)))


def _digests(digests: Iterable[bytes]) -> pa.Array:
    data = b"".join(digests)
    return pa.FixedSizeBinaryArray.from_buffers(SHA1, len(data) // 20, [None, pa.py_buffer(data)])


def _chunks(documents: Sequence[Document]) -> pa.Array:
    bounds = [_integers(document.begins for document in documents), _integers(document.ends for document in documents)]
    return pa.StructArray.from_arrays(bounds, fields=list(CHUNK))


def _integers(arrays: Iterable[array[int]]) -> pa.Array:
    data = b"".join(arrays)
    return pa.Array.from_buffers(pa.int32(), len(data) // 4, [None, pa.py_buffer(data)])


def _lists(lengths: Sequence[int], values: pa.Array) -> pa.Array:
    offsets = pa.array(list(accumulate(lengths, initial=0)), pa.int32())
    return pa.ListArray.from_arrays(offsets, values)
