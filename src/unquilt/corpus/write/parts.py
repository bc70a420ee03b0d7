"""The corpus at rest: documents in Parquet parts, numbered in the order of the inputs.

Numbers need the counts of all earlier pieces. So each piece is read into a file that is a part but for its numbers
(`read_piece`), and once all are counted, this file becomes the part (`write_part`, see `numbering`): texts are written
once. At a store, where nothing can be changed or renamed, they are copied as they are packed. Both run in any process,
in any order, and always write the same bytes. What is complete outlives an interruption: pieces by their notes
(`results`), parts as they are. A row group is a batch of about 8 MiB of text: what one task of an analysis reads.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unquilt.columns import measure
from unquilt.corpus.find.identity import changed, is_as_seen, unchanged
from unquilt.corpus.find.pieces import Piece
from unquilt.corpus.given import GivenColumns, GivenPlan
from unquilt.corpus.read import FINDING_SPEED, PieceReader
from unquilt.corpus.write.given import ChunkReader, GivenChunk, write_chunk
from unquilt.corpus.write.numbering import UNNUMBERED, TextsBeside, TextsFile, number_texts, open_texts, read_said
from unquilt.corpus.write.results import Digested, PieceRead, given_path, note_path, others_path, said_path, vouch
from unquilt.corpus.write.revisits import list_revisits, no_revisits
from unquilt.errors import EngineError, UnquiltError
from unquilt.guard import Guard, Inquest, Place
from unquilt.parquet import opened, seal_footer
from unquilt.remote.files import RangedFile
from unquilt.remote.names import is_url
from unquilt.runs import created, storing
from unquilt.runs.digests import digest_blocks
from unquilt.runs.storage import publish
from unquilt.tables.corpus import DOCUMENTS, REJECTS

_MEASURING = Place(-1, 0)
"""The place of work on many texts at once; it cannot be left out."""

_COPIED_AT_ONCE = 8 << 20


@dataclass(frozen=True)
class ReadPiece:
    """A task: read a piece into a file; with a note, in a process that may be lost (see `guard`).

    With an `identity` (see `results`), it is also noted that the piece was read. `spill` is where files are before they
    are complete; without it, beside the target.
    """

    piece: Piece
    target: Path
    note: Path | None = None
    inquest: Inquest = field(default_factory=Inquest)
    identity: str = ""
    spill: Path | None = None

    def retry(self, code: int) -> ReadPiece:
        """What to do after a process was lost over this."""
        bounds = self.piece.reading.limits.bounds
        return replace(self, inquest=self.inquest.after(self.note, code, bounds, self.piece.name))


def read_piece(task: ReadPiece) -> PieceRead:
    """Reads a piece, measures its texts and leaves them in an Arrow file.

    Checks that nothing got lost on the way: what was found is in the file, in the rejects, or was skipped.
    """
    with storing(task.target):
        if task.identity:
            note_path(task.target).unlink(missing_ok=True)  # of an earlier reading of the piece
        guard = Guard(task.note, task.piece.reading.limits.bounds, task.inquest)
    reader = PieceReader(task.piece, guard)
    sources = [part.source for part in task.piece.slices]
    if task.identity:
        unchanged(sources)
    digests = digest_slices(task.piece) if task.identity else {}
    read = replace(_read_into(task, reader, guard), digests=digests)
    if reader.seen != read.documents + read.others + read.rejects.num_rows + read.skipped.total():
        documents = read.documents + read.others
        kept = f"{documents} documents, {read.rejects.num_rows} rejects and {read.skipped.total()} skipped"
        raise EngineError(f"{task.piece.name}: {reader.seen} records were seen, but {kept}: a fault of unquilt")
    if task.identity:
        unchanged(sources)
        if not all(map(is_as_seen, sources)):  # such as a file that got another link
            refuse_changed(CheckPiece(task.piece, digests))
        vouch(read, task.identity, task.spill or task.target.parent)
    return read


def digest_slices(piece: Piece) -> dict[int, Digested]:
    """The digests of the shares of sources that the readers of these slices digest, where none are known."""
    found = {}
    for number, part in enumerate(piece.slices):
        seen = part.source.seen
        if seen is not None and seen.state and not seen.sha256:
            try:
                found[number] = Digested(seen.state, tuple(digest_blocks(part.source.path, *part.list_blocks())))
            except OSError as error:
                raise changed(part.source) from error
    return found


@dataclass(frozen=True)
class CheckPiece:
    """A task: see whether the sources of a piece have the bytes that they had when it was read."""

    piece: Piece
    digests: dict[int, Digested]


def refuse_changed(task: CheckPiece) -> None:
    """Raise `InputChangedError` if a source has other bytes."""
    now = digest_slices(task.piece)
    for number, digested in task.digests.items():
        if number not in now or now[number].blocks != digested.blocks:
            raise changed(task.piece.slices[number].source)


def _read_into(task: ReadPiece, reader: PieceReader, guard: Guard) -> PieceRead:
    rejects = []
    skipped: Counter[str] = Counter()
    given, revisits = GivenColumns(), [no_revisits()]
    # What cannot be read raises an InputError; so any OSError is about the target.
    with _written(task, task.target) as pages, _written(task, others_path(task.target), on_demand=True) as others:
        for batch in reader.batches():
            rejects.append(batch.rejects)
            skipped.update(batch.skipped)
            revisits += [list_revisits(batch.revisits)] if batch.revisits else []
            pages.write(batch.documents, batch.given, guard)
            others.write(batch.others, batch.others_given, guard)
            for chunk in (*batch.given, *batch.others_given):
                given.meet(chunk.listed, chunk.file, task.piece.reading)
    table = pa.Table.from_batches(rejects, schema=rejects[0].schema) if rejects else REJECTS.schema.empty_table()
    return PieceRead(
        task.target,
        pages.documents,
        pages.words,
        pages.size,
        table.cast(REJECTS.schema),
        skipped,
        reader.spans,
        reader.warnings,
        others.documents,
        given.to_schema(),
        pa.concat_tables(revisits),
    )


class _Written:
    """A file of documents in the making, and what is in it."""

    def __init__(self, stack: ExitStack, target: Path, spill: Path) -> None:
        self._stack, self._target, self._spill = stack, target, spill
        self._texts: TextsFile | None = None
        self._given: BinaryIO | None = None
        self.documents = self.words = self.size = 0

    def begin(self) -> TextsFile:
        """The file, which is there, whole, when the stack is left."""
        if self._texts is None:
            file = self._stack.enter_context(created(self._target, spill=self._spill))
            self._texts = self._stack.enter_context(TextsFile(file))
        return self._texts

    def end(self) -> None:
        """End the file, if there is one, and note what is in it."""
        if self._texts is not None:
            said = self._texts.end()
            with created(said_path(self._target), spill=self._spill) as file:
                file.write(said)

    def write(self, found: pa.RecordBatch, given: Sequence[GivenChunk], guard: Guard) -> None:
        """Measures texts, and writes them and the columns beside them."""
        if found.num_rows == 0:
            return
        texts, seen = found.column("text"), found.column("seen")
        seen = texts if seen.null_count == len(seen) else pc.coalesce(seen, texts)
        counts, sequences = guard.run(_MEASURING, partial(measure, seen), seen.nbytes / FINDING_SPEED)
        columns = dict(zip(found.schema.names, found.columns, strict=True))
        columns |= {"words": counts, "sequence": sequences}
        self.begin().write(pa.Table.from_arrays([columns[name] for name in UNNUMBERED.names], schema=UNNUMBERED))
        self._write_given(given)
        self.documents += found.num_rows
        self.words += sum(counts.to_pylist())
        self.size += texts.nbytes

    def _write_given(self, given: Sequence[GivenChunk]) -> None:
        """Writes the columns of a batch. There is a file if any batch has some."""
        if self._given is None and any(chunk.columns is not None for chunk in given):
            target = given_path(self._target)
            self._given = self._stack.enter_context(created(target, spill=self._spill))
            if self.documents:
                write_chunk(self._given, GivenChunk(self.documents, None, pa.schema([])))
        if self._given is not None:
            for chunk in given:
                write_chunk(self._given, chunk)


@contextmanager
def _written(task: ReadPiece, target: Path, *, on_demand: bool = False) -> Iterator[_Written]:
    """A file for documents; `on_demand`, there is none if there are no documents, nor one of an earlier reading."""
    with ExitStack() as stack:
        file = _Written(stack, target, task.spill or target.parent)
        if on_demand:
            with storing(target):
                target.unlink(missing_ok=True)
        else:
            file.begin()
        with storing(target):
            for beside in (given_path(target), said_path(target)):
                beside.unlink(missing_ok=True)
        yield file
        file.end()


@dataclass(frozen=True)
class WritePart:
    """A task: write a part whose first document has this number."""

    source: Path
    target: Path
    first: int
    spill: Path | None = None
    plan: GivenPlan = field(default_factory=GivenPlan)

    def __str__(self) -> str:
        return str(self.target)


def write_part(task: WritePart) -> int:
    """Makes a part of the corpus of what `read_piece` left, and takes that away; returns the part's size in bytes."""
    with storing(task.target):
        with suppress(FileNotFoundError):  # another attempt was quicker
            if is_url(task.source):
                _copy(task)
            else:
                descriptor = os.open(task.source, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
                with os.fdopen(descriptor, "r+b") as file:
                    _number(task, file)
                publish(task.source, task.target)
        size = task.target.stat().st_size
        for path in (task.source, given_path(task.source), said_path(task.source)):
            path.unlink(missing_ok=True)
        return size


def _copy(task: WritePart) -> None:
    """Where nothing can be changed: the part as another file."""
    with created(task.target) as file, RangedFile(str(task.source)) as source:
        while content := source.read(_COPIED_AT_ONCE):
            file.write(content)
        file.flush()
        _number(task, file)


def _number(task: WritePart, file: BinaryIO) -> None:
    """Give the documents of a file their numbers and further columns."""
    texts = TextsBeside(file, read_said(said_path(task.source)))
    with ChunkReader(given_path(task.source)) as given:
        task.source.stat()  # FileNotFoundError if it is gone: then what is beside it may have been gone, too
        place = partial(_place, task.plan, given)
        number_texts(file, texts, task.first, task.plan.extend(DOCUMENTS.schema), place)


class PartWriter:
    """Writes row groups of a part whose documents are numbered from `first` on."""

    def __init__(self, writer: pq.ParquetWriter, first: int) -> None:
        self._writer, self._next = writer, first

    def write(self, columns: Sequence[pa.Array], extra: Sequence[pa.Array | pa.ChunkedArray]) -> None:
        """A row group: the columns of documents but their numbers, and those that inputs gave beside them."""
        rows = len(columns[0])
        docs = pa.array(range(self._next, self._next + rows), pa.int64())
        numbered = pa.Table.from_arrays([docs, *columns, *extra], schema=self._writer.schema)
        self._writer.write_table(numbered, row_group_size=max(1, rows))
        self._next += rows


@contextmanager
def written_part(target: Path, first: int, plan: GivenPlan, spill: Path) -> Iterator[PartWriter]:
    """A part in the making; the file is there, whole, after the block."""
    with created(target, spill=spill) as file:
        with open_texts(file, plan.extend(DOCUMENTS.schema)) as writer:
            yield PartWriter(writer, first)
        seal_footer(file)


def _place(plan: GivenPlan, given: ChunkReader, number: int, texts: TextsBeside) -> list[pa.ChunkedArray]:
    """The further columns of a row group."""
    first, placed = 0, []
    documents = texts.read(number, plan.same or UNNUMBERED.names[:1])
    for rows, columns in given.read(documents.num_rows):
        placed.append(plan.place(columns, documents.slice(first, rows)))
        first += rows
    return [
        pa.chunked_array(parts, kind.type) for parts, kind in zip(zip(*placed, strict=True), plan.extra, strict=False)
    ]


class Numbered(Protocol):
    """A task that writes a part of a corpus."""

    @property
    def target(self) -> Path: ...
    @property
    def first(self) -> int: ...


def is_written(task: Numbered, documents: int) -> bool:
    """Whether the part is there, as an interrupted run left it: whole, with so many documents and the right numbers."""
    if task.target.is_symlink():
        return False
    try:
        with opened(task.target) as file:
            if file.metadata.num_rows != documents:
                return False
            first = file.read_row_group(0, columns=["doc"]).column("doc")[0].as_py()
            return bool(first == task.first)
    except (UnquiltError, OSError, pa.ArrowException, IndexError):
        return False
