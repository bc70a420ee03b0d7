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
from unquilt.analyses.preference import KEEP, is_order
from unquilt.corpus.extract.urls import list_date
from unquilt.corpus.find.inputs import unchanged, unread
from unquilt.corpus.options import PLAIN
from unquilt.engines.tasks import Scale
from unquilt.errors import NoDocumentsError
from unquilt.flow.kept import Kept
from unquilt.flow.rehearsal import rehearse
from unquilt.flow.verbs import Verbs
from unquilt.jobs.audit import audit_deletion
from unquilt.jobs.corpora import (
    PLAIN_WORDS,
    documents,
    has_plain_words,
    measures,
    open_corpus,
    refuse_other_corpus,
    refuse_other_words,
)
from unquilt.jobs.foresight import foresee
from unquilt.jobs.ingestion import read_into
from unquilt.jobs.inputs import Found, Inputs, find_inputs, know, name_paths
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import CORPUS, LEXICON, RUN, choose_place, workshop
from unquilt.jobs.preferences import check_order, count_missing, order_documents
from unquilt.parameters import Parameters
from unquilt.runs import InputRecord, Run
from unquilt.stores.filters import Filter, read_documents
from unquilt.stores.lexicons import Lexicon, pack_counts
from unquilt.tables import AUDIT, KEPT, WORDS


def ingest(inputs: Inputs, output: str | Path | None = None, options: JobOptions | None = None) -> Run:
    """Reads inputs into a corpus folder, which analyses take instead of the inputs, again and again."""
    options = options or JobOptions()
    output = choose_place(output, name_paths(inputs))
    with find_inputs(inputs, output, options) as found:
        return _ingest(found, output, options)


