"""Inputs by URL: the same documents as from the same files here, each byte read once, one right line for a fault."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from object_store import Fault, ObjectStore

import unquilt as uq
from unquilt.errors import InputChangedError, InputError, ParameterError, PlaceError, UnquiltError
from unquilt.jobs.options import JobOptions
from unquilt.remote import systems
from unquilt.remote.files import RemoteFile

pytestmark = pytest.mark.slow


def make_texts(count: int, words: int = 60) -> list[dict[str, str]]:
    return [
        {
            "id": f"d{number}",
            "url": f"http://h{number % 7}.example.org/{number}",
            "text": " ".join(f"w{(number * 7919 + place * place * 31) % 99991}" for place in range(words)),
        }
        for number in range(count)
    ]


def make_lines(count: int, words: int = 60) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in make_texts(count, words))


def make_warc(count: int, words: int = 60) -> bytes:
    """One gzip member for each record."""
    found = b""
    for each in make_texts(count, words):
        body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{each['text']}</p>".encode()
        header = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{each['id']}>\r\n"
            f"WARC-Target-URI: {each['url']}\r\n"
            f"Content-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        found += gzip.compress(header.encode() + body + b"\r\n\r\n", 1)
    return found


def make_parquet(count: int, words: int = 60) -> bytes:
    file = io.BytesIO()
    table = pa.Table.from_pylist([{**each, "unread": each["text"][::-1]} for each in make_texts(count, words)])
    pq.write_table(table, file, row_group_size=max(1, count // 4))
    return file.getvalue()


def make_wacz(count: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("archive/data.warc.gz", make_warc(count))
    return file.getvalue()


FORMS: dict[str, Callable[[], bytes]] = {
    "a.jsonl": lambda: make_lines(300),
    "a.jsonl.gz": lambda: gzip.compress(make_lines(300)),
    "a.jsonl.zst": lambda: zstandard.compress(make_lines(300)),
    "a.json": lambda: json.dumps(make_texts(300)).encode(),
    "a.parquet": lambda: make_parquet(300),
    "a.warc.gz": lambda: make_warc(300),
    "a.warc": lambda: gzip.decompress(make_warc(300)),
    "a.wacz": lambda: make_wacz(300),
    "a b%20c?d#e.txt": lambda: make_texts(1)[0]["text"].encode(),
}


@pytest.mark.parametrize("name", FORMS)
def test_documents_are_those_of_the_same_file_here(name: str, store: ObjectStore, tmp_path: Path) -> None:
    content = FORMS[name]()
    (tmp_path / name).write_bytes(content)
    key = name.replace("%", "%25").replace("?", "%3F").replace("#", "%23").replace(" ", "%20")
    store.put(f"forms/{key}", content)
    here, there = uq.ingest(str(tmp_path / name)), uq.ingest(f"{store.url}/forms/{name}")
    assert there.manifest["summary"] == here.manifest["summary"]
    assert here.documents.num_rows
    for column in here.documents.column_names:
        expected = here.documents[column].to_pylist()
        if column in ("id", "file"):
            expected = [each.replace(str(tmp_path), f"{store.url}/forms") for each in expected]
        assert there.documents[column].to_pylist() == expected, column
    (record,) = there.manifest["inputs"]
    if name == "a.wacz":  # its archive is an input, and was copied out of it
        assert record["path"] == f"{store.url}/forms/{name}/archive/data.warc.gz"
        return
    assert record["path"] == f"{store.url}/forms/{name}"
    assert (record["size"], record["sha256"]) == (len(content), "")
    assert re.fullmatch("etag [0-9a-f]{32}", record["version"])


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("large.jsonl", lambda: make_lines(7_000, 100)),
        ("large.jsonl.gz", lambda: gzip.compress(make_lines(18_000, 100), 1)),
        ("large.parquet", lambda: make_parquet(7_000, 100)),
        ("large.warc.gz", lambda: make_warc(6_000, 100)),
    ],
)
def test_each_byte_is_read_once(name: str, make: Callable[[], bytes], store: ObjectStore, tmp_path: Path) -> None:
    content = make()
    assert len(content) > 3_000_000
    url = store.put(name, content)
    store.reset()
    uq.ingest(url, tmp_path / "corpus")
    assert sum(store.sent.values()) <= 1.05 * len(content)
    store.reset()
    uq.ingest(url, tmp_path / "corpus")  # which is there: nothing is read to see that nothing has changed
    assert sum(store.sent.values()) < 300_000


def test_folders_and_globs_are_read_in_the_order_of_names(store: ObjectStore, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", ".hidden/x.txt", "a/.y.txt", "a.txt"):
        (crawl / name).parent.mkdir(parents=True, exist_ok=True)
        (crawl / name).write_text(f"the text of {name} and some more words")
    uq.ingest(str(crawl / "b.txt"), crawl / "corpus")  # which is left out
    url = store.upload(crawl, "crawl")
    for name in ("", "/", "/*.txt", "/**/*.txt", "/[ab]*"):
        here, there = f"{crawl}{name}", f"{url}{name}"
        expected = [each["path"] for each in uq.ingest(here).manifest["inputs"]]
        found = [each["path"] for each in uq.ingest(there).manifest["inputs"]]
        assert found == [each.replace(str(crawl), url) for each in expected]
    corpus = uq.ingest(f"{url}/corpus")  # a corpus is taken as it is
    assert corpus.documents["text"].to_pylist() == ["the text of b.txt and some more words"]


def test_pages_get_urls_from_their_keys(store: ObjectStore) -> None:
    store.put("mirror/www.example.org/a/b.html", b"<p>one two three four</p>")
    store.put("mirror/www.example.com/c.html", b"<p>five six seven eight</p>")
    for base, expected in {
        "auto": ["http://www.example.com/c.html", "http://www.example.org/a/b.html"],
        "http://x.org/": ["http://x.org/www.example.com/c.html", "http://x.org/www.example.org/a/b.html"],
    }.items():
        options = JobOptions(reading=uq.Reading(base_url=base))
        corpus = uq.ingest(f"{store.url}/mirror", options=options)
        assert corpus.documents["url"].to_pylist() == expected


def test_a_file_url_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_text("some words of a text")
    corpus = uq.ingest((tmp_path / "a b.txt").as_uri())
    assert corpus.manifest["inputs"][0]["path"] == str(tmp_path / "a b.txt")


def every(answer: int | str, method: str = "") -> Fault:
    return lambda asked, path: answer if asked.startswith(method) else None


FAILING = {
    "busy": (every(503), "the store is busy or out of order"),
    "out of order": (every(500), "the store is busy or out of order"),
    "refused": (every(403), "access is denied; check what these credentials may do"),
    "refused later": (every(403, "GET"), "access is denied; check what these credentials may do"),
    "cut off": (every("cut", "GET"), "time after time"),
}


LARGER: dict[str, Callable[[], bytes]] = {
    "a.jsonl.gz": lambda: gzip.compress(make_lines(6000), 1),
    "a.parquet": lambda: make_parquet(3000),
    "a.warc": lambda: gzip.decompress(make_warc(1000)),
    "a.warc.gz": lambda: make_warc(3000),
}
"""Files with more than the bytes that a look at them takes."""


@pytest.mark.parametrize(
    ("form", "name"),
    [
        *((form, "cut off") for form in LARGER),
        *(("a.warc.gz", name) for name in FAILING if name != "cut off"),
        ("a.parquet", "refused later"),
    ],
)
def test_a_store_that_fails_is_one_line(form: str, name: str, store: ObjectStore, tmp_path: Path) -> None:
    fault, said = FAILING[name]
    url = store.put(f"faults/{form}", LARGER[form]())
    store.reset(fault)
    with pytest.raises(UnquiltError) as caught:
        uq.ingest(url, tmp_path / "corpus")
    store.reset()
    assert isinstance(caught.value, PlaceError)
    assert said in str(caught.value)
    assert "damaged" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert uq.ingest(url, tmp_path / "corpus").manifest["summary"]["rejects"] == 0


@pytest.mark.parametrize("form", LARGER)
def test_faults_that_pass_change_nothing(form: str, store: ObjectStore) -> None:
    url = store.put(f"passing/{form}", LARGER[form]())
    expected = uq.ingest(url).documents
    count = iter(range(1_000_000))
    store.reset(lambda method, path: [None, 503, None, "cut" if method == "GET" else None][next(count) % 4])
    assert uq.ingest(url).documents.equals(expected)
    assert next(count) > 8


@pytest.mark.parametrize(
    ("url", "kind", "said"),
    [
        ("s3://no-such-bucket/a.jsonl", PlaceError, "there is no such bucket"),
        ("s3://no-such-bucket/*.jsonl", PlaceError, "there is no such bucket"),
        ("s3://web/none.jsonl", InputError, "no such file or folder"),
        ("s3://web/none*.jsonl", InputError, "no file matches"),
        ("s3://", ParameterError, "there is no name behind s3://"),
        ("s3a://web/a.jsonl", ParameterError, "write s3://"),
        ("ftp://web/a.jsonl", ParameterError, "download or mount it first"),
        ("https://web/a.jsonl", ParameterError, "download or mount it first"),
    ],
)
def test_what_is_not_there_is_one_line(url: str, kind: type[UnquiltError], said: str, store: ObjectStore) -> None:
    with pytest.raises(kind) as caught:
        uq.ingest(url)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_credentials_are_named(store: ObjectStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    systems._open_system.cache_clear()
    store.reset(every(403))
    with pytest.raises(PlaceError, match="no credentials were found: set AWS_ACCESS_KEY_ID"):
        uq.ingest(f"{store.url}/a.jsonl")


def test_a_store_that_does_not_answer_is_one_line(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(PlaceError, match="no connection, time after time; check the network and the address"):
        uq.ingest(f"{store.url}/a.jsonl")


def test_a_file_that_changes_is_noticed(store: ObjectStore, tmp_path: Path) -> None:
    url = store.put("changing.jsonl", make_lines(50))
    uq.ingest(url, tmp_path / "corpus")
    store.put("changing.jsonl", make_lines(50).replace(b"w1", b"v1"))
    with pytest.raises(InputChangedError, match=r"changed since .* began: its version was etag"):
        uq.ingest(url, tmp_path / "corpus")


def test_a_file_is_read_anywhere(store: ObjectStore) -> None:
    content = bytes(range(256)) * 3000
    with RemoteFile(store.put("bytes", content)) as file:
        assert file.read() == content
        for offset, size in ((0, 10), (65_530, 20), (700_000, 200_000), (768_000, 5), (10**9, 5)):
            assert file.read_at(offset, size) == content[offset : offset + size]
            file.seek(offset)
            assert file.read(1) == content[offset : offset + 1]
