"""Texts that tests compare (`tests/snapshots.py`) belong to tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import snapshots


def test_every_section_belongs_to_a_test() -> None:
    """A test that is renamed or gone leaves nothing behind."""
    places = sorted(snapshots.FOLDER.rglob("*.txt"))
    assert places
    for place in places:
        tests = (snapshots.TESTS / place.relative_to(snapshots.FOLDER)).with_suffix(".py").read_text(encoding="utf-8")
        defined = set(re.findall(r"def (test\w+)\(", tests))
        names = {section.partition("[")[0].rpartition("::")[2] for section in snapshots.read(place)}
        assert names <= defined, place


def test_texts_are_read_as_they_are_written(tmp_path: Path) -> None:
    texts = {"test_b[x]": ["one\n\nline", "two"], "test_a": [""]}
    snapshots.write(tmp_path / "a.txt", texts)
    assert snapshots.read(tmp_path / "a.txt") == texts
    assert snapshots.read(tmp_path / "none.txt") == {}
