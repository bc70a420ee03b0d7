"""The jobs a user can ask for, from inputs to a finished run folder: what the command line and the API both call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from unquilt.analyses.analysis import Analysis
from unquilt.analyses.catalogue import find_function
from unquilt.analyses.lexicon import DECLARATION as COUNTING
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.analyses.neardups import SignatureParameters
from unquilt.analyses.phrases import PhraseParameters
from unquilt.analyses.preference import KEEP, is_order
from unquilt.corpus.find.identity import unchanged, unread
from unquilt.corpus.options import PLAIN
from unquilt.engines.tasks import Scale
from unquilt.errors import InputError, NoDocumentsError, ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.rehearsal import rehearse
from unquilt.flow.verbs import Verbs
from unquilt.jobs.audit import audit_deletion
from unquilt.jobs.corpora import (
    CORPUS,
    EARLIER,
    PLAIN_WORDS,
    documents,
    has_plain_words,
    measures,
    note_state,
    refuse_other_corpus,
)
from unquilt.jobs.foresight import foresee, foresee_space
from unquilt.jobs.ingestion import read_into
from unquilt.jobs.inputs import Found, find_inputs, fit_source, know, refuse_mixed_sources, refuse_mixed_words
from unquilt.jobs.joining import join_into, plan_columns
from unquilt.jobs.named import CorpusPart, Inputs, compares_plain, group_inputs, list_corpora, name_paths, open_corpus
from unquilt.jobs.opening import open_run
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import LEXICON, RUN, choose_place, workshop
from unquilt.jobs.preferences import check_order, count_missing, order_documents
from unquilt.jobs.readings import continue_reading, refuse_other_words
from unquilt.jobs.sources import mark_sources, read_conditions
from unquilt.parameters import Parameters
from unquilt.remote.names import is_url, refuse_url
from unquilt.runs import InputRecord, Run
from unquilt.runs.digests import digest_file
from unquilt.runs.manifest import read_manifest
from unquilt.runs.storage import remove, shown
from unquilt.stores.filters import Filter, read_documents
from unquilt.stores.lexicons import Lexicon, pack_counts
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import AUDIT, KEPT, WORDS

if TYPE_CHECKING:
    from unquilt.engines.objects.engine import Scheduler


def ingest(inputs: Inputs, output: str | Path | None = None, options: JobOptions | None = None) -> Run:
    """Reads inputs into a corpus folder, which analyses take instead of the inputs, again and again.

    Corpora among the inputs, and what runs keep, are taken as they are, and not read again.
    """
    options = options or JobOptions()
    output = choose_place(output, name_paths(inputs))
    with find_inputs(inputs, output, options) as found:
        return _ingest(found, output, options)


def add_to(place: str | Path, inputs: Inputs, options: JobOptions | None = None) -> Run:
    """Adds inputs to a corpus: afterwards it is the corpus that reading all of its inputs at once would have made.

    The corpus stays whole until the new one takes its place. Files that it has already are not read again.
    """
    options = options or JobOptions()
    refuse_url(place, "a corpus that is added to lies in")
    corpus = open_corpus(place)
    if corpus is None:
        raise InputError(f"{shown(place)} is not a corpus; make one first: unquilt ingest INPUT... -o {shown(place)}")
    output = choose_place(place, name_paths(inputs))
    options = replace(options, reading=continue_reading(corpus, options.reading), overwrite=True)
    with find_inputs(inputs, output, options) as found:
        new = [record for record in found.records if not _is_known(record, corpus.manifest["inputs"])]
        if not new:
            return corpus
        if len(new) < len(found.records):
            first = next(record for record in found.records if record not in new)
            raise InputError(f"{shown(first.path)} is in {shown(place)} already; leave it out")
        whole = Found(
            (),
            [*(InputRecord(**each) for each in corpus.manifest["inputs"]), *found.records],
            parts=[CorpusPart(corpus, corpus), *(found.parts or [found])],
        )
        refuse_mixed_words(whole.parts, options.reading.words)
        refuse_mixed_sources(whole.parts, source=options.reading.source)
        return _ingest(whole, output, options, grown=corpus)


def _is_known(record: InputRecord, known: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a corpus has an input already, under any name. A file is read for this if another one is as long."""
    alike = [each for each in known if each["size"] == record.size]
    if any(is_url(each["path"]) and each.get("version", "") == record.version for each in alike if record.version):
        return True
    digests = {each["sha256"] for each in alike if each["sha256"]}
    if not digests or is_url(record.path):
        return False
    return (record.sha256 or digest_file(record.path)) in digests


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
    function = partial(find_function(analysis.function), **read)
    rehearse(lambda verbs, corpus: function(verbs, corpus, given))
    options = fit_source(inputs, options, source=analysis.source(given, read))
    output = choose_place(output, [*name_paths(inputs), *files.values()])
    corpus = open_corpus(inputs)
    if is_order(order := getattr(given, "keep", KEEP[0])) and (known := _foresee_columns(inputs)) is not None:
        check_order(order, known)
    if isinstance(given, PhraseParameters) and (known := _foresee_columns(inputs)) is not None:
        read_conditions(given, known)
    plain = compares_plain(inputs, options.reading.words)
    for name, path in files.items():
        refuse_other_words(path, read[name].spelling, plain=plain)
    others = know([unread(path) for path in files.values()])
    with find_inputs(inputs, output, options) if corpus is None else as_found(corpus) as found:
        if is_order(order) and found.columns is not None:
            check_order(order, found.columns)
        asked = given.to_dict() | analysis.say(read) | (found.describe(options.reading) if corpus is None else {})
        with open_run(analysis.name, asked, [*found.records, *others.records], output, options) as run:
            if not run.complete:
                corpus = corpus or ingest_within(run, found, options)
                summary = measures(corpus)
                found_documents = documents(corpus, others=analysis.other_texts(given))
                if warning := foresee(found_documents, analysis.foreign(given), counted=analysis.counts_sites):
                    options.progress.say(warning)
                order = getattr(given, "keep", KEEP[0])
                with engine(run, Scale(found_documents.rows, summary["words"]), options) as verbs:
                    if isinstance(given, PhraseParameters) and (given.candidates or given.prefer):
                        function = partial(function, marked=mark_sources(found_documents, given, run))
                    if is_order(order):
                        with _naming_corpus(run, corpus):
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
        if compares_plain(inputs, options.reading.words):
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
    options = fit_source(inputs, options, source=False)
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
    with abandoning(run):
        corpus = _ingest(found, run.inner(CORPUS), replace(options, overwrite=False))
    run.note_digests(corpus.manifest["inputs"])
    return corpus


