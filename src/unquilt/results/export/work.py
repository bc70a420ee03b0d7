"""Exporting: which rows, in which format, to which place.

Memory: a row group (of Parquet, two). Time: that of reading, compressing and writing, in one process.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import pyarrow as pa

from unquilt.analyses.catalogue import find_function, find_table, jobs
from unquilt.engines.progress import Progress, Silent, Step
from unquilt.errors import Advice, ParameterError
from unquilt.jobs.audit import ALARM
from unquilt.jobs.places import choose_place
from unquilt.remote.folders import refuse_read_only
from unquilt.remote.names import is_url, localise
from unquilt.remote.paths import place as place_of
from unquilt.results.annotating import AnnotatedDocuments
from unquilt.results.cleaning import REPEATS, CleanedDocuments
from unquilt.results.export.formats import FileFormat
from unquilt.results.export.places import list_inputs, one_file, open_parts, refuse_existing
from unquilt.results.folders import RunFolder
from unquilt.results.given import choose_columns
from unquilt.results.keeping import KeptDocuments, refuse_alarms
from unquilt.results.passages import list_detections
from unquilt.results.rows import RowsPiece, Selection, TableRows, arrange
from unquilt.results.trimming import TrimmedDocuments
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.passages import PASSAGES

STDOUT = "-"
PAN = "pan"
"""The format of passages in PAN's shared task: a folder of XML files."""
PART_ROWS = 100_000
"""Rows of the table that a part of a folder is chosen from, at least."""


@dataclass(frozen=True)
class Export:
    """What to export: the documents that a run keeps (`kept`) or drops (`dropped`), or all `without` what is repeated
    in them (`keep_first`: but where it first stands), or any `table` with ids and URLs; `ids` alone; of quilts and
    passages, also their `evidence`. `raw_cells` leaves texts in CSV as they are, though a spreadsheet may run them.
    Where repeats are taken out, `mask` stands in their place, and `empty` keeps documents of which nothing is left.
    Kept documents are not written over alarms (a group that loses more than `alarm` of its documents, …) unless these
    are accepted. `annotate` gives all documents, with what the run says of each as columns."""

    table: str = ""
    kept: bool = False
    dropped: bool = False
    ids: bool = False
    evidence: bool = False
    without: tuple[str, ...] = ()
    keep_first: bool = False
    raw_cells: bool = False
    mask: str | None = None
    empty: bool = False
    alarm: float = ALARM
    accept: bool = False
    annotate: bool = False
    selection: Selection = field(default_factory=Selection)

    def open(self, folder: RunFolder, *, in_parts: bool = False) -> TableRows:
        """The rows that are meant, in the order in which people see them; ParameterError if that makes no sense.

        Parts of a folder are in the order of the table: an export that was interrupted goes on behind those that are
        there.
        """
        selection = self.selection
        if self.kept and self.dropped:
            raise ParameterError("kept and dropped together are all documents: export the table documents")
        if self.ids:
            if selection.columns:
                raise ParameterError("choose either ids or columns, not both")
            selection = replace(selection, columns=("id",))
        if (self.mask is not None or self.empty) and REPEATS not in self.without:
            raise ParameterError("mask and empty need without=repeats")
        if self.keep_first and not self.without:
            raise ParameterError("keep_first needs without=objects")
        if self.annotate:
            if self.table not in ("", DOCUMENTS.name) or self.evidence or self.kept or self.dropped or self.without:
                raise ParameterError("annotate writes all documents; leave out table, kept, dropped and without")
            return AnnotatedDocuments(folder, selection)
        if self.without:
            if self.table not in ("", DOCUMENTS.name) or self.evidence or self.kept or self.dropped:
                raise ParameterError("without writes all documents; leave out table, kept and dropped")
            if REPEATS in self.without:
                return self._open_cleaned(folder, selection)
            return TrimmedDocuments(folder, self.without, selection, keep_first=self.keep_first)
        if self.kept or self.dropped:
            if self.table not in ("", DOCUMENTS.name) or self.evidence:
                raise ParameterError("kept and dropped export documents; leave out the name of a table")
            if self.kept and not self.accept:
                refuse_alarms(folder, self.alarm)
            return KeptDocuments(folder, selection, keep=self.kept)
        if not self.table:
            there = ", ".join(sorted(folder.tables))
            raise ParameterError(
                f"say what to export: one of the tables {there}",
                advice=Advice(
                    "or kept=True, for the documents that are kept", "or --kept, for the documents that are kept"
                ),
            )
        folder.table(self.table)  # an error if there is none
        if self.table == DOCUMENTS.name and not selection.columns:
            selection = replace(selection, columns=choose_columns(folder.tables[DOCUMENTS.name]))
        arranged = arrange(folder, self.table, selection, hidden=True)
        resumes = in_parts and selection.limit is None
        selection = replace(arranged, sort=selection.sort) if resumes else arranged
        if self.evidence:
            return self._open_with_evidence(folder, selection)
        rows = TableRows(folder, self.table, selection)
        rows.as_given = self.table == DOCUMENTS.name
        return rows

    def _open_cleaned(self, folder: RunFolder, selection: Selection) -> TableRows:
        if self.without != (REPEATS,) or self.keep_first:
            raise ParameterError(
                "the run of repeats decided which text is repeated and which copy stays; leave out the other options"
            )
        return CleanedDocuments(folder, selection, mask=self.mask, empty=self.empty)

    def _open_with_evidence(self, folder: RunFolder, selection: Selection) -> TableRows:
        known = find_table(self.table)
        if known is not None and known.with_evidence:
            rows: TableRows = find_function(known.with_evidence)(folder, self.table, selection)
            return rows
        if known is None or not known.texts:
            some = sorted({table.name for job in jobs() for table in job.tables if table.with_evidence or table.texts})
            raise ParameterError(f"{self.table} has no evidence; these tables have: {', '.join(some)}")
        if DOCUMENTS.name not in folder.tables:
            raise ParameterError(f"the corpus of {folder.run.path} is not found, so there are no texts")
        places = [name for place in known.texts.values() for name in place]
        columns = dict.fromkeys([*selection.columns, *places, *known.texts])
        return TableRows(folder, self.table, replace(selection, columns=tuple(columns)))

    def name(self) -> str:
        """What rows are called."""
        if self.without:
            return f"documents without {' and '.join(self.without)}"
        if self.annotate:
            return "annotated documents"
        return "kept documents" if self.kept else "dropped documents" if self.dropped else self.table


