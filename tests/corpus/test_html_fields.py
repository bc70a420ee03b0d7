"""Fields of JSON and Parquet: HTML is told by how it begins, and text in a field of HTML keeps its paragraphs."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unquilt
from unquilt.settings import Settings

PAGE = "<!doctype html><title>Mill</title><p>The old mill.<p>Its wheel &amp; its owner."
TEXT = "The old mill.\n\nIts wheel &amp; its owner,\nwho is < 30.\r\n \t\r\n\nNobody knew."


def read(record: dict[str, str], tmp_path: Path, kind: str, fields: dict[str, str]) -> tuple[str, list[str]]:
    """The medium of the one document in a file, and its chunks."""
    path = tmp_path / f"pages.{kind}"
    if kind == "jsonl":
        path.write_text(json.dumps(record))
    else:
        pq.write_table(pa.Table.from_pylist([record]), path)
    options = unquilt.JobOptions(Settings(threads=1))
    (row,) = unquilt.ingest(path, options=options, fields=fields).documents.to_pylist()
    return row["media"], [row["text"][chunk["begin"] : chunk["end"]] for chunk in row["chunks"]]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_html_is_recognised_in_any_field(tmp_path: Path, kind: str) -> None:
    media, chunks = read({"content": PAGE}, tmp_path, kind, {"text": "content"})
    assert (media, chunks) == read({"html": PAGE}, tmp_path, kind, {})
    assert media == "html"
    assert not any("<" in chunk for chunk in chunks)
    assert "The old mill." in chunks


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_text_that_mentions_tags_stays_text(tmp_path: Path, kind: str) -> None:
    said = "A page begins with <html>.\n\nThen comes <p>."
    assert read({"text": said}, tmp_path, kind, {}) == ("text", ["A page begins with <html>.", "Then comes <p>."])


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_text_in_a_field_of_html_keeps_its_paragraphs(tmp_path: Path, kind: str) -> None:
    media, chunks = read({"html": TEXT}, tmp_path, kind, {})
    expected = ["The old mill.", "Its wheel & its owner, who is < 30.", "Nobody knew."]
    assert (media, [" ".join(chunk.split()) for chunk in chunks]) == ("html", expected)