@contextmanager
def _naming_corpus(run: Run, corpus: Run) -> Iterator[None]:
    """Says of an order that fits no column where the corpus is, so that the inputs are not read again."""
    try:
        yield
    except ParameterError as error:
        if corpus.path != run.inner(CORPUS):
            raise
        raise ParameterError(
            f"{error} (the inputs are read already: give {shown(corpus.path)} in their place, and another output)"
        ) from error


@contextmanager
def as_found(corpus: Run) -> Iterator[Found]:
    """A corpus folder as the input of a run."""
    manifest = corpus.manifest
    yield Found((), [InputRecord(str(corpus.path), measures(corpus)["bytes"], manifest["fingerprint"])])


def _foresee_columns(inputs: Inputs) -> pa.Schema | None:
    """The columns that documents will have, if all inputs are corpora; else they are known once inputs are read."""
    groups = group_inputs(inputs)
    parts = list_corpora(inputs)
    return plan_columns(parts).extend(DOCUMENTS.schema) if parts and len(parts) == len(groups) else None


def _ingest(found: Found, output: str | Path, options: JobOptions, grown: Run | None = None) -> Run:
    """Reads what was found into a corpus, or joins it; `grown` is the corpus that it is added to."""
    described = found.describe(options.reading) if grown is None else grown.manifest["parameters"]
    with open_run("ingest", described, found.records, output, options) as run:
        if not run.complete:
            if warning := foresee_space(run.path, sum(record.size for record in found.records)):
                options.progress.say(warning)
            if grown is not None:
                run.manifest[EARLIER] = note_state(grown)
            if found.parts:
                with abandoning(run):
                    _join(run, found, options)
            else:
                with abandoning(run), engine(run, Scale(0, 0), options) as verbs:
                    read_into(verbs, run, found.sources, options.reading, options.progress)
    return run


def _join(run: Run, found: Found, options: JobOptions) -> None:
    """Makes one corpus of several, and of files between them, which are read first, into corpora of their own."""
    parts, inner = [], []
    for number, part in enumerate(found.parts):
        if isinstance(part, Found):
            inner.append(run.inner(f"{CORPUS}_{number}"))
            if not run.done(DOCUMENTS.name):
                _remove_other(inner[-1], part.describe(options.reading))
                read = _ingest(part, inner[-1], replace(options, overwrite=False))
                run.note_digests(read.manifest["inputs"])
                first, *others = part.records
                called = shown(first.path) + (f" and {len(others):,} more" if others else "")
                part = CorpusPart(read, read, called=called)
        if isinstance(part, CorpusPart):
            parts.append(part)
    with engine(run, Scale(0, 0), options) as verbs:
        join_into(verbs, run, parts, options.progress)
    for folder in inner:
        remove(folder)
    run.finish(run.values(DOCUMENTS.name))


def _remove_other(place: Path, wanted: Mapping[str, Any]) -> None:
    """Removes a corpus that was read in another way before a corpus could be made of it."""
    known = read_manifest(place)
    if known is not None and known["parameters"] != wanted:
        remove(place)


@contextmanager
def abandoning(run: Run) -> Iterator[None]:
    """Leaves no folder behind if there is nothing to read, or to compare: whoever then says something else needs the
    name."""
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
    if settings.engine == "local":
        from unquilt.engines.local import Local

        opened = Local(run, scale, threads=settings.threads, memory=settings.memory, progress=options.progress)
    else:
        from unquilt.engines.objects.engine import Objects

        opened = Objects(run, scale, _choose_scheduler(run, options), progress=options.progress)
    with opened as verbs:
        yield verbs


def _choose_scheduler(run: Run, options: JobOptions) -> Scheduler:
    settings = options.settings
    if settings.engine == "spark":
        from unquilt.engines.spark import SparkTasks

        return SparkTasks(run, settings, options.progress)
    from unquilt.engines.objects.posting import Posting
    from unquilt.engines.objects.processes import Processes

    pool = Processes(settings.threads, settings.memory, run.spill)
    return Posting(run, pool, options.progress) if settings.engine == "workers" else pool
