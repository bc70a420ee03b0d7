"""Corpora and runs become one corpus: documents are numbered anew, in the order of the inputs, and not read again.

What is made is what reading all of their inputs at once would have made, without the documents that a run drops: the
same rows of `documents`, the same types of columns, revisits that find documents of other corpora. Memory: the
rejects and revisits of one corpus, and two row groups of documents for each process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unquilt.corpus.given import GivenPlan, make_plan, read_met, rename_parts
from unquilt.corpus.options import Fields, Reading
from unquilt.corpus.write.parts import is_written
from unquilt.engines.progress import Progress
from unquilt.errors import NoDocumentsError, RunError
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import measures, refuse_other_corpus
from unquilt.jobs.ingestion import MOST_DOCUMENTS, write_disguises, write_resolved
from unquilt.jobs.joined_parts import JoinPart, Sums, count_kept, join_part, measure_part
from unquilt.jobs.named import CorpusPart
from unquilt.runs import Run
from unquilt.runs.storage import make_folder
from unquilt.tables.corpus import DISGUISES, DOCUMENTS, OTHER_TEXTS, REJECTS, REVISITS


def join_into(verbs: Verbs, run: Run, parts: Sequence[CorpusPart], progress: Progress) -> None:
    """Makes one corpus of several in the folder of a run. Parts that were written before it was interrupted are used as
    they are."""
    if run.done(DOCUMENTS.name):
        return
    with run.stage(DOCUMENTS.name) as stage:
        (run.pieces / "joining").touch()  # parts that are written are worth keeping, should this be interrupted
        joined = _number(run, parts, plan_columns(parts))
        if not joined[DOCUMENTS.name]:
            names = ", ".join(part.name for part in parts)
            raise NoDocumentsError(f"no document is left in {names}")
        sums = _write(verbs, [each for some in joined.values() for each in some], progress)
        files = [f"{name}/{each.task.target.name}" for name, some in joined.items() for each in some]
        with run.writer(REJECTS.name, REJECTS.schema) as rejects:
            for part in parts:
                for split in _open_splits(part.corpus, REJECTS.name):
                    rejects.write(split)
        disguised = write_disguises(run, files)
        revisits = [table for part in parts for table in _open_splits(part.corpus, REVISITS.name)]
        visited = write_resolved(run, revisits, files)
        for part in parts:
            refuse_other_corpus(part.corpus)
        totals = _add_up(parts, sums, joined[DOCUMENTS.name])
        stage.record(rows=totals["documents"], bytes=totals["bytes"])
    others = sum(each.documents for each in joined[OTHER_TEXTS.name])
    values = totals | {"rejects": rejects.rows, **({OTHER_TEXTS.name: others} if others else {}), **visited}
    values |= _describe(parts)
    tables = [REJECTS.name, *([DISGUISES.name] if disguised else []), *([REVISITS.name] if visited else [])]
    run.mark(DOCUMENTS.name, tables, files=files, values=values)
    run.drop_pieces()


def plan_columns(parts: Sequence[CorpusPart]) -> GivenPlan:
    """The columns that inputs gave, each with a type that holds the values of all corpora; the names of the parts of a
    document are those of the first corpus that has such columns."""
    wanted = choose_fields(parts)
    met = []
    for part in parts:
        own = read_fields(part)
        met += [(part.name, rename_parts(read_met(schema), own, wanted, part.name)) for schema in _schemas(part)]
    return make_plan(met, Reading(fields=wanted))


def choose_fields(parts: Sequence[CorpusPart]) -> Fields:
    """What the inputs of the first corpus call the parts of a document."""
    return read_fields(parts[0])


def read_fields(part: CorpusPart) -> Fields:
    """What the inputs of a corpus call the parts of a document, as far as it says."""
    known = part.corpus.manifest["parameters"].get("fields")
    return Fields.from_dict(known) if isinstance(known, dict) else Fields()


def _schemas(part: CorpusPart) -> Iterator[pa.Schema]:
    """The columns of a corpus: all of its parts have the same."""
    for name in (DOCUMENTS.name, OTHER_TEXTS.name):
        files = _list_files(part.corpus, name)
        if files:
            schema = Kept.of(name, part.corpus.path / files[0]).schema
            if schema is not None:
                yield schema
            return


@dataclass(frozen=True)
class _PartToWrite:
    """A part to write, and how many documents it will have; and the corpus that they are of."""

    task: JoinPart
    documents: int
    of: CorpusPart


def _number(run: Run, parts: Sequence[CorpusPart], plan: GivenPlan) -> dict[str, list[_PartToWrite]]:
    """The parts to write by the name of their folder, in order. Documents come before other texts."""
    wanted, found, first = choose_fields(parts), {}, 0
    for name in (DOCUMENTS.name, OTHER_TEXTS.name):
        found[name] = list[_PartToWrite]()
        for part in parts:
            verdicts = part.verdicts if name == DOCUMENTS.name else None
            for file in _list_files(part.corpus, name):
                source = part.corpus.path / file
                documents = count_kept(source, verdicts)
                if documents:
                    make_folder(run.path / name)
                    target = run.path / name / f"part-{len(found[name]):05}.parquet"
                    task = JoinPart(source, target, first, run.spill, plan, read_fields(part), wanted, verdicts)
                    found[name].append(_PartToWrite(task, documents, part))
                    first += documents
    if first > MOST_DOCUMENTS:
        raise RunError(f"a corpus holds at most {MOST_DOCUMENTS} documents; give the inputs in several parts")
    return found


def _list_files(corpus: Run, name: str) -> list[str]:
    return [file for file in corpus.files(DOCUMENTS.name) if file.partition("/")[0] == name]


def _write(verbs: Verbs, joined: Sequence[_PartToWrite], progress: Progress) -> list[Sums | None]:
    """Writes what is missing; what is in each part, if not all of a corpus is taken."""
    written = [is_written(each.task, each.documents) for each in joined]
    with progress.stage("join", len(joined)) as step:
        if any(written):
            step(sum(written), before=True)
        made = iter(verbs.each(join_part, [each.task for each, old in zip(joined, written, strict=True) if not old]))
        found: list[Sums | None] = []
        for each, old in zip(joined, written, strict=True):
            if old:
                found.append(None if each.task.verdicts is None else measure_part(each.task.target))
            else:
                found.append(next(made))
                step(1)
    return found


def _add_up(parts: Sequence[CorpusPart], sums: Sequence[Sums | None], joined: Sequence[_PartToWrite]) -> dict[str, int]:
    """Documents, words and bytes: of corpora that are taken as they are what they say of themselves, of others what was
    counted."""
    totals = {"documents": 0, "words": 0, "bytes": 0}
    for part in parts:
        if part.verdicts is None:
            for name in totals:
                totals[name] += measures(part.corpus)[name]
    for each, counted in zip(joined, sums, strict=False):
        if counted is not None and each.of.verdicts is not None:
            for name, value in zip(totals, counted, strict=True):
                totals[name] += value
    return totals


def _open_splits(corpus: Run, name: str) -> Iterator[pa.Table]:
    if name in corpus.tables:
        table = Kept.of(name, corpus.path / f"{name}.parquet")
        for split in table.splits():
            yield split.read(table.columns)


def _describe(parts: Sequence[CorpusPart]) -> dict[str, Any]:
    """What corpora say of how they were read."""
    summaries = [measures(part.corpus) for part in parts]
    skipped: Counter[str] = Counter()
    for each in summaries:
        skipped.update(each.get("skipped", {}))
    warnings = list(dict.fromkeys(warning for each in summaries for warning in each.get("warnings", ())))
    urls = list(dict.fromkeys(each["urls"] for each in summaries if each.get("urls")))
    said = {"urls": urls[0]} if len(urls) == 1 else {}
    return {"skipped": dict(sorted(skipped.items())), "warnings": warnings, **said}
