"""Tables at rest: Parquet files in the order of their primary key, read by pieces.

Files may have been changed since they were written. Checksums show accidents (`parquet`), but not changes that were
made on purpose. So `checked` compares their footers with the schema, and every piece that is read is looked through:
its values must be valid, and its rows in order. A file that is not as unquilt writes it is damaged, and an error. That
costs little beside reading.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unquilt.errors import MisfitError, damaged
from unquilt.parquet import opened, reading
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
from unquilt.site_names import name_site
from unquilt.tables.table import BESIDE, Table

TEXT, SEEN = "text", "seen"
"""The columns of documents with their texts, and with these as readers see them, where that differs."""


DOMAIN, PLACES = "domain", ("url", "host", "domain", "ip")
"""The column with the names of sites, and those that such names are made of."""


@dataclass(frozen=True)
class Split:
    """A row group: what one task of a map reads."""

    path: str
    row_group: int
    rows: int
    numbered: bool = False
    """Whether its first column holds numbers of documents, in their order."""
    keys: tuple[int, int] | None = None
    """The least and the greatest of its first column, if these are whole numbers."""
    site: str = ""
    """What a site is, where the column `domain` has names of other sites than domains."""

    def read(self, columns: Sequence[str], *, seen: bool = False) -> pa.Table:
        """Some columns; `seen`, with texts as readers see their words, where the table has that."""
        # At a store each look at a footer is a request; here it is quicker than to see whether the file has changed.
        with opened(self.path, _footer(self.path).metadata if is_url(self.path) else None) as file:
            key = file.schema_arrow.names[0]  # also where it is not asked for: it tells whether rows are in order
            more = [SEEN] if seen and TEXT in columns and SEEN in file.schema_arrow.names else []
            sited = [*PLACES] if self.site and DOMAIN in columns else []
            table = file.read_row_group(self.row_group, columns=[key, *columns, *more, *sited], use_threads=False)
            _check_rows(table, self.path, numbered=self.numbered)
            if more and table[SEEN].null_count < len(table):
                texts = pc.coalesce(table[SEEN], table[TEXT])
                table = table.set_column(table.column_names.index(TEXT), TEXT, texts)
            if sited:
                places = zip(*(table[name].to_pylist() for name in PLACES), strict=True)
                names = pa.array([name_site(self.site, *place) for place in places], pa.string())
                table = table.set_column(table.column_names.index(DOMAIN), DOMAIN, names)
            return table.select(list(columns))


@dataclass(frozen=True)
class Kept:
    """A table in one or more Parquet files, one after the other in the order of its first column."""

    name: str
    paths: tuple[str, ...]
    numbered: bool = False
    """Whether its first column is known to hold numbers of documents, in their order."""
    site: str = ""
    """What a site is, where the column `domain` has names of other sites than domains."""
    known: pa.Schema | None = dataclasses.field(default=None, compare=False, repr=False)
    """What its columns should be, if that is known: a table without files has no other schema."""

    @classmethod
    def of(cls, name: str, *paths: Path | str) -> Kept:
        return cls(name, tuple(str(path) for path in paths))

    @classmethod
    def without_rows(cls, table: Table) -> Kept:
        """A table that has columns, and no file."""
        return cls(table.name, (), known=table.schema)

    def splits(self) -> list[Split]:
        """Its row groups, in order; empty ones left out."""
        found = []
        for path in self.paths:
            footer = _footer(path)
            keys: Sequence[tuple[int, int] | None] = footer.keys() or [None] * len(footer.groups)
            for number, ends in zip(footer.groups, keys, strict=True):
                found.append(
                    Split(path, number, footer.metadata.row_group(number).num_rows, self.numbered, ends, self.site)
                )
        return found

    def sizes(self, columns: Sequence[str]) -> list[int]:
        """About how many bytes these columns take in each row group of `splits`, once they are unpacked. Of each file,
        the first row group is looked at closely, and stands for the others."""
        return [size for path in self.paths for size in _estimate_sizes(_footer(path), {*columns})]

    def by_site(self, site: str) -> Self:
        """The same documents, whose column `domain` has the names of their sites instead (`site_names`)."""
        return replace(self, site=site)

    @property
    def rows(self) -> int:
        return sum(_footer(path).metadata.num_rows for path in self.paths)

    @property
    def schema(self) -> pa.Schema | None:
        """Its columns; None if there is no file and they are not known."""
        return _footer(self.paths[0]).schema if self.paths else self.known

    @property
    def columns(self) -> list[str]:
        """What its columns are called; none if there is no file yet."""
        return list(self.schema.names) if self.paths and self.schema is not None else []

    def checked(self, table: Table | None) -> Self:
        """Itself, if its files have the columns of `table` and are in order, as far as their footers say.

        Whether their rows are in order, too, is checked as they are read. If `table` is None, nothing is known of it,
        and nothing is checked.
        """
        if table is None:
            return self
        last = -1
        for path in self.paths:
            footer = _footer(path)
            _check_schema(footer.schema, table, path)
            for least, greatest in footer.keys() if table.is_numbered else ():
                if not last <= least <= greatest:
                    raise damaged(path, f"column {footer.schema.names[0]} is out of order")
                last = greatest
        return replace(self, numbered=table.is_numbered and bool(self.paths), known=table.schema)

    def check_numbering(self, documents: int) -> Self:
        """Itself, if it has so many rows, and its first column numbers them from 0 as far as its footers say."""
        first = 0
        for path in self.paths:
            footer = _footer(path)
            for number, (least, greatest) in zip(footer.groups, footer.keys(), strict=True):
                rows = footer.metadata.row_group(number).num_rows
                if (least, greatest) != (first, first + rows - 1):
                    raise damaged(path, f"it has documents {least} to {greatest} where {rows} from {first} on belong")
                first += rows
        if first != documents:
            where = self.paths[-1] if self.paths else self.name
            raise damaged(where, f"there are {first} documents, and the manifest says {documents}")
        return self

    def between(self, first: int, last: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows whose first column lies in first..last, both included; reads only row groups that can hold some.

        All columns, or those that are named, the first among them.
        """
        parts = [part for path in self.paths for part in _between(path, first, last, columns, numbered=self.numbered)]
        if parts:
            return pa.concat_tables(parts)
        schema = _footer(self.paths[0]).schema
        return pa.schema([schema.field(name) for name in columns or schema.names]).empty_table()