def analyse(
    analysis: Analysis,
    given: Parameters,
    inputs: Inputs,
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Runs an analysis over inputs, or over a corpus folder, into a run folder; resumes an unfinished run.

    Files that the parameters name, such as a lexicon, are read before anything else, and count as inputs: with another
    lexicon it is another run.
    """
    options = options or JobOptions()
    files = {name: getattr(given, name) for name in analysis.files if getattr(given, name)}
    read = {name: analysis.files[name](path) for name, path in files.items()}
    function = partial(analysis.function, **read)
    rehearse(lambda verbs, corpus: function(verbs, corpus, given))
    output = choose_place(output, [*name_paths(inputs), *files.values()])
    corpus = open_corpus(inputs)
    if corpus is not None and is_order(order := getattr(given, "keep", KEEP[0])):
        check_order(order, documents(corpus).schema)
    plain = has_plain_words(corpus) if corpus else options.reading.words == PLAIN
    for name, path in files.items():
        refuse_other_words(path, read[name].spelling, plain=plain)
    others = know([unread(path) for path in files.values()])
    with find_inputs(inputs, output, options) if corpus is None else as_found(corpus) as found:
        asked = given.to_dict() | analysis.say(read) | (found.describe(options.reading) if corpus is None else {})
        with open_run(analysis.name, asked, [*found.records, *others.records], output, options) as run:
            if not run.complete:
                corpus = corpus or ingest_within(run, found, options)
                summary = measures(corpus)
                found_documents = documents(corpus, others=analysis.other_texts(given))
                if warning := foresee(found_documents, analysis.foreign(given)):
                    options.progress.say(warning)
                order = getattr(given, "keep", KEEP[0])
                with engine(run, Scale(found_documents.rows, summary["words"]), options) as verbs:
                    if is_order(order):
                        function = partial(function, ordered=order_documents(found_documents, order, run))
                    outcome = function(verbs, found_documents, given)
                tables = {table.name: table for table in outcome.tables}
                if AUDIT in analysis.results:
                    tables[AUDIT.name] = audit_deletion(run, found_documents, tables[KEPT.name])
                rows = {name: table.rows for name, table in tables.items()}
                unchanged(others.sources)
                refuse_other_corpus(corpus)
                marks: dict[str, Any] = {PLAIN_WORDS: 1} if plain else {}
                marks |= {"keep_missing": count_missing(run)} if is_order(order) else {}
                run.finish(summary | outcome.statistics | rows | marks, results=rows)
    return run


def build_lexicon(
    parameters: LexiconParameters, inputs: Inputs, output: str | Path | None = None, options: JobOptions | None = None
) -> tuple[Lexicon, dict[str, Any]]:
    """Makes a lexicon of inputs, or of a corpus folder, and its file; also returns what is known of the corpus."""
    options = options or JobOptions()
    output = None if output is None else choose_place(output, name_paths(inputs))
    with workshop(output, "a lexicon", overwrite=options.overwrite) as folder:
        run = analyse(COUNTING, parameters, inputs, folder / RUN, options)
        summary = measures(run)
        words = Kept.of(WORDS.name, run.path / f"{WORDS.name}.parquet")
        lexicon = pack_counts(words, summary["documents"], parameters.nidf, parameters.min_df)
        corpus = open_corpus(inputs)
        if has_plain_words(corpus) if corpus else options.reading.words == PLAIN:
            lexicon = replace(lexicon, spelling=PLAIN)
        if output is not None:
            lexicon.write(output)
    return lexicon, summary


def build_filter(
    parameters: SignatureParameters,
    inputs: Inputs,
    output: str | Path,
    options: JobOptions | None = None,
    base: Filter | None = None,
) -> tuple[Filter, dict[str, Any]]:
    """Makes a set of prototypes of inputs, or of a corpus folder, after those of `base`; also returns what is known of
    the corpus, and how many words the lexicon has that signatures are made of, if any.
    """
    options = options or JobOptions()
    output = choose_place(output, [*name_paths(inputs), *([parameters.lexicon] if parameters.lexicon else [])])
    lexicon = Lexicon.read(parameters.lexicon) if parameters.lexicon else None
    if base is not None:
        base.verify()  # first, so that nothing is read in vain
    same = base is not None and base.path.absolute() == Path(output).absolute()
    with workshop(output, "a set of prototypes", overwrite=options.overwrite or same) as folder:
        corpus = open_corpus(inputs) or ingest(inputs, folder / CORPUS, options)
        if base is None and parameters.method == "imatch" and lexicon is None:
            given = LexiconParameters(parameters.nidf, parameters.min_df)
            lexicon = build_lexicon(given, corpus.path, folder / LEXICON, options)[0]
        plain = has_plain_words(corpus)
        made = Filter.pack(output, read_documents(documents(corpus)), parameters, lexicon, base, plain=plain)
    known = {} if lexicon is None else {"lexicon_words": lexicon.primary}
    return made, measures(corpus) | known


def ingest_within(run: Run, found: Found, options: JobOptions) -> Run:
    """Reads the inputs of a run into a corpus in its folder."""
    with _abandoning(run):
        return _ingest(found, run.inner(CORPUS), replace(options, overwrite=False))


@contextmanager
def as_found(corpus: Run) -> Iterator[Found]:
    """A corpus folder as the input of a run."""
    manifest = corpus.manifest
    yield Found((), [InputRecord(str(corpus.path), measures(corpus)["bytes"], manifest["fingerprint"])])


def open_run(
    name: str, parameters: Mapping[str, Any], records: Sequence[InputRecord], output: str | Path, options: JobOptions
) -> Run:
    return Run.open(
        output,
        analysis=name,
        parameters=parameters,
        inputs=records,
        overwrite=options.overwrite,
        versions={"unicode": _native.UNICODE_VERSION, "public suffix list": list_date()},
        settings=options.settings.to_dict(),
    )


def _ingest(found: Found, output: str | Path, options: JobOptions) -> Run:
    with open_run("ingest", found.describe(options.reading), found.records, output, options) as run:
        if not run.complete:
            with _abandoning(run), engine(run, Scale(0, 0), options) as verbs:
                read_into(verbs, run, found.sources, options.reading, options.progress)
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
def engine(run: Run, scale: Scale, options: JobOptions) -> Iterator[Verbs]:
    """The verbs on the engine that the settings name."""
    settings = options.settings
    opened: AbstractContextManager[Verbs]
    if settings.engine == "spark":
        from unquilt.engines.spark import Spark

        opened = Spark(run, scale, settings, progress=options.progress)
    elif settings.engine in ("processes", "workers"):
        from unquilt.engines.objects.engine import Objects, Scheduler
        from unquilt.engines.objects.posting import Posting
        from unquilt.engines.objects.processes import Processes

        pool = Processes(settings.threads, settings.memory, run.spill)
        scheduler: Scheduler = Posting(run, pool, options.progress) if settings.engine == "workers" else pool
        opened = Objects(run, scale, scheduler, progress=options.progress)
    else:
        from unquilt.engines.local import Local

        opened = Local(run, scale, threads=settings.threads, memory=settings.memory, progress=options.progress)
    with opened as verbs:
        yield verbs
