"""Which files are read, in which order, and what is refused at once."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from faulty import peruse
from snapshots import Snapshots

from unquilt.corpus.find.identity import fingerprint, identified, unchanged
from unquilt.corpus.find.inputs import HEAD, Source, find, spool
from unquilt.corpus.sources import Seen, Slice, state
from unquilt.errors import InputChangedError, InputError, StorageError
from unquilt.runs import digests
from unquilt.runs.digests import digest_file

PARQUET = io.BytesIO()
pq.write_table(pa.table({"text": ["a"]}), PARQUET)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa"

KINDS = [
    # name, content, kind
    ("a.jsonl", b'{"text": "x"}\n', "jsonl"),
    ("a.ndjson", b"not even json", "jsonl"),
    ("A.JSON", b"[1]", "json"),
    ("a", b'[{"text": "x"}]', "json"),
    ("a", b'{\n"text": "x"\n}\n', "json"),
    ("a.jsonl", b"\xff\xfe garbage", "jsonl"),
    ("a", b'\n  {"text": "x"}\n{', "jsonl"),
    ("a.txt", b'{"text": "x"}', "jsonl"),
    ("a", b'\xef\xbb\xbf{"text": "x"}\n', "jsonl"),
    ("a", b'{"text": "' + b"x" * 100_000 + b'"}\n', "jsonl"),
    ("a", b'{"text": "x"\n', "text"),
    ("a", b"{curly} text\n", "text"),
    ("a", b"[" * 100_000, "text"),
    ("a", b'{"a":' + b"[" * 50_000 + b"\n", "text"),
    ("a.parquet", PARQUET.getvalue(), "parquet"),
    ("a.jsonl", PARQUET.getvalue(), "parquet"),
    ("a", b"PAR1 and no footer", "parquet"),
    ("a.txt", b"plain text", "text"),
    ("a", "Größe, 大小, 😀".encode(), "text"),
    ("a", "Größe".encode("latin-1"), "text"),
    ("a", "大小".encode("utf-16"), "text"),
    ("a", b"\xef\xbb\xbf", "text"),
    ("a", b"a line with a \0 in it, which is still a text\n", "text"),
    ("a", ("é" * 40_000).encode()[: 1 << 16] + b"\xa9", "text"),
    ("a.png", PNG, "unknown"),
    ("a.txt", bytes(100_000), "unknown"),
    ("a", "no mark".encode("utf-16-le"), "unknown"),
    ("a", random.Random(0).randbytes(4096), "unknown"),
    ("a", b"", "empty"),
    ("a.jsonl", b"", "empty"),
]


@pytest.mark.parametrize("pack", [None, "gzip", "zstd"])
@pytest.mark.parametrize(("name", "content", "kind"), KINDS, ids=[f"{n}-{c[:12]!r}" for n, c, _ in KINDS])
def test_kinds_of_files_are_told_by_content_and_name(
    name: str, content: bytes, kind: str, pack: str | None, tmp_path: Path
) -> None:
    if pack and kind == "parquet":
        kind = "jsonl" if name.endswith("jsonl") else "text" if b"and no" in content else "unknown"
    data = {None: bytes, "gzip": gzip.compress, "zstd": zstandard.ZstdCompressor().compress}[pack](content)
    for suffix in [""] if pack is None else ["", ".gz", ".zst"]:  # the content decides, not the name
        file = tmp_path / "folder" / (name + suffix)
        file.parent.mkdir()
        file.write_bytes(data)
        assert find([file.parent]) == [Source(str(file), len(data), kind, pack)]
        file.unlink()
        file.parent.rmdir()


PACKERS = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor(write_checksum=True).compress}
each_suffix = pytest.mark.parametrize("suffix", PACKERS)


@each_suffix
@pytest.mark.parametrize("place", range(6))
def test_a_name_that_the_first_bytes_do_not_keep(suffix: str, place: int, tmp_path: Path) -> None:
    """The members behind a broken header are found; a text is never made of them."""
    lines = [json.dumps({"id": f"urn:{i}", "text": f"page {i}"}).encode() + b"\n" for i in range(60)]
    data = bytearray(b"".join(map(PACKERS[suffix], lines)))
    for bit in range(8):
        data[place] ^= 1 << bit
        for name in ("a.jsonl", "a"):
            file = tmp_path / (name + suffix)
            file.write_bytes(data)
            found = peruse(file)
            assert [row["id"] for row in found.documents] in ([f"urn:{i}" for i in range(k, 60)] for k in (0, 1))
            assert len(found.documents) == 60 or found.rejects
        data[place] ^= 1 << bit


PLAIN = {
    "warc": b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
    "arc": b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 0\n\n",
    "jsonl": b'{"text": "x"}\n',
    "parquet": PARQUET.getvalue(),
    "html": b"<!DOCTYPE html><p>x",
    "mail": b"From: a@a.example\nTo: b@b.example\n\nx\n",
}


@each_suffix
@pytest.mark.parametrize("kind", PLAIN)
def test_a_plain_file_that_kept_its_name(suffix: str, kind: str, tmp_path: Path) -> None:
    """What can be recognised is read as it is, whatever it is called."""
    file = tmp_path / f"a{suffix}"
    file.write_bytes(PLAIN[kind])
    assert find([file]) == [Source(str(file), len(PLAIN[kind]), kind, None)]


@each_suffix
def test_compressed_by_name_only(suffix: str, tmp_path: Path) -> None:
    """Nothing can be read from them, and so nothing is: no text of binary rubbish."""
    codec = {".gz": "gzip", ".zst": "zstd"}[suffix]
    broken = bytearray(PACKERS[suffix](b"a text, a text, a text"))
    broken[1] ^= 1
    for content in (b"plain text", bytes(broken), random.Random(0).randbytes(4096), b'{"text": "x"\n'):
        for name in ("a.txt", "a.jsonl", "a.warc", "a.html", "a"):
            file = tmp_path / "folder" / (name + suffix)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
            with pytest.raises(InputError, match=rf"{name}{suffix}: called {suffix}, but there is no {codec} "):
                find([file])
            found = peruse(file.parent)
            assert (found.documents, found.lost) == ([], [(0, f"not {codec}")])
            file.unlink()
    file.write_bytes(b"")
    with pytest.raises(InputError, match="empty file"):
        find([file])


@pytest.mark.parametrize("name", ["a.parquet", "a", "a.txt"])
def test_parquet_without_its_first_bytes(name: str, tmp_path: Path) -> None:
    """They hold nothing; the footer at the end does."""
    file = tmp_path / name
    for head in (b"PAR0", bytes(4), b'{"a"'):
        file.write_bytes(head + PARQUET.getvalue()[4:])
        assert find([file]) == [Source(str(file), len(PARQUET.getvalue()), "parquet", None)]
        assert [row["text"] for row in peruse(file).documents] == ["a"]


@pytest.mark.parametrize("content", [b"PAR0 plain text PAR1", b"PAR0" + bytes(8) + b"PAR1", PNG, b"\0\xff" * 999])
def test_parquet_by_name_only(content: bytes, tmp_path: Path, snapshots: Snapshots) -> None:
    file = tmp_path / "folder" / "a.parquet"
    file.parent.mkdir()
    file.write_bytes(content)
    with snapshots.error(InputError):
        find([file])
    assert peruse(file.parent).lost == [(0, "not parquet")]
    unnamed = file.rename(tmp_path / "a")
    assert find([tmp_path])[0].kind != "parquet", unnamed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", PNG, "not a known kind"),
        ("a.txt", b"", "empty file"),
        ("a.txt.gz", gzip.compress(b"", mtime=0), "empty file"),
        ("zeros", bytes(1 << 20), "not a known kind"),
        ("a.jsonl", bytes(1 << 20), "not a known kind"),
        ("a.warc", b"no archive\n" * 9, "no WARC record"),
    ],
)
def test_named_files_must_be_of_use(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        find([str(file)])
    assert str(file) in str(error.value)


def test_a_file_broken_from_its_first_byte_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"x" * 1000)[:11])
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8b\x08")
    assert [source.kind for source in find([tmp_path / "a.jsonl.gz", tmp_path / "b.gz"])] == ["jsonl", "text"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    names = "b.txt a.txt a/z.txt a/b/c.txt a.d/y.txt .hidden .git/config a/.x/y c.jsonl.gz [1].txt"
    for name in names.split():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(b"{}") if name.endswith("gz") else b"text")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "again").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "link.txt").symlink_to(tmp_path / "b.txt")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FOLDER = "[1].txt a/b/c.txt a/z.txt a.d/y.txt a.txt b.txt c.jsonl.gz"


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (".", FOLDER),
        ("b.txt a.txt", "b.txt a.txt"),
        ("*.txt", "[1].txt a.txt b.txt"),
        ("./*.txt a", "[1].txt a.txt b.txt a/b/c.txt a/z.txt"),
        ("a/ a", "a/b/c.txt a/z.txt"),
        ("*.gz", "c.jsonl.gz"),
        ("**/*.txt", "[1].txt a/b/c.txt a/z.txt a.d/y.txt a.txt b.txt"),
        ("**", FOLDER),
        ("a*", "a/b/c.txt a/z.txt a.d/y.txt a.txt"),
        ("a/?.txt", "a/z.txt"),
        ("[ab].txt", "a.txt b.txt"),
        ("[1].txt", "[1].txt"),
        (".h*", ".hidden"),
        ("a/.x", "a/.x/y"),
        ("b.txt . b.txt", "b.txt [1].txt a/b/c.txt a/z.txt a.d/y.txt a.txt c.jsonl.gz"),
        ("a/loop/b.txt", "a/loop/b.txt"),
    ],
)
@pytest.mark.usefixtures("tree")
def test_inputs_are_found_in_the_order_in_which_they_are_given(inputs: str, expected: str) -> None:
    assert [source.path for source in find(inputs.split())] == expected.split()


@pytest.mark.usefixtures("tree")
def test_one_input_need_not_be_a_list() -> None:
    assert find("b.txt") == find(Path("b.txt")) == find(["b.txt"])


@pytest.mark.usefixtures("tree")
def test_globs_may_be_absolute(tree: Path) -> None:
    assert [source.path for source in find(f"{tree}/*/z.txt")] == [f"{tree}/a/z.txt"]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("missing.txt", "no such file"),
        ("b.txt/x", "no such file"),
        ("nul\0.txt", "no such file"),
        ("missing/*.txt", "no file matches"),
        ("*.warc", "no file matches"),
        ("pipe", "not a regular file"),
        ("dangling", "no such file"),
        ("circle", "too many levels"),
        ("void", "no files in this folder"),
        ("a" * 5000, "file name too long"),
    ],
)
def test_refused_at_once(tree: Path, item: str, message: str) -> None:
    (tree / "dangling").symlink_to(tree / "nowhere")
    (tree / "circle").symlink_to(tree / "circle")
    (tree / "void" / ".hidden").mkdir(parents=True)
    with pytest.raises(InputError, match=message) as error:
        find(["b.txt", item])
    assert item in str(error.value)


def test_no_input_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no input"):
        find([])


def test_a_dangling_link_in_a_folder_is_a_missing_input(tree: Path, snapshots: Snapshots) -> None:
    (tree / "a" / "dangling").symlink_to(tree / "nowhere")
    with snapshots.error(InputError):
        find(["a"])


@contextmanager
def not_root() -> Iterator[None]:
    """Root may read everything, so a test that runs as root becomes somebody else for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_files_that_may_not_be_read_are_named() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # not a folder of pytest's, into which nobody else may look
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir(mode=0)
        (folder / "b.txt").write_text("text")
        (folder / "b.txt").chmod(0)
        with not_root():
            for given, refused in (("b.txt", r"b\.txt"), ("closed", "closed"), (".", r"closed|b\.txt")):
                with pytest.raises(InputError, match=f"({refused}): permission denied"):
                    find([folder / given])