def _check_schema(there: pa.Schema, table: Table, path: str) -> None:
    """Raise MisfitError, naming the first column that is not as it should be, unless a file has those of the table."""
    wanted = table.schema
    for field in wanted:
        number = there.get_field_index(field.name)
        if number < 0:
            raise damaged(path, f"it has no column {field.name}", MisfitError)
        if not there.field(number).equals(field):
            empty = " or null" if there.field(number).nullable and not field.nullable else ""
            raise damaged(
                path, f"column {field.name} is {there.field(number).type}{empty}, not {field.type}", MisfitError
            )
    further = [field for field in there if table.extensible and BESIDE in (field.metadata or {})]
    if there.names != [*wanted.names, *(field.name for field in further)]:
        raise damaged(path, f"its columns are not {', '.join(wanted.names)}", MisfitError)


def _check_rows(table: pa.Table, path: str, *, numbered: bool) -> None:
    """Raise RunError unless rows are as unquilt writes them: valid, and if they begin with numbers, in their order."""
    table.validate(full=True)
    if not numbered:
        return
    keys = table.column(0)
    rising = pc.all(pc.less_equal(keys.slice(0, len(keys) - 1), keys.slice(1)), min_count=0).as_py()
    if keys.null_count or not rising:
        raise damaged(path, f"column {table.column_names[0]} is out of order")


