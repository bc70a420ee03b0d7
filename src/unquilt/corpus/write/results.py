"""What was in a piece, and a note of it that outlives an interruption.

A piece that was read is a file of documents and, written last, a note beside it (`piece-3.done`): what was counted, and
the rejects. A run that is resumed believes a note if it is of the same piece, of the same run (its inputs, parameters
and versions), and the file has the size that it says; then the piece need not be read again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from unquilt.corpus.find.pieces import Piece
from unquilt.corpus.records import Span, Warned
from unquilt.corpus.sources import Slice
from unquilt.corpus.write.revisits import no_revisits, read_revisits
from unquilt.errors import RunError
from unquilt.runs import created
from unquilt.runs.storage import read_own
from unquilt.tables.corpus import REJECTS

_FACTS = b"unquilt piece"


class Digested(NamedTuple):
    """What the source of a slice was when it was read (`sources.state`), and the digests of blocks of it."""

    state: tuple[int, ...]
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class PieceRead:
    """The result of reading a piece: what was in it. `spans` has what each slice was found to span, by its number."""

    path: Path
    documents: int
    words: int
    bytes: int
    rejects: pa.Table
    skipped: Counter[str]
    spans: dict[int, Span]
    warnings: list[Warned]
    others: int = 0
    """Texts that stand beside pages; they are in a file of their own (`others_path`), if there are any."""
    given: pa.Schema = field(default_factory=lambda: pa.schema([]))
    """What inputs say of the documents; the columns are in files of their own (`given_path`), if there are any."""
    revisits: pa.Table = field(default_factory=no_revisits)
    """Records that refer to documents, in a file of their own, too (`revisits_path`), if there are any."""
    digests: dict[int, Digested] = field(default_factory=dict)
    """Of each slice, by its number, whose source has no digest yet: those of its share of the source."""


def identify(piece: Piece, fingerprint: str) -> str:
    """A digest of all that decides what is read of a piece, for a run of this fingerprint."""
    slices = [
        [repr(part.source), part.begin, part.end, part.exact, hashlib.sha256(part.checkpoint).hexdigest()]
        for part in map(_nameless, piece.slices)
    ]
    return hashlib.sha256(json.dumps([fingerprint, piece.number, slices]).encode()).hexdigest()


def _nameless(part: Slice) -> Slice:
    """The slice without the path of a file that has another one each time, such as that of standard input."""
    return replace(part, source=replace(part.source, path="")) if part.source.alias else part


def note_path(target: Path) -> Path:
    """Where the note of a piece lies that was read into this file."""
    return target.with_suffix(".done")


def others_path(target: Path) -> Path:
    """Where the texts of a piece lie that stand beside its pages."""
    return target.with_suffix(".others")


def given_path(documents: Path) -> Path:
    """Where the columns lie that inputs give beside some documents."""
    return documents.with_name(f"{documents.name}.given")


def said_path(documents: Path) -> Path:
    """Where it is noted what is in a file of documents that wait for their numbers (see `numbering`)."""
    return documents.with_name(f"{documents.name}.said")


def revisits_path(target: Path) -> Path:
    """Where the revisits of a piece lie."""
    return target.with_suffix(".revisits")


def beside(target: Path) -> dict[str, Path]:
    """The files of a piece that are there if there is something to put into them."""
    others = others_path(target)
    columns = {"given": given_path(target), "others_given": given_path(others)}
    said = {"said": said_path(target), "others_said": said_path(others)}
    return {"others": others, "revisits": revisits_path(target)} | columns | said


def vouch(read: PieceRead, identity: str, spill: Path) -> None:
    """Write the note of a piece whose file is complete, and its revisits."""
    revisits_path(read.path).unlink(missing_ok=True)
    if read.revisits.num_rows:
        with created(revisits_path(read.path), spill=spill) as file, pa.ipc.new_file(file, read.revisits.schema) as out:
            out.write_table(read.revisits)
    facts = {
        "identity": identity,
        "size": read.path.stat().st_size,
        "documents": read.documents,
        "others": read.others,
        "beside": {name: path.stat().st_size for name, path in beside(read.path).items() if path.exists()},
        "given": base64.b64encode(read.given.serialize()).decode(),
        "words": read.words,
        "bytes": read.bytes,
        "skipped": dict(read.skipped),
        "spans": {str(part): list(span) for part, span in read.spans.items()},
        "warnings": [list(warning) for warning in read.warnings],
        "digests": {str(part): list(digested) for part, digested in read.digests.items()},
    }
    schema = REJECTS.schema.with_metadata({_FACTS: json.dumps(facts).encode()})
    with created(note_path(read.path), spill=spill) as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_table(read.rejects.cast(REJECTS.schema).replace_schema_metadata(schema.metadata))


def recall(target: Path, identity: str) -> PieceRead | None:
    """The result of a piece that was read before, if its note can be believed. Its file may be gone already, if it was
    made into a part of the corpus; then it is up to the caller to see whether that is there."""
    with suppress(OSError, RunError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
        noted = pa.ipc.open_file(pa.py_buffer(read_own(note_path(target)))).read_all()
        facts: dict[str, Any] = json.loads(noted.schema.metadata[_FACTS])
        rejects = noted.replace_schema_metadata(None).cast(REJECTS.schema)
        places = beside(target)
        sizes = {target: facts["size"]} | {places[name]: size for name, size in facts["beside"].items()}
        documents = (target, others_path(target))  # to which a footer may have been added already
        intact = all(
            not path.exists() or path.stat().st_size == size or (path in documents and path.stat().st_size > size)
            for path, size in sizes.items()
        )
        intact = intact and ("revisits" not in facts["beside"] or places["revisits"].exists())
        for path in documents:  # what is beside documents goes when they are gone
            missing = any(each in sizes and not each.exists() for each in (given_path(path), said_path(path)))
            intact = intact and not (path.exists() and missing)
        if facts["identity"] == identity and intact and not any(path.is_symlink() for path in sizes):
            return PieceRead(
                target,
                int(facts["documents"]),
                int(facts["words"]),
                int(facts["bytes"]),
                rejects,
                Counter(facts["skipped"]),
                {int(part): Span(*span) for part, span in facts["spans"].items()},
                [Warned(*warning) for warning in facts["warnings"]],
                int(facts["others"]),
                pa.ipc.read_schema(pa.py_buffer(base64.b64decode(facts["given"]))),
                read_revisits(places["revisits"]) if "revisits" in facts["beside"] else no_revisits(),
                {
                    int(part): Digested(tuple(map(int, was)), tuple(map(str, blocks)))
                    for part, (was, blocks) in facts["digests"].items()
                },
            )
    return None
