"""From input files to a corpus: pieces are read by many processes, put in order, numbered and written.

What a corpus holds depends on the inputs and on `Reading` alone: how files are cut depends on the inputs only; a slice
that had to look for its first record is checked against the end of the slice before; and documents are numbered when
those of all pieces are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.corpus.find.addresses import describe_urls
from unquilt.corpus.find.identity import unchanged
from unquilt.corpus.find.pieces import CUT, Piece, pieces
from unquilt.corpus.given import GivenPlan, make_plan
from unquilt.corpus.no_documents import explain
from unquilt.corpus.options import Reading
from unquilt.corpus.readers.compression import index
from unquilt.corpus.records import Warned
from unquilt.corpus.sources import Slice, Source
from unquilt.corpus.write.indices import index_path, keep_index, recall_index
from unquilt.corpus.write.parts import (
    CheckPiece,
    ReadPiece,
    WritePart,
    is_written,
    read_piece,
    refuse_changed,
    write_part,
)
from unquilt.corpus.write.results import PieceRead, identify, others_path, recall
from unquilt.corpus.write.revisits import UNRESOLVED, no_revisits, resolve_revisits
from unquilt.engines.progress import Progress
from unquilt.errors import RunError
from unquilt.flow.verbs import Verbs
from unquilt.guard import Blame, each_guarded
from unquilt.parquet import opened
from unquilt.remote.names import is_url
from unquilt.runs import InputRecord, Run
from unquilt.runs.digests import join_blocks
from unquilt.runs.storage import make_folder
from unquilt.tables.corpus import DISGUISES, DOCUMENTS, OTHER_TEXTS, REJECTS, REVISITS

MOST_DOCUMENTS = (1 << 32) - 1
INDEXED_SHARE = 16
"""A compressed file gets an index, which costs a pass over it, if it is at least one in so many bytes of all inputs."""
INDEXING_SPEED = 1 << 20
"""How many bytes of a gzip file are surely indexed in a second of processor time; decoded, they may be a thousand times
as many."""


def read_into(verbs: Verbs, run: Run, sources: Sequence[Source], reading: Reading, progress: Progress) -> None:
    """Reads sources into the folder of a run: the tables `documents` and `rejects`.

    Pieces that were read, and parts that were written, before the run was interrupted, are used as they are.
    """
    if not run.done(DOCUMENTS.name):
        with run.stage(DOCUMENTS.name) as stage:
            tasks, read = _read_pieces(verbs, run, sources, reading, progress)
            sources = _digested(sources, tasks, read)
            unchanged(sources)
            run.note_digests(list_records(sources))
            skipped = sum((result.skipped for result in read), Counter[str]())
            others = sum(result.others for result in read)
            if not any(result.documents for result in read):
                aside = Counter({"text beside pages": others} if others else {})
                rejected = [result.rejects for result in read]
                raise explain(sources, rejected, skipped + aside, reading, verbs.each, run.spill)
            named = ((task.piece.name, result.given) for task, result in zip(tasks, read, strict=True))
            plan = make_plan(named, reading)
            if absent := sorted(reading.named - set(() if plan.given is None else plan.given.names)):
                progress.say(f"no document has a column {', '.join(absent)}, which carry names")
            files = _write_parts(verbs, run, tasks, read, progress, plan)
            with run.writer(REJECTS.name, REJECTS.schema) as rejects:
                for result in read:
                    rejects.write(result.rejects)
            disguised = write_disguises(run, files)
            visited = write_resolved(run, [result.revisits for result in read], files)
            totals = {name: sum(getattr(result, name) for result in read) for name in ("documents", "words", "bytes")}
            stage.record(rows=totals["documents"], bytes=totals["bytes"])
        values = totals | {
            "rejects": rejects.rows,
            **({OTHER_TEXTS.name: others} if others else {}),
            **visited,
            "skipped": dict(sorted(skipped.items())),
            "warnings": _warnings([warning for result in read for warning in result.warnings]),
        }
        urls = describe_urls(sources, reading.base_url)
        if urls:
            values["urls"] = urls
        tables = [REJECTS.name, *([DISGUISES.name] if disguised else []), *([REVISITS.name] if visited else [])]
        run.mark(DOCUMENTS.name, tables, files=files, values=values)
        run.drop_pieces()
    run.finish(run.values(DOCUMENTS.name))


def write_disguises(run: Run, files: Sequence[str]) -> int:
    """Counts restored and hidden words by site, and writes the sites that have any; returns how many these are."""
    parts = []
    for name in files:
        if name.startswith(f"{DOCUMENTS.name}/"):
            with opened(run.path / name) as file:
                table = file.read(columns=["host", "words", "restored", "hidden"], use_threads=False)
            parts.append(table.filter(pc.greater(pc.add(table["restored"], table["hidden"]), 0)))
    found = pa.concat_tables(parts)
    if not found.num_rows:
        return 0
    found = found.set_column(0, "host", pc.fill_null(found["host"], ""))
    sums = [("host", "count"), ("words", "sum"), ("restored", "sum"), ("hidden", "sum")]
    found = found.group_by("host", use_threads=False).aggregate(sums).sort_by("host")
    columns = [found[name] for name in ("host", "host_count", "words_sum", "restored_sum", "hidden_sum")]
    with run.writer(DISGUISES.name, DISGUISES.schema) as writer:
        writer.write(pa.Table.from_arrays(columns, schema=DISGUISES.schema))
    return int(found.num_rows)


def write_resolved(run: Run, found: Sequence[pa.Table], files: Sequence[str]) -> dict[str, int]:
    """Writes the revisits with their documents; returns how many there are, and how many are documents of the corpus;
    nothing if there are none."""
    revisits = pa.concat_tables([no_revisits(), *(table.select(UNRESOLVED.names).cast(UNRESOLVED) for table in found)])
    if not revisits.num_rows:
        return {}
    parts = [run.path / name for name in files if name.startswith(f"{DOCUMENTS.name}/")]
    resolved = resolve_revisits(revisits, parts)
    with run.writer(REVISITS.name, REVISITS.schema) as writer:
        writer.write(resolved)
    return {REVISITS.name: resolved.num_rows, "revisited": resolved.num_rows - resolved["doc"].null_count}


def _warnings(found: Sequence[Warned]) -> list[str]:
    """One line for each thing to warn of, with the first file it is true of."""
    files: dict[str, list[str]] = {}
    for warning in found:
        files.setdefault(warning.what, []).append(warning.file)
    more = {what: f" and {len(names) - 1} more" if len(names) > 1 else "" for what, names in files.items()}
    return [f"{names[0]}{more[what]}: {what}" for what, names in files.items()]


def _read_pieces(
    verbs: Verbs, run: Run, sources: Sequence[Source], reading: Reading, progress: Progress
) -> tuple[list[ReadPiece], list[PieceRead]]:
    """Reads all pieces that were not read before the run was interrupted."""
    found = pieces(_indexed(verbs, run, sources, reading, progress), reading, verbs.each, run.spill)
    tasks = [_task(run, piece) for piece in found]
    sizes = [sum(part.weight for part in piece.slices) for piece in found]
    read = {number: old for number, task in enumerate(tasks) if (old := recall(task.target, task.identity)) is not None}
    missing = [number for number in range(len(tasks)) if number not in read]
    doubted = [
        CheckPiece(tasks[number].piece, result.digests)
        for number, result in read.items()
        if _is_doubted(tasks[number], result)
    ]
    for _ in verbs.each(refuse_changed, doubted):
        pass
    if read:
        known = sum(result.documents for result in read.values())
        pieces_ = f"{len(read)} of {len(tasks)} pieces {'was' if len(read) == 1 else 'were'} read before"
        progress.say(f"resuming: {pieces_}, with {known:,} document{'' if known == 1 else 's'}")
    with progress.stage("read", sum(sizes), "B") as step:
        for number, result in read.items():
            step(sizes[number], result.documents, before=True)
        for number, result in zip(missing, verbs.each(read_piece, [tasks[i] for i in missing]), strict=True):
            read[number] = result
            step(sizes[number], result.documents)
        ordered = [read[number] for number in range(len(tasks))]
        _join(verbs, tasks, ordered)
    if sum(result.documents + result.others for result in ordered) > MOST_DOCUMENTS:
        raise RunError(f"a corpus holds at most {MOST_DOCUMENTS} documents; give the inputs in several parts")
    return tasks, ordered


def _is_doubted(task: ReadPiece, read: PieceRead) -> bool:
    """Whether the system says something else of a source than when a piece of it was read."""
    now = [part.source.seen for part in task.piece.slices]
    return any(
        seen is None or seen.state != read.digests[number].state
        for number, seen in enumerate(now)
        if number in read.digests
    )


def _digested(sources: Sequence[Source], tasks: Sequence[ReadPiece], read: Sequence[PieceRead]) -> list[Source]:
    """The sources with digests, of what their readers have digested."""
    blocks: dict[Source, list[str]] = {}
    for task, result in zip(tasks, read, strict=True):
        for number, digested in sorted(result.digests.items()):
            blocks.setdefault(task.piece.slices[number].source, []).extend(digested.blocks)
    return [
        source
        if source.seen is None or source not in blocks
        else replace(source, seen=source.seen._replace(sha256=join_blocks(blocks[source])))
        for source in sources
    ]


def list_records(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Sources as a manifest has them."""
    seen = [(each, each.seen) for each in sources if each.seen is not None]
    return [InputRecord(each.name, each.size, known.sha256, known.version).describe() for each, known in seen]


