"""Records that refer to an earlier one of the same content, and the documents that these are.

Memory: the revisits of all inputs, and of documents the keys that some revisit refers to. Documents are read once,
without their texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.corpus.records import Revisit
from unquilt.parquet import opened
from unquilt.runs.storage import read_own
from unquilt.tables.corpus import REVISITS

UNRESOLVED = pa.schema([field for field in REVISITS.schema if field.name != "doc"])
_BETWEEN = "\n"


def no_revisits() -> pa.Table:
    """None, as a table."""
    return UNRESOLVED.empty_table()


def list_revisits(found: Sequence[Revisit]) -> pa.Table:
    """Revisits as a table."""
    columns = [pa.array([revisit[i] for revisit in found], field.type) for i, field in enumerate(UNRESOLVED)]
    return pa.Table.from_arrays(columns, schema=UNRESOLVED)


def read_revisits(path: Path) -> pa.Table:
    """Revisits of a piece that was read before."""
    return pa.ipc.open_file(pa.py_buffer(read_own(path))).read_all()


def resolve_revisits(revisits: pa.Table, parts: Iterable[Path]) -> pa.Table:
    """Revisits with the documents that they are: by the id of the record, else by URL and date, else by the digest of
    the content; of several documents the first."""
    wanted = [
        revisits["refers_to"],
        _join(revisits["refers_to_url"], revisits["refers_to_date"]),
        revisits["digest"],
    ]
    asked = [pc.unique(keys.combine_chunks()).drop_null() for keys in wanted]
    met: list[list[pa.Table]] = [[_pairs(pa.nulls(0, pa.string()), pa.nulls(0, pa.int64()))] for _ in asked]
    for path in parts:
        with opened(path) as file:
            digests = _holds_texts(file.schema_arrow, "digest")
            columns = ["doc", "id", "url", "fetched", *(["digest"] if digests else [])]
            table = file.read(columns=columns, use_threads=False)
        keys = [table["id"], _join(table["url"], table["fetched"]), *([table["digest"]] if digests else [])]
        for known, those, found in zip(keys, asked, met, strict=False):
            there = _pairs(known, table["doc"])
            found.append(there.filter(pc.is_in(there["key"], value_set=those)))
    docs = pa.nulls(revisits.num_rows, pa.int64())
    for keys, found in zip(wanted, met, strict=True):
        there = pa.concat_tables(found).combine_chunks()
        places = pc.index_in(keys, value_set=there["key"], skip_nulls=True)
        docs = pc.coalesce(docs, there["doc"].take(places.combine_chunks()).combine_chunks())
    return revisits.append_column(REVISITS.schema.field("doc"), docs).cast(REVISITS.schema)


def _join(urls: pa.ChunkedArray, dates: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(urls, dates, _BETWEEN)


def _pairs(keys: pa.Array | pa.ChunkedArray, docs: pa.Array | pa.ChunkedArray) -> pa.Table:
    return pa.Table.from_arrays([keys, docs], schema=pa.schema([("key", pa.string()), ("doc", pa.int64())]))


def _holds_texts(schema: pa.Schema, name: str) -> bool:
    return name in schema.names and pa.types.is_string(schema.field(name).type)
