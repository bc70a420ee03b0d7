"""Parquet: the types of columns, missing columns, broken files."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import faulty
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.corpus.read import PieceReader
from unquilt.corpus.readers import parquet
from unquilt.corpus.records import Page, Reject
from unquilt.corpus.sources import Slice
from unquilt.errors import InputError
from unquilt.runs import Run

TEXTS = ["Größe\n\nzählt", "", None, "a\0b"]


def rows(
    path: Path, limits: Limits | None = None, fields: Fields | None = None, carry: str = "all"
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    reading = Reading(fields or Fields(), limits or Limits(), carry=carry)
    batches = [batch for piece in pieces(find([path]), reading) for batch in PieceReader(piece).batches()]
    for batch in batches:
        batch.documents.validate(full=True)
    documents = [row for batch in batches for row in batch.documents.to_pylist()]
    return documents, [row for batch in batches for row in batch.rejects.to_pylist()]


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
    ],
    ids=str,
)
def test_types_of_text(kind: pa.DataType, tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    plain = pa.array(TEXTS)
    if pa.types.is_dictionary(kind):
        texts = plain.dictionary_encode().cast(kind)
    else:
        texts = plain.cast(pa.binary()).cast(kind) if "binary" in str(kind) else plain.cast(kind)
    pq.write_table(pa.table({"text": texts, "id": texts, "url": texts}), file)
    documents, (reject,) = rows(file)
    assert [row["text"] for row in documents] == ["Größe\n\nzählt", "", "a\0b"]
    assert [row["id"] for row in documents] == ["Größe\n\nzählt", f"{file}#1", "a\0b"]
    assert [row["offset"] for row in documents] == [0, 1, 3]
    assert documents[0]["chunks"] == [{"begin": 0, "end": 5}, {"begin": 7, "end": 12}]
    assert documents[0]["raw_sha1"] == hashlib.sha1("Größe\n\nzählt".encode()).digest()
    assert (reject["offset"], reject["reason"], reject["detail"]) == (2, "no text", "column 'text' is null")


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        (pa.array([17, None, -3], pa.int64()), ["17", "#1", "-3"]),
        (pa.array([255, 0, 1], pa.uint8()), ["255", "0", "1"]),
        (pa.array([1.5, None, float("nan")]), ["1.5", "#1", "#2"]),
        (pa.array([5, 5, None]).dictionary_encode(), ["5", "5", "#2"]),
        (pa.array([True, False, None]), ["#0", "#1", "#2"]),
        (pa.array([[1], [], None]), ["#0", "#1", "#2"]),
        (pa.array([0, 1, None], pa.timestamp("us", "Europe/Rome")), ["#0", "#1", "#2"]),
        (pa.nulls(3), ["#0", "#1", "#2"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else None,
)
def test_types_of_ids(values: pa.Array, ids: list[str], tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": values, "url": values, "ip": values, "text": ["a", "b", "c"]}), file)
    documents, rejects = rows(file)
    assert not rejects
    assert [row["id"].removeprefix(str(file)) for row in documents] == ids
    assert [row["url"] for row in documents] == [None] * 3


def test_columns_may_be_missing_or_mapped(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"content": ["x"], "server": ["192.0.2.1"], "nested": [{"text": "no"}]}), file)
    (document,), _ = rows(file, fields=Fields(text="content", ip="server"))
    assert (document["id"], document["ip"], document["url"]) == (f"{file}#0", "192.0.2.1", None)
    (document,), _ = rows(file, fields=Fields(text="content", id="content"))
    assert document["id"] == "x"


def test_bad_rows_are_rejected_and_good_ones_stay(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    texts = pa.array([b"good", b"\xff", b"x" * 11, b"\xed\xa0\x80", b"good"], pa.binary()).view(pa.string())
    ids = pa.array([b"a", b"b", b"c", b"d", b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": ids, "text": texts}), file)
    documents, rejects = rows(file, Limits(max_bytes=10))
    assert [row["id"] for row in documents] == ["a"]
    assert [(row["offset"], row["reason"]) for row in rejects] == [
        (1, "not utf-8"),
        (2, "too large"),
        (3, "not utf-8"),
        (4, "not utf-8"),
    ]


def test_a_file_without_its_footer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x" * 1000]}), file)
    for size in (4, 100, file.stat().st_size - 1):
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(file.read_bytes()[:size])
        with pytest.raises(InputError, match=r"broken\.parquet: not a complete Parquet file"):
            pieces(find([broken]))


def test_without_the_column(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["x"], "body": ["x"], "n": [1]}), file)
    with pytest.raises(
        InputError,
        match=r"a\.parquet: no column 'text' or 'html'; it has id, body, n; pass fields=\{'text': 'body'\}",
    ):
        pieces(find([file]))
    with pytest.raises(InputError, match=r"a\.parquet: column 'n' is int64, not a string"):
        pieces(find([file]), Reading(Fields(text="n")))


def test_columns_of_the_same_name(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    for name in ("text", "html", "id", "url", "ip", "other"):
        columns = [("text", ["x"]), *[(name, ["x"])] * (1 if name == "text" else 2)]
        arrays, names = [pa.array(values) for _, values in columns], [each for each, _ in columns]
        pq.write_table(pa.Table.from_arrays(arrays, names), file)
        with pytest.raises(InputError, match=rf"a\.parquet: 2 columns are called '{name}'; rename all but one"):
            pieces(find([file]))
    assert len(rows(file, carry="none")[0]) == 1


def footer(*groups: int, rows: int) -> bytes:
    """A Parquet file that is a footer only: one column of texts, row groups of so many rows, so many in all."""

    def number(value: int) -> bytes:
        value = (value << 1) ^ (value >> 63)
        return bytes(value >> i & 127 | 128 for i in range(0, 63, 7)) + bytes([value >> 63 & 1])

    def i64(field: int, value: int) -> bytes:
        return bytes([field << 4 | 6]) + number(value)

    schema = b"\x19\x2c" + b"\x48\x04root\x15\x02\x00" + b"\x15\x0c\x25\x00\x18\x04text\x25\x00\x00"
    meta = b"\x15\x0c\x19\x15\x00\x19\x18\x04text\x15\x00" + i64(1, groups[0]) + i64(1, 9) + i64(1, 9) + i64(2, 4)
    column = b"\x26\x08\x1c" + meta + b"\x00\x00"
    lists = b"".join(b"\x19\x1c" + column + i64(1, 9) + i64(1, each) + b"\x00" for each in groups)
    data = b"\x15\x02" + schema + i64(1, rows) + bytes([0x19, len(groups) << 4 | 12]) + lists + b"\x00"
    return b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize(
    ("groups", "rows", "said"),
    [
        ([1 << 60], 1 << 60, "its footer claims 1152921504606846976 rows in "),
        ([1 << 21], 1 << 21, "its footer claims 2097152 rows in "),
        ([-1], -1, "its footer contradicts itself"),
        ([5, -1], 4, "its footer contradicts itself"),
        ([5, 5], 11, "its footer contradicts itself"),
        ([1 << 62] * 4, 0, "its footer contradicts itself"),
    ],
)
def test_rows_that_nobody_wrote(groups: list[int], rows: int, said: str, tmp_path: Path) -> None:
    file = faulty.write(tmp_path / "a.parquet", footer(*groups, rows=rows))
    with pytest.raises(InputError, match=rf"a\.parquet: damaged: {said}"):
        pieces(find([file]))


def test_rows_that_a_footer_promises(tmp_path: Path) -> None:
    """There are none of them, but so many can be believed; each is lost, quickly and in its own line."""
    file = faulty.write(tmp_path / "a.parquet", footer(100_000, 3, rows=100_003))
    documents, rejects = rows(file)
    assert not documents
    assert [row["offset"] for row in rejects] == list(range(100_003))
    assert {row["reason"] for row in rejects} == {"corrupt parquet"}


def test_nonsense_in_a_footer(tmp_path: Path) -> None:
    """Whatever is in it, it is refused, or each of its rows is a document or a reject."""
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": list(range(20)), "text": ["x"] * 20}), file, row_group_size=9)
    data = file.read_bytes()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for at in range(begin, len(data) - 8, 3):
        file.write_bytes(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :])
        try:
            documents, rejects = rows(file)
            assert sorted(row["offset"] for row in documents + rejects) == list(range(20))
        except InputError:
            refused += 1
    assert refused > 100


@pytest.mark.slow
def test_ten_thousand_columns_are_read_in_time(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({str(i): [i] for i in range(10_000)} | {"text": ["x"]}), file)
    assert len(rows(file)[0]) == 1
    with pytest.raises(InputError, match=r"no column 'body' or 'html'; it has 0, 1, 2"):
        rows(file, fields=Fields(text="body"))


@pytest.mark.parametrize("values", [[{"text": "x"}], [["x"]], [[("text", "x")]], [1], [True], [b"12345"]], ids=str)
def test_other_columns_called_text(values: list[Any], tmp_path: Path) -> None:
    kinds = {"[[('text', 'x')]]": pa.map_(pa.string(), pa.string()), "[b'12345']": pa.binary(5)}
    column = pa.array(values, kinds.get(str(values)))
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": column}), file)
    with pytest.raises(InputError, match=r"a\.parquet: column 'text' is .*, not a string"):
        pieces(find([file]))
    if values not in ([1], [True]):  # as an id, it is as good as none
        pq.write_table(pa.table({"id": column, "url": column, "text": ["x"]}), file)
        (document,), _ = rows(file)
        assert (document["id"], document["url"]) == (f"{file}#0", None)


def damaged(file: Path, table: pa.Table, *, group: int, column: int, share: float, **options: Any) -> None:
    """Writes a table, and zeros into one of its column chunks at this share of it."""
    pq.write_table(table, file, write_page_checksum=True, **options)
    chunk = pq.ParquetFile(file).metadata.row_group(group).column(column)
    data = bytearray(file.read_bytes())
    at = chunk.data_page_offset + int(chunk.total_compressed_size * share)
    data[at : at + 20] = bytes(20)
    file.write_bytes(data)


def test_a_corrupt_row_group_is_not_the_end(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    texts = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(3000)]
    options = {"row_group_size": 1000, "use_dictionary": False, "compression": "zstd"}
    damaged(file, pa.table({"text": texts}), group=1, column=0, share=0.5, **options)
    documents, rejects = rows(file)
    assert [row["text"] for row in documents] == texts[:1000] + texts[2000:]
    assert [row["offset"] for row in rejects] == list(range(1000, 2000))
    assert {row["reason"] for row in rejects} == {"corrupt parquet"}
    (detail,) = {row["detail"] for row in rejects}
    assert detail.startswith("row group 1 was given up at row 1000: ")


@pytest.mark.parametrize("column", [0, 1])
def test_rows_before_the_broken_page_are_read(column: int, tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    texts = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(3000)]
    pages = {"write_batch_size": 50, "data_page_size": 1500, "use_dictionary": False}
    damaged(
        file, pa.table({"text": texts, "id": texts}), group=0, column=column, share=0.5, compression="none", **pages
    )
    documents, rejects = rows(file)
    assert [row["text"] for row in documents] == [row["id"] for row in documents] == texts[: len(documents)]
    assert [row["offset"] for row in rejects] == list(range(len(documents), 3000))
    assert len(documents) == 1450  # a page begins there; rows are decoded 64 at a time


@pytest.mark.parametrize(("column", "name"), [(0, "text"), (2, "more")])
def test_rows_that_pages_have_lost_are_not_paired_wrongly(column: int, name: str, tmp_path: Path) -> None:
    """A page header is in no checksum. One that has a row less would shift what follows against the other columns."""
    file = tmp_path / "a.parquet"
    texts = [f"{i:03}" for i in range(200)]
    pages = {"write_batch_size": 50, "data_page_size": 1, "use_dictionary": False, "compression": "none"}
    pq.write_table(pa.table({"text": texts, "id": texts, "more": texts}), file, **pages)
    at = pq.ParquetFile(file).metadata.row_group(0).column(column).data_page_offset
    data = bytearray(file.read_bytes())
    header = data.index(b"\x15\x64", at, at + 30)  # field 1 of the header of a data page: 50, in zigzag
    data[header + 1] = 98
    file.write_bytes(data)
    documents, rejects = rows(file)
    assert not documents
    assert [row["offset"] for row in rejects] == list(range(200))
    assert rejects[0]["detail"].endswith(f"column {name!r} has pages for 199 rows, the footer says 200")


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["none", "zstd"])
@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_checksums_of_pages_are_verified(compression: str, dictionary: bool, version: str, tmp_path: Path) -> None:
    """A flipped bit in the body of any page, the dictionary's too, is seen; nothing is read that was not written."""
    file = tmp_path / "a.parquet"
    texts = [hashlib.sha256(str(i % 9).encode()).hexdigest() for i in range(30)]
    pages = {"compression": compression, "use_dictionary": dictionary, "data_page_version": version}
    pq.write_table(pa.table({"text": texts}), file, write_page_checksum=True, write_statistics=False, **pages)
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(0)
    begin, data = chunk.dictionary_page_offset or chunk.data_page_offset, file.read_bytes()
    seen = 0
    for at in range(begin, begin + chunk.total_compressed_size, 5):
        file.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        documents, rejects = rows(file)
        assert [row["text"] for row in documents] == texts[: len(documents)], at
        assert [row["offset"] for row in rejects] == list(range(len(documents), 30)), at
        seen += bool(rejects)
    headers = 40 * (1 + dictionary)
    assert seen >= (chunk.total_compressed_size - headers) // 5


