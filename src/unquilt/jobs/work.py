"""The jobs a user can ask for, from inputs to a finished run folder: what the command line and the API both call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from unquilt import _native
from unquilt.analyses.analysis import Analysis
from unquilt.analyses.lexicon import DECLARATION as COUNTING
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.analyses.neardups import SignatureParameters
from unquilt.corpus.extract.urls import list_date
from unquilt.corpus.find.inputs import unchanged, unread
from unquilt.engines.tasks import Scale
from unquilt.errors import NoDocumentsError
from unquilt.flow.kept import Kept
from unquilt.flow.rehearsal import rehearse
from unquilt.flow.verbs import Verbs
from unquilt.intake import read_into
from unquilt.jobs.corpora import documents, measures, open_corpus, refuse_other_corpus
from unquilt.jobs.how import How
from unquilt.jobs.inputs import Found, Inputs, find_inputs, know, name_paths
from unquilt.jobs.places import CORPUS, LEXICON, RUN, choose_place, workshop
from unquilt.parameters import Parameters
from unquilt.runs import InputRecord, Run
from unquilt.stores.filters import Filter, read_documents
from unquilt.stores.lexicons import Lexicon, pack_counts
from unquilt.tables import WORDS


def ingest(inputs: Inputs, output: str | Path | None = None, how: How | None = None) -> Run:
    """Reads inputs into a corpus folder, which analyses take instead of the inputs, again and again."""
    how = how or How()
    output = choose_place(output, name_paths(inputs))
    with find_inputs(inputs, output, how) as found:
        return _ingest(found, output, how)


def analyse(
    analysis: Analysis, given: Parameters, inputs: Inputs, output: str | Path | None = None, how: How | None = None
) -> Run:
    """Runs an analysis over inputs, or over a corpus folder, into a run folder; resumes an unfinished run.

    Files that the parameters name, such as a lexicon, are read before anything else, and count as inputs: with another
    lexicon it is another run.
    """
    how = how or How()
    files = {name: getattr(given, name) for name in analysis.files if getattr(given, name)}
    read = {name: analysis.files[name](path) for name, path in files.items()}
    function = partial(analysis.function, **read)
    rehearse(lambda verbs, corpus: function(verbs, corpus, given))
    output = choose_place(output, [*name_paths(inputs), *files.values()])
    corpus = open_corpus(inputs)
    others = know([unread(path) for path in files.values()])
    with find_inputs(inputs, output, how) if corpus is None else _as_found(corpus) as found:
        asked = given.to_dict() | analysis.say(read) | (found.describe(how.reading) if corpus is None else {})
        with open_run(analysis.name, asked, [*found.records, *others.records], output, how) as run:
            if not run.complete:
                if corpus is None:
                    with _abandoning(run):
                        corpus = _ingest(found, run.inner(CORPUS), replace(how, overwrite=False))
                summary = measures(corpus)
                found_documents = documents(corpus, others=analysis.other_texts(given))
                with engine(run, Scale(found_documents.rows, summary["words"]), how) as verbs:
                    outcome = function(verbs, found_documents, given)
                rows = {table.name: table.rows for table in outcome.tables}
                unchanged(others.sources)
                refuse_other_corpus(corpus)
                run.finish(summary | outcome.statistics | rows, results=rows)
    return run


def build_lexicon(
    parameters: LexiconParameters, inputs: Inputs, output: str | Path | None = None, how: How | None = None
) -> tuple[Lexicon, dict[str, Any]]:
    """Makes a lexicon of inputs, or of a corpus folder, and its file; also returns what is known of the corpus."""
    how = how or How()
    output = None if output is None else choose_place(output, name_paths(inputs))
    with workshop(output, "a lexicon", overwrite=how.overwrite) as folder:
        run = analyse(COUNTING, parameters, inputs, folder / RUN, how)
        summary = measures(run)
        words = Kept.of(WORDS.name, run.path / f"{WORDS.name}.parquet")
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
    """Makes a set of prototypes of inputs, or of a corpus folder, after those of `base`; also returns what is known of
    the corpus.
    """
    how = how or How()
    output = choose_place(output, [*name_paths(inputs), *([parameters.lexicon] if parameters.lexicon else [])])
    lexicon = Lexicon.read(parameters.lexicon) if parameters.lexicon else None
    if base is not None:
        base.verify()  # first, so that nothing is read in vain
    same = base is not None and base.path.absolute() == Path(output).absolute()
    with workshop(output, "a set of prototypes", overwrite=how.overwrite or same) as folder:
        corpus = open_corpus(inputs) or ingest(inputs, folder / CORPUS, how)
        if base is None and parameters.method == "imatch" and lexicon is None:
            given = LexiconParameters(parameters.nidf, parameters.min_df)
            lexicon = build_lexicon(given, corpus.path, folder / LEXICON, how)[0]
        made = Filter.pack(output, read_documents(documents(corpus)), parameters, lexicon, base)
    return made, measures(corpus)


@contextmanager
def _as_found(corpus: Run) -> Iterator[Found]:
    manifest = corpus.manifest
    yield Found((), [InputRecord(str(corpus.path), measures(corpus)["bytes"], manifest["fingerprint"])])


def open_run(
    name: str, parameters: Mapping[str, Any], records: Sequence[InputRecord], output: str | Path, how: How
) -> Run:
    return Run.open(
        output,
        analysis=name,
        parameters=parameters,
        inputs=records,
        overwrite=how.overwrite,
        versions={"unicode": _native.UNICODE_VERSION, "public suffix list": list_date()},
        settings=how.settings.to_dict(),
    )


def _ingest(found: Found, output: str | Path, how: How) -> Run:
    with open_run("ingest", found.describe(how.reading), found.records, output, how) as run:
        if not run.complete:
            with _abandoning(run), engine(run, Scale(0, 0), how) as verbs:
                read_into(verbs, run, found.sources, how.reading, how.progress)
    return run


@contextmanager
def _abandoning(run: Run) -> Iterator[None]:
    """Leaves no folder behind if there is nothing to read: whoever then says more about the inputs needs the name."""
    try:
        yield
    except NoDocumentsError:
        run.abandon()
        raise


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
