"""Which phrases do sites share? The first twenty are sentences that several sites have, not menus and footers."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from pan_pairs import ARCHIVE

import unquilt
from unquilt.demo import write_jsonl
from unquilt.results.run import ReadableRun as Run

KAFKA = ARCHIVE.with_name("kafka-docs.tar.xz")
pytestmark = pytest.mark.slow


def count_sentences(run: Run) -> int:
    """How many of the first twenty phrases are whole sentences of several sites."""
    rows = sorted(run.phrases.to_pylist(), key=lambda row: (row["notice"], -row["weight"], -row["documents"]))[:20]
    assert len({row["text"] for row in rows}) == 20
    return sum(row["prose"] and row["sites"] > 1 for row in rows)


def test_on_the_demo_web(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl", 1500)
    assert count_sentences(unquilt.phrases(tmp_path / "pages.jsonl")) >= 15


@pytest.mark.skipif(not KAFKA.exists(), reason="the shared data are not here")
def test_on_the_documentation_of_kafka(tmp_path: Path) -> None:
    with tarfile.open(KAFKA) as archive:
        newest = [member for member in archive if "38" in member.name.split("/")]
        archive.extractall(tmp_path / "kafka", newest, filter="data")
    assert count_sentences(unquilt.phrases(tmp_path / "kafka")) >= 15
