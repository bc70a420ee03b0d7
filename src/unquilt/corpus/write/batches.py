"""Records, one by one, become Arrow batches of bounded size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import pyarrow as pa

from unquilt.corpus.extract.urls import address, is_recursive, locate_url
from unquilt.corpus.options import MIB, Reading
from unquilt.corpus.records import ASIDE, Chunks, Document, Reject, Revisit, Skipped
from unquilt.corpus.write.given import GivenChunk, gather
from unquilt.corpus.write.raw import RAW_DOCUMENTS, Batch
from unquilt.tables.corpus import CHUNK, REJECTS, SHA1

BATCH_BYTES = 8 * MIB
BATCH_ROWS = 8192


def batches(records: Iterable[Document | Reject | Skipped], reading: Reading) -> Iterator[Batch]:
    """Batches that close at 8 MiB of documents or 8,192 of them (or rejects), whichever comes first.

    All of a document counts, not its text alone: a URL may have 1 MB, and each letter a chunk with its SHA-1. Texts
    that stand beside pages close batches of their own, so that those of pages are the same without them.
    Memory: one batch of either, and the largest document.
    """
    pages, others = _Gathering(reading), _Gathering(reading)
    nothing = _Gathering(reading).take()
    rejects: list[Reject] = []
    skipped: Counter[str] = Counter()
    revisits: list[Revisit] = []
    for record in records:
        if isinstance(record, Document):
            (others if record.page.media in ASIDE else pages).add(record)
        elif isinstance(record, Reject):
            rejects.append(record)
        else:
            skipped[record.what] += 1
            revisits += [record.revisit] if record.revisit else []
        del record  # it may be large, and a batch of it is about to be written
        if pages.full or len(rejects) >= BATCH_ROWS or len(revisits) >= BATCH_ROWS:
            yield _batch(pages.take(), rejects, skipped, nothing)._replace(revisits=revisits)
            rejects, skipped, revisits = [], Counter(), []
        if others.full:
            yield _batch(nothing, [], Counter(), others.take())
    if pages.documents or rejects or skipped or others.documents:
        yield _batch(pages.take(), rejects, skipped, others.take())._replace(revisits=revisits)


_Taken = tuple[pa.RecordBatch, Sequence[GivenChunk]]


def _batch(pages: _Taken, rejects: Sequence[Reject], skipped: Counter[str], others: _Taken) -> Batch:
    return Batch(pages[0], _rejects(rejects), skipped, others[0], pages[1], others[1])


class _Gathering:
    """Documents that become a batch."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.documents: list[Document] = []
        self._size = 0

    def add(self, document: Document) -> None:
        self.documents.append(document)
        self._size += _size(document)

    @property
    def full(self) -> bool:
        return self._size >= BATCH_BYTES or len(self.documents) >= BATCH_ROWS

    def take(self) -> _Taken:
        """The batch, and what inputs say of its documents; what comes next is for another one."""
        made = _documents(self.documents, self._reading.max_repeats)
        given = list(gather(self.documents, made, self._reading))
        self.documents, self._size = [], 0
        return made, given


def _size(document: Document) -> int:
    """The bytes that a document takes in a batch, and 64 for each link, which Python holds as an object meanwhile."""
    page = document.page
    strings = (page.id, page.url or "", page.ip or "", *document.links)
    texts = len(document.text) + len(document.seen or b"")
    beside = 0 if page.given is None else page.given.size
    return texts + beside + sum(map(len, document.chunks)) + sum(map(len, strings)) + 64 * len(document.links)


def _documents(documents: Sequence[Document], max_repeats: int) -> pa.RecordBatch:
    pages = [document.page for document in documents]
    places = [locate_url(page.url) for page in pages]
    chunks = [document.chunks for document in documents]
    lengths = [len(each.begins) // 4 for each in chunks]
    columns = [
        pa.array([page.id for page in pages], pa.string()),
        pa.array([page.url for page in pages], pa.string()),
        pa.array([place.host for place in places], pa.string()),
        pa.array([place.domain for place in places], pa.string()),
        pa.array([address(page.ip) if page.ip else None for page in pages], pa.string()),
        pa.array([place.components for place in places], pa.int32()),
        pa.array([is_recursive(place, max_repeats) for place in places], pa.bool_()),
        pa.array([page.media for page in pages], pa.string()),
        pa.array([page.truncated for page in pages], pa.string()),
        pa.array([page.fetched for page in pages], pa.string()),
        _texts([document.text for document in documents]),
        pa.array([document.seen for document in documents], pa.large_binary()).cast(pa.large_string()),
        pa.array([document.restored for document in documents], pa.int64()),
        pa.array([document.hidden for document in documents], pa.int64()),
        _digests(document.raw_sha1 for document in documents),
        pa.array([document.links for document in documents], pa.list_(pa.string())),
        _lists(lengths, _bounds(chunks)),
        _lists(lengths, _digests(each.text for each in chunks)),
        _lists(lengths, _digests(each.raw for each in chunks)),
        _lists([len(each.trivial) // 4 for each in chunks], _integers(each.trivial for each in chunks)),
        pa.array([page.file for page in pages], pa.string()),
        pa.array([page.offset for page in pages], pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=RAW_DOCUMENTS)


def _rejects(rejects: Sequence[Reject]) -> pa.RecordBatch:
    columns = [pa.array([reject[i] for reject in rejects], field.type) for i, field in enumerate(REJECTS.schema)]
    return pa.RecordBatch.from_arrays(columns, schema=REJECTS.schema)


def _texts(texts: Sequence[bytes]) -> pa.Array:
    """A column of texts from their UTF-8, which the readers have checked: nothing is encoded twice."""
    offsets = pa.array(list(accumulate(map(len, texts), initial=0)), pa.int64())
    return pa.LargeStringArray.from_buffers(len(texts), offsets.buffers()[1], pa.py_buffer(b"".join(texts)))


def _digests(digests: Iterable[bytes]) -> pa.Array:
    data = b"".join(digests)
    return pa.FixedSizeBinaryArray.from_buffers(SHA1, len(data) // 20, [None, pa.py_buffer(data)])


def _bounds(chunks: Sequence[Chunks]) -> pa.Array:
    bounds = [_integers(each.begins for each in chunks), _integers(each.ends for each in chunks)]
    return pa.StructArray.from_arrays(bounds, fields=list(CHUNK))


def _integers(parts: Iterable[bytes]) -> pa.Array:
    data = b"".join(parts)
    return pa.Array.from_buffers(pa.int32(), len(data) // 4, [None, pa.py_buffer(data)])


def _lists(lengths: Sequence[int], values: pa.Array) -> pa.Array:
    offsets = pa.array(list(accumulate(lengths, initial=0)), pa.int32())
    return pa.ListArray.from_arrays(offsets, values)
