"""WARC files: which records are pages, and that a broken one costs itself alone. Numbers are of docs/faults.md."""

from __future__ import annotations

import gzip
import random
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from faulty import resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.readers import arc, archives, compression, warc
from unquilt.corpus.records import Found, Page, Reject, Skipped, Span, Warned
from unquilt.corpus.sources import Glimpse, Slice, Source

compress = partial(gzip.compress, mtime=0)
HOWS = ("plain", "gzip", "whole", "zstd")
RECORDWISE = {"gzip": "a.warc.gz", "zstd": "a.warc.zst"}
each_codec = pytest.mark.parametrize("codec", RECORDWISE)
each_how = pytest.mark.parametrize("how", HOWS)


def record(kind: str, number: int, body: bytes, length: object = None, **fields: str) -> bytes:
    """A record, with a length that may be a lie (or none: "")."""
    header = [b"WARC/1.0", b"WARC-Type: %s" % kind.encode(), b"WARC-Record-ID: <id:%d>" % number]
    if length != "":
        header.append(b"Content-Length: %s" % str(len(body) if length is None else length).encode())
    header += [f"{name.replace('_', '-')}: {value}".encode() for name, value in fields.items()]
    return b"\r\n".join(header) + b"\r\n\r\n" + body + b"\r\n\r\n"


def response(number: int, content: bytes | None = None, length: object = None, **fields: str) -> bytes:
    content = b"<p>page %d" % number if content is None else content
    fields = {"WARC-Target-URI": f"http://a.org/{number}", "Content-Type": "application/http"} | fields
    return record("response", number, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + content, length, **fields)


def pack(records: Iterable[bytes], how: str) -> list[bytes]:
    """The records as they are stored, one by one."""
    if how == "whole":
        return [compress(b"".join(records))]
    packers = {"plain": bytes, "gzip": compress, "zstd": zstandard.ZstdCompressor(write_checksum=True).compress}
    return [packers[how](each) for each in records]


def store(path: Path, parts: Iterable[bytes]) -> Source:
    data = b"".join(parts)
    path.write_bytes(data)
    plain = data.startswith((b"WARC/", b"filedesc:"))
    packed = None if plain else compression.tell_compression(data[:4]) or compression.promised(str(path))
    return Source(str(path), len(data), "warc", packed)


def read(source: Source, reading: Reading | None = None) -> list[Found]:
    return [found for found in resolved(warc.read(Slice(source), reading or Reading())) if not isinstance(found, Span)]


def ids(found: Sequence[Found]) -> list[int]:
    return [int(each.id.removeprefix("id:")) for each in found if isinstance(each, Page)]


def rejects(found: Sequence[Found]) -> list[tuple[int, str]]:
    return [(each.offset, each.reason) for each in found if isinstance(each, Reject)]


def begins(parts: Sequence[bytes]) -> list[int]:
    return [sum(map(len, parts[:i])) for i in range(len(parts) + 1)]


@each_how
def test_records_of_each_type_become_pages_or_are_skipped(how: str, tmp_path: Path) -> None:
    records = [
        record("warcinfo", 1, b"software: x"),
        response(2, WARC_IP_Address="10.0.0.1", WARC_Truncated="length"),
        record("request", 3, b"GET / HTTP/1.1\r\n\r\n"),
        record("resource", 4, b"text", Content_Type="text/plain; charset=latin1", WARC_Target_URI="<http://b.org/ x>"),
        record("conversion", 5, "é".encode(), warc_target_uri="http://b.org/é"),
        record("revisit", 6, b""),
        record("metadata", 7, b"{}"),
        record("continuation", 8, b"x"),
        record("novelty", 9, b"x"),
        record("response", 10, b"20080430\nexample.org", Content_Type="text/dns"),
        record("response", 11, b"HTTP/1.0 404 Not Found\r\n\r\n", Content_Type="application/http"),
        record("response", 12, b"SSH-2.0", Content_Type="application/http"),
    ]
    parts = pack(records, how)
    source = store(tmp_path / "a.warc", parts)
    places = begins(parts if how in RECORDWISE else records)
    found = read(source)
    name = source.name
    page = Page(name, places[1], "id:2", "http://a.org/2", "10.0.0.1", "html", b"<p>page 2", None, "length")
    text = Page(name, places[3], "id:4", "http://b.org/ x", None, "text", b"text", "latin1")
    pages = [each for each in found if isinstance(each, Page)]
    assert [dict(each.given.values) for each in pages if each.given is not None][1] == {
        "date": None,
        "content_type": "text/plain; charset=latin1",
        "status": None,
        "record_id": "id:4",
        "digest": None,
    }
    assert [each._replace(given=None) for each in pages] == [
        page,
        text,
        Page(name, places[4], "id:5", "http://b.org/é", None, "text", "é".encode(), "utf-8"),
    ]
    assert [each.what for each in found if isinstance(each, Skipped)] == [
        "warcinfo record",
        "request record",
        "revisit record",
        "metadata record",
        "continuation record",
        "record of unknown type",
        "type text/dns",
        "status 404",
    ]
    assert rejects(found) == [(places[11], "bad http")]
    assert [isinstance(each, Warned) for each in found].count(True) == (how == "whole")  # fault 7


