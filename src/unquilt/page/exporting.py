"""Rows as a file that a browser saves: CSV or JSON, sent while they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain

import pyarrow as pa
from starlette.responses import Response, StreamingResponse

from unquilt.jobs.patience import lift_limit
from unquilt.page.listing import Listing
from unquilt.results.export.formats import FileFormat, write_json
from unquilt.results.rows import ROWS_AT_ONCE

_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]+")
KINDS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def send_rows(listing: Listing, kind: str) -> Response:
    """All rows of a listing; what fails before the first row is an error of the page, not a broken file."""
    batches = listing.batches()
    first = next(batches, None)
    lift_limit()  # the rest comes while it is read
    rows = chain([first], batches) if first is not None else iter(())
    schema = pa.schema([pa.field(each.name, each.type) for each in listing.shown])
    body = _csv(rows, schema) if kind == "csv" else _json(rows)
    name = _UNUSUAL.sub("-", f"{listing.folder.run.path.name}-{listing.table}") + f".{kind}"
    return StreamingResponse(
        body, media_type=KINDS[kind], headers={"content-disposition": f'attachment; filename="{name}"'}
    )


def _csv(batches: Iterable[pa.Table], schema: pa.Schema) -> Iterator[bytes]:
    buffer = BytesIO()
    with FileFormat.of("csv").writer(buffer, schema) as sink:
        for batch in batches:
            for begin in range(0, batch.num_rows, ROWS_AT_ONCE):
                sink.write(batch.slice(begin, ROWS_AT_ONCE))
                yield _drain(buffer)
    yield _drain(buffer)


def _drain(buffer: BytesIO) -> bytes:
    written = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return written


def _json(batches: Iterable[pa.Table]) -> Iterator[bytes]:
    """An array, a line for each row."""
    before = b"[\n"
    for batch in batches:
        for begin in range(0, batch.num_rows, ROWS_AT_ONCE):
            lines = write_json(batch.slice(begin, ROWS_AT_ONCE).to_pylist()).rstrip(b"\n").replace(b"\n", b",\n")
            yield before + lines
            before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"
