"""docs/faults.md 49: tables and corpora with damage in them: what is read is what was written, or an error.

Other readers do not mind our checksums."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from damage import damage

import unquilt
from unquilt.errors import RunError
from unquilt.flow import kept
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import documents
from unquilt.jobs.work import ingest
from unquilt.parquet import opened, reading
from unquilt.results import RunFolder
from unquilt.runs import Run, TableWriter

ROWS = 20_000


def test_a_shortage_is_no_damage(tmp_path: Path) -> None:
    """Arrow says so in words alone if it can start no thread."""
    said = "Unknown error: Failed to launch worker thread: Resource temporarily unavailable"
    known = "cannot be read: this machine has not enough memory, or no process left for another thread"
    with pytest.raises(RunError, match=known), reading(tmp_path / "a.parquet"):
        raise pa.ArrowException(said)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Run:
    random = Random(1)
    words = ["alpha", "bravo", "charlie", "delta", "echo", "Straße", "漢字"]
    texts = [" ".join(random.choices(words, k=random.randint(1, 40))) for _ in range(300)]
    urls = [f"http://host{number % 7}.com/{number}" for number in range(300)]
    table = pa.table({"id": [f"d{number}" for number in range(300)], "url": urls, "text": texts})
    return ingest(table, tmp_path_factory.mktemp("damage") / "corpus")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    content = pa.table({"doc": pa.array(range(0, 2 * ROWS, 2)), "name": [f"v{row % 97}" for row in range(ROWS)]})
    with TableWriter(folder, "t", content.schema, rows_per_group=4096) as out:
        out.write(content)
    return folder / "t.parquet"


def read_all(path: Path, columns: list[str]) -> list[Any]:
    """Whatever an analysis would read of it."""
    kept._read_footer.cache_clear()
    whole = Kept.of("t", path)
    ranges = ((0, 0), (5, 250), (9_000, 20_000), (2 * ROWS - 9, 2 * ROWS))
    return [whole.rows, *(split.read(columns) for split in whole.splits()), *(whole.between(*ends) for ends in ranges)]


@pytest.mark.slow
@pytest.mark.parametrize("which", ["corpus", "table"])
def test_what_is_read_is_what_was_written(which: str, corpus: Run, table: Path, tmp_path: Path) -> None:
    whole = table if which == "table" else Path(documents(corpus).paths[0])
    columns = pq.read_schema(whole).names
    expected, seen = read_all(whole, columns), Counter[bool]()
    for damaged in damage(Random(which), whole.read_bytes(), 450, 4096):
        (tmp_path / "t.parquet").write_bytes(damaged)
        try:
            found = read_all(tmp_path / "t.parquet", columns)
        except RunError as error:
            assert "\n" not in str(error)  # noqa: PT017
            seen[False] += 1
        else:
            assert found == expected
            seen[True] += 1
    assert seen[False] > 400
    assert seen[True]


def test_other_readers_see_the_table(table: Path) -> None:
    expected = pq.ParquetFile(table).read()
    assert expected.num_rows == ROWS
    for options in ({}, {"memory_map": True}, {"page_checksum_verification": True, "pre_buffer": True}):
        assert pq.read_table(table, **options).equals(expected)
    assert ds.dataset(table).to_table(filter=ds.field("doc") < 100).num_rows == 50


def test_a_file_without_checksums_is_read_as_it_is(table: Path, tmp_path: Path) -> None:
    expected = pq.read_table(table)
    pq.write_table(expected, tmp_path / "t.parquet")
    with opened(tmp_path / "t.parquet") as file:
        assert file.read().equals(expected)


def test_what_is_wrong_is_said(table: Path, tmp_path: Path) -> None:
    content = table.read_bytes()
    path = tmp_path / "t.parquet"
    for damaged, message in {
        content[:-30] + bytes([content[-30] ^ 1]) + content[-29:]: "is damaged: its footer does not match its checksum",
        content[:600] + bytes([content[600] ^ 1]) + content[601:]: "is damaged: could not verify page integrity",
        content[:-1]: "is damaged: Parquet magic bytes not found in footer",
        b"": "is damaged: Parquet file size is 0 bytes",
    }.items():
        path.write_bytes(damaged)
        with pytest.raises(RunError, match=message), opened(path) as file:
            file.read()
    path.unlink()
    with pytest.raises(RunError, match=r"t\.parquet is damaged: it is missing"), opened(path):
        pass


def test_an_analysis_of_a_damaged_corpus_ends(corpus: Run, tmp_path: Path) -> None:
    part = Path(documents(corpus).paths[0])
    content = part.read_bytes()
    text = pq.read_metadata(part).row_group(0).column(pq.read_schema(part).names.index("text"))
    place = text.data_page_offset + text.total_compressed_size // 2
    part.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
    try:
        for analysis in (unquilt.quilts, unquilt.neardups):
            with pytest.raises(RunError, match=r"part-00000\.parquet is damaged: could not verify page integrity"):
                analysis(corpus.path, tmp_path / analysis.__name__)
        with pytest.raises(RunError, match="is damaged: "):
            list(RunFolder.open(corpus.path).documents(range(3), ["text"]))
    finally:
        part.write_bytes(content)
