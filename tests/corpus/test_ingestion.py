"""From pieces to a corpus: slices that had to look for their first record meet where they must."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from unnumbered import read_texts

from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.write.parts import PieceRead, ReadPiece, read_piece
from unquilt.flow.verbs import Verbs
from unquilt.jobs import ingestion


def record(name: str, body: bytes) -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <{name}>\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body + b"\r\n\r\n"


def archive(seed: int) -> bytes:
    """Records, some of which hold archives, which look like records and are none."""
    draw = random.Random(seed)
    texts = [b"text %d " % i * draw.randint(1, 200) for i in range(20)]
    inner = [record(f"inner {i}", b"fooled " * draw.randint(1, 50)) for i in range(30)]
    bodies = [text if draw.random() < 0.5 else text + b"\r\n".join(draw.sample(inner, 10)) for text in texts]
    return b"".join(record(f"{i}", body) for i, body in enumerate(bodies))


class Here:
    """The one verb that is needed, in this process."""

    def each(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        return map(function, items)


def read_joined(path: Path, cut: int, folder: Path) -> tuple[Iterator[str], int]:
    """The ids of the documents in order, and how many pieces were read again."""
    folder.mkdir()
    tasks = [ReadPiece(piece, folder / f"{piece.number}") for piece in pieces(find([path]), cut=cut, pack=1)]
    before = list(tasks)
    read = [read_piece(task) for task in tasks]
    ingestion._join(cast(Verbs, Here()), tasks, read)
    again = sum(old is not new for old, new in zip(before, tasks, strict=True))
    return _ids(read), again


def _ids(read: Iterable[PieceRead]) -> Iterator[str]:
    for result in read:
        assert not result.rejects.num_rows
        yield from read_texts(result.path).column("id").to_pylist()


@pytest.mark.parametrize("seed", range(5))
def test_an_archive_within_a_record_fools_no_one(seed: int, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(archive(seed))
    fooled = 0
    for cut in (400, 3000, 20_000):
        ids, again = read_joined(tmp_path / "a.warc", cut, tmp_path / f"{cut}")
        assert list(ids) == [str(i) for i in range(20)]
        fooled += again
    assert fooled
