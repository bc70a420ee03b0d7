"""The jobs a user can ask for, from inputs to a finished run folder: what the command line and the API both call.

Reading goes into a corpus folder of its own, or into the folder `corpus` of the run that needs it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from unquilt.corpus.extract.urls import list_date
from unquilt.corpus.find.inputs import STDIN, Source, find, identified, named, spool, unchanged, unread
from unquilt.corpus.find.pieces import check
from unquilt.corpus.options import Fields, Reading
from unquilt.corpus.readers.parquet import check_columns, is_binary, is_text
from unquilt.engines.progress import Progress, Silent
from unquilt.engines.tasks import Scale
from unquilt.engines.workers import Workers, keeping
from unquilt.errors import InputChangedError, InputError, ParameterError, RunError, damaged
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import Verbs
from unquilt.intake import read_into
from unquilt.parameters import Parameters
from unquilt.runs import InputRecord, Run, shapes, storing
from unquilt.runs.lock import LOCK, FolderLock
from unquilt.runs.manifest import MANIFEST, is_ours, read_manifest
from unquilt.runs.storage import make_folder, remove, shown
from unquilt.settings import Settings
from unquilt.stores.filters import Filter, read_documents
from unquilt.stores.lexicons import Lexicon, pack_counts
from unquilt.tables import DOCUMENTS

CORPUS = "corpus"
_RUN, _LEXICON = "run", "lexicon"
_MADE = (_RUN, _LEXICON, CORPUS, f".{_LEXICON}.partial", f".{_LEXICON}.making")
"""What there can be in the folder in which a lexicon or a set of prototypes is made."""
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
    output = _place(output, inputs)
    with _found(inputs, output, how) as found:
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
    output = _place(output, inputs, beside)
    corpus = open_corpus(inputs)
    others = _known([unread(path) for path in beside])
    with _found(inputs, output, how) if corpus is None else _as_found(corpus) as found:
        asked = parameters.to_dict() | (asdict(how.reading) if corpus is None else {})
        with _open(name, asked, [*found.records, *others.records], output, how) as run:
            if not run.complete:
                if corpus is None:
                    corpus = _ingest(found, run.inner(CORPUS), replace(how, overwrite=False))
                summary = measures(corpus)
                with engine(run, Scale(summary["documents"], summary["words"]), how) as verbs:
                    outcome = function(verbs, documents(corpus), parameters)
                rows = {table.name: table.rows for table in outcome.tables}
                unchanged(others.sources)
                _refuse_other_corpus(corpus)
                run.finish(summary | outcome.statistics | rows, results=rows)
    return run


def build_lexicon(
    parameters: LexiconParameters, inputs: Inputs, output: str | Path | None = None, how: How | None = None
) -> tuple[Lexicon, dict[str, Any]]:
    """Makes a lexicon of inputs, or of a corpus folder, and its file; also returns what is known of the corpus."""
    how = how or How()
    output = None if output is None else _place(output, inputs)
    with _workshop(output, "a lexicon", overwrite=how.overwrite) as folder:
        run = analyse("lexicon", parameters, count_words, inputs, folder / _RUN, how)
        summary = measures(run)
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
    output = _place(output, inputs, [parameters.lexicon] if parameters.lexicon else [])
    lexicon = Lexicon.read(parameters.lexicon) if parameters.lexicon else None
    if base is not None:
        base.verify()  # before anything is read that would be read in vain
    same = base is not None and base.path.absolute() == Path(output).absolute()
    with _workshop(output, "a set of prototypes", overwrite=how.overwrite or same) as folder:
        corpus = open_corpus(inputs) or ingest(inputs, folder / CORPUS, how)
        if base is None and parameters.method == "imatch" and lexicon is None:
            given = LexiconParameters(parameters.nidf, parameters.min_df)
            lexicon = build_lexicon(given, corpus.path, folder / _LEXICON, how)[0]
        made = Filter.pack(output, read_documents(documents(corpus)), parameters, lexicon, base)
    return made, measures(corpus)


@contextmanager
def _workshop(output: str | Path | None, what: str, *, overwrite: bool) -> Iterator[Path]:
    """A folder beside the file that is to be made, since what is read on the way may be large; it goes afterwards.

    Its name follows from that of the file, so that what a kill leaves goes when the file is next made.
    """
    if output is None:
        with tempfile.TemporaryDirectory(prefix="unquilt-") as name:
            yield Path(name)
        return
    place = Path(output).absolute()
    if place.is_dir():
        raise InputError(f"{output} is a folder; {what} is a file")
    if os.path.lexists(place) and not overwrite:
        raise InputError(f"{output} exists; choose another name, or overwrite it")
    folder = place.with_name(f".{place.name}.making")
    with storing(place):
        place.parent.stat()  # only the folder itself is made
    make_folder(folder)
    with FolderLock(folder):
        strangers = sorted({entry.name for entry in folder.iterdir()} - {LOCK, *_MADE})
        if strangers:
            raise RunError(f"{shown(folder)} holds something else (first entry: {shown(strangers[0])}); remove it")
        for name in _MADE:
            remove(folder / name)
        try:
            yield folder
        finally:
            remove(folder)


def open_corpus(inputs: Inputs) -> Run | None:
    """The corpus folder that `inputs` names, if it is one."""
    paths = [] if isinstance(inputs, ArrowStream) else _paths(inputs)
    if len(paths) != 1 or read_manifest(Path(paths[0])) is None:
        return None
    run = Run.read(paths[0])
    if run.manifest["analysis"] != "ingest":
        raise InputError(f"{paths[0]} is a run of {run.manifest['analysis']}, not a corpus; give its inputs instead")
    if not run.complete:
        raise InputError(f"{paths[0]} is a corpus that was not finished; run unquilt ingest again")
    measures(run)
    return run


def measures(run: Run) -> dict[str, Any]:
    """What is known of the corpus of a finished run: documents, words, bytes and rejects at least."""
    summary: dict[str, Any] = run.manifest["summary"]
    for name in ("documents", "words", "bytes", "rejects"):
        if not 0 <= summary.get(name, -1) < 1 << 63:
            raise damaged(run.path / MANIFEST, f"summary.{name} is missing or no count")
    return summary


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
    files = corpus.files(DOCUMENTS.name)
    found = Kept.of(DOCUMENTS.name, *(corpus.path / name for name in files)).checked(DOCUMENTS)
    known = measures(corpus) if corpus.complete else corpus.values(DOCUMENTS.name)
    return found.check_numbering(known.get("documents", 0))


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


def _place(output: str | Path | None, inputs: Inputs, beside: Sequence[str | Path] = ()) -> Path:
    """Where results go, a temporary folder if none is named; refuses what would mix them up with what they are of."""
    if output is None:
        return _temporary_folder()
    try:
        shapes.path(str(output), "output")
    except shapes.Misfit as misfit:
        raise ParameterError(f"output must be the name of a file or folder, not {str(output)[:40]!a}") from misfit
    place = Path(os.path.realpath(output))
    given = [*beside] if isinstance(inputs, ArrowStream) else [*named(_paths(inputs)), *beside]
    _refuse_overlap(output, place, given if os.access(place, os.F_OK) else filter(os.path.isdir, given))
    for folder in place.parents:
        if is_ours(folder):
            among = f"{shown(output)} lies in {shown(folder)}, a run or corpus, and would go with it"
            raise RunError(f"{among}; put it beside, such as {shown(folder.with_name(place.name))}")
    return Path(output)


def _refuse_overlap(output: str | Path, place: Path, inputs: Iterable[str | Path]) -> None:
    """Raise a RunError if the output is one of the inputs, or either lies in the other; links are followed."""
    for name in inputs:
        there = Path(os.path.realpath(name))
        if there == place:
            raise RunError(f"{shown(output)} is an input; choose another name for the output")
        if there in place.parents:
            beside = shown(there.with_name(place.name))
            raise RunError(f"{shown(output)} lies in the input {shown(name)}; put it elsewhere, such as {beside}")
        if place in there.parents:
            raise RunError(f"{shown(output)} contains the input {shown(name)}; choose another place for the output")


@contextmanager
def _found(inputs: Inputs, output: Path, how: How) -> Iterator[_Found]:
    """Finds, checks and fingerprints inputs; standard input and Arrow tables become files for as long as need be.

    The processes that look at them are there for the engine, too.
    """
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder, keeping():
        spooled, alias = None, ""
        if isinstance(inputs, ArrowStream):
            inputs, alias = _write_table(inputs, how.reading.fields, Path(folder)), TABLE
        paths = _paths(inputs)
        if STDIN in map(str, paths):
            spooled = spool(sys.stdin.buffer, Path(folder))
        with Workers(how.settings.threads) as workers:
            sources = find(paths, spooled, workers.map, Path(folder), how.reading.limits.bounds)
            if alias:
                sources = [replace(source, alias=alias) for source in sources]
            if os.access(output, os.F_OK):  # then a link among the files of a folder may lead there
                _refuse_overlap(output, Path(os.path.realpath(output)), [source.path for source in sources])
            check(sources, how.reading, workers.map, Path(folder))
        yield _known(sources)


def _known(sources: Sequence[Source]) -> _Found:
    """Sources as they are now, by which a change is noticed: between a run and its resumption, or while it reads."""
    seen = identified(sources)
    return _Found(seen, [InputRecord(each.name, each.size, each.seen.sha256) for each in seen if each.seen])


def _refuse_other_corpus(corpus: Run) -> None:
    """Raise `InputChangedError` if a corpus made way for another while it was read."""
    if Run.read(corpus.path).manifest["fingerprint"] != corpus.manifest["fingerprint"]:
        raise InputChangedError(f"{corpus.path} was overwritten while it was read; run again when it is at rest")


@contextmanager
def _as_found(corpus: Run) -> Iterator[_Found]:
    manifest = corpus.manifest
    yield _Found((), [InputRecord(str(corpus.path), measures(corpus)["bytes"], manifest["fingerprint"])])


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