@dataclass(frozen=True)
class Exported:
    """What was written: how many rows, in which format, to which place (None for standard output)."""

    path: Path | None
    rows: int
    format: str
    parts: int | None = None


def export(
    folder: RunFolder,
    what: Export,
    output: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write rows of a run to a file, to a folder of parts (a name that ends with /, or a folder that is there), or to
    standard output (-)."""
    if format == PAN:
        return _write_pan(folder, what, output, overwrite=overwrite)
    output = localise(output)
    if is_url(output):
        refuse_read_only(str(output))
    into_folder = str(output) != STDOUT and (str(output).endswith("/") or place_of(output).is_dir())
    rows = what.open(folder, in_parts=into_folder)
    if str(output) == STDOUT:
        return _write_stdout(rows, replace(FileFormat.of(format or "jsonl"), raw_cells=what.raw_cells))
    written = (
        FileFormat.of(format) if format else FileFormat("parquet") if into_folder else FileFormat.guess(Path(output))
    )
    if written is None:
        advice = Advice(
            "or say format=…, or end it with / for a folder of parts",
            "or say --format, or end it with / for a folder of parts",
        )
        raise ParameterError(
            f"{output}: end its name with the format, such as .jsonl.gz, .csv or .parquet", advice=advice
        )
    written = replace(written, raw_cells=what.raw_cells)
    place = _choose_place(folder, output)
    refuse_existing(place, overwrite=overwrite, folder=into_folder)
    pieces = rows.pieces(PART_ROWS if into_folder else 1)
    with (progress or Silent()).stage("export", sum(piece.rows for piece in pieces)) as step:
        if into_folder:
            return _write_parts(rows, pieces, place, written, _identify(folder, what, written.name), step)
        with one_file(place) as file, written.writer(file, rows.schema) as sink:
            count = 0
            for piece in pieces:
                for batch in piece.read():
                    sink.write(batch)
                    count += batch.num_rows
                step(piece.rows)
    return Exported(place, count, written.name)


def _choose_place(folder: RunFolder, output: str | Path) -> Path:
    """Where it goes: not over what the run was made of."""
    corpus = folder.corpus or folder.run
    inputs: list[str | Path] = [
        folder.run.path,
        corpus.path,
        *list_inputs(folder.run.manifest),
        *list_inputs(corpus.manifest),
    ]
    return choose_place(str(output).rstrip("/") or output, inputs)


def _write_pan(folder: RunFolder, what: Export, output: str | Path, *, overwrite: bool) -> Exported:
    """Passages as PAN's XML: a folder with a file for each pair of documents."""
    if what.table != PASSAGES.name or what.evidence or what.ids:
        raise ParameterError("the format pan is for passages: export the table passages, without evidence and ids")
    if str(output) == STDOUT:
        raise ParameterError("the format pan is a folder of files; name one that ends with /")
    folder.table(PASSAGES.name)
    place = _choose_place(folder, output)
    refuse_existing(place, overwrite=overwrite, folder=True)
    identity = _identify(folder, what, PAN)
    with open_parts(place, identity) as parts:
        made: list[dict[str, Any]] = []
        for name, content, rows in list_detections(folder, what.selection):
            with one_file(parts.making / name) as file:
                file.write(content)
            made.append({"file": name, "rows": rows, "bytes": len(content)})
        parts.complete(made)
    return Exported(place, sum(part["rows"] for part in made), PAN, len(made))


def _identify(folder: RunFolder, what: Export, written: str) -> dict[str, object]:
    """What tells one export from another; a part of one is no part of the other."""
    asked = asdict(what)
    digest = hashlib.sha256(repr(sorted(asked.items())).encode()).hexdigest()
    corpus = folder.corpus.manifest["fingerprint"] if folder.corpus else None
    run = {"run": folder.run.manifest["fingerprint"], "finished": folder.run.manifest.get("finished"), "corpus": corpus}
    return {"unquilt": "export", **run, "what": what.name(), "format": written, "asked": digest}


def _write_parts(
    rows: TableRows,
    pieces: Sequence[RowsPiece],
    place: Path,
    written: FileFormat,
    identity: dict[str, object],
    step: Step,
) -> Exported:
    with open_parts(place, identity) as folder:
        parts = []
        for number, piece in enumerate(pieces):
            name = f"part-{number:05}.{written.name}"
            known = folder.find(name)
            done = known is not None
            if known is None:
                known = folder.note(name, _write_part(piece.read(), folder.making / name, written, rows.schema))
            parts.append(known)
            step(piece.rows, before=done)
        folder.complete(parts)
    return Exported(place, sum(part["rows"] for part in parts), written.name, sum(1 for part in parts if part["rows"]))


def _write_part(batches: Iterator[pa.Table], path: Path, written: FileFormat, schema: pa.Schema) -> int:
    """Write a part; none if there are no rows for it. Returns how many there are."""
    first = next(batches, None)
    if first is None:
        return 0
    rows: int = first.num_rows
    with one_file(path) as file, written.writer(file, schema) as sink:
        sink.write(first)
        for batch in batches:
            sink.write(batch)
            rows += batch.num_rows
    return rows


def _write_stdout(rows: TableRows, written: FileFormat) -> Exported:
    if written.kind == "parquet" or (written.packing and sys.stdout.isatty()):
        raise ParameterError(f"{written.name} cannot go to standard output; name a file")
    out = sys.stdout
    file = cast(BinaryIO, _Terminal(out)) if out.isatty() else out.buffer
    count = 0
    with written.writer(file, rows.schema) as sink:
        for batch in rows:
            sink.write(batch)
            count += batch.num_rows
    out.flush()
    return Exported(None, count, written.name)


class _Terminal:
    """A terminal, which is shown nothing that it might obey."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, lines: bytes) -> None:
        text = lines.decode()
        shown = (
            char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode() for char in text
        )
        self._out.write("".join(shown))
