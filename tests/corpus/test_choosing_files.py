"""Which files of a folder are read."""

from __future__ import annotations

from pathlib import Path

import pytest

import unquilt as uq
from unquilt.errors import InputError


@pytest.mark.parametrize(
    ("include", "exclude", "read"),
    [
        ("", "", ["README", "a.txt", "in/b.txt", "in/c.md"]),
        ("*.txt", "", ["a.txt", "in/b.txt"]),
        ("in/*", "", ["in/b.txt", "in/c.md"]),
        ("", "README*, *.md", ["a.txt", "in/b.txt"]),
        ("*.txt,*.md", "in/b*", ["a.txt", "in/c.md"]),
    ],
)
def test_names_and_paths_choose(include: str, exclude: str, read: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "in * it"
    (folder / "in").mkdir(parents=True)
    for name in ("README", "a.txt", "in/b.txt", "in/c.md"):
        (folder / name).write_text(f"some words of {name}")
    options = uq.JobOptions(reading=uq.Reading(include=include, exclude=exclude))
    files = uq.ingest(folder, options=options).documents["file"].to_pylist()
    assert [str(Path(file).relative_to(folder)) for file in files] == read
    named = uq.ingest([folder / "README"], options=options)  # a file that is named is read
    assert named.documents.num_rows == 1


def test_nothing_left_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(InputError, match="no file is left to read: change what is included or excluded"):
        uq.ingest(tmp_path, options=uq.JobOptions(reading=uq.Reading(include="*.html")))
