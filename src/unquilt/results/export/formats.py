"""Files for other tools: JSON lines, CSV, plain lines and Parquet; the first three also compressed.

What is written depends on the rows alone: no time, no name of a file, and row groups of a fixed number of rows.

Spreadsheets run cells of CSV that begin like a formula, and the texts come from strangers. So such a text gets an
apostrophe before it, which spreadsheets take as "this is text", unless the raw cells are asked for.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, Protocol, cast

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.corpus.given import JSON
from unquilt.errors import ParameterError
from unquilt.results.given import list_rows

KINDS = ("jsonl", "csv", "txt", "parquet")
PACKINGS = ("gz", "zst")
FORMATS = tuple(f"{kind}{packing}" for kind in KINDS[:3] for packing in ("", *(f".{each}" for each in PACKINGS)))
FORMATS = (*FORMATS, "parquet")
_ROWS_AT_ONCE = 1_000
_GROUP, _GROUP_OF_TEXTS = 65_536, 4_096
_GZIP_LEVEL = 6
_CRLF = "\r\n"
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_APOSTROPHE = "'"


class Sink(Protocol):
    """What rows are written to."""

    def write(self, rows: pa.Table) -> None:
        """Append rows."""


@dataclass(frozen=True)
class FileFormat:
    """A kind of file, and how it is compressed; `name` is what such files end with. `raw_cells` leaves texts in CSV as
    they are, though a spreadsheet may run them."""

    kind: str
    packing: str = ""
    raw_cells: bool = False

    @property
    def name(self) -> str:
        """Such as jsonl.gz."""
        return f"{self.kind}.{self.packing}" if self.packing else self.kind

    @classmethod
    def of(cls, name: str) -> FileFormat:
        """A format by what files of it end with; ParameterError names those that there are."""
        if name not in FORMATS:
            raise ParameterError(f"format must be one of {', '.join(FORMATS)}; not {name!r}")
        kind, _, packing = name.partition(".")
        return cls(kind, packing)

    @classmethod
    def guess(cls, path: Path) -> FileFormat | None:
        """The format that the name of a file promises."""
        *_, before, last = ["", "", *path.name.lower().split(".")]
        name = f"{before}.{last}" if last in PACKINGS else last
        return cls.of(name) if name in FORMATS else None

    @contextmanager
    def writer(self, file: BinaryIO, schema: pa.Schema) -> Iterator[Sink]:
        """Writes rows of this schema to a file; at the end of the block, all of them are there."""
        if self.kind == "parquet":
            with _ParquetSink(file, schema) as sink:
                yield sink
            return
        with _packed(file, self.packing) as plain:
            lines = self._lines(schema)
            if self.kind == "csv":
                plain.write(_write_csv([[self._spell(name) for name in schema.names]]))
            yield _LineSink(plain, lines)

    def _spell(self, value: Any) -> Any:
        """A cell of CSV; names of columns are strangers', too."""
        return _cell(value) if self.raw_cells else _safe_cell(value)

    def _lines(self, schema: pa.Schema) -> Callable[[Sequence[dict[str, Any]]], bytes]:
        if self.kind == "jsonl":
            as_json = [field.name for field in schema if JSON in (field.metadata or {})]
            return partial(write_json, as_json=as_json) if as_json else write_json
        if self.kind == "csv":
            return lambda rows: _write_csv([[self._spell(value) for value in row.values()] for row in rows])
        if len(schema.names) != 1:
            raise ParameterError(f"txt holds one column, a line for each row, not {len(schema.names)}: choose one")
        return _write_lines


class _LineSink:
    def __init__(self, file: BinaryIO, lines: Callable[[Sequence[dict[str, Any]]], bytes]) -> None:
        self._file = file
        self._lines = lines

    def write(self, rows: pa.Table) -> None:
        for begin in range(0, rows.num_rows, _ROWS_AT_ONCE):
            self._file.write(self._lines(list_rows(rows.slice(begin, _ROWS_AT_ONCE))))


class _ParquetSink:
    """Row groups of a fixed number of rows: fewer where there are texts, since a group is in memory."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(file, schema, compression="zstd", compression_level=3, write_page_checksum=True)
        self._rows = _GROUP_OF_TEXTS if "text" in schema.names else _GROUP
        self._waiting = schema.empty_table()

    def __enter__(self) -> _ParquetSink:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self._waiting.num_rows:
            self._write(self._waiting)
        self._writer.close()

    def write(self, rows: pa.Table) -> None:
        self._waiting = pa.concat_tables([self._waiting, rows.cast(self._waiting.schema)])
        while self._waiting.num_rows >= self._rows:
            self._write(self._waiting.slice(0, self._rows))
            self._waiting = self._waiting.slice(self._rows)

    def _write(self, group: pa.Table) -> None:
        self._writer.write_table(group.combine_chunks(), row_group_size=self._rows)


@contextmanager
def _packed(file: BinaryIO, packing: str) -> Iterator[BinaryIO]:
    if packing == "gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=_GZIP_LEVEL) as packed:
            yield cast(BinaryIO, packed)
    elif packing == "zst":
        import zstandard

        with zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(file, closefd=False) as packed:
            yield cast(BinaryIO, packed)
    else:
        yield file


def write_json(rows: Sequence[dict[str, Any]], as_json: Sequence[str] = ()) -> bytes:
    """Rows as lines of JSON, in UTF-8; bytes as hexadecimal digits. Values of the columns in `as_json` are JSON."""
    for row in rows if as_json else ():
        row.update({name: orjson.Fragment(row[name]) for name in as_json if row[name] is not None})
    return b"".join(orjson.dumps(row, default=_spell, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def _spell(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal | timedelta):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _write_csv(rows: Sequence[Sequence[Any]]) -> bytes:
    """Lines of CSV, in UTF-8; what is missing is empty, and lists are JSON."""
    text = io.StringIO(newline="")
    # The writer quotes cells with characters that end a line for it: so both must, though our lines end with one.
    one_line = SimpleNamespace(write=lambda line: text.write(f"{line.removesuffix(_CRLF)}\n"))
    csv.writer(one_line, lineterminator=_CRLF).writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    return orjson.dumps(value, default=_spell).decode() if isinstance(value, list | dict) else value


def _safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs."""
    cell = _cell(value)
    return _APOSTROPHE + cell if isinstance(cell, str) and cell.startswith(_FORMULAS) else cell


def read_cell(cell: str) -> str:
    """The text of a cell of CSV, as it was before it was made safe.

    >>> read_cell("'-5"), read_cell("'tis")
    ('-5', "'tis")
    """
    return cell[1:] if cell.startswith(tuple(_APOSTROPHE + each for each in _FORMULAS)) else cell


def _write_lines(rows: Sequence[dict[str, Any]]) -> bytes:
    texts = [str(_cell(value)) if value is not None else "" for row in rows for value in row.values()]
    for text in texts:
        if "\n" in text or "\r" in text:
            raise ParameterError(f"txt holds a line for each row, and {text[:40]!r} is more than one; choose jsonl")
    return "".join(f"{text}\n" for text in texts).encode()