def test_unreadable_by_the_system(tree: Path, monkeypatch: pytest.MonkeyPatch, snapshots: Snapshots) -> None:
    def refuse(path: str, *_: object) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("unquilt.corpus.readers.compression.io.FileIO", refuse)
    with snapshots.error(InputError):
        find(["b.txt"])


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")
    Path(path).write_text("text")
    assert find([tmp_path])[0].name == f"{tmp_path}/\\xff.txt"


@pytest.mark.parametrize("size", [1, HEAD - 1, HEAD, HEAD + 1, 3 * HEAD])
def test_only_what_was_read_to_tell_the_kind_is_digested_at_once(size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"word " * (size // 5) + b"w" * (size % 5))
    os.utime(path, ns=(0, 1_700_000_000_123_456_789))
    (source,) = find(path)
    (known,) = identified([source])
    assert known.seen == source.seen
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if size < HEAD else ""
    version = "" if size < HEAD else "time 2023-11-14T22:13:20.123456789Z"
    assert known.seen == Seen(digest, state(path.stat()), version)


@pytest.mark.parametrize("size", [10, 2 * HEAD])
def test_what_is_a_change_of_a_file(size: int, tmp_path: Path) -> None:
    """Another size or time; with an equal time other bytes, if these are known. Another link is none."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"word " * (size // 5))
    (source,) = identified(find(path))
    unchanged([source])
    (tmp_path / "link").hardlink_to(path)
    assert source.seen is not None
    assert path.stat().st_ctime_ns != source.seen.state[-1]
    unchanged([source])
    read = replace(source, seen=source.seen._replace(sha256=digest_file(path)))
    unchanged([read])
    then = path.stat().st_mtime_ns
    path.write_bytes(b"ward " * (size // 5))
    os.utime(path, ns=(then, then))
    with pytest.raises(InputChangedError, match="changed while it was read"):
        unchanged([read])
    path.write_bytes(b"word " * (size // 5))
    os.utime(path, ns=(then, then + 1))
    if size < HEAD:
        unchanged([source])
    else:
        with pytest.raises(InputChangedError, match="changed while it was read"):
            unchanged([source])
    path.write_bytes(b"word")
    with pytest.raises(InputChangedError, match=r"had .* bytes when the run began, now 4"):
        unchanged([source])
    path.unlink()
    with pytest.raises(InputChangedError, match="was removed after the run began"):
        unchanged([source])


def test_the_digest_of_a_file_is_made_of_those_of_its_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads a slice digests its share; shares have each block once, whatever the number of slices."""
    monkeypatch.setattr(digests, "BLOCK", 100)
    for size in (0, 1, 99, 100, 101, 250, 1000):
        path = tmp_path / f"{size}"
        path.write_bytes(content := bytes(range(250))[:size] * max(1, size // 250))
        blocks = [content[at : at + 100] for at in range(0, max(1, len(content)), 100)]
        parts = b"".join(hashlib.sha256(block).digest() for block in blocks)
        expected = hashlib.sha256(content if len(blocks) == 1 else parts).hexdigest()
        assert digests.digest_file(path) == expected
        for slices in (1, 2, 3, 7, 20):
            shares = [Slice(Source(str(path), len(content), "text"), share=(i, slices)) for i in range(slices)]
            found = [block for each in shares for block in digests.digest_blocks(path, *each.list_blocks())]
            assert digests.join_blocks(found) == expected


def test_a_file_that_changes_has_another_fingerprint(tmp_path: Path, snapshots: Snapshots) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"text")
    (source,) = find([file])
    assert fingerprint(source).sha256 == hashlib.sha256(b"text").hexdigest()
    file.write_bytes(b"texts")
    with snapshots.error(InputChangedError):
        fingerprint(source)
    file.unlink()
    with snapshots.error(InputError):
        fingerprint(source)


def test_standard_input_is_spooled_and_read_once(tmp_path: Path) -> None:
    data = gzip.compress(b'{"text": "x"}\n')
    spooled = spool(io.BytesIO(data), tmp_path)
    (source,) = find(["-", "-"], stdin=spooled)
    assert source == Source(str(spooled), len(data), "jsonl", "gzip", alias="-")
    assert source.name == "-"
    assert [file.name for file in tmp_path.iterdir()] == ["stdin"]


def test_standard_input_must_be_spooled_and_have_content(tmp_path: Path, snapshots: Snapshots) -> None:
    with snapshots.error(InputError):
        find(["-"])
    with pytest.raises(InputError, match="standard input is empty"):
        find(["-"], stdin=spool(io.BytesIO(b""), tmp_path))


def test_no_room_for_standard_input(tmp_path: Path, snapshots: Snapshots) -> None:
    class Full(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(28, "No space left on device")

    with snapshots.error(StorageError):
        spool(Full(), tmp_path)
    assert not list(tmp_path.iterdir())