@pytest.mark.parametrize(
    ("kind", "url", "start", "what"),
    [
        ("text/html", "", b"x", "html"),
        ("Application/XHTML+XML;charset=x", "", b"x", "html"),
        ("text/plain", "http://a.org/b/robots.txt", b"x", "text"),
        ("text/plain", "http://a.org/robots.txt?x", b"x", "robots"),
        ("text/css;charset=utf-8", "", b"x", "style"),
        ("application/x-javascript", "", b"x", "script"),
        ("text/plain", "metadata://gnu.org/software/wget/warc/wget.log", b"x", "record of the crawler"),
        ("", "", b" <!DOCTYPE html><p>", "html"),
        ("application/octet-stream", "", b"<html>", "html"),
        ("text/xml", "", b"<?xml version='1.0'?><html xmlns='x'>", "html"),
        ("text/xml", "", b"<?xml version='1.0'?><rss>", "type text/xml"),
        ("application/octet-stream", "", b"\x7fELF\0\0\0\0\0\0\0\0\0", "type application/octet-stream"),
        ("", "", b"hello", "type missing"),
        ("image/PNG", "", b"<html>", "type image/png"),
        ("\x1b[31m", "", b"x", "type of no sense"),
        ("a" * 81, "", b"x", "type of no sense"),
    ],
)
def test_content_and_type_decide_what_a_record_is(kind: str, url: str, start: bytes, what: str, tmp_path: Path) -> None:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n%s" % (kind.encode(), start)
    (found,) = read(store(tmp_path / "a.warc", [record("response", 1, body, WARC_Target_URI=url)]))
    assert (found.media if isinstance(found, Page) else found.what if isinstance(found, Skipped) else found) == what


def test_hostile_headers(tmp_path: Path) -> None:
    """Any bytes may stand in a header."""
    strange = response(1).replace(b"<id:1>", b"<\xff\x00\x1b]0;x>").replace(b"http://a.org/1", b"http://\xe4.org/\xa0")
    folded = response(2).replace(b"Content-Length:", b"X-Note: a\r\n\tb: c\r\nno colon\r\ncontent-LENGTH \t:")
    unnamed = response(3).replace(b"WARC-Record-ID", b"X")
    lines = response(4, length=53 - 3).replace(b"\r\n", b"\n")  # line feeds only, three of them in the body
    source = store(tmp_path / "a.warc", [strange, folded, unnamed, lines])
    pages = [each for each in read(source) if isinstance(each, Page)]
    assert [page.id for page in pages[:2]] == ["ÿ\0\x1b]0;x", "id:2"]
    assert pages[0].url == "http://ä.org/\xa0"
    assert pages[2].id == f"{source.name}#{len(strange + folded)}"
    assert pages[3].content == b"<p>page 4"


@pytest.mark.parametrize("name", ["a.warc", "a.warc.wet", "a.wat", "A.WARC"])
def test_recognised_by_name(name: str) -> None:
    assert warc.recognise(Glimpse(name.lower(), b"\0\0", complete=False))


