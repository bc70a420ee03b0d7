"""Inputs that change while they are read, and files that have several names."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from snapshots import Snapshots

import unquilt
from unquilt.corpus.find.inputs import find
from unquilt.errors import InputChangedError
from unquilt.runs import Run


class Meddler:
    """Progress that does something when a stage has made its first step."""

    def __init__(self, stage: str, act: Callable[[], object]) -> None:
        self._stage, self._act = stage, act
        self.acted = False

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Callable[..., None]]:
        def step(*_: int) -> None:
            if name == self._stage and not self.acted:
                self.acted = True
                self._act()

        yield step


def line(text: str) -> bytes:
    return json.dumps({"id": "a", "text": text}).encode() + b"\n"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.jsonl").write_bytes(line(f"page {name} one two three"))
    return folder


def replace_by(path: Path, content: bytes) -> None:
    other = path.with_name("other")
    other.write_bytes(content)
    times = path.stat()
    other.replace(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # whoever replaces a file can do that


@pytest.mark.parametrize("change", ["replaced", "written to"])
def test_another_file_of_the_same_size_is_noticed(
    pages: Path, tmp_path: Path, change: str, snapshots: Snapshots
) -> None:
    path = pages / "b.jsonl"
    content = path.read_bytes().replace(b"three", b"THREE")
    assert len(content) == path.stat().st_size
    act = (lambda: replace_by(path, content)) if change == "replaced" else (lambda: path.write_bytes(content))
    meddler = Meddler("read", act)
    with snapshots.error(InputChangedError):
        unquilt.ingest(pages, tmp_path / "corpus", options=unquilt.JobOptions(progress=meddler))
    assert meddler.acted
    assert not Run.read(tmp_path / "corpus").complete
    assert unquilt.ingest(pages, tmp_path / "again").complete


def test_a_file_that_is_gone_is_noticed(pages: Path, tmp_path: Path, snapshots: Snapshots) -> None:
    meddler = Meddler("read", (pages / "a.jsonl").unlink)
    with snapshots.error(InputChangedError):
        unquilt.ingest(pages, tmp_path / "corpus", options=unquilt.JobOptions(progress=meddler))


def test_the_same_content_under_another_date_is_the_same(pages: Path, tmp_path: Path) -> None:
    def touch() -> None:
        content = (pages / "a.jsonl").read_bytes()
        replace_by(pages / "a.jsonl", content)
        (pages / "b.jsonl").touch()

    meddler = Meddler("read", touch)
    assert unquilt.ingest(pages, tmp_path / "corpus", options=unquilt.JobOptions(progress=meddler)).complete
    assert meddler.acted


def test_a_corpus_that_makes_way_for_another_is_noticed(pages: Path, tmp_path: Path, snapshots: Snapshots) -> None:
    unquilt.ingest(pages, tmp_path / "corpus")
    unquilt.ingest(pages / "a.jsonl", tmp_path / "other")

    def swap() -> None:
        (tmp_path / "corpus").rename(tmp_path / "older")
        shutil.copytree(tmp_path / "other", tmp_path / "corpus")

    meddler = Meddler("clusters", swap)
    with snapshots.error(InputChangedError):
        unquilt.neardups(
            tmp_path / "corpus", tmp_path / "run", options=unquilt.JobOptions(progress=meddler), similarity=False
        )
    assert not Run.read(tmp_path / "run").complete


def test_a_file_of_several_names_is_read_once(pages: Path, tmp_path: Path) -> None:
    (pages / "c.jsonl").hardlink_to(pages / "a.jsonl")
    (pages / "d.jsonl").symlink_to("b.jsonl")
    shutil.copy(pages / "a.jsonl", pages / "e.jsonl")  # a copy is another file
    (tmp_path / "link").symlink_to(pages)
    for inputs in ([pages], [pages, tmp_path / "link"], [pages / "a.jsonl", pages, str(pages / "*")]):
        assert [Path(source.path).name for source in find(inputs)] == ["a.jsonl", "b.jsonl", "e.jsonl"]
    assert [Path(source.path).name for source in find([pages / "d.jsonl", pages])] == ["d.jsonl", "a.jsonl", "e.jsonl"]
    assert unquilt.ingest(pages, tmp_path / "corpus").manifest["summary"]["documents"] == 3
