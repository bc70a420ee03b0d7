"""docs/faults.md 1 to 12: broken archives, compressed files and mailboxes cost what is broken in them, no more."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from faulty import (
    Tables,
    begins,
    execute,
    gz,
    ingest,
    invoke,
    line,
    mail,
    peak,
    peruse,
    record,
    refuse,
    response,
    tables,
    write,
    zeros,
    zst,
)
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow

MIB = 1 << 20


KINDS: dict[str, Callable[[int], bytes]] = {"a.warc": response, "a.jsonl": line, "a.mbox": mail}
each_kind = pytest.mark.parametrize("name", KINDS)


def flip(data: bytes, at: int) -> bytes:
    """The same bytes with one bit flipped."""
    broken = bytearray(data)
    broken[at] ^= 16
    return bytes(broken)


PACKERS = {"gzip": (gz, ".gz"), "zstd": (zst, ".zst")}
each_codec = pytest.mark.parametrize("codec", PACKERS)


def packed(name: str, codec: str = "gzip") -> tuple[list[bytes], list[int]]:
    """Six records, each in a gzip member or zstd frame of its own, and the offset at which tables have each one."""
    records = [KINDS[name](number) for number in range(6)]
    members = [PACKERS[codec][0](each) for each in records]
    return members, begins(members if name == "a.warc" else records)


def read_members(folder: Path, name: str, codec: str, members: Sequence[bytes]) -> Tables:
    return peruse(write(folder / f"{name}{PACKERS[codec][1]}", *members))


@each_codec
@each_kind
def test_fault_01_a_flipped_bit_in_a_member(name: str, codec: str, tmp_path: Path) -> None:
    members, at = packed(name, codec)
    whole = read_members(tmp_path, name, codec, members).texts
    for place in range(10, len(members[2])):
        found = read_members(tmp_path, name, codec, [*members[:2], flip(members[2], place), *members[3:]])
        if found.texts == whole and not found.rejects:  # a bit that nobody needs
            continue
        intact = [f"urn:{number}" for number in (0, 1, 3, 4, 5)]
        assert [row["id"] for row in found.documents if row["id"] in intact] == intact
        if name == "a.warc":
            assert found.pages == [0, 1, 3, 4, 5]
            assert found.lost == [(at[2], found.lost[0][1])]
        elif name == "a.mbox":
            assert {row["text"].strip() for row in found.documents} <= {f"page {number}" for number in range(6)}
        # The lines of a member are out before its checksum is known.
        assert {f"corrupt {codec}", f"truncated {codec}"} & {reason for _, reason in found.lost}


@each_codec
@each_kind
def test_fault_02_a_bad_checksum(name: str, codec: str, tmp_path: Path) -> None:
    members, at = packed(name, codec)
    found = read_members(
        tmp_path, name, codec, [*members[:2], flip(members[2], -6 if codec == "gzip" else -2), *members[3:]]
    )
    if name == "a.jsonl":  # lines come out before the checksum is known
        assert found.pages == [0, 1, 2, 3, 4, 5]
        assert found.lost == [(at[3], f"corrupt {codec}")]
    else:
        assert found.pages == [0, 1, 3, 4, 5]
        assert found.lost == [(at[2], f"corrupt {codec}")]
    assert found.rejects[0]["detail"] == "checksum does not match"


@each_codec
@each_kind
def test_fault_03_a_truncated_last_member(name: str, codec: str, tmp_path: Path) -> None:
    members, at = packed(name, codec)
    found = read_members(tmp_path, name, codec, [*members[:5], members[5][: len(members[5]) * 3 // 4]])
    assert found.pages == [0, 1, 2, 3, 4]
    ((offset, reason),) = found.lost
    assert (at[5] <= offset < at[6], reason) == (True, f"truncated {codec}")


def test_fault_03_a_truncated_warc_without_compression(tmp_path: Path) -> None:
    records = [response(number) for number in range(3)]
    found = peruse(write(tmp_path / "a.warc", *records[:2], records[2][:-30]))
    assert found.pages == [0, 1]
    assert found.lost == [(begins(records)[2], "wrong length")]


@each_codec
@each_kind
def test_fault_04_garbage_between_members(name: str, codec: str, tmp_path: Path) -> None:
    members, at = packed(name, codec)
    found = read_members(tmp_path, name, codec, [*members[:2], b"garbage!!" * 100, *members[2:], b"and at the end"])
    assert found.pages == [0, 1, 2, 3, 4, 5]
    between, end = at[2], at[6] + 900 * (name == "a.warc")
    assert found.lost == [(between, "garbage"), (end, "garbage")]


def test_fault_04_garbage_between_records(tmp_path: Path) -> None:
    records = [response(number) for number in range(3)]
    found = peruse(write(tmp_path / "a.warc", records[0], b"garbage!!\n" * 90, *records[1:], b"garbage"))
    assert found.pages == [0, 1, 2]
    assert found.lost == [(begins(records)[1], "garbage"), (begins(records)[3] + 900, "garbage")]


@st.composite
def damage(draw: st.DrawFn, size: int) -> tuple[int, int, bytes]:
    """What happens to a file: from where to where bytes are lost, and what is there instead."""
    begin = draw(st.integers(0, size))
    end = draw(st.sampled_from([begin, begin + 1, begin + 30, begin + 500, size]))
    end = max(begin, min(end, size))
    noise = random.Random(draw(st.integers(0, 99))).randbytes(end - begin + 9)
    return begin, end, draw(st.sampled_from([b"", noise[: end - begin], noise, bytes(end - begin), b"garbage\n"]))


@each_codec
@each_kind
@settings(max_examples=60)
@given(data=st.data())
def test_faults_01_to_04_at_any_place(name: str, codec: str, tmp_path: Path, data: st.DataObject) -> None:
    """Bytes changed, zeroed, lost or put in, at the beginning and the end too: what is in members that were not touched
    is found, and what is not found has left a row.
    """
    members, _ = packed(name, codec)
    whole, places = b"".join(members), begins(members)
    begin, end, instead = data.draw(damage(len(whole)))
    broken = whole[:begin] + instead + whole[end:]
    (tmp_path / "crawl").mkdir(exist_ok=True)
    file = write(tmp_path / "crawl" / f"{name}{PACKERS[codec][1]}", broken)
    found = peruse(file.parent)
    texts = {row["id"]: row["text"].strip() for row in found.documents}
    spared = [number for number in range(6) if places[number + 1] <= begin or places[number] >= end]
    for number in spared:
        assert texts.get(f"urn:{number}") == f"page {number}"
    shorter = [b"".join(members[:i] + members[j:]) for i in range(7) for j in range(i, 7)]
    if len(texts) < 6 and broken not in shorter:  # as if there had never been more
        assert found.rejects


LENGTHS = {5: [10**4, 10**9, 10**17, 10**40], 6: [0, 5, 60, -1, "", "abc", "0x10", "1e3", " "]}


@pytest.mark.parametrize("how", ["plain", "gzip", "whole"])
@pytest.mark.parametrize(("fault", "length"), [(fault, length) for fault in LENGTHS for length in LENGTHS[fault]])
def test_faults_05_and_06_a_wrong_length(fault: int, length: object, how: str, tmp_path: Path) -> None:
    records = [response(number, length=length if number in (2, 5) else None) for number in range(7)]
    stored = [gz(each) for each in records] if how == "gzip" else records
    data = gz(b"".join(stored)) if how == "whole" else b"".join(stored)
    found = peruse(write(tmp_path / "a.warc", data))
    assert found.pages == [0, 1, 3, 4, 6]
    assert found.lost == [(begins(stored)[number], "wrong length") for number in (2, 5)]


def test_fault_07_gzipped_as_a_whole(tmp_path: Path) -> None:
    file = write(tmp_path / "a.warc.gz", gz(b"".join(response(number) for number in range(5))))
    ended = invoke("ingest", file, "-o", tmp_path / "out")
    assert ended.code == 0
    (warning,) = [said for said in ended.out.splitlines() if said.startswith("Warning: ")]
    assert warning.startswith(f"Warning: {file}: compressed as a whole")
    found = tables(tmp_path / "out")
    assert found.pages == [0, 1, 2, 3, 4]
    assert not found.rejects


def test_fault_08_a_header_of_50_mb(tmp_path: Path) -> None:
    records = [response(0), response(1, X_Note="x" * (50 * MIB)), response(2)]
    for name, stored in {"a.warc": records, "a.warc.gz": [gz(each) for each in records]}.items():
        found = peruse(write(tmp_path / name, *stored))
        assert found.pages == [0, 2]
        assert found.lost == [(begins(stored)[1], "bad header")]
        assert len(found.rejects[0]["detail"]) < 100


def test_fault_08_other_long_headers(tmp_path: Path) -> None:
    """A line of JSON over the limit is passed over; the header of a mail is no more than the rest of it."""
    lines = [line(0), line(1, url="x" * (65 * MIB)), line(2)]
    found = peruse(write(tmp_path / "a.jsonl", *lines))
    assert (found.pages, found.lost) == ([0, 2], [(len(lines[0]), "too large")])
    assert peruse(write(tmp_path / "a.mbox", mail(0), mail(1, X_Note="x" * (50 * MIB)), mail(2))).pages == [0, 1, 2]


def test_faults_01_to_08_by_the_command_line(tmp_path: Path) -> None:
    """All at once, as a crawl has them."""
    folder = tmp_path / "crawl"
    expected: dict[str, set[int]] = {}
    for name in KINDS:
        members, _ = packed(name)
        broken = [members[0], members[1][:-9], members[2], b"garbage", flip(members[3], 10), *members[4:]]
        broken[-1] = broken[-1][:-20]
        expected[str(write(folder / f"{name}.gz", *broken))] = {0, 2, 4}
    records = [response(0), response(1, length=10**12), response(2), response(3, X="x" * MIB), response(4), b"rest"]
    expected[str(write(folder / "b.warc", *records))] = {0, 2, 4}
    found = ingest(folder, output=tmp_path / "out")
    for file, numbers in expected.items():
        kept = {int(row["id"][4:]) for row in found.documents if row["file"] == file}
        assert kept - {1} == numbers  # of 1 it is the checksum that is cut off, mostly
        assert len([row for row in found.rejects if row["file"] == file]) >= 3
    assert {row["text"].strip() for row in found.documents} == {f"page {number}" for number in (0, 1, 2, 4)}


# Files that are no archive at all.


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.warc", b"", "empty file"),
        ("a.warc.gz", gz(b""), "empty file"),
        ("a.jsonl", b"", "empty file"),
        (
            "a.warc",
            b"This is a text about WARC/1.0\n" * 99,
            "its name is that of an archive, but it has no WARC record",
        ),
        ("a.warc.gz", gz(b"<html><p>a page"), "its name is that of an archive, but it has no WARC record"),
        ("a.arc", b"<html><p>a page", "its name is that of an archive, but it has no ARC record"),
        ("a.warc", bytes(range(256)) * 300, "its name is that of an archive, but it has no WARC record"),
        ("a", bytes(range(256)) * 300, "binary, and not a known kind of file"),
    ],
)
def test_fault_09_empty_or_no_warc(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    file = write(tmp_path / name, content)
    assert refuse(file, output=tmp_path / "out").startswith(f"{file}: {message}")


def test_fault_09_in_a_folder_it_is_a_reject(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    write(folder / "a.warc")
    write(folder / "b.warc", b"no archive\n" * 9)
    write(folder / "c.bin", bytes(range(256)) * 300)
    write(folder / "d.warc", response(1))
    found = ingest(folder, output=tmp_path / "out")
    assert found.pages == [1]
    assert [(Path(row["file"]).name, row["offset"], row["reason"]) for row in found.rejects] == [
        ("a.warc", 0, "empty file"),
        ("b.warc", 0, "not a warc"),
        ("c.bin", 0, "unknown kind"),
    ]


def bomb(size: int, first: bytes = b"", last: bytes = b"") -> bytes:
    """A gzip member of `size` MiB of zeros, made without compressing them all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    begin = packer.compress(first) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.compress(last) + packer.flush()
    check = zlib.crc32(first)
    for _ in range(size):
        check = zlib.crc32(bytes(MIB), check)
    check = zlib.crc32(last, check)
    length = len(first) + size * MIB + len(last)
    tail = check.to_bytes(4, "little") + (length & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + begin + block * size + end + tail


BOMB = 512
"""MiB: well above what is allowed to be in memory."""


def test_fault_10_bombs(tmp_path: Path) -> None:
    """A page that is half a gigabyte when decoded stops at the limit, wherever it is."""
    zipped = "Content-Encoding: gzip\r\n"
    pages = [response(0), response(1, bomb(BOMB), http=zipped), response(2, gz(b"<p>page 2"), http=zipped)]
    write(tmp_path / "bombs" / "a.warc", *pages)
    header = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    record_header = record("response", 1, header, length=len(header) + BOMB * MIB).removesuffix(b"\r\n\r\n")
    write(tmp_path / "bombs" / "b.warc.gz", gz(pages[0]), bomb(BOMB, record_header, b"\r\n\r\n"), gz(response(2)))
    write(tmp_path / "bombs" / "c.jsonl.gz", gz(line(0)), bomb(BOMB, b'{"id": "', b'"}\n'), gz(line(2)))
    write(tmp_path / "bombs" / "d.mbox.gz", gz(mail(0)), bomb(BOMB, mail(1), b"\n\n"), gz(mail(2)))
    write(tmp_path / "bombs" / "e.html.gz", bomb(BOMB, b"<p>text"))
    for name in ("a.warc", "b.warc.gz", "c.jsonl.gz", "d.mbox.gz", "e.html.gz"):
        kind = response if "warc" in name else line if "jsonl" in name else mail if "mbox" in name else None
        parts = [kind(0), kind(1), kind(2)] if kind else [b"<p>text"]
        write(tmp_path / "harmless" / name, *(map(gz, parts) if name.endswith("gz") else parts))
    idle, before = peak("ingest", tmp_path / "harmless", "-o", tmp_path / "idle")
    ended, after = peak("ingest", tmp_path / "bombs", "-o", tmp_path / "out")
    assert idle.code == ended.code == 0
    assert after - before < 300 * MIB
    found = tables(tmp_path / "out")
    assert found.pages == [0, 2] * 4
    assert [row["reason"] for row in found.rejects] == ["too large"] * 5


ZEROS = {"a.warc": 1 << 30, "a.jsonl": 1 << 24, "a.txt": 1 << 24, "a.mbox": 1 << 24, "a.gz": 1 << 24}


@pytest.mark.parametrize("name", ZEROS)
def test_fault_11_a_gigabyte_of_zeros(name: str, tmp_path: Path) -> None:
    """Whatever it is called; one of them is a whole gigabyte."""
    file = zeros(tmp_path / name, ZEROS[name])
    said = refuse(file, output=tmp_path / "out")
    assert said.startswith(f"{file}: binary, and not a known kind of file (known: ")


def test_fault_11_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    write(folder / "b.jsonl", line(1))
    zeros(folder / "a.warc", 1 << 24)
    ended = execute("ingest", folder, "-o", tmp_path / "out")
    assert ended.code == 0
    found = tables(tmp_path / "out")
    assert found.pages == [1]
    assert [row["reason"] for row in found.rejects] == ["unknown kind"]


def test_fault_11_zeros_at_the_beginning_only(tmp_path: Path) -> None:
    """What is behind them is read."""
    hole = bytes(200_000) + b"\n"
    for name, kind in KINDS.items():
        found = peruse(write(tmp_path / name, hole, b"\n", kind(0), kind(1)))
        assert found.pages == [0, 1]
        assert len(found.rejects) == 1


def test_fault_12_truncated_records_are_flagged(tmp_path: Path) -> None:
    reasons = ["length", "time", "disconnect", "unspecified"]
    records = [response(number, WARC_Truncated=reason) for number, reason in enumerate(reasons)]
    hostile, whole = response(4, WARC_Truncated="\x1b[2J\u202e"), response(5)
    found = ingest(write(tmp_path / "a.warc", *records, hostile, whole), output=tmp_path / "out")
    assert found.pages == [0, 1, 2, 3, 4, 5]
    assert [row["truncated"] for row in found.documents] == [*reasons, "unspecified", None]


def test_fault_12_bodies_that_end_early_are_flagged(tmp_path: Path) -> None:
    cut = gz(b"<p>page 0 " + bytes(range(256)) * 40)[:-30]
    zipped, chunked = "Content-Encoding: gzip\r\n", "Transfer-Encoding: chunked\r\n"
    records = [response(0, cut, http=zipped), response(1, b"9\r\n<p>page 1\r\n8\r\nand", http=chunked)]
    found = peruse(write(tmp_path / "a.warc", *records))
    assert [row["truncated"] for row in found.documents] == ["content-encoding", "chunks"]
    assert [row["text"][:6] for row in found.documents] == ["page 0", "page 1"]