def test_recognised_by_content() -> None:
    assert warc.recognise(Glimpse("x", b"WARC/1.1\r\n", complete=False))
    assert not warc.recognise(Glimpse("x.txt", b"WARC/1.1 is a format", complete=True))
    assert arc.recognise(Glimpse("x", b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 9\n", complete=True))


# Faults.


@each_codec
@pytest.mark.parametrize("place", range(4))
def test_flipped_bits(place: int, codec: str, tmp_path: Path) -> None:
    """Faults 1 and 2: wherever a bit is wrong, the other records are found, and nothing else is."""
    parts = pack([response(i, b"<p>%d " % i + random.Random(i).randbytes(40).hex().encode()) for i in range(4)], codec)
    at = begins(parts)
    file = tmp_path / RECORDWISE[codec]
    whole = read(store(file, parts))
    for i in range(at[place], at[place + 1]):
        data = bytearray(b"".join(parts))
        data[i] ^= 1 << i % 8
        found = read(store(file, [bytes(data)]))
        pages = [each for each in found if isinstance(each, Page)]
        others = [page for page in whole if isinstance(page, Page) and page.id != f"id:{place}"]
        assert [page for page in pages if page.id != f"id:{place}"] == others
        if len(pages) == 4:  # there is a date in the header of a member, and padding behind its data
            assert pages == whole
            assert len(rejects(found)) <= 1
        else:
            assert rejects(found) == [(at[place], rejects(found)[0][1])]
            assert rejects(found)[0][1] in (f"corrupt {codec}", f"truncated {codec}", "garbage")


@each_codec
@pytest.mark.parametrize("bit", range(8))
def test_no_flipped_bit_costs_a_neighbour(bit: int, codec: str, tmp_path: Path) -> None:
    """Also where the end of a member is no longer seen, and it seems to go on to the end of the next one."""
    parts = pack([response(i) for i in range(6)], codec)
    for at in range(len(parts[2])):
        broken = bytearray(parts[2])
        broken[at] ^= 1 << bit
        found = read(store(tmp_path / RECORDWISE[codec], [*parts[:2], bytes(broken), *parts[3:]]))
        assert {0, 1, 3, 4, 5} <= set(ids(found)), at
        assert len(ids(found)) == 6 or len(rejects(found)) == 1


def test_garbage_without_a_line_end(tmp_path: Path) -> None:
    found = read(store(tmp_path / "a.warc", [response(0), b"garbage", response(1)]))
    assert ids(found) == [0, 1]
    assert rejects(found) == [(len(response(0)), "garbage")]


@each_codec
@pytest.mark.parametrize("size", [100, 700, 65_280])
def test_blocks_that_are_no_records(size: int, codec: str, tmp_path: Path) -> None:
    """As bgzip and pzstd pack them. It reads, as one stream, and warns; a broken block costs the records in it."""
    records = [response(i, b"<p>%d " % i + random.Random(i).randbytes(40_000).hex().encode()) for i in range(4)]
    data = b"".join(records)
    blocks = pack([data[i : i + size] for i in range(0, len(data), size)], codec)
    file = tmp_path / RECORDWISE[codec]
    found = read(store(file, blocks))
    assert ids(found) == [0, 1, 2, 3]
    assert rejects(found) == []
    assert [type(each) for each in found].count(Warned) == 1
    blocks[len(blocks) // 2] = blocks[len(blocks) // 2][:-9] + b"x" * 9
    broken = read(store(file, blocks))
    assert {0, 3} <= set(ids(broken)) < {0, 1, 2, 3}
    assert rejects(broken)


@each_codec
@pytest.mark.parametrize("size", [90, 700, 2100])
def test_a_broken_block_costs_the_records_in_it(size: int, codec: str, tmp_path: Path) -> None:
    """And no other one: not if it is the first block, nor if the length of a record leads across the hole to the end of
    some header, which is what there are many of here.
    """
    records = [response(i, b"<p>%d\r\n\r\n" % i + b"\r\n\r\n".join([b"x" * 9] * 40)) for i in range(12)]
    data, places = b"".join(records), begins(records)
    blocks = pack([data[i : i + size] for i in range(0, len(data), size)], codec)
    for number in range(len(blocks)):
        begin, end = number * size, (number + 1) * size
        spared = {i for i in range(12) if places[i + 1] <= begin or places[i] >= end}
        at = len(blocks[number]) // 2
        broken = blocks[number][:at] + bytes(9) + blocks[number][at + 9 :]
        for junk in (b"", b"junk"):
            found = read(store(tmp_path / RECORDWISE[codec], [junk, *blocks[:number], broken, *blocks[number + 1 :]]))
            assert spared <= set(ids(found)), (number, junk)
            assert rejects(found)


def test_zstd_as_a_whole(tmp_path: Path) -> None:
    """It reads, and warns (fault 7); a broken byte costs what is behind it in the frame."""
    records = [response(i, random.Random(i).randbytes(40_000).hex().encode()) for i in range(8)]
    (frame,) = pack([b"".join(records)], "zstd")
    found = read(store(tmp_path / "a.warc.zst", [frame]))
    assert ids(found) == list(range(8))
    assert [each.what for each in found if isinstance(each, Warned)] == [archives.WHOLE]
    assert [each.offset for each in found if isinstance(each, Page)] == begins(records)[:-1]
    broken = bytearray(frame)
    broken[len(frame) // 2 : len(frame) // 2 + 9] = b"x" * 9
    found = read(store(tmp_path / "a.warc.zst", [bytes(broken), *pack([response(8)], "zstd")]))
    assert {0, 1, 8} <= set(ids(found)) < set(range(9))
    assert rejects(found)


def test_skippable_frames(tmp_path: Path) -> None:
    """They are no records and no garbage; offsets are those of the frames with records."""
    parts = pack([response(i) for i in range(3)], "zstd")
    skipped = b"\x51\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
    stored = [skipped, parts[0], skipped, skipped, *parts[1:], skipped]
    found = read(store(tmp_path / "a.warc.zst", stored))
    assert rejects(found) == []
    places = begins(stored)
    assert [each.offset for each in found if isinstance(each, Page)] == [places[1], places[4], places[5]]
    lost = b"\x51\x2a\x4d\x18" + (50).to_bytes(4, "little") + b"hello"  # a length that lies swallows nothing
    found = read(store(tmp_path / "a.warc.zst", [parts[0], lost, *parts[1:]]))
    assert ids(found) == [0, 1, 2]
    assert rejects(found) == [(len(parts[0]), "garbage")]


@pytest.mark.parametrize("packed", [False, True])
def test_a_dictionary_before_the_first_frame(packed: bool, tmp_path: Path) -> None:
    """As IIPC's specification has it, and in slices as well."""
    samples = [response(i, b"<p>%d" % (i * i)) for i in range(2000)]
    dictionary = zstandard.train_dictionary(4000, samples)
    data = zstandard.ZstdCompressor().compress(dictionary.as_bytes()) if packed else dictionary.as_bytes()
    first = b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data
    packer = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True)
    parts = [first, *(packer.compress(response(i)) for i in range(40))]
    source = store(tmp_path / "a.warc.zst", parts)
    assert ids(read(source)) == list(range(40))
    assert read_slices(source, [*range(0, source.size, 1000), source.size]) == read(source)
    found = read(store(tmp_path / "a.warc.zst", parts[1:]))
    assert ids(found) == []
    assert {(each.reason, each.detail) for each in found if isinstance(each, Reject)} == {
        ("corrupt zstd", "dictionary mismatch")
    }


def test_a_record_without_its_checksum(tmp_path: Path) -> None:
    """The next member follows in the place of the checksum: decoded too, for a while, it is trash behind the record."""
    parts = pack([response(i) for i in range(3)], "gzip")
    for cut in range(1, 12):
        found = read(store(tmp_path / "a.warc.gz", [parts[0], parts[1][:-cut], parts[2]]))
        assert ids(found) == [0, 2]
        assert rejects(found) == [(len(parts[0]), "corrupt gzip")]


@each_how
def test_truncated(how: str, tmp_path: Path) -> None:
    """Fault 3: what is before is kept, at any length."""
    records = [response(i) for i in range(3)]
    parts = pack(records, how)
    data = b"".join(parts)
    places = begins(parts if how in RECORDWISE else records)
    reasons = {"plain": {"wrong length", "bad header", "garbage"}, "zstd": {"truncated zstd"}}
    for size in range(5, len(data)):
        found = read(store(tmp_path / "a.warc", [data[:size]]))
        assert ids(found) == list(range(len(ids(found))))
        if how != "whole":  # nothing is missing of a record without its last line ends, or without its checksum
            intact = sum(end <= size + 4 * (how == "plain") for end in begins(parts)[1:])
            assert ids(found) == list(range(intact))
            cut = size > begins(parts)[intact] if how == "plain" else size not in begins(parts)
            assert [offset for offset, _ in rejects(found)] == [places[intact]] * cut
        else:
            assert len(rejects(found)) == 1
        assert {reason for _, reason in rejects(found)} <= reasons.get(how, {"truncated gzip"})


@pytest.mark.parametrize("how", ["plain", "gzip"])
def test_garbage_between(how: str, tmp_path: Path) -> None:
    """Fault 4."""
    parts = pack([response(i) for i in range(3)], how)
    at = begins(parts)
    trash = random.Random(1).randbytes(5000)
    found = read(store(tmp_path / "a.warc", [parts[0], trash + b"\n", *parts[1:], b"more"]))
    assert ids(found) == [0, 1, 2]
    assert [each for each in found if isinstance(each, Reject)] == [
        Reject(str(tmp_path / "a.warc"), at[1], "garbage", "5001 bytes that are not a record"),
        Reject(str(tmp_path / "a.warc"), at[3] + 5001, "garbage", "4 bytes that are not a record"),
    ]


@each_how
@pytest.mark.parametrize("length", [1000, 10**6, 10**8, 10**17, 10**30, 20, 0, -1, "12a", "", "1e3", "٣"])
def test_wrong_length(how: str, length: object, tmp_path: Path) -> None:
    """Faults 5 and 6: neighbours are neither lost nor swallowed."""
    records = [response(0), response(1, b"x" * 90, length), response(2), response(3)]
    parts = pack(records, how)
    found = read(store(tmp_path / "a.warc", parts), Reading(limits=Limits(max_bytes=10**5)))
    assert ids(found) == [0, 2, 3]
    assert rejects(found) == [(begins(parts if how in RECORDWISE else records)[1], "wrong length")]


def test_lengths_that_lie_without_end(tmp_path: Path) -> None:
    """Going back in a compressed file is expensive: after some time it is not done any more, and nothing is lost."""
    lies = [response(i, length=62_000) for i in range(300)]  # they end among the y
    records = [*lies, response(300, b"y" * 100_000), response(301)]
    found = read(store(tmp_path / "a.warc", pack(records, "whole")), Reading(limits=Limits(max_bytes=1000)))
    assert ids(found) == [301]
    assert rejects(found)[:-1] == [(at, "wrong length") for at in begins(lies)[:-1]]
    assert rejects(found)[-1][0] == begins(lies)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["plain", "whole", "zstd"])
def test_many_lengths_that_lie(how: str, tmp_path: Path) -> None:
    """Each seems to end among the y, and wants 9 MB to be read again."""
    lies = [response(i, length=8_900_000) for i in range(40_000)]
    source = store(tmp_path / "a.warc", pack([b"".join(lies) + response(0, b"y" * 10_000_000)], how))
    begin = time.process_time()
    assert ids(read(source)) == [0]
    assert time.process_time() - begin < 10


@each_how
def test_large_header(how: str, tmp_path: Path) -> None:
    """Fault 8."""
    records = [response(0), response(1, WARC_Note="x" * (30 << 20)), response(2)]
    parts = pack(records, how)
    source = store(tmp_path / "a.warc", parts)
    tracemalloc.start()
    found = read(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ids(found) == [0, 2]
    assert rejects(found) == [(begins(parts if how in RECORDWISE else records)[1], "bad header")]
    assert peak < 12 << 20


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.warc", b"\0" * 5_000_000, "not a warc"),
        ("a.warc.gz", compress(b"no archive"), "not a warc"),
        ("a.warc.gz", random.Random(1).randbytes(70_000), "not a warc"),
        ("a.warc", b"WARC/1.0 is what this is about\n" * 9, "bad header"),
        ("a.warc.gz", compress(b"no archive")[:-9], "truncated gzip"),
    ],
)
def test_no_archive(name: str, data: bytes, reason: str, tmp_path: Path) -> None:
    """Fault 9."""
    assert rejects(read(store(tmp_path / name, [data]))) == [(0, reason)]


@pytest.mark.slow
def test_bomb(tmp_path: Path) -> None:
    """Fault 10."""
    bomb = compress(bytes(200 << 20), 9)
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + bomb
    records = [response(0), record("response", 1, body), response(2)]
    source = store(tmp_path / "a.warc", records)
    tracemalloc.start()
    found = read(source, Reading(limits=Limits(max_bytes=8 << 20)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ids(found) == [0, 2]
    assert rejects(found) == [(len(records[0]), "too large")]
    assert peak < 16 << 20


@pytest.mark.slow
def test_zeros(tmp_path: Path) -> None:
    """Fault 11."""
    path = tmp_path / "a.warc"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    begin = time.process_time()
    assert rejects(read(Source(str(path), 1 << 30, "warc"))) == [(0, "not a warc")]
    assert time.process_time() - begin < 10


@each_how
def test_too_large(how: str, tmp_path: Path) -> None:
    """What is over the limit is passed over, and named; but not if it is of a kind that is never read."""
    video = record("response", 2, b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n" + b"x" * 3_000_000)
    records = [response(0), response(1, b"x" * 3_000_000), video, record("metadata", 3, b"x" * 3_000_000), response(4)]
    parts = pack(records, how)
    found = read(store(tmp_path / "a.warc", parts), Reading(limits=Limits(max_bytes=1_000_000)))
    assert ids(found) == [0, 4]
    assert rejects(found) == [(begins(parts if how in RECORDWISE else records)[1], "too large")]
    assert [each.what for each in found if isinstance(each, Skipped)] == ["type video/mp4", "metadata record"]


# Slices.


def read_slices(
    source: Source, edges: Sequence[int], reader: object = warc, reading: Reading | None = None
) -> list[Found]:
    """Read in slices, and again where one began in the wrong place, as a run does."""
    found: list[Found] = []
    end = 0
    for a, b in pairwise(edges):
        part = Slice(source, a, b)
        *records, span = resolved(reader.read(part, reading or Reading()))  # type: ignore[attr-defined]
        if span.begin != min(end, b):
            part = replace(part, begin=min(end, b), exact=True)
            *records, span = resolved(reader.read(part, reading or Reading()))  # type: ignore[attr-defined]
        assert isinstance(span, Span)
        found += records
        end = max(end, span.end)
    assert end == source.size
    return found


NESTED = response(77, b"inner") + response(78, b"inner")
CONTENTS = (b"short", b"\r\n\r\n", b"long" * 200, b"\n" + NESTED, compress(NESTED, 0))
TRASH = (b"\r\n" * 50, b"garbage", b"\n" + bytes(99), b"WARC/1.0\r\n", NESTED[:99], b"\n" + NESTED)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, list[bytes], list[int]]:
    """An archive: how it is packed, its parts, sound or not, and where to cut it."""
    how = draw(st.sampled_from(["plain", "gzip", "zstd"]))
    parts: list[bytes] = []
    for number in range(draw(st.integers(1, 6))):
        content = draw(st.sampled_from(CONTENTS))
        length = draw(st.sampled_from([None, None, None, 10, 300, 5000, -1]))
        (part,) = pack([response(number, content, length)], how)
        match draw(st.integers(0, 9)):
            case 0:
                part += draw(st.sampled_from(TRASH))
            case 1:
                at = draw(st.integers(0, len(part) - 1))
                part = part[:at] + bytes([part[at] ^ 1 << draw(st.integers(0, 7))]) + part[at + 1 :]
            case 2:
                part = part[: draw(st.integers(0, len(part)))]
            case 3:
                part = part[draw(st.integers(0, len(part))) :]
        parts.append(part)
    size = sum(map(len, parts))
    cuts = draw(st.lists(st.integers(0, size), max_size=8))
    return how, parts, sorted({0, size, *cuts})


@pytest.mark.slow
@settings(max_examples=400)
@given(damaged())
def test_slices_give_the_records_of_the_whole(tmp_path: Path, archive: tuple[str, list[bytes], list[int]]) -> None:
    how, parts, edges = archive
    source = store(tmp_path / RECORDWISE.get(how, "a.warc.gz"), parts)
    if source.size:
        assert read_slices(source, edges) == read(source)


@pytest.mark.parametrize("how", HOWS)
def test_an_archive_is_cut_into_slices_without_gaps(how: str, tmp_path: Path) -> None:
    source = store(tmp_path / "a.warc", pack([response(i, b"%d" % i * 3000) for i in range(100)], how))
    slices = warc.cut(source, Reading(), 20_000)
    assert [part.begin for part in slices[1:]] == [part.end for part in slices[:-1]]
    assert (slices[0].begin, slices[-1].end) == (0, source.size)
    assert (len(slices) > 1) == (how == "plain" or how in RECORDWISE)
    read_parts = [resolved(warc.read(part, Reading())) for part in slices]
    spans = [found[-1] for found in read_parts if isinstance(found[-1], Span)]
    assert [span.begin for span in spans[1:]] == [span.end for span in spans[:-1]]
    assert [each for found in read_parts for each in found[:-1]] == read(source)


# ARC.


def arc_record(url: str, body: bytes, length: object = None) -> bytes:
    size = len(body) if length is None else length
    return f"{url} 10.0.0.1 20080430204825 text/html {size}\n".encode() + body + b"\n"


def test_arc_files_are_read_as_warc_files_are(tmp_path: Path) -> None:
    when = "2008-04-30T20:48:25Z"
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"
    parts = [
        arc_record("filedesc://a.arc", b"1 0 X\nURL IP-address Archive-date Content-type Archive-length\n"),
        arc_record("http://a.org/ with space", page),
        arc_record("http://a.org/2", page, 10),
        arc_record("http://a.org/3", page),
    ]
    for how in ("plain", "gzip"):
        packed = pack(parts, how)
        at = begins(packed)
        source = store(tmp_path / "a.arc", packed)
        *found, _ = resolved(arc.read(Slice(source), Reading()))
        dates = [each.given.values["date"] for each in found if isinstance(each, Page) and each.given is not None]
        assert dates == ["2008-04-30T20:48:25Z"] * 2
        *found, _ = resolved(arc.read(Slice(source), Reading(carry="none")))
        name = source.name
        assert found == [
            Skipped("warcinfo record"),
            Page(name, at[1], f"{name}#{at[1]}", "http://a.org/ with space", "10.0.0.1", "html", b"<p>x", fetched=when),
            Reject(name, at[2], "wrong length", "10 bytes declared, but no record ends there"),
            Page(name, at[3], f"{name}#{at[3]}", "http://a.org/3", "10.0.0.1", "html", b"<p>x", fetched=when),
        ]
        assert list(_sliced(source, 97, Reading(carry="none"))) == found


def test_arc_with_garbage(tmp_path: Path) -> None:
    """It costs no record, wherever it is. But a length that lies is told, though it may lead to some line end."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one\ntwo"
    records = [arc_record(f"http://a.org/{i}", page) for i in range(4)]
    for junk in (b"junk", b"more junk\nin lines\n", bytes(1000), random.Random(1).randbytes(3000), b"WARC/1.0\r\n"):
        stored = [*records[:2], junk + b"\n", *records[2:], junk]
        source = store(tmp_path / "a.arc", stored)
        at = begins(stored)
        *found, _ = resolved(arc.read(Slice(source), Reading()))
        assert [each.offset for each in found if isinstance(each, Page)] == [at[0], at[1], at[3], at[4]]
        assert rejects(found) == [(at[2], "garbage"), (at[5], "garbage")]
        assert list(_sliced(source, 97)) == found
    to_line_end = len(records[2]) + page.index(b"\ntwo")  # of the page in the next record
    for length in (page.index(b"one") + 1, len(page) + 3, to_line_end, to_line_end + 2):
        stored = [records[0], arc_record("http://a.org/1", page, length), *records[2:]]
        *found, _ = resolved(arc.read(Slice(store(tmp_path / "a.arc", stored)), Reading()))
        assert [each.url for each in found if isinstance(each, Page)] == [f"http://a.org/{i}" for i in (0, 2, 3)]
        assert rejects(found) == [(len(records[0]), "wrong length")]


def _sliced(source: Source, size: int, reading: Reading | None = None) -> Iterator[Found]:
    yield from read_slices(source, [*range(0, source.size, size), source.size], arc, reading)


@pytest.mark.parametrize("kept", [12, 17, 30, 60, 61, 62, 90])
def test_a_header_that_lost_its_end_does_not_hide_the_next_record(kept: int, tmp_path: Path) -> None:
    """It goes on in the middle of a line with the header of the next one, which is intact."""
    parts = [response(i, b"%d" % i * 50) for i in range(4)]
    source = store(tmp_path / "a.warc", [parts[0], parts[1][:kept], *parts[2:]])
    found = read(source)
    assert [each.id for each in found if isinstance(each, Page)] == ["id:0", "id:2", "id:3"]
    assert len([each for each in found if isinstance(each, Reject)]) == 1


def test_a_url_may_end_like_the_first_line_of_a_record(tmp_path: Path) -> None:
    url = {"WARC-Target-URI": "http://a.org/WARC/1.0"}
    found = read(store(tmp_path / "a.warc", [response(i, **url) for i in range(3)]))
    assert [each.id for each in found if isinstance(each, Page)] == ["id:0", "id:1", "id:2"]
