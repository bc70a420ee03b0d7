"""A run as Python has it: its tables in memory or in batches, with names, chosen and sorted; its corpus; files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from unquilt.errors import RunError
from unquilt.jobs.audit import ALARM
from unquilt.jobs.places import TABLE
from unquilt.results.export import Export, Exported, export
from unquilt.results.folders import RunFolder
from unquilt.results.keeping import KeptDocuments, refuse_alarms
from unquilt.results.rows import Selection, TableRows
from unquilt.runs import Run
from unquilt.tables.corpus import DOCUMENTS


class ReadableRun(Run):
    """A run or corpus folder: `run.quilts` is its table `quilts`, `run.manifest` says how it was made.

    `run.table(name, …)` gives a table with names, or some rows of it, `run.scan(name, …)` the same in batches,
    `run.documents` the pages that the run was made from, `run.corpus` the corpus that they are in; `run.export(…)`
    writes any of it to files.

    >>> import unquilt as uq
    >>> pages = pa.table({"id": ["a", "b", "c"], "text": ["one two three"] * 2 + ["four"]})
    >>> run = uq.neardups(pages)
    >>> run.table("clusters", names=True, columns=["id", "cluster_id"], where="not keep").to_pylist()
    [{'id': 'b', 'cluster_id': 'a'}]
    >>> run.documents.column("words").to_pylist()
    [3, 3, 1]
    """

    @classmethod
    def of(cls, run: Run) -> Self:
        """The same run, to be read."""
        return cls(run.path, run.manifest)

    @property
    def corpus(self) -> ReadableRun:
        """The corpus that the run was made from, in its folder or elsewhere; a corpus is its own."""
        found = RunFolder(self).corpus
        if found is None:
            raise RunError(
                f"{self.path}: its corpus is not found: not in the run folder, not beside it, not where it was"
            )
        return ReadableRun.of(found)

    @property
    def documents(self) -> pa.Table:
        """The documents that the run was made from, all columns, in memory; `scan("documents", …)` takes less."""
        return self.table(DOCUMENTS.name)

    def table(
        self,
        name: str,
        *,
        names: bool = False,
        columns: Sequence[str] = (),
        where: str | None = None,
        sort: str | Sequence[str] = (),
        limit: int | None = None,
    ) -> pa.Table:
        """A table of the run, or of its corpus, in memory.

        With `names`, there are ids and URLs beside numbers of documents: `id` and `url` of `doc`, `X_id` and `X_url` of
        any other column X. `columns`, `where` (a condition in SQL, over the columns and over the id, url, host and
        domain of documents), `sort` ("host,-words": by host, then the longest first) and `limit` choose from it.
        """
        selection = Selection(columns, where, sort, limit)
        if selection == Selection() and not names and name in self.tables:
            return super().table(name)
        rows = self._rows(name, selection, names=names)
        return pa.concat_tables([rows.schema.empty_table(), *rows])

    def scan(
        self,
        name: str,
        *,
        names: bool = False,
        columns: Sequence[str] = (),
        where: str | None = None,
        sort: str | Sequence[str] = (),
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """The same in batches, of which one at a time is in memory: for tables that are larger than it."""
        rows = self._rows(name, Selection(columns, where, sort, limit), names=names)
        return pa.RecordBatchReader.from_batches(rows.schema, _batches(rows))

    def export(
        self,
        output: str | Path,
        table: str = "",
        *,
        kept: bool = False,
        dropped: bool = False,
        ids: bool = False,
        evidence: bool = False,
        without: str | Sequence[str] = (),
        keep_first: bool = False,
        raw_cells: bool = False,
        mask: str | None = None,
        empty: bool = False,
        alarm: float = ALARM,
        accept: bool = False,
        annotate: bool = False,
        columns: Sequence[str] = (),
        where: str | None = None,
        sort: str | Sequence[str] = (),
        limit: int | None = None,
        format: str | None = None,  # noqa: A002
        overwrite: bool = False,
    ) -> Exported:
        """Writes the documents that the run keeps (`kept`) or drops (`dropped`), or a table with names, to a file.

        `output` is a file whose name ends with the format (.jsonl, .csv, .txt, each also .gz or .zst; .parquet), a
        folder (a name that ends with /), or - for standard output. A file is there when it is complete, or not at all.
        `ids` gives these alone, `evidence` adds text, sources and copied passages to `quilts`, both texts to
        `passages`; `without="objects"` writes the documents without the paragraphs and files that a run of reuse found
        (`keep_first`: all but the first of each); `without="repeats"`, without the text that a run of repeats takes out
        (`mask` stands in its place, `empty` keeps documents of which nothing is left); the rest is as in
        `table`. Kept documents are not written if a group of `audit` loses more than the share `alarm`, unless you
        `accept` that. `annotate` writes all documents, with `keep`, `duplicate_of` and `similarity`, `quilt`, or
        `reused_share` as columns. `format="pan"` makes a folder of XML files of `passages`. In CSV, texts that a
        spreadsheet would run as a formula get an apostrophe, unless `raw_cells`.

        >>> import tempfile, unquilt as uq
        >>> run = uq.neardups(pa.table({"id": ["a", "b"], "text": ["one two three"] * 2}))
        >>> place = Path(tempfile.mkdtemp()) / "kept.jsonl"
        >>> run.export(place, kept=True).rows, place.read_text()
        (1, '{"id":"a","text":"one two three"}\\n')
        """
        selection = Selection(columns, where, sort, limit)
        taken = (without,) if isinstance(without, str) else tuple(without)
        what = Export(
            table=table,
            kept=kept,
            dropped=dropped,
            ids=ids,
            evidence=evidence,
            without=taken,
            keep_first=keep_first,
            raw_cells=raw_cells,
            mask=mask,
            empty=empty,
            alarm=alarm,
            accept=accept,
            annotate=annotate,
            selection=selection,
        )
        return export(RunFolder(self), what, output, format=format, overwrite=overwrite)

    def kept_rows(self, *, alarm: float = ALARM, accept: bool = False) -> list[int]:
        """The rows of the table that the run was made from, from 0, whose documents are kept: for
        `dataset.select(run.kept_rows())`, or `table.take(…)`. RunError if the input was not one table, or over an alarm
        (see `kept_documents`).

        >>> import unquilt as uq
        >>> pages = pa.table({"text": ["one two three", "one two three", "four"]})
        >>> pages.take(uq.neardups(pages).kept_rows()).column("text").to_pylist()
        ['one two three', 'four']
        """
        inputs = self.corpus.manifest["inputs"]
        if len(inputs) != 1 or (inputs[0]["path"] != TABLE and not inputs[0]["path"].endswith(".parquet")):
            raise RunError(f"{self.path}: its input was not one table, so it has no rows; export kept documents")
        folder = RunFolder(self)
        if not accept:
            refuse_alarms(folder, alarm)
        kept = KeptDocuments(folder, Selection(columns=("offset",)))
        offsets = [offset for batch in kept for offset in batch.column("offset").to_pylist()]
        if inputs[0]["path"] != TABLE:
            return offsets
        # Dicts are read as lines of JSON, whose offsets are bytes: each is a document or a reject.
        parts = (self.corpus.table("documents", columns=["offset"]), self.corpus.table("rejects", columns=["offset"]))
        rows = sorted(offset for part in parts for offset in part.column("offset").to_pylist())
        return [bisect_left(rows, offset) for offset in offsets]

    def kept_documents(self, *, alarm: float = ALARM, accept: bool = False) -> pa.RecordBatchReader:
        """The documents that are kept, as they were given, in batches, of which one at a time is in memory; for
        whatever takes Arrow data. RunError if a group of `audit` loses more than the share `alarm`, unless you `accept`
        that.

        >>> import unquilt as uq
        >>> pages = pa.table({"text": ["one two three", "one two three", "four"], "stars": [3, 4, 5]})
        >>> uq.neardups(pages).kept_documents(accept=True).read_all().column("stars").to_pylist()
        [3, 5]
        """
        folder = RunFolder(self)
        if not accept:
            refuse_alarms(folder, alarm)
        rows = KeptDocuments(folder)
        return pa.RecordBatchReader.from_batches(rows.schema, _batches(rows))

    def to_dataset(self, *, alarm: float = ALARM, accept: bool = False) -> Any:
        """The documents that are kept as a `datasets.Dataset` of Hugging Face, in memory; see `kept_documents`.

        RunError if that library is not installed.
        """
        try:
            library = import_module("datasets")  # not one of ours: whoever wants a data set has it
        except ImportError as error:
            raise RunError("to_dataset needs the library datasets: pip install datasets") from error
        return library.Dataset(self.kept_documents(alarm=alarm, accept=accept).read_all())

    def _rows(self, name: str, selection: Selection, *, names: bool) -> TableRows:
        folder = RunFolder(self)
        if name not in folder.tables:
            raise RunError(
                f"{self.path} has no table {name!r}; there are: {', '.join(sorted(folder.tables)) or 'none'}"
            )
        return TableRows(folder, name, selection, names=names)

    def __getattr__(self, name: str) -> Any:
        if name == DOCUMENTS.name:  # an AttributeError in that property comes here
            raise AttributeError(name)
        return super().__getattr__(name)


def _batches(rows: TableRows) -> Iterator[pa.RecordBatch]:
    for table in rows:
        yield from table.cast(rows.schema).to_batches()
