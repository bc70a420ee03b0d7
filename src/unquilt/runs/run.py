"""The run itself: open or resume, stages, tables, markers, the end."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from unquilt.errors import MENDING, RunError, StorageError
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
from unquilt.runs.manifest import (
    FORMAT,
    MANIFEST,
    PIECES,
    InputRecord,
    is_ours,
    new_manifest,
    now,
    read_manifest,
    write_manifest,
)
from unquilt.runs.markers import DONE, is_valid, read_marker, read_markers, remove_marker, write_marker
from unquilt.runs.storage import check_name, inside, make_folder, remove, shown
from unquilt.runs.tables import ROWS_PER_GROUP, TableWriter, read_table, table_path

if TYPE_CHECKING:
    from unquilt.runs.folders import Claim

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass
class StageRecord:
    """What a stage reports about itself; what is recorded several times adds up."""

    name: str
    rows: int = 0
    bytes: int = 0
    counters: dict[str, int] = field(default_factory=dict)

    def record(self, *, rows: int = 0, bytes: int = 0, counters: Mapping[str, int] | None = None) -> None:  # noqa: A002
        """Count rows and bytes, and whatever else the stage counts."""
        self.rows += rows
        self.bytes += bytes
        for name, count in (counters or {}).items():
            self.counters[name] = self.counters.get(name, 0) + count


class Run:
    """A run folder: to work in (`Run.open`, in a `with` block) or to look at (`Run.read`; also after the block).

    A table is an attribute, `run.quilts`; `run.table("quilts")` is the same for programs.
    """

    def __init__(self, path: Path, manifest: dict[str, Any], claimed: Claim | None = None) -> None:
        self._path = path
        self._claim = claimed
        self._uploaded = False
        self._url = ""
        """Where a run at a store belongs, while it is made here."""
        self.manifest = manifest

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        analysis: str,
        parameters: Mapping[str, Any],
        inputs: Sequence[InputRecord],
        overwrite: bool = False,
        versions: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
        shared: bool = False,
    ) -> Run:
        """Create the run, or resume it if its folder holds the same one; refuse a folder that holds anything else.

        `versions` says what else shapes the results (the Unicode version, an extractor): a run is not resumed with
        others, save those of Python and pyarrow. `settings` (engine, threads, memory) is recorded and never compared.
        With `overwrite`, another or a finished run is replaced when this one is finished (see `replacement`).
        A run at a store is made on this machine, and uploaded (see `stored`); or, if it is `shared`, made there, so
        that other machines see all of it.

        Raises RunError, RunLockedError, InputChangedError, StorageError.
        """
        wanted = new_manifest(analysis, parameters, inputs, versions or {}, settings or {})
        url = str(path) if is_url(path) else ""
        if url:
            from unquilt.runs import stored

            there = stored.look_at(url, wanted, overwrite=overwrite)
            if there is not None and (known := cls(place(url), there)).complete:
                return known
        if url and not shared:
            path = stored.choose_scratch(url)
            left = read_manifest(Path(path))  # what an interrupted run left here: to go on with, or in the way
            overwrite = left is not None and left["fingerprint"] != wanted["fingerprint"]
        from unquilt.runs.folders import claim, claim_at_store

        if url and shared:
            claimed, url = claim_at_store(url, wanted, overwrite=overwrite), ""
        else:
            claimed = claim(Path(path), wanted, overwrite=overwrite)
        run = cls(claimed.path, claimed.older or wanted, claimed)
        run._url = url
        try:
            if run.complete:
                run._drop_scratch()
                claimed.publish()
                run._upload()
            else:
                run._begin(wanted)
        except BaseException:
            run.close()
            raise
        return run

    @classmethod
    def read(cls, path: str | Path) -> Run:
        """Look at a run in any state, also while another process works in it: no lock, nothing is written."""
        path = place(path)
        manifest = read_manifest(path)
        if manifest is None:
            from unquilt.runs.replacement import interrupted_swap

            left = None if is_url(path) else interrupted_swap(path)
            hint = f"; its replacement was interrupted, the run is in {shown(left)}" if left else ""
            if os.path.lexists(path / MANIFEST):
                hint = f", or a damaged one: its {MANIFEST} was not written by unquilt; {MENDING}"
                raise RunError(f"{shown(path)} is not a run folder{hint}")
            raise RunError(f"{shown(path)} is not a run folder: it has no manifest of unquilt{hint}")
        if manifest["format"] != FORMAT:
            said = f"{shown(path)} has format {manifest['format']}, this unquilt reads {FORMAT}"
            raise RunError(f"{said}; make it anew, or read it with the unquilt {manifest['unquilt']} that made it")
        return cls(path, manifest)

    def _begin(self, wanted: Mapping[str, Any]) -> None:
        """Write the manifest of a run that has something left to do."""
        for of_the_end in ("finished", "summary", "done"):
            self.manifest.pop(of_the_end, None)
        self.manifest.update({name: wanted[name] for name in ("versions", "settings", "machine")})
        write_manifest(self.path, self.manifest)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the spill folder and let go of the lock; the run can still be read."""
        if self._claim is not None:
            self._path = self._claim.folder
            finished = self._uploaded
            beside = self._claim.folder != self._claim.path
            self._claim.release(
                worthless=beside and not self._done() and not self._holds_runs() and not self._holds_pieces()
            )
            self._claim = None
            if self._url and finished:
                from unquilt.runs import stored

                stored.drop(self._path)
                self._path = place(self._url)

    def abandon(self) -> None:
        """Close a run in which nothing was done, and that cannot go on as it is: its folder goes, if it was made for
        it, so that the next try, with other parameters, finds no other run there."""
        if self._claim is not None and not self._done() and not self._holds_runs():
            self._path = self._claim.path
            self._claim.abandon()
            self._claim = None

    @property
    def path(self) -> Path:
        """Where the files of the run are: the folder asked for, except while an overwriting run is not finished."""
        return self._claim.folder if self._claim else self._path

    @property
    def spill(self) -> Path:
        """A folder for temporary files: empty when the run is opened, removed when it is closed."""
        self._writable()
        assert self._claim is not None
        make_folder(self._claim.spill)
        return self._claim.spill

    @property
    def pieces(self) -> Path:
        """A folder for finished pieces of a stage, which an interruption does not cost; removed when the run is
        finished, or by `drop_pieces`."""
        folder = self._writable() / PIECES
        make_folder(folder)
        return folder

    def drop_pieces(self) -> None:
        """Remove the pieces of a stage that is done."""
        remove(self._writable() / PIECES)

    def inner(self, name: str) -> Path:
        """A folder within, such as that of its corpus, whether it is there or not; RunError if it is a link."""
        return inside(self.path, check_name(name))

    @property
    def complete(self) -> bool:
        """Whether the run was finished and all its tables are there."""
        return "finished" in self.manifest and self._done().keys() == self._markers().keys()

    @property
    def tables(self) -> list[str]:
        """The names of the tables that a valid marker vouches for, sorted."""
        return sorted({name for marker in self._done().values() for name in marker["tables"]})

    def done(self, stage: str) -> bool:
        """Whether a stage has a valid marker. Costs a stat and a Parquet footer per table of the stage."""
        return self._valid_marker(stage) is not None

    def _marker(self, stage: str) -> Any:
        marker = self._valid_marker(stage)
        if marker is None:
            raise RunError(f"{shown(self.path)}: stage {stage} is not done")
        return marker

    def _valid_marker(self, stage: str) -> Any:
        check_name(stage)
        marker = self.manifest["done"].get(stage) if "finished" in self.manifest else read_marker(self.path, stage)
        return marker if is_valid(self.path, marker, self.manifest["fingerprint"]) else None

    def _markers(self) -> dict[str, Any]:
        """All markers; those of a finished run are in its manifest, so that a copy without hidden files is whole."""
        markers = self.manifest["done"] if "finished" in self.manifest else read_markers(self.path)
        return dict(markers)

    def _done(self) -> dict[str, Any]:
        fingerprint = self.manifest["fingerprint"]
        return {stage: m for stage, m in self._markers().items() if is_valid(self.path, m, fingerprint)}

    def _holds_runs(self) -> bool:
        """Whether the folder holds another run that this one needs, such as that of its corpus."""
        with suppress(OSError):
            return any(is_ours(entry) for entry in self.path.iterdir())
        return False

    def _holds_pieces(self) -> bool:
        with suppress(OSError):
            return any((self.path / PIECES).iterdir())
        return False

    @contextmanager
    def stage(self, name: str) -> Iterator[StageRecord]:
        """Time a stage: the manifest gets its seconds, its counts and the peak memory of the process so far.

        If the block raises, nothing is recorded and the stage is not done, even if it was marked in the block or
        before. Else mark it after the block: the marker is the last thing to be written.
        """
        stage = StageRecord(check_name(name))
        folder, started, begin = self._writable(), now(), time.perf_counter()
        try:
            yield stage
        except BaseException:
            with suppress(StorageError, RunError):
                remove_marker(folder, name)
            raise
        self.manifest["stages"][name] = {
            "started": started,
            "seconds": round(time.perf_counter() - begin, 3),
            "peak_memory": _peak_memory(),
            "rows": stage.rows,
            "bytes": stage.bytes,
            "counters": stage.counters,
        }
        write_manifest(folder, self.manifest)

    def writer(
        self, table: str, schema: pa.Schema, *, rows_per_group: int = ROWS_PER_GROUP, on_the_way: bool = False
    ) -> TableWriter:
        """Return a context manager whose `write` takes batches; the table is there, whole, after the block.

        Takes the memory of one row group: give a table with long texts fewer `rows_per_group`, always the same.
        """
        return TableWriter(self._writable(), table, schema, rows_per_group, on_the_way=on_the_way)

    def note_digests(self, known: Sequence[Mapping[str, Any]]) -> None:
        """Note the digests of inputs that were not known when the run began; the next stage that ends writes them."""
        found = {(each["path"], each["size"], each.get("version", "")): each["sha256"] for each in known}
        self.manifest["inputs"] = [
            each | {"sha256": each["sha256"] or found.get((each["path"], each["size"], each.get("version", "")), "")}
            for each in self.manifest["inputs"]
        ]

    def mark(
        self,
        stage: str,
        tables: Iterable[str] = (),
        *,
        files: Iterable[str] = (),
        values: Mapping[str, Any] | None = None,
    ) -> None:
        """Declare a stage done: vouch for its tables and other files, which must be there, and note small values."""
        write_marker(self._writable(), stage, self.manifest, tables=tables, files=files, values=values)

    def files(self, stage: str) -> list[str]:
        """The files, other than tables, that the marker of a stage vouches for; relative to the run folder."""
        return list(self._marker(stage)["files"])

    def values(self, stage: str) -> dict[str, Any]:
        """The small values that a stage noted when it was marked."""
        return dict(self._marker(stage)["values"])

    def finish(self, summary: Mapping[str, Any], *, results: Iterable[str] | None = None) -> None:
        """Declare the run finished; one that overwrites another takes its place now.

        Tables that are not among the `results`, if these are named, were of use only until now, and are removed.
        """
        folder = self._writable()
        assert self._claim is not None
        remove(self._claim.spill)
        self.drop_pieces()
        done = self._done()
        wanted = set(self.tables if results is None else results)
        done = {stage: marker for stage, marker in done.items() if wanted.issuperset(marker["tables"])}
        finished = {**self.manifest, "finished": now(), "summary": dict(summary), "done": done}
        write_manifest(folder, finished)
        self.manifest = finished
        self._drop_scratch()
        self._claim.publish()
        self._upload()

    def _upload(self) -> None:
        """Put a finished run at the store where it belongs."""
        if self._url:
            from unquilt.runs import stored

            stored.upload(self.path, self._url, self.manifest["fingerprint"])
            self._uploaded = True

    def _drop_scratch(self) -> None:
        """Remove the tables of a finished run that are no results. If that is interrupted, the next open does it."""
        folder, fingerprint = self._writable(), self.manifest["fingerprint"]
        results = {table for marker in self.manifest["done"].values() for table in marker["tables"]}
        for marker in read_markers(folder).values():
            for table in marker["tables"].keys() - results if marker["fingerprint"] == fingerprint else ():
                remove(table_path(folder, table))
        if is_url(folder):
            remove(folder / DONE)  # what is hidden here is listed there

    def table(self, name: str) -> pa.Table:
        """Read a table that a valid marker vouches for into memory."""
        if name not in self.tables:
            raise RunError(self._no_table(name))
        return read_table(self.path, name)

    def __getattr__(self, name: str) -> pa.Table:
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(name if name.startswith("_") else self._no_table(name))
        return self.table(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        state = "complete" if self.complete else "not complete"
        tables = ", ".join(self.tables) or "no tables"
        return f"<Run {self.manifest['analysis']} in {shown(self.path)}, {state}: {tables}>"

    def _no_table(self, name: str) -> str:
        return f"{shown(self.path)} has no table {name!r}; it has: {', '.join(self.tables) or 'none'}"

    def _writable(self) -> Path:
        if self._claim is None:
            raise RunError(f"{shown(self.path)} is not open for writing: use Run.open in a with block")
        return self._claim.folder


def _peak_memory() -> int:
    """The most memory, in bytes, that this process or one of its ended children has had so far."""
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(peaks) * _RSS_UNIT