def test_a_row_group_can_be_skipped(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [str(i) for i in range(10)]}), file, row_group_size=3)
    (source,) = find([file])
    whole, later = Slice(source), Slice(source, 1, 3)
    for part, offset, lost, kept in [
        (whole, 0, range(3), range(3, 10)),
        (whole, 2, range(2, 3), range(3, 10)),
        (whole, 3, range(3, 6), range(6, 10)),
        (whole, 9, range(9, 10), []),
        (whole, 10, [], []),
        (later, 0, range(3, 6), range(6, 9)),
        (later, 7, range(7, 9), []),
    ]:
        found = list(parquet.skip(part, Reading(), offset, "ended by SIGSEGV"))
        rejects = [record for record in found if isinstance(record, Reject)]
        pages = [record for record in found if isinstance(record, Page)]
        assert [record.offset for record in found] == [*lost, *kept]
        assert [record.offset for record in rejects] == list(lost)
        assert {record.reason for record in rejects} <= {"crashed"}
        assert all(record.detail.endswith(": ended by SIGSEGV") for record in rejects)
        assert [page.content for page in pages] == [str(i) for i in kept]


# What rows become.

CHILD = """
import sys
from unquilt.corpus.readers import parquet
from unquilt.corpus.find.inputs import find
from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.records import Page

def held():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) << 10

(source,) = find([sys.argv[1]])
reading = Reading(limits=Limits(max_bytes=int(sys.argv[2])))
before, pages, rejects, size = held(), 0, 0, 0
for part in parquet.cut(source, reading, 1 << 26):
    for record in parquet.read(part, reading):
        if isinstance(record, Page):
            pages, size = pages + 1, size + len(record.content)
        else:
            rejects += record.reason == "too large"
print(pages, rejects, size, held() - before)
"""


