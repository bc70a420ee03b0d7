"""The kinds of files that can be read. For a new kind, add a line to the table `READERS`.

A reader is a module with three functions (`Reader`); a fourth if it can read on behind records that cannot be found
(`Skipping`), another if its records have named fields (`Naming`). The order of the table is the order in which a file
is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol, runtime_checkable

from unquilt.corpus.find import wacz
from unquilt.corpus.options import Reading
from unquilt.corpus.readers import arc, files, html, json_values, jsonl, mail, parquet, text, warc
from unquilt.corpus.records import Found, Reject
from unquilt.corpus.sources import Glimpse, Slice, Source, whole
from unquilt.guard import REASONS


class Reader(Protocol):
    """What a module must have to be a reader."""

    def recognise(self, glimpse: Glimpse) -> bool:
        """Whether a file that looks like this is of the reader's kind."""

    def cut(self, source: Source, reading: Reading, size: int) -> list[Slice]:
        """The file in slices of about `size` bytes, in order, if it can be cut."""

    def read(self, part: Slice, reading: Reading) -> Iterator[Found]:
        """The records of a slice, in order. Raises only if the file cannot be read at all, and does not look at it
        before it is asked for the first record: that is done under guard."""


@runtime_checkable
class Skipping(Protocol):
    """A reader that can read on behind a place where the search for the next record ends the process."""

    def skip(self, part: Slice, reading: Reading, offset: int, detail: str, reason: str) -> Iterator[Found]:
        """The records of a slice behind that place. `offset` is behind the last record that was found; what is skipped
        becomes rejects with this reason and detail."""


@runtime_checkable
class Naming(Protocol):
    """A reader of records with named fields."""

    def objects(self, part: Slice, reading: Reading) -> Iterator[dict[str, object]]:
        """The records of a slice that are intact, with all their fields."""


class _Rejected:
    """The reader of files that nothing can be read from: of each it yields one reject."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail

    def recognise(self, glimpse: Glimpse) -> bool:  # noqa: ARG002
        return False

    def cut(self, source: Source, reading: Reading, size: int) -> list[Slice]:  # noqa: ARG002
        return whole(source)

    def read(self, part: Slice, reading: Reading) -> Iterator[Found]:  # noqa: ARG002
        yield Reject(part.source.name, 0, self.reason, self.detail)


class _Textless(_Rejected):
    """The same of files that have no text: each is a document if files without text are noted."""

    def read(self, part: Slice, reading: Reading) -> Iterator[Found]:
        return files.read(part, reading) if reading.other_files else super().read(part, reading)


READERS: dict[str, Reader] = {
    "parquet": parquet,
    "warc": warc,
    "arc": arc,
    "json": json_values,
    "jsonl": jsonl,
    "html": html,
    "mail": mail,
    "text": text,
}

TEXTLESS = frozenset(("empty", "unknown"))
"""The kinds of files without text."""
REJECTED = {
    "wacz": _Rejected("not a wacz", "the list of its files, or one of its archives, cannot be read"),
    "empty": _Textless("empty file", "there is nothing in it"),
    "unknown": _Textless("unknown kind", "binary, and not a known kind"),
    **{reason: _Rejected(reason, "when it was looked at, to tell its kind") for reason in REASONS},
    "gzip by name": _Rejected("not gzip", "called .gz, but there is no gzip member in it"),
    "zstd by name": _Rejected("not zstd", "called .zst, but there is no zstd frame in it"),
    "parquet by name": _Rejected("not parquet", "called .parquet, but neither begins nor ends like one"),
}


def tell_kind(glimpse: Glimpse) -> str:
    """The kind of a file: one of the `READERS`, or of the kinds that nothing can be read from (`REJECTED`)."""
    if glimpse.complete and not glimpse.head:
        return "empty"
    if wacz.recognise(glimpse):
        return "wacz"
    kind = next((kind for kind, reader in READERS.items() if reader.recognise(glimpse)), "unknown")
    if kind in ("text", "unknown") and glimpse.compression is None and glimpse.name.endswith(parquet.SUFFIXES):
        return "parquet by name"
    return kind


def is_evident(glimpse: Glimpse) -> bool:
    """Whether a file is of a known kind by its bytes alone. Plain text does not count: nearly anything looks like
    it."""
    unnamed = replace(glimpse, name="")
    return any(reader.recognise(unnamed) for kind, reader in READERS.items() if kind != "text")


def reader(kind: str) -> Reader:
    """The reader of a kind."""
    return READERS.get(kind) or REJECTED[kind]