def _task(run: Run, piece: Piece) -> ReadPiece:
    """The task that reads a piece of a run."""
    spill, target = run.spill, run.pieces / f"piece-{piece.number}.texts"
    identity = identify(piece, run.manifest["fingerprint"])
    return ReadPiece(piece, target, spill / f"piece-{piece.number}.note", identity=identity, spill=spill)


def _write_parts(
    verbs: Verbs, run: Run, tasks: Sequence[ReadPiece], read: Sequence[PieceRead], progress: Progress, plan: GivenPlan
) -> list[str]:
    """Makes a part of each piece with documents, and of each with other texts; returns their names."""
    writes = _number(read, run, plan)
    gone = {place for place, (write, _) in writes.items() if not write.source.exists()}
    written = {place for place in gone if is_written(*writes[place])}
    for number in sorted({number for number, _ in gone - written}):  # somebody removed the part
        task = tasks[number]
        for at, span in read[number].spans.items():
            task = _beginning(task, at, span.begin)
        (_,) = verbs.each(read_piece, [task])
    left = [write for place, (write, _) in writes.items() if place not in written]
    with progress.stage("write", len(writes)) as step:
        if written:
            step(len(written), before=True)
        for _ in verbs.each(write_part, left):
            step(1)
    return [f"{write.target.parent.name}/{write.target.name}" for write, _ in writes.values()]


