"""Reading: one table of records and faults; whatever is wrong with one, its neighbours are read."""

from __future__ import annotations

import gzip
import hashlib
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from snapshots import Snapshots

from unquilt.corpus.extract.documents import extract_document
from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.corpus.read import PieceReader
from unquilt.corpus.records import Document, Page
from unquilt.corpus.write.raw import RAW_DOCUMENTS
from unquilt.errors import InputChangedError, InputError, ParameterError
from unquilt.tables.corpus import REJECTS

MIB = 1 << 20
BEFORE, AFTER = b'{"id": "before", "text": "b"}', b'{"id": "after", "text": "a"}'


def rows(
    path: Path, limits: Limits | None = None, fields: Fields | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    documents: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    reading = Reading(fields or Fields(), limits or Limits())
    for piece in pieces(find([path]), reading):
        for batch in PieceReader(piece).batches():
            batch.documents.validate(full=True)
            batch.rejects.validate(full=True)
            assert batch.documents.schema == RAW_DOCUMENTS
            assert batch.rejects.schema == REJECTS.schema
            documents += batch.documents.to_pylist()
            rejects += batch.rejects.to_pylist()
    return documents, rejects


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()


def test_a_document_has_all_columns(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    text = "Größe zählt.\n\n Zwei.\n"
    record = {"id": "x", "url": "https://www.Example.co.uk/ü", "ip": "2001:DB8::0", "text": text, "more": [1]}
    file.write_text("\n" + json.dumps(record) + "\n")
    assert rows(file)[0] == [
        {
            "id": "x",
            "url": "https://www.Example.co.uk/ü",
            "host": "www.example.co.uk",
            "domain": "example.co.uk",
            "ip": "2001:db8::",
            "path": 1,
            "recursive": False,
            "media": "text",
            "truncated": None,
            "fetched": None,
            "text": text,
            "seen": None,
            "restored": 0,
            "hidden": 0,
            "raw_sha1": sha1(text.encode()),
            "links": [],
            "chunks": [{"begin": 0, "end": 12}, {"begin": 15, "end": 20}],
            "chunk_sha1": [sha1("Größe zählt.".encode()), sha1(b"Zwei.")],
            "raw_chunk_sha1": [sha1("Größe zählt.".encode()), sha1(b"Zwei.")],
            "trivial_chunks": [],
            "file": str(file),
            "offset": 1,
        }
    ]


BAD = [
    # line, reason, a part of the detail
    (b'{"text": "x"', "bad json", "delimiter"),
    (b'{"text": "x"} trailing', "bad json", "Extra data"),
    (b"{'text': 'x'}", "bad json", "double quotes"),
    (b'{"text": "a\ttab"}', "bad json", "control character"),
    (b'{"text": "x", "a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "bad json", "nested too deeply"),
    (b'{"text": "x", "n": ' + b"9" * 5000 + b"}", "bad json", "digits"),
    (b"garbage \x00\x01", "bad json", ""),
    (b'"a string"', "not an object", ""),
    (b'["text"]', "not an object", ""),
    (b"null", "not an object", ""),
    (b'{"text": "\xff"}', "not utf-8", "at byte 10"),
    (b'{"text": "\xed\xa0\x80"}', "not utf-8", ""),
    (b'{"text": "x", "id": "\xc3"}', "not utf-8", ""),
    (b'{"text": "a\\ud800b"}', "lone surrogate", "character 1 of the content"),
    (b'{"text": "x", "id": "\\udfff"}', "lone surrogate", "field 'id', character 0"),
    (b'{"text": "x", "url": "http://\\ud83d/"}', "lone surrogate", "field 'url', character 7"),
    (b"{}", "no text", "field 'text' is missing"),
    (b'{"text": null}', "no text", "field 'text' is null"),
    (b'{"text": 1}', "no text", "field 'text' is int"),
    (b'{"text": ["x"]}', "no text", "field 'text' is list"),
    (b'{"TEXT": "x", "HTML": "<p>x"}', "no text", "field 'text' is missing"),
    (b'{"text": null, "html": null}', "no text", "field 'text' is null"),
]


@pytest.mark.parametrize(("line", "reason", "detail"), BAD, ids=[f"{r}-{i}" for i, (_, r, _) in enumerate(BAD)])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_bad_line_is_one_reject(line: bytes, reason: str, detail: str, newline: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(newline.join([BEFORE, line, AFTER]))
    documents, (reject,) = rows(file)
    assert [row["id"] for row in documents] == ["before", "after"]
    assert (reject["file"], reject["offset"], reject["reason"]) == (str(file), len(BEFORE + newline), reason)
    assert detail in reject["detail"]
    assert "\n" not in reject["detail"]


GOOD = [
    # line, column, value
    ('{"html": "<p>a<p>b"}', "text", "a\n\nb"),
    ('{"html": "<p>a", "text": null}', "text", "a"),
    ('{"html": "<p>a", "text": "b"}', "text", "b"),
    ('{"html": "<p>a"}', "media", "html"),
    ('{"html": "<meta charset=koi8-r>\\u00fc"}', "text", "ü"),
    ('{"html": "<a href=/y>x", "url": "http://a.com/b"}', "links", ["http://a.com/y"]),
    ('{"id": 17, "text": ""}', "id", "17"),
    ('{"id": -12345678901234567890, "text": ""}', "id", "-12345678901234567890"),
    ('{"id": 1.5, "text": ""}', "id", "1.5"),
    ('{"id": "007", "text": ""}', "id", "007"),
    ('{"id": "a\\u0000\\u001b[31m", "text": ""}', "id", "a\0\x1b[31m"),
    ('{"text": ""}', "id", "FILE#0"),
    ('{"id": null, "text": ""}', "id", "FILE#0"),
    ('{"id": "", "text": ""}', "id", "FILE#0"),
    ('{"id": true, "text": ""}', "id", "FILE#0"),
    ('{"id": 1e999, "text": ""}', "id", "FILE#0"),
    ('{"id": {"a": 1}, "text": ""}', "id", "FILE#0"),
    ('{"id": 1, "id": 2, "text": ""}', "id", "2"),
    ('{"url": 5, "text": ""}', "url", None),
    ('{"url": null, "text": ""}', "url", None),
    ('{"url": "", "text": ""}', "url", None),
    ('{"url": "not a url", "text": ""}', "url", "not a url"),
    ('{"url": "not a url", "text": ""}', "host", None),
    ('{"url": "http://[::1]:80/", "text": ""}', "domain", "::1"),
    ('{"ip": "192.0.2.1", "text": ""}', "ip", "192.0.2.1"),
    ('{"ip": "192.0.2.256", "text": ""}', "ip", None),
    ('{"ip": "\\ud800", "text": ""}', "ip", None),
    ('{"ip": 3221225985, "text": ""}', "ip", None),
    ('{"text": ""}', "ip", None),
    ('{"text": ""}', "chunks", []),
    ('{"text": "a\\u0000b\\u0007\\u202e\\u001b[2J"}', "text", "a\0b\x07\u202e\x1b[2J"),
    ('{"text": "\\ud83d\\ude00"}', "text", "\U0001f600"),
    ('{"text": "\\ufeffx"}', "text", "\ufeffx"),
    ('\ufeff{"text": "after a mark"}', "text", "after a mark"),
    (' {"text": "indented"} \r', "text", "indented"),
]


@pytest.mark.parametrize(("line", "column", "value"), GOOD)
def test_a_good_line_is_one_document(line: str, column: str, value: object, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(line, encoding="utf-8", newline="")
    (document,), rejects = rows(file)
    assert not rejects
    assert document[column] == (value.replace("FILE", str(file)) if isinstance(value, str) else value)


def test_the_same_id_twice_is_two_documents(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(BEFORE + b"\n" + BEFORE + b"\n")
    assert [(row["id"], row["offset"]) for row in rows(file)[0]] == [("before", 0), ("before", len(BEFORE) + 1)]


def test_fields_can_be_mapped(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"key": 1, "link": "http://a.example/", "content": "x", "server": "192.0.2.1", "text": 0}')
    (document,), _ = rows(file, fields=Fields(id="key", url="link", text="content", ip="server"))
    assert [document[c] for c in ("id", "url", "text", "ip")] == ["1", "http://a.example/", "x", "192.0.2.1"]
    _, (reject,) = rows(file, fields=Fields(text="body"))
    assert reject["detail"] == "field 'body' is missing"


def test_a_mark_is_only_one_at_the_beginning(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(BEFORE + b"\n\xef\xbb\xbf" + AFTER)
    assert rows(file)[1][0]["reason"] == "bad json"


@pytest.mark.parametrize("size", [100, 101, 150, 5000, 3 * MIB])
def test_a_line_over_the_limit(size: int, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    line = b'{"id": "long", "text": "' + b"x" * (size - 26) + b'"}'
    file.write_bytes(b"\n".join([BEFORE, line, AFTER, line]))
    documents, rejects = rows(file, Limits(max_bytes=100))
    assert len(line) == size
    if size == 100:
        assert [row["id"] for row in documents] == ["before", "long", "after", "long"]
    else:
        assert [row["id"] for row in documents] == ["before", "after"]
        assert [row["reason"] for row in rejects] == ["too large"] * 2


def test_a_huge_line_is_never_held(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    with file.open("wb") as out:
        out.write(BEFORE + b'\n{"text": "')
        out.seek(300 * MIB, 1)  # a hole: 300 MiB of zeros that take no room
        out.write(b'"}\n' + AFTER)
    tracemalloc.start()
    documents, (reject,) = rows(file, Limits(max_bytes=4 * MIB))
    assert tracemalloc.get_traced_memory()[1] < 40 * MIB
    tracemalloc.stop()
    assert [row["id"] for row in documents] == ["before", "after"]
    assert (reject["reason"], reject["offset"]) == ("too large", len(BEFORE) + 1)


def test_many_long_urls_make_many_batches(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    line = json.dumps({"url": "http://example.com/" + "a/" * 500_000, "text": "x"})
    file.write_text(f"{line}\n" * 20)
    (piece,) = pieces(find([file]))
    assert [batch.documents.num_rows for batch in PieceReader(piece).batches()] == [9, 9, 2]


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({"id": "x" * MIB}, 9),
        ({"ip": "x" * MIB}, 9),
        ({"html": "<base href=http://example.org/%s/>" % ("x" * 50_000) + "<a href=a><a href=b>" * 10}, 84),
        ({"html": f"<base href=http://example.org/{'x' * 10_000}/>" + "".join(f"<a href={i}>" for i in range(100))}, 9),
        ({"html": "<p>a" * 30_000}, 6),
        ({"text": "a\n\n" * 30_000}, 6),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_all_of_a_document_counts_for_its_batch(fields: dict[str, str], most: int, tmp_path: Path) -> None:
    """docs/faults.md 45: what a page becomes counts (ids, links, a SHA-1 for each chunk), whatever its text is."""
    file = tmp_path / "a.jsonl"
    file.write_text((json.dumps({"text": "x"} | fields if "html" not in fields else fields) + "\n") * 2 * most)
    (piece,) = pieces(find([file]))
    for batch in PieceReader(piece).batches():
        assert batch.documents.num_rows <= most
        assert batch.documents.nbytes < 10 * MIB


def test_a_document_does_not_hold_its_page() -> None:
    """A batch would, until it has 8 MiB of text: of pages that are all markup, it would hold thousands."""
    page = Page("a", 0, "a", None, None, "html", "<!--" + "x" * MIB + "-->text")
    made = extract_document(page, Reading())
    assert isinstance(made, Document)
    assert (made.text, made.page) == (b"text", page._replace(content=b""))


def test_pages_of_too_many_links_are_flagged() -> None:
    source = f"<base href=http://example.org/{'x' * 50_000}/>" + "".join(f"<a href={i}>" for i in range(1000))
    for truncated, expected in [(None, "links"), ("length", "length")]:
        page = Page("a", 0, "a", None, None, "html", source.encode(), truncated=truncated)
        made = extract_document(page, Reading())
        assert isinstance(made, Document)
        assert made.page.truncated == expected
        assert 20 < len(made.links) < 100


def test_batches_close_by_size_and_by_number(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    big, small = json.dumps({"id": "i", "text": "é" * MIB}), json.dumps({"text": "x"})
    file.write_text(f"{big}\n" * 6 + f"{small}\n" * 9000 + "{bad\n" * 9000)
    (piece,) = pieces(find([file]))
    sizes = [(batch.documents.num_rows, batch.rejects.num_rows) for batch in PieceReader(piece).batches()]
    assert sizes[0] == (4, 0)
    assert sizes[1] == (2 + 8190, 0)
    assert sizes == [(4, 0), (8192, 0), (810, 8192), (0, 808)]


PACK = {"gzip": gzip.compress, "zstd": zstandard.ZstdCompressor().compress}
LINES = [json.dumps({"id": i, "text": hashlib.sha256(str(i).encode()).hexdigest()}).encode() for i in range(20_000)]


@pytest.mark.parametrize("codec", PACK)
def test_a_truncated_stream_keeps_what_came_before(codec: str, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    packed = PACK[codec](b"\n".join(LINES))
    file.write_bytes(packed[: len(packed) // 2])
    documents, (reject,) = rows(file)
    count = len(documents)
    assert 5000 < count < 15_000
    assert [row["id"] for row in documents] == [str(i) for i in range(count)]
    assert reject["reason"] == f"truncated {codec}"
    assert 0 <= reject["offset"] - len(b"\n".join(LINES[:count])) - 1 < len(LINES[count])  # in the line it cut short


def test_a_stream_without_its_checksum_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b"\n".join(LINES))[:-4])
    documents, (reject,) = rows(file)
    assert len(documents) == len(LINES)
    assert (reject["reason"], reject["offset"]) == ("truncated gzip", len(b"\n".join(LINES)))


def test_a_corrupt_stream_keeps_what_came_before(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(BEFORE + b"\n") + gzip.compress(AFTER + b"\n") + b"garbage")
    documents, (reject,) = rows(file)
    assert [row["id"] for row in documents] == ["before", "after"]
    assert (reject["reason"], reject["offset"]) == ("garbage", len(BEFORE + AFTER) + 2)


@pytest.mark.parametrize("codec", PACK)
def test_members_are_read_through(codec: str, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(PACK[codec](BEFORE) + PACK[codec](b"\n") + PACK[codec](AFTER))
    documents, rejects = rows(file)
    assert [(row["id"], row["offset"]) for row in documents] == [("before", 0), ("after", len(BEFORE) + 1)]
    assert not rejects


TEXTS = [
    # content, text
    (b"plain\n", "plain\n"),
    ("Größe 😀".encode(), "Größe 😀"),
    (b"\xef\xbb\xbfmark", "mark"),
    ("\ufeffa\n\nb".encode("utf-16-le"), "a\n\nb"),
    ("\ufeffa\n\nb".encode("utf-16-be"), "a\n\nb"),
    ("\ufeffa\n\nb".encode("utf-32-le"), "a\n\nb"),
    (b"\xef\xbb\xbf", ""),
    (b" \n ", " \n "),
    (b"a nul \0 and a bell \a in a longer text\r\n", "a nul \0 and a bell \a in a longer text\r\n"),
    ("Größe".encode("latin-1"), "Größe"),
    (b"\xff\xfea", "\ufffd"),
    (b"\xff\xfe\x00\xd8", "\ufffd"),
    (b"cut in a character \xf0\x9f\x98", "cut in a character \ufffd"),
]


@pytest.mark.parametrize("codec", [None, *PACK])
@pytest.mark.parametrize(("content", "text"), TEXTS)
def test_a_text_file_is_one_document(content: bytes, text: str, codec: str | None, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(PACK[codec](content) if codec else content)
    (document,), rejects = rows(file)
    assert not rejects
    assert (document["id"], document["file"], document["text"]) == (str(file), str(file), text)
    assert document["raw_sha1"] == sha1(content)
    assert document["url"] is document["host"] is document["domain"] is document["ip"] is None
    blocks = [text[chunk["begin"] : chunk["end"]] for chunk in document["chunks"]]
    assert document["raw_chunk_sha1"] == [sha1(block.encode()) for block in blocks]
    assert document["chunk_sha1"] == [sha1(" ".join(block.split()).encode()) for block in blocks]


def test_garbage_behind_a_text_does_it_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(b"a text") + b"garbage")
    (document,), (reject,) = rows(file)
    assert document["text"] == "a text"
    assert reject["reason"] == "garbage"


def test_plain_text_over_the_limit(tmp_path: Path) -> None:
    for name, content in [
        ("a", b"x" * 10),
        ("b", b"x" * 11),
        ("c", gzip.compress(b"x" * 11)),
        ("d", b"\xff\xfe-N-N-N-N"),
    ]:
        (tmp_path / name).write_bytes(content)
    documents, rejects = rows(tmp_path, Limits(max_bytes=10))
    assert [row["id"] for row in documents] == [str(tmp_path / "a")]
    assert [(row["file"][-1], row["reason"]) for row in rejects] == [(name, "too large") for name in "bcd"]


def test_half_a_text_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(b"some text" * 1000)[:-9])
    documents, (reject,) = rows(file)
    assert not documents
    assert reject["reason"] == "truncated gzip"
    assert 0 < reject["offset"] <= 9000


@pytest.mark.slow
def test_a_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    for name, pack in PACK.items():
        (tmp_path / name).write_bytes(pack(b"a" * (200 * MIB)))
    tracemalloc.start()
    documents, rejects = rows(tmp_path, Limits(max_bytes=4 * MIB))
    assert tracemalloc.get_traced_memory()[1] < 100 * MIB
    tracemalloc.stop()
    assert not documents
    assert [row["reason"] for row in rejects] == ["too large"] * 2


def test_useless_files_in_a_folder_are_rejects(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.bin").write_bytes(bytes(1000))
    (tmp_path / "c.txt").write_bytes(b"")
    documents, rejects = rows(tmp_path)
    assert [row["text"] for row in documents] == ["a"]
    assert [(row["file"][-5:], row["offset"], row["reason"]) for row in rejects] == [
        ("b.bin", 0, "unknown kind"),
        ("c.txt", 0, "empty file"),
    ]


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_a_file_that_changed_or_went_away(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(BEFORE)
    (piece,) = pieces(find([file]))
    file.write_bytes(BEFORE + b"\n" + AFTER)
    with pytest.raises(InputChangedError, match=name):
        list(PieceReader(piece).batches())
    file.unlink()
    with pytest.raises(InputError, match=f"{name}: no such file"):
        list(PieceReader(piece).batches())


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    (Path(str(tmp_path)) / "\udcff.txt").write_text("text")
    (document,), _ = rows(tmp_path)
    assert document["id"] == document["file"] == f"{tmp_path}/\\xff.txt"


@pytest.mark.parametrize("size", [0, -1, 2**31])
def test_limits_are_checked(size: int, snapshots: Snapshots) -> None:
    with snapshots.error(ParameterError):
        Limits(max_bytes=size)


def test_fields_are_checked(snapshots: Snapshots) -> None:
    with snapshots.error(ParameterError):
        Fields(text="")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
objects = st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "url", "text", "ip"), values))


@given(st.lists(objects.map(json.dumps).map(str.encode) | st.binary(max_size=30)))
def test_every_line_is_a_document_or_a_reject(tmp_path: Path, content: list[bytes]) -> None:
    file = tmp_path / "a.jsonl"
    data = b"\n".join([BEFORE, *content, AFTER])
    file.write_bytes(data)
    documents, rejects = rows(file)
    assert len(documents) + len(rejects) == sum(not line.isspace() for line in data.split(b"\n") if line)
    assert (documents[0]["id"], documents[-1]["id"]) == ("before", "after")
    for row in documents[1:-1]:
        line = data[row["offset"] :].partition(b"\n")[0]
        assert json.loads(line)["text"] == row["text"]
