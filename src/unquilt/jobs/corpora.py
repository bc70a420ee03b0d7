"""Corpus folders as inputs, and what is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unquilt.errors import InputChangedError, InputError, damaged
from unquilt.flow.kept import Kept
from unquilt.jobs.inputs import ArrowStream, Inputs, list_paths
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST, read_manifest
from unquilt.tables import DOCUMENTS


def open_corpus(inputs: Inputs) -> Run | None:
    """The corpus folder that `inputs` names, if it is one."""
    paths = [] if isinstance(inputs, ArrowStream) else list_paths(inputs)
    if len(paths) != 1 or read_manifest(Path(paths[0])) is None:
        return None
    run = Run.read(paths[0])
    if run.manifest["analysis"] != "ingest":
        raise InputError(f"{paths[0]} is a run of {run.manifest['analysis']}, not a corpus; give its inputs instead")
    if not run.complete:
        raise InputError(f"{paths[0]} is a corpus that was not finished; run unquilt ingest again")
    measures(run)
    return run


def measures(run: Run) -> dict[str, Any]:
    """What is known of the corpus of a finished run: documents, words, bytes and rejects at least."""
    summary: dict[str, Any] = run.manifest["summary"]
    for name in ("documents", "words", "bytes", "rejects"):
        if not 0 <= summary.get(name, -1) < 1 << 63:
            raise damaged(run.path / MANIFEST, f"summary.{name} is missing, or is no count")
    return summary


def documents(corpus: Run) -> Kept:
    """The documents of a corpus folder."""
    files = corpus.files(DOCUMENTS.name)
    found = Kept.of(DOCUMENTS.name, *(corpus.path / name for name in files)).checked(DOCUMENTS)
    known = measures(corpus) if corpus.complete else corpus.values(DOCUMENTS.name)
    return found.check_numbering(known.get("documents", 0))


def refuse_other_corpus(corpus: Run) -> None:
    """Raise `InputChangedError` if a corpus was replaced by another while it was read."""
    if Run.read(corpus.path).manifest["fingerprint"] != corpus.manifest["fingerprint"]:
        raise InputChangedError(f"{corpus.path} was overwritten while it was read; run again when it is at rest")