def _indexed(verbs: Verbs, run: Run, sources: Sequence[Source], reading: Reading, progress: Progress) -> list[Source]:
    """The sources; gzip files that are a large part of all inputs with an index, by which they can be cut. Indices that
    were made before the run was interrupted are used as they are."""
    least = max(CUT, sum(source.size for source in sources)) // INDEXED_SHARE
    large = [source for source in sources if source.compression == "gzip" and source.kind == "jsonl"]
    # To index a file is to read it once more, which would cost twice as much at a store.
    large = [source for source in large if source.size >= least and not is_url(source.path)]
    kept = [(index_path(run.pieces, number), f"{run.manifest['fingerprint']} {number}") for number in range(len(large))]
    found = {s: replace(s, index=old) for s, place in zip(large, kept, strict=True) if (old := recall_index(*place))}
    missing = [(source, place) for source, place in zip(large, kept, strict=True) if source not in found]
    with progress.stage("index", sum(source.size for source in large), "B") as step:
        for source in found:
            step(source.size, before=True)
        bounds = reading.limits.bounds
        paths = [source.path for source, _ in missing]
        longest = max((source.size for source in large), default=0) / INDEXING_SPEED
        bounds = bounds._replace(deadline=bounds.deadline + longest)
        indices = each_guarded(verbs.each, partial(index, span=CUT), paths, bounds, run.spill, 1)
        for (source, place), made in zip(missing, indices, strict=True):
            if not isinstance(made, Blame):
                keep_index(made, *place, run.spill)
                found[source] = replace(source, index=made)
            step(source.size)
    return [found.get(source, source) for source in sources]


def _join(verbs: Verbs, tasks: list[ReadPiece], read: list[PieceRead]) -> None:
    """Reads slices again that began in the wrong place: each must begin where the one before it in the file ended.

    A slice that begins inside a record looks for the next one, and can be fooled by an archive within a record. Where a
    slice ends is no guess: it follows from its records, and so on back to the beginning of the file.
    """
    source, end = None, 0
    for number, at in _slices(tasks):
        part, span = tasks[number].piece.slices[at], read[number].spans.get(at)
        if span is None or part.source != source:
            source, end = (None, 0) if span is None else (part.source, span.end)
            continue
        begin = min(end, _stop(part))
        if span.begin != begin:
            tasks[number] = _beginning(tasks[number], at, begin)
            (read[number],) = verbs.each(read_piece, [tasks[number]])
            span = read[number].spans[at]
        end = max(end, span.end)


def _slices(tasks: Sequence[ReadPiece]) -> Iterator[tuple[int, int]]:
    """All slices: the number of the task, and that of the slice in its piece. Tasks may be replaced meanwhile."""
    return ((number, at) for number in range(len(tasks)) for at in range(len(tasks[number].piece.slices)))


def _stop(part: Slice) -> int:
    return part.source.size if part.end is None else part.end


def _beginning(task: ReadPiece, at: int, begin: int) -> ReadPiece:
    """The task, but one of its slices begins exactly at `begin`. It is noted as the piece that it was cut as."""
    slices = list(task.piece.slices)
    slices[at] = replace(slices[at], begin=begin, exact=True)
    return replace(task, piece=replace(task.piece, slices=tuple(slices)))


def _number(read: Sequence[PieceRead], run: Run, plan: GivenPlan) -> dict[tuple[int, str], tuple[WritePart, int]]:
    """The tasks that write a part for each piece with documents, and how many these are, by the piece's number; the
    numbers of its documents follow those of the part before. Other texts come behind all documents, so that the numbers
    of these are the same without them."""
    writes: dict[tuple[int, str], tuple[WritePart, int]] = {}
    first = 0
    pages = [(result.path, result.documents) for result in read]
    others = [(others_path(result.path), result.others) for result in read]
    for name, sources in ((DOCUMENTS.name, pages), (OTHER_TEXTS.name, others)):
        folder, parts = run.path / name, 0
        for number, (source, documents) in enumerate(sources):
            if documents:
                make_folder(folder)
                task = WritePart(source, folder / f"part-{parts:05}.parquet", first, run.spill, plan)
                writes[number, name] = task, documents
                parts, first = parts + 1, first + documents
    return writes
