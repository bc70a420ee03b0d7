"""WARC files in a WACZ file."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import unquilt
from unquilt.errors import InputError


def make_warc(first: int, count: int) -> bytes:
    records = []
    for number in range(first, first + count):
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page number %d" % number
        header = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:%d>\r\nContent-Length: %d\r\n\r\n"
        records.append(gzip.compress(header % (number, len(body)) + body + b"\r\n\r\n", mtime=0))
    return b"".join(records)


FILES = {
    "datapackage.json": b"{}",
    "archive/data.warc.gz": make_warc(0, 3),
    "archive/more.warc": gzip.decompress(make_warc(3, 2)),
    "pages/pages.jsonl": b'{"text": "of no use"}\n',
}


def write_wacz(path: Path, files: Mapping[str, bytes] = FILES, packing: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return path


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_in_it_are_read(packing: int, tmp_path: Path) -> None:
    path = write_wacz(tmp_path / "crawl.wacz", packing=packing)
    rows = unquilt.ingest(path).table("documents").to_pylist()
    assert [row["id"] for row in rows] == [f"urn:{number}" for number in range(5)]
    assert sorted({row["file"] for row in rows}) == [f"{path}/archive/data.warc.gz", f"{path}/archive/more.warc"]


def test_documents_are_those_of_the_archives_themselves(tmp_path: Path) -> None:
    path = write_wacz(tmp_path / "crawl.wacz")
    plain = tmp_path / "archive"
    plain.mkdir()
    for name in ("data.warc.gz", "more.warc"):
        (plain / name).write_bytes(FILES[f"archive/{name}"])
    ours, theirs = (unquilt.ingest(each).table("documents").drop_columns(["file"]) for each in (path, plain))
    assert ours.equals(theirs)


def test_it_is_read_again_under_the_same_name(tmp_path: Path) -> None:
    path, output = write_wacz(tmp_path / "crawl.wacz"), tmp_path / "corpus"
    first = unquilt.ingest(path, output).manifest
    assert unquilt.ingest(path, output).manifest["finished"] == first["finished"]
    assert [Path(each["path"]).name for each in first["inputs"]] == ["data.warc.gz", "more.warc"]


def test_a_broken_byte_costs_the_record_that_it_is_in(tmp_path: Path) -> None:
    path = write_wacz(tmp_path / "crawl.wacz")
    data = bytearray(path.read_bytes())
    second = data.index(b"\x1f\x8b", data.index(b"\x1f\x8b") + 2)
    data[second + 30] ^= 0xFF
    path.write_bytes(data)
    corpus = unquilt.ingest(path)
    assert [row["id"] for row in corpus.table("documents").to_pylist()] == ["urn:0", "urn:2", "urn:3", "urn:4"]
    assert corpus.manifest["summary"]["rejects"] == 1


def _cut(data: bytes) -> bytes:
    return data[:-30]


def _overwrite_header(data: bytes) -> bytes:
    at = data.index(b"archive/data") - 30
    return data[:at] + b"XX" + data[at + 2 :]


@pytest.mark.parametrize("damage", [_cut, _overwrite_header])
def test_a_broken_list_is_refused_if_it_is_named_and_a_reject_in_a_folder(damage: object, tmp_path: Path) -> None:
    assert callable(damage)
    path = write_wacz(tmp_path / "in" / "crawl.wacz") if (tmp_path / "in").mkdir() is None else tmp_path
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"crawl\.wacz: not a complete WACZ: "):
        unquilt.ingest(path)
    (path.parent / "a.txt").write_text("some words")
    (reject,) = unquilt.ingest(path.parent).table("rejects").to_pylist()
    assert (reject["file"], reject["reason"]) == (str(path), "not a wacz")


def test_a_file_without_archives_is_refused(tmp_path: Path) -> None:
    path = write_wacz(tmp_path / "crawl.wacz", {"datapackage.json": b"{}"})
    with pytest.raises(InputError, match="there is no folder archive in it"):
        unquilt.ingest(path)


def test_another_zip_file_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a known kind"):
        unquilt.ingest(write_wacz(tmp_path / "a.zip", {"a.bin": b"\0" * 99}))
