"""The inputs of a job: paths, globs, standard input or an Arrow table, which are found, checked and fingerprinted."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.corpus.find.addresses import find_root
from unquilt.corpus.find.identity import identified
from unquilt.corpus.find.inputs import STDIN, Source, Watch, find, nobody, spool
from unquilt.corpus.find.pieces import check
from unquilt.corpus.first_records import refuse_without_text
from unquilt.corpus.options import PLAIN, Reading
from unquilt.corpus.readers.parquet import choose_columns, find_given, is_binary, is_text
from unquilt.engines.workers import Workers, keeping
from unquilt.errors import Advice, InputError, NoDocumentsError, ParameterError
from unquilt.guard import Each, here
from unquilt.jobs.audit import ALARM, find_alarms
from unquilt.jobs.corpora import has_plain_words, has_source, measures
from unquilt.jobs.named import (
    ArrowStream,
    CorpusPart,
    Dataset,
    Inputs,
    LazyTable,
    group_inputs,
    is_path,
    list_corpora,
    list_paths,
)
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import TABLE, refuse_overlap
from unquilt.runs import InputRecord, storing
from unquilt.runs.storage import shown
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import AUDIT

BATCH = 1_000
"""Rows that are asked of a data set at once."""


@dataclass(frozen=True)
class Found:
    """Inputs that were found, and how the manifest records them."""

    sources: Sequence[Source]
    records: Sequence[InputRecord]
    url_root: str = ""
    """The folder that URLs were made of paths from, if any were made: they are part of what a corpus is."""
    columns: pa.Schema | None = None
    """The columns that documents will have, if all inputs are Parquet; else they are known once inputs are read."""
    parts: Sequence[CorpusPart | Found] = ()
    """Corpora, and files between them, in order: instead of `sources`, if there is a corpus or run among the inputs."""

    def describe(self, reading: Reading) -> dict[str, Any]:
        """How the inputs are read, for the manifest; of several corpora what they have in common."""
        if not self.parts:
            return reading.to_dict() | ({"url_root": self.url_root} if self.url_root else {})
        first, *others = [
            each.describe(reading) if isinstance(each, Found) else each.corpus.manifest["parameters"]
            for each in self.parts
        ]
        return {name: value for name, value in first.items() if all(each.get(name) == value for each in others)}


@contextmanager
def find_inputs(inputs: Inputs, output: Path, options: JobOptions) -> Iterator[Found]:
    """Finds, checks and fingerprints inputs: corpora, runs and files, in any order."""
    groups = group_inputs(inputs)
    if not any(isinstance(group, CorpusPart) for group in groups):
        with find_files(inputs, output, options) as found:
            yield found
        return
    for part in list_corpora(inputs):
        refuse_alarms(part, options)
    with ExitStack() as stack:
        parts = [
            group if isinstance(group, CorpusPart) else stack.enter_context(find_files(group, output, options))
            for group in groups
        ]
        refuse_mixed_words(parts, options.reading.words)
        refuse_mixed_sources(parts, source=options.reading.source)
        records = [record for part in parts for record in _list_records(part)]
        yield Found((), records, parts=parts)


def _list_records(part: CorpusPart | Found) -> Sequence[InputRecord]:
    return part.records if isinstance(part, Found) else [part.record()]


def refuse_alarms(part: CorpusPart, options: JobOptions) -> None:
    """Refuses what a run keeps if its audit raises alarms that nobody accepted."""
    path = part.run.path
    if part.verdicts is None or options.accept or AUDIT.name not in part.run.tables:
        return
    alarms = find_alarms(part.run.table(AUDIT.name).to_pylist(), ALARM, measures(part.run)["documents"])
    if alarms:
        more = f", and {len(alarms) - 1:,} more" if len(alarms) > 1 else ""
        raise InputError(
            f"{shown(path)} raises {len(alarms):,} alarm{'s' if len(alarms) > 1 else ''}: {alarms[0].says}{more}",
            advice=Advice(
                "look at run.audit, and say JobOptions(accept=True) if that is right",
                f"look at it with unquilt show {shown(path)} audit, and say --accept if that is right",
            ),
        )


def refuse_mixed_words(parts: Sequence[CorpusPart | Found], words: str) -> None:
    """Refuses corpora whose words are not alike."""
    plain = {
        words == PLAIN if isinstance(part, Found) else has_plain_words(part.corpus): part for part in reversed(parts)
    }
    if len(plain) > 1:
        names = {each: shown(_list_records(part)[0].path) for each, part in plain.items()}
        both = f"{names[True]} has plain words, and {names[False]} restored ones"
        raise InputError(f"{both}; read one of them again with other --words")


def refuse_mixed_sources(parts: Sequence[CorpusPart | Found], *, source: bool) -> None:
    """Refuses corpora of which some have the source of pages, and others their text."""
    found = {source if isinstance(part, Found) else has_source(part.corpus): part for part in reversed(parts)}
    if len(found) > 1:
        names = {each: shown(_list_records(part)[0].path) for each, part in found.items()}
        both = f"{names[True]} is read as the source of pages, and {names[False]} as their text"
        raise InputError(f"{both}; read one of them again, both with or both without --source")


def fit_source(inputs: Inputs, options: JobOptions, *, source: bool) -> JobOptions:
    """The options of a job that looks at the source of pages, or that looks at their text: inputs are read so. Corpora
    that were read in the other way are refused."""
    for part in list_corpora(inputs):
        if has_source(part.corpus) == source:
            continue
        name = shown(part.corpus.path)
        if source:
            said = f"{name} has the text of pages, and --raw compares their source"
            raise InputError(f"{said}; read them again: unquilt ingest INPUT... -o CORPUS --source")
        said = f"{name} has the source of pages, which only unquilt reuse --raw looks at"
        raise InputError(f"{said}; for all else, read them again without --source")
    if options.reading.source and not source and not list_corpora(inputs):
        raise ParameterError("only unquilt reuse --raw looks at the source of pages; leave out --source")
    return replace(options, reading=replace(options.reading, source=source))


@contextmanager
def find_files(inputs: Inputs, output: Path, options: JobOptions) -> Iterator[Found]:
    """Finds, checks and fingerprints inputs; standard input and Arrow tables are temporary files meanwhile.

    The worker processes that look at inputs are kept, so that the engine need not start its own.
    """
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder, keeping():
        spooled, alias = None, ""
        if not is_path(inputs):
            inputs, alias = _spool(inputs, options.reading, Path(folder)), TABLE
        paths = list_paths(inputs)
        if STDIN in map(str, paths):
            spooled = spool(sys.stdin.buffer, Path(folder))
        with Workers(options.settings.threads) as workers:
            sources = find(
                paths,
                spooled,
                workers.map,
                Path(folder),
                options.reading.limits.bounds,
                options.reading.base_url,
                options.progress.stage,
                options.reading.wants,
                options.reading.other_files,
            )
            if alias:
                sources = [replace(source, alias=alias) for source in sources]
            if os.access(output, os.F_OK):  # a link in a folder of inputs may lead there
                refuse_overlap(output, Path(os.path.realpath(output)), [source.path for source in sources])
            plan = check(sources, options.reading, workers.map, Path(folder))
            refuse_without_text(sources, options.reading, workers.map, Path(folder))
            found = know(sources, options.progress.stage, workers.map)
        made = any(source.url for source in sources)
        root = find_root([str(path) for path in paths if str(path) != STDIN]) if made else ""
        columns = None if plan is None else plan.extend(DOCUMENTS.schema)
        yield replace(found, url_root=root, columns=columns)


def know(sources: Sequence[Source], watch: Watch = nobody, each: Each = here) -> Found:
    """Sources as they are now, so that a change during a run, or before it is resumed, is noticed."""
    seen = identified(sources, watch, each)
    records = [InputRecord(each.name, each.size, each.seen.sha256, each.seen.version) for each in seen if each.seen]
    return Found(seen, records)


def _spool(inputs: Any, reading: Reading, folder: Path) -> Path:
    """Rows in a file, batch by batch: tables as Parquet, dicts as JSON lines."""
    if isinstance(inputs, ArrowStream):
        return _write_table(inputs, reading, folder)
    if isinstance(inputs, LazyTable):
        inputs = inputs.collect_batches()
    rows: Iterator[Any] = iter(inputs.with_format("arrow").iter(BATCH) if isinstance(inputs, Dataset) else inputs)
    first = next(rows, None)
    if first is None:
        raise NoDocumentsError("no document: the inputs have no row")
    if isinstance(first, ArrowStream | pa.RecordBatch):
        table = _as_table(first)
        batches = (batch for part in chain([table], rows) for batch in _batches(part, table.schema))
        return _write_table(pa.RecordBatchReader.from_batches(table.schema, batches), reading, folder)
    path = folder / "table.jsonl"
    with storing(path), path.open("wb") as file:
        for number, row in enumerate(chain([first], rows)):
            if not isinstance(row, Mapping):
                raise ParameterError(f"inputs must yield dicts or Arrow tables, not {ascii(row)[:80]}")
            file.write(_write_row(number, row))
    return path


def _write_row(number: int, row: Mapping[str, Any]) -> bytes:
    """A row as a line of JSON. Dates and times are texts there, and so are decimals, with all of their digits."""
    try:
        return orjson.dumps(
            dict(row), default=_write_decimal, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY
        )
    except TypeError as error:
        why = f"{error.__cause__ or error}; make it a text or a number, or give the rows as an Arrow table"
        raise ParameterError(f"row {number} of the inputs cannot be read: {why}") from error


def _write_decimal(value: object) -> str:
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"of type {type(value).__name__}")


def _batches(part: Any, schema: pa.Schema) -> list[pa.RecordBatch]:
    """Batches with the columns of the first."""
    return list(_as_table(part).cast(schema).to_batches())


def _as_table(part: Any) -> pa.Table:
    return pa.Table.from_batches([part]) if isinstance(part, pa.RecordBatch) else pa.table(part)


def _write_table(stream: ArrowStream, reading: Reading, folder: Path) -> Path:
    """The columns of a table that are read, as a Parquet file."""
    path = folder / "table.parquet"
    try:
        reader = pa.RecordBatchReader.from_stream(stream)
        numbers = choose_columns(TABLE, reader.schema, reading.fields)
        beside, given = find_given(TABLE, reader.schema, reading)
        numbers = sorted({*numbers, *map(reader.schema.get_field_index, beside)})
        names = [reader.schema.names[number] for number in numbers]
        kinds = [_stored(reader.schema.field(number).type) for number in numbers]
        schema = pa.schema(list(zip(names, kinds, strict=True)), given.metadata)
        with storing(path), pq.ParquetWriter(path, schema) as writer:
            for batch in reader:
                columns = [_store(batch.column(number), kind) for number, kind in zip(numbers, kinds, strict=True)]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    except pa.ArrowException as error:
        why = "; ".join(str(part) for part in error.args)
        raise InputError(f"{TABLE}: cannot be read: {' '.join(why.split())[:200]}") from error
    return path


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type that a column has in the file: Parquet cannot store dictionaries of views, which polars makes."""
    if not pa.types.is_dictionary(kind) or not is_text(kind):
        return kind
    return pa.dictionary(kind.index_type, pa.large_binary() if is_binary(kind) else pa.large_string(), kind.ordered)


def _store(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    dictionary = column.dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(column.indices, dictionary, ordered=kind.ordered)