def held(file: Path, max_bytes: int = 64 << 20) -> tuple[int, int, int, int]:
    """Pages and rows that are too large, bytes of the pages, and what a process that reads them comes to hold."""
    command = [sys.executable, "-c", CHILD, str(file), str(max_bytes)]
    result = subprocess.run(command, capture_output=True, check=True, timeout=faulty.TIMEOUT)
    pages, rejects, size, peak = map(int, result.stdout.split())
    return pages, rejects, size, peak


@pytest.mark.slow
def test_small_pages_that_become_large_rows(tmp_path: Path) -> None:
    """docs/faults.md 45: what rows become counts, 300 MB a column here, not files of some kilobytes."""
    file = tmp_path / "a.parquet"
    texts = pa.array([letter * 150_000 for letter in "abcde"])
    indices = pa.array([i % 5 for i in range(2000)])
    repeated = pa.DictionaryArray.from_arrays(indices, texts)
    begun_alike = pa.array(["x" * 150_000 + str(i) for i in range(2000)])
    for table, options in [
        (pa.table({"text": repeated, "html": repeated, "url": repeated, "id": repeated}), {}),
        (pa.table({"text": repeated, "html": repeated, "url": repeated, "id": repeated}), {"store_schema": False}),
        (pa.table({"text": begun_alike}), {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}),
    ]:
        pq.write_table(table, file, **options)
        assert file.stat().st_size < 1 << 20
        pages, rejects, size, peak = held(file)
        assert (pages, rejects) == (table.num_rows, 0)
        assert size > 150_000 * pages - pages
        assert peak < 200 << 20


