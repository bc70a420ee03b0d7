"""The jobs a user can ask for, from inputs to a finished run folder: what the command line and the API both call.

Reading goes into a corpus folder of its own, or into the folder `corpus` of the run that needs it.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt import _native
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.analyses.lexicon import lexicon as count_words
from unquilt.analyses.neardups import SignatureParameters
from unquilt.analyses.outcome import Outcome
from unquilt.corpus.inputs import STDIN, Source, find, fingerprint, spool
from unquilt.corpus.options import Fields, Reading
from unquilt.corpus.parquet import check_columns, is_binary, is_text
from unquilt.corpus.pieces import check
from unquilt.corpus.urls import list_date
from unquilt.engines.kept import Kept
from unquilt.engines.progress import Progress, Silent
from unquilt.engines.tasks import Scale
from unquilt.engines.verbs import Verbs
from unquilt.errors import InputError, ParameterError
from unquilt.filters import Filter, read_documents
from unquilt.intake import DOCUMENTS, read_into
from unquilt.lexicons import Lexicon, pack_counts
from unquilt.parameters import Parameters
from unquilt.runs import InputRecord, Run, storing
from unquilt.settings import Settings

CORPUS = "corpus"
TABLE = "table"
"""What an Arrow table is called in tables and manifests."""


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that hands out Arrow data by the PyCapsule interface: tables of pyarrow, polars, pandas, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Inputs = str | Path | Sequence[str | Path] | ArrowStream


@dataclass(frozen=True)
class How:
    """How to carry out a job: none of it changes what comes out, save `reading`, which says how to read."""

    settings: Settings = field(default_factory=Settings)
    reading: Reading = field(default_factory=Reading)
    overwrite: bool = False
    progress: Progress = field(default_factory=Silent)


def ingest(inputs: Inputs, output: str | Path | None = None, how: How | None = None) -> Run:
    """Reads inputs into a corpus folder, which analyses take instead of the inputs, again and again."""
    how = how or How()
    output = output or _temporary_folder()
    with _found(inputs, how.reading) as found:
        return _ingest(found, output, how)


def analyse(
    name: str,
    parameters: Parameters,
    function: Callable[[Verbs, Kept, Any], Outcome],
    inputs: Inputs,
    output: str | Path | None = None,
    how: How | None = None,
    *,
    beside: Sequence[str | Path] = (),
) -> Run:
    """Runs an analysis over inputs, or over a corpus folder, into a run folder; resumes what is there of it.

    Files `beside` the inputs, such as a lexicon, are for `function` to read; a run that they change is another run.
    """
    how = how or How()
    output = output or _temporary_folder()
    corpus = open_corpus(inputs)
    with _found(inputs, how.reading) if corpus is None else _as_found(corpus) as found:
        asked = parameters.to_dict() | (asdict(how.reading) if corpus is None else {})
        with _open(name, asked, [*found.records, *_records(find(beside) if beside else [])], output, how) as run:
            if not run.complete:
                if corpus is None:
                    corpus = _ingest(found, run.path / CORPUS, replace(how, overwrite=False))
                summary = corpus.manifest["summary"]
                with engine(run, Scale(summary["documents"], summary["words"]), how) as verbs:
                    outcome = function(verbs, documents(corpus), parameters)
                rows = {table.name: table.rows for table in outcome.tables}
                run.finish(summary | outcome.statistics | rows, results=rows)
    return run


def build_lexicon(
    parameters: LexiconParameters, inputs: Inputs, output: str | Path | None = None, how: How | None = None
) -> tuple[Lexicon, dict[str, Any]]:
    """Makes a lexicon of inputs, or of a corpus folder, and its file; also returns what is known of the corpus."""
    how = how or How()
    with _workshop(output, "a lexicon", overwrite=how.overwrite) as folder:
        run = analyse("lexicon", parameters, count_words, inputs, folder / "run", how)
        summary = run.manifest["summary"]
        words = Kept.of("words", run.path / "words.parquet")
        lexicon = pack_counts(words, summary["documents"], parameters.nidf, parameters.min_df)
        if output is not None:
            lexicon.write(output)
    return lexicon, summary


def build_filter(
    parameters: SignatureParameters,
    inputs: Inputs,
    output: str | Path,
    how: How | None = None,
    base: Filter | None = None,
) -> tuple[Filter, dict[str, Any]]:
    """Makes a set of prototypes of inputs, or of a corpus folder, behind those of `base`; also returns what is known of
    the corpus.
    """
    how = how or How()
    lexicon = Lexicon.read(parameters.lexicon) if parameters.lexicon else None
    same = base is not None and base.path.absolute() == Path(output).absolute()
    with _workshop(output, "a set of prototypes", overwrite=how.overwrite or same) as folder:
        corpus = open_corpus(inputs) or ingest(inputs, folder / CORPUS, how)
        if base is None and parameters.method == "imatch" and lexicon is None:
            given = LexiconParameters(parameters.nidf, parameters.min_df)
            lexicon = build_lexicon(given, corpus.path, folder / "lexicon", how)[0]
        made = Filter.pack(output, read_documents(documents(corpus)), parameters, lexicon, base)
    return made, corpus.manifest["summary"]


@contextmanager
def _workshop(output: str | Path | None, what: str, *, overwrite: bool) -> Iterator[Path]:
    """A folder beside the file that is to be made, since what is read on the way may be large; it goes afterwards."""
    place = None if output is None else Path(output).absolute()
    if place is not None and place.is_dir():
        raise InputError(f"{output} is a folder; {what} is a file")
    if place is not None and place.exists() and not overwrite:
        raise InputError(f"{output} exists; choose another name, or overwrite it")
    with storing(place or Path(tempfile.gettempdir())):
        folder = tempfile.TemporaryDirectory(prefix=".unquilt-", dir=None if place is None else place.parent)
    with folder as name:
        yield Path(name)


def open_corpus(inputs: Inputs) -> Run | None:
    """The corpus folder that `inputs` names, if it is one."""
    paths = [] if isinstance(inputs, ArrowStream) else _paths(inputs)
    if len(paths) != 1 or not (Path(paths[0]) / "manifest.json").is_file():
        return None
    run = Run.read(paths[0])
    if run.manifest["analysis"] != "ingest":
        raise InputError(f"{paths[0]} is a run of {run.manifest['analysis']}, not a corpus; give its inputs instead")
    if not run.complete:
        raise InputError(f"{paths[0]} is a corpus that was not finished; run unquilt ingest again")
    return run


def _paths(inputs: str | Path | Sequence[str | Path]) -> list[str | Path]:
    """The inputs as a list, of paths and nothing else."""
    wrong: object = inputs
    if isinstance(inputs, str | Path):
        return [inputs]
    if isinstance(inputs, Sequence) and not isinstance(inputs, bytes | bytearray | memoryview):
        others = [path for path in inputs if not isinstance(path, str | Path)]
        if not others:
            return list(inputs)
        wrong = others[0]
    raise ParameterError(f"inputs must be paths, globs or -, or an Arrow table, not {ascii(wrong)[:80]}")


def documents(corpus: Run) -> Kept:
    """The documents of a corpus folder."""
    return Kept.of(DOCUMENTS, *(corpus.path / name for name in corpus.files(DOCUMENTS)))


@contextmanager
def engine(run: Run, scale: Scale, how: How) -> Iterator[Verbs]:
    """The verbs on the engine that the settings name."""
    settings = how.settings
    opened: AbstractContextManager[Verbs]
    if settings.engine == "spark":
        from unquilt.engines.spark import Spark

        opened = Spark(run, scale, settings, progress=how.progress)
    else:
        from unquilt.engines.local import Local

        opened = Local(run, scale, threads=settings.threads, memory=settings.memory, progress=how.progress)
    with opened as verbs:
        yield verbs


@dataclass(frozen=True)
class _Found:
    """Inputs that are there, and how the manifest knows them."""

    sources: Sequence[Source]
    records: Sequence[InputRecord]


@contextmanager
def _found(inputs: Inputs, reading: Reading) -> Iterator[_Found]:
    """Finds, checks and fingerprints inputs; standard input and Arrow tables become files for as long as need be."""
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder:
        spooled, alias = None, ""
        if isinstance(inputs, ArrowStream):
            inputs, alias = _write_table(inputs, reading.fields, Path(folder)), TABLE
        paths = _paths(inputs)
        if STDIN in map(str, paths):
            spooled = spool(sys.stdin.buffer, Path(folder))
        sources = find(paths, spooled)
        if alias:
            sources = [replace(source, alias=alias) for source in sources]
        check(sources, reading)
        yield _Found(sources, _records(sources))


def _records(sources: Sequence[Source]) -> list[InputRecord]:
    return [InputRecord(source.name, source.size, fingerprint(source)) for source in sources]


@contextmanager
def _as_found(corpus: Run) -> Iterator[_Found]:
    manifest = corpus.manifest
    yield _Found((), [InputRecord(str(corpus.path), manifest["summary"]["bytes"], manifest["fingerprint"])])


def _write_table(stream: ArrowStream, fields: Fields, folder: Path) -> Path:
    """The columns of a table that are read, as a Parquet file."""
    path = folder / "table.parquet"
    try:
        reader = pa.RecordBatchReader.from_stream(stream)
        numbers = check_columns(TABLE, reader.schema, fields)
        names = [reader.schema.names[number] for number in numbers]
        kinds = [_stored(reader.schema.field(number).type) for number in numbers]
        schema = pa.schema(list(zip(names, kinds, strict=True)))
        with storing(path), pq.ParquetWriter(path, schema) as writer:
            for batch in reader:
                columns = [_store(batch.column(number), kind) for number, kind in zip(numbers, kinds, strict=True)]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    except pa.ArrowException as error:
        why = "; ".join(str(part) for part in error.args)
        raise InputError(f"{TABLE}: cannot be read: {' '.join(why.split())[:200]}") from error
    return path


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type that a column has in the file: of dictionaries of views, as polars makes them, Parquet knows nothing."""
    if not pa.types.is_dictionary(kind) or not is_text(kind):
        return kind
    return pa.dictionary(kind.index_type, pa.large_binary() if is_binary(kind) else pa.large_string(), kind.ordered)


def _store(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    dictionary = column.dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(column.indices, dictionary, ordered=kind.ordered)


def _open(
    name: str, parameters: Mapping[str, Any], records: Sequence[InputRecord], output: str | Path, how: How
) -> Run:
    return Run.open(
        output,
        analysis=name,
        parameters=parameters,
        inputs=records,
        overwrite=how.overwrite,
        versions={"unicode": _native.UNICODE_VERSION, "public suffix list": list_date()},
        settings=asdict(how.settings),
    )


def _ingest(found: _Found, output: str | Path, how: How) -> Run:
    with _open("ingest", asdict(how.reading), found.records, output, how) as run:
        if not run.complete:
            with engine(run, Scale(0, 0), how) as verbs:
                read_into(verbs, run, found.sources, how.reading, how.progress)
    return run


def _temporary_folder() -> Path:
    """A folder for the results of a caller who named none; it goes when the interpreter does."""
    folder = tempfile.mkdtemp(prefix="unquilt-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "run"