def _between(path: str, first: int, last: int, columns: Sequence[str] | None, *, numbered: bool) -> Iterator[pa.Table]:
    footer = _footer(path)
    groups = range(bisect_left(footer.greatest, first), bisect_right(footer.least, last))
    if not groups:
        return
    for group in groups:
        table = _read_group(path, footer, footer.groups[group], columns, numbered=numbered)
        keys = table.column(0).combine_chunks()
        yield table.slice(*_slice(keys, first, last))


_recent: tuple[tuple[object, ...], pa.Table] = ((), pa.table({}))
"""The row group that was read last, unless it is large: tasks that follow each other ask for its parts, one by one."""
_MOST_RECENT = 32 << 20


def _read_group(path: str, footer: _Footer, group: int, columns: Sequence[str] | None, *, numbered: bool) -> pa.Table:
    global _recent  # replaced as a whole, so that threads see one or the other
    asked = (path, footer.changed, group, tuple(columns or ()), numbered)
    there, table = _recent
    if there != asked:
        with opened(path, footer.metadata) as file:
            table = file.read_row_group(group, columns=columns, use_threads=False)
            _check_rows(table, path, numbered=numbered)
        if table.nbytes <= _MOST_RECENT:
            _recent = (asked, table)
    return table


@dataclass(frozen=True)
class _Footer:
    """What a file says of itself, which row groups are not empty, and of each of these the least and greatest key, if
    keys are whole numbers; and when it was last changed, or the version that a store names."""

    changed: int | str
    metadata: pq.FileMetaData
    schema: pa.Schema
    groups: Sequence[int]
    least: Sequence[int]
    greatest: Sequence[int]

    def keys(self) -> list[tuple[int, int]]:
        """The least and the greatest key of each row group; none if keys are no whole numbers."""
        return list(zip(self.least, self.greatest, strict=True))


def _footer(path: str) -> _Footer:
    with reading(path):
        return _read_footer(path, _see_version(path) if is_url(path) else place(path).stat().st_mtime_ns)


def _see_version(url: str) -> str:
    from unquilt.remote.files import RemoteFile

    return RemoteFile(url).version


@lru_cache(maxsize=256)
def _read_footer(path: str, changed: int | str) -> _Footer:
    """Read once: every task of a map asks for a few rows of the same table."""
    with opened(path) as file:
        metadata = file.metadata
    schema = metadata.schema.to_arrow_schema()
    filled = [number for number in range(metadata.num_row_groups) if metadata.row_group(number).num_rows]
    if not schema.names or not pa.types.is_integer(schema.field(0).type):
        return _Footer(changed, metadata, schema, filled, [], [])
    keys = [metadata.row_group(number).column(0).statistics for number in filled]
    if not all(key is not None and key.has_min_max for key in keys):
        raise damaged(path, f"its footer does not say which {schema.names[0]} it has")
    return _Footer(changed, metadata, schema, filled, [key.min for key in keys], [key.max for key in keys])


def _estimate_sizes(footer: _Footer, columns: set[str]) -> list[int]:
    if not footer.groups:
        return []
    group = footer.metadata.row_group(footer.groups[0])
    chunks = [group.column(number) for number in range(group.num_columns)]
    wanted = [chunk for chunk in chunks if chunk.path_in_schema.partition(".")[0] in columns]
    share = sum(chunk.total_uncompressed_size for chunk in wanted) / max(1, group.total_byte_size)
    return [max(1, int(share * footer.metadata.row_group(number).total_byte_size)) for number in footer.groups]


def _slice(keys: pa.Array, first: int, last: int) -> tuple[int, int]:
    """Offset and length of the ascending keys within first..last."""
    below = _count_below(keys, first)
    return below, _count_below(keys, last + 1) - below


def _count_below(keys: pa.Array, bound: int) -> int:
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle].as_py() < bound:
            low = middle + 1
        else:
            high = middle
    return low