@pytest.mark.slow
def test_a_corpus_of_small_pages_that_become_large_rows(tmp_path: Path) -> None:
    """All of them are there, and neither reading nor writing holds more than a batch of them."""
    texts = pa.array([letter * 150_000 for letter in "abcde"])
    table = pa.table({"text": pa.DictionaryArray.from_arrays(pa.array([i % 5 for i in range(4000)]), texts)})
    pq.write_table(table, tmp_path / "a.parquet")
    ended, held = faulty.peak("ingest", tmp_path / "a.parquet", "-o", tmp_path / "corpus", "--threads", 1, "--quiet")
    assert ended.code == 0, ended.err
    summary = Run.read(tmp_path / "corpus").manifest["summary"]
    assert (summary["documents"], summary["rejects"], summary["bytes"] > 600_000_000) == (4000, 0, True)
    assert held < 600 << 20


@pytest.mark.slow
def test_large_rows_among_small_ones(tmp_path: Path) -> None:
    """A cluster of 300 MB in the middle of 10,000 short rows."""
    file = tmp_path / "a.parquet"
    short, large = ["short"] * 5000, ["x" * (4 << 20)] * 75
    pq.write_table(pa.table({"text": [*short, *large, *short]}), file, use_dictionary=False, write_batch_size=1)
    pages, rejects, _, peak = held(file)
    assert (pages, rejects) == (10_075, 0)
    assert peak < 250 << 20


@pytest.mark.slow
def test_rows_over_the_limit_among_small_ones(tmp_path: Path) -> None:
    """Each is a reject of its own, and never becomes more than the bytes that Arrow decodes."""
    file = tmp_path / "a.parquet"
    texts = [letter * (40 << 20) if letter == "x" else letter for letter in "axbxxxxxxc"]
    ids = ["0" * 2000 if letter == "c" else letter for letter in "axbxxxxxxc"]
    for dictionary in (False, True):
        options = {"use_dictionary": dictionary, "dictionary_pagesize_limit": 1 << 30, "write_batch_size": 1}
        pq.write_table(pa.table({"text": texts, "id": ids}), file, **options)
        pages, rejects, size, peak = held(file, max_bytes=1000)
        assert (pages, rejects, size) == (2, 8, 2)
        assert peak < 240 << 20


def test_large_rows_come_in_small_batches(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x" * (3 << 20)] * 10}), file, compression="zstd")
    (piece,) = pieces(find([file]))
    assert [batch.documents.num_rows for batch in PieceReader(piece).batches()] == [3, 3, 3, 1]
