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
from pathlib import Path

from unquilt.corpus.find.inputs import unchanged
from unquilt.corpus.find.pieces import CUT, pieces
from unquilt.corpus.options import Reading
from unquilt.corpus.readers.compression import index
from unquilt.corpus.records import Warned
from unquilt.corpus.sources import Slice, Source
from unquilt.corpus.write.parts import PieceRead, ReadPiece, WritePart, read_piece, write_part
from unquilt.engines.forker import preload
from unquilt.engines.progress import Progress
from unquilt.errors import RunError
from unquilt.flow.verbs import Verbs
from unquilt.guard import Blame, each_guarded
from unquilt.runs import Run
from unquilt.runs.storage import make_folder
from unquilt.tables import DOCUMENTS, REJECTS

preload(read_piece.__module__)

MOST_DOCUMENTS = (1 << 32) - 1
INDEXED_SHARE = 16
"""A compressed file gets an index, which costs a pass over it, if it is at least one in so many bytes of all inputs."""
INDEXING_SPEED = 1 << 20
"""How many bytes of a gzip file are surely indexed in a second of processor time; decoded, they may be a thousand times
as many."""


def read_into(verbs: Verbs, run: Run, sources: Sequence[Source], reading: Reading, progress: Progress) -> None:
    """Reads sources into the folder of a run: the tables `documents` and `rejects`."""
    if not run.done(DOCUMENTS.name):
        with run.stage(DOCUMENTS.name) as stage:
            read = _read_pieces(verbs, run, sources, reading, progress)
            unchanged(sources)
            writes = _number(read, run.path / DOCUMENTS.name)
            with progress.stage("write", len(writes)) as step:
                for write, _ in zip(writes, verbs.each(write_part, writes), strict=True):
                    write.source.unlink()
                    step(1)
            with run.writer(REJECTS.name, REJECTS.schema) as rejects:
                for result in read:
                    rejects.write(result.rejects)
            totals = {name: sum(getattr(result, name) for result in read) for name in ("documents", "words", "bytes")}
            stage.record(rows=totals["documents"], bytes=totals["bytes"])
        files = [f"{DOCUMENTS.name}/{write.target.name}" for write in writes]
        skipped = sum((result.skipped for result in read), Counter[str]())
        values = totals | {
            "rejects": rejects.rows,
            "skipped": dict(sorted(skipped.items())),
            "warnings": _warnings([warning for result in read for warning in result.warnings]),
        }
        run.mark(DOCUMENTS.name, [REJECTS.name], files=files, values=values)
    run.finish(run.values(DOCUMENTS.name))


def _warnings(found: Sequence[Warned]) -> list[str]:
    """One line for each thing to warn of, with the first file it is true of."""
    files: dict[str, list[str]] = {}
    for warning in found:
        files.setdefault(warning.what, []).append(warning.file)
    more = {what: f" and {len(names) - 1} more" if len(names) > 1 else "" for what, names in files.items()}
    return [f"{names[0]}{more[what]}: {what}" for what, names in files.items()]


def _read_pieces(
    verbs: Verbs, run: Run, sources: Sequence[Source], reading: Reading, progress: Progress
) -> list[PieceRead]:
    spill = run.spill
    found = pieces(_indexed(verbs, sources, reading, progress, spill), reading, verbs.each, spill)
    tasks = [
        ReadPiece(piece, spill / f"piece-{piece.number}.arrow", spill / f"piece-{piece.number}.note") for piece in found
    ]
    sizes = [sum(part.weight for part in piece.slices) for piece in found]
    read: list[PieceRead] = []
    with progress.stage("read", sum(sizes), "B") as step:
        for size, result in zip(sizes, verbs.each(read_piece, tasks), strict=True):
            read.append(result)
            step(size, result.documents)
        _join(verbs, tasks, read)
    if sum(result.documents for result in read) > MOST_DOCUMENTS:
        raise RunError(f"a corpus holds at most {MOST_DOCUMENTS} documents; give the inputs in several parts")
    return read


def _indexed(
    verbs: Verbs, sources: Sequence[Source], reading: Reading, progress: Progress, notes: Path | None
) -> list[Source]:
    """The sources; gzip files that are a large part of all inputs with an index, by which they can be cut."""
    least = max(CUT, sum(source.size for source in sources)) // INDEXED_SHARE
    large = [source for source in sources if source.compression == "gzip" and source.kind == "jsonl"]
    large = [source for source in large if source.size >= least]
    found = dict[Source, Source]()
    with progress.stage("index", sum(source.size for source in large), "B") as step:
        bounds = reading.limits.bounds
        paths = [source.path for source in large]
        longest = max((source.size for source in large), default=0) / INDEXING_SPEED
        indices = each_guarded(
            verbs.each, partial(index, span=CUT), paths, bounds._replace(deadline=bounds.deadline + longest), notes, 1
        )
        for source, made in zip(large, indices, strict=True):
            found[source] = source if isinstance(made, Blame) else replace(source, index=made)
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
    """The task, but one of its slices begins exactly at `begin`."""
    slices = list(task.piece.slices)
    slices[at] = replace(slices[at], begin=begin, exact=True)
    return replace(task, piece=replace(task.piece, slices=tuple(slices)))


def _number(read: Sequence[PieceRead], folder: Path) -> list[WritePart]:
    """The tasks that write a part for each piece with documents; its numbers follow those of the part before."""
    make_folder(folder)
    writes: list[WritePart] = []
    first = 0
    for result in read:
        if result.documents:
            writes.append(WritePart(result.path, folder / f"part-{len(writes):05}.parquet", first))
        first += result.documents
    return writes
