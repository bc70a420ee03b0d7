"""What inputs are: paths, corpora and runs, or rows that Python has. Nothing is read of them but manifests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

import pyarrow as pa

from unquilt import _native
from unquilt.corpus.find.inputs import STDIN, named
from unquilt.corpus.options import PLAIN
from unquilt.errors import InputError, ParameterError
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import find_corpus, has_plain_words, measures, open_table
from unquilt.remote.names import is_url, localise
from unquilt.remote.paths import place
from unquilt.runs import InputRecord, Run
from unquilt.runs.manifest import is_ours, read_manifest
from unquilt.runs.storage import shown
from unquilt.tables.neardups import CLUSTERS, KEPT


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that hands out Arrow data by the PyCapsule interface: tables of pyarrow, polars, pandas, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class LazyTable(Protocol):
    """A table of Polars that is not computed yet, and then comes in batches."""

    def collect_batches(self) -> Iterator[ArrowStream]: ...


@runtime_checkable
class Dataset(Protocol):
    """A data set of Hugging Face, in memory or streamed: it yields Arrow tables."""

    def with_format(self, type: str) -> Dataset: ...  # noqa: A002

    def iter(self, batch_size: int) -> Iterator[pa.Table]: ...


Records = Iterable[Mapping[str, Any]] | Iterable[ArrowStream | pa.RecordBatch]
"""A list of dicts, or whatever yields them; or tables or batches."""
Inputs = str | Path | Run | Sequence[str | Path | Run] | ArrowStream | LazyTable | Dataset | Records


def is_path(inputs: Any) -> TypeGuard[str | Path | Run | Sequence[str | Path | Run]]:
    """Whether inputs are paths or runs, or nothing that yields rows."""
    if isinstance(inputs, str | Path | Run | bytes | bytearray | memoryview):
        return True
    if isinstance(inputs, ArrowStream | LazyTable | Dataset):
        return False
    if isinstance(inputs, Sequence):
        return not inputs or not isinstance(inputs[0], Mapping | ArrowStream | pa.RecordBatch)
    return isinstance(inputs, Mapping) or not isinstance(inputs, Iterable)


def list_paths(inputs: str | Path | Run | Sequence[str | Path | Run]) -> list[str | Path]:
    """The inputs as a list, of paths and nothing else; runs are their folders."""
    wrong: object = inputs
    if isinstance(inputs, str | Path | Run):
        inputs = [inputs]
    if isinstance(inputs, Sequence) and not isinstance(inputs, bytes | bytearray | memoryview):
        others = [path for path in inputs if not isinstance(path, str | Path | Run)]
        if not others:
            return [path.path if isinstance(path, Run) else localise(path) for path in inputs]
        wrong = others[0]
    raise ParameterError(_refuse(wrong))


def _refuse(wrong: object) -> str:
    """Why something is no input, and what to give in its place."""
    if isinstance(wrong, Mapping):
        splits = [str(name) for name, part in wrong.items() if isinstance(part, ArrowStream | Dataset)]
        if splits:
            return (
                f"inputs are a dict of {len(splits)} data sets ({', '.join(splits)}); give one: inputs[{splits[0]!r}]"
            )
        return "inputs are one dict; give a list of them, one for each document"
    kinds = "paths, globs or -, tables of Arrow, pandas or Polars, data sets, or whatever yields dicts or tables"
    return f"inputs must be {kinds}, not {' '.join(ascii(wrong).split())[:80]}"


def expand_folders(inputs: str | Path | Run | Sequence[str | Path | Run]) -> Iterator[str | Path]:
    """The paths among inputs; a glob that matches folders which unquilt made is replaced by its matches."""
    for path in list_paths(inputs):
        whole = str(path) == STDIN or is_url(path) or os.path.lexists(path)
        matches = [] if whole else list(named([path]))
        yield from matches if any(map(is_ours, map(Path, matches))) else [path]


def name_paths(inputs: Inputs) -> list[str | Path]:
    """The inputs that are paths; globs are replaced by what they match."""
    return [*named(list_paths(inputs))] if is_path(inputs) else []


@dataclass(frozen=True)
class CorpusPart:
    """A corpus, or the documents of it that a run keeps, as one of the inputs."""

    run: Run
    """What was named: the corpus, or a run over it."""
    corpus: Run
    verdicts: Kept | None = None
    """What the run says of each document; None if all are taken."""
    called: str = ""
    """What people call it, if that is not the folder of the run."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.called or shown(self.run.path)

    def record(self) -> InputRecord:
        """How the manifest records it."""
        return InputRecord(str(self.run.path), measures(self.run)["bytes"], self.run.manifest["fingerprint"])


def open_corpus(inputs: Inputs) -> Run | None:
    """The corpus folder that `inputs` names, if it is one, and nothing else is named."""
    parts = list_corpora(inputs)
    return parts[0].corpus if len(parts) == 1 and _is_alone(inputs) and parts[0].verdicts is None else None


def list_corpora(inputs: Inputs) -> list[CorpusPart]:
    """The corpus and run folders among inputs."""
    return [part for part in group_inputs(inputs) if isinstance(part, CorpusPart)]


def group_inputs(inputs: Inputs) -> list[CorpusPart | list[str | Path]]:
    """Corpus and run folders, and the paths between them, in their order; nothing for inputs that are no paths."""
    found: list[CorpusPart | list[str | Path]] = []
    for path in expand_folders(inputs) if is_path(inputs) else ():
        if read_manifest(place(path)) is not None:
            found.append(_open_part(path))
        elif found and isinstance(found[-1], list):
            found[-1].append(path)
        else:
            found.append([path])
    return found


def _is_alone(inputs: Inputs) -> bool:
    return len(group_inputs(inputs)) == 1


def _open_part(path: str | Path) -> CorpusPart:
    run = Run.read(path)
    if run.manifest["analysis"] == "ingest":
        return CorpusPart(run, _check_corpus(run))
    if not run.complete:
        raise InputError(f"{shown(path)} is a run that was not finished; finish it first, or give its inputs")
    kept = next((name for name in (KEPT.name, CLUSTERS.name) if name in run.tables), None)
    corpus = find_corpus(run)
    if kept is None:
        where = "its inputs" if corpus is None else shown(corpus.path)
        name = run.manifest["analysis"]
        raise InputError(f"{shown(path)} is a run of {name}, which does not say which documents to keep; give {where}")
    if corpus is None:
        was = shown(run.manifest["inputs"][0]["path"]) if run.manifest["inputs"] else "nowhere"
        raise InputError(f"{shown(path)}: its corpus is not found: not in it, not beside it, not where it was ({was})")
    table = KEPT if kept == KEPT.name else CLUSTERS
    verdicts = open_table(run, kept, table)
    return CorpusPart(run, _check_corpus(corpus), verdicts)


def _check_corpus(run: Run) -> Run:
    """The corpus, if it was finished, and this unquilt can read it."""
    if not run.complete:
        raise InputError(f"{run.path} is a corpus that was not finished; run unquilt ingest again")
    made = run.manifest["versions"].get("unicode")
    if made != _native.UNICODE_VERSION:
        known = f"was made with Unicode {made}, this unquilt has {_native.UNICODE_VERSION}"
        raise InputError(f"{run.path} is a corpus that {known}; run unquilt ingest again")
    measures(run)
    return run


def compares_plain(inputs: Inputs, words: str) -> bool:
    """Whether words are compared as they are written: as corpora among the inputs say, else as `words` say."""
    parts = list_corpora(inputs)
    return has_plain_words(parts[0].corpus) if parts else words == PLAIN
