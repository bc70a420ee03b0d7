"""Records that refer to an earlier one, and the documents that they are (docs/corpus.md, Revisits)."""

from __future__ import annotations

import base64
import gzip
import hashlib
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import unquilt
from unquilt.corpus.records import Revisit
from unquilt.corpus.write.results import PieceRead, recall, revisits_path, vouch
from unquilt.corpus.write.revisits import list_revisits
from unquilt.tables.corpus import REJECTS

NOT_THERE = ("id:none", "http://none.org/", "2001-01-01T00:00:00Z", "sha1:NONE")


def digest_of(content: str) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(content.encode(), usedforsecurity=False).digest()).decode()


def make_record(kind: str, fields: dict[str, str], body: bytes = b"") -> bytes:
    lines = [f"WARC-Type: {kind}", *(f"{name}: {value}" for name, value in fields.items())]
    header = "\r\n".join(["WARC/1.1", *lines, f"Content-Length: {len(body)}"])
    return header.encode() + b"\r\n\r\n" + body + b"\r\n\r\n"


def make_page(page: dict[str, str]) -> bytes:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page["content"].encode()
    return make_record("response", describe(page) | {"Content-Type": "application/http"}, body)


def describe(page: dict[str, str]) -> dict[str, str]:
    names = {"id": "WARC-Record-ID", "url": "WARC-Target-URI", "date": "WARC-Date", "digest": "WARC-Payload-Digest"}
    return {names[name]: f"<{value}>" if name == "id" else value for name, value in page.items() if name in names}


def draw_corpus(rng: random.Random) -> tuple[list[dict[str, str]], list[dict[str, str | None]]]:
    """Pages, some of equal URL or content, and revisits that say more or less of what they refer to."""
    pages = []
    for number in range(rng.randrange(1, 8)):
        content = f"<p>some words {rng.randrange(4)}"
        date, url = f"2024-01-0{rng.randrange(1, 4)}T10:00:00Z", f"http://{rng.choice('ab')}.org/"
        said = {"id": f"urn:{number}", "url": url, "date": date, "digest": digest_of(content)}
        pages.append(said | {"content": content})
    revisits: list[dict[str, str | None]] = []
    for _ in range(rng.randrange(1, 8)):
        page = rng.choice(pages)
        said_of = {
            "refers_to": rng.choice((page["id"], NOT_THERE[0], None)),
            "refers_to_url": rng.choice((page["url"], NOT_THERE[1], None)),
            "refers_to_date": rng.choice((page["date"], NOT_THERE[2], None)),
            "digest": rng.choice((page["digest"], NOT_THERE[3], None)),
        }
        revisits.append({"url": page["url"], **said_of})
    return pages, revisits


def find_document(revisit: dict[str, str | None], pages: list[dict[str, str]]) -> int | None:
    """The definition: by id, else by URL and date, else by digest; the first."""
    place = (revisit["refers_to_url"], revisit["refers_to_date"])
    rules: list[Any] = [
        lambda page: revisit["refers_to"] == page["id"],
        lambda page: place == (page["url"], page["date"]),
        lambda page: revisit["digest"] == page["digest"],
    ]
    found = (number for rule in rules for number, page in enumerate(pages) if rule(page))
    return next(found, None)


@pytest.mark.parametrize("seed", range(12))
def test_a_revisit_is_the_document_that_it_refers_to(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    pages, revisits = draw_corpus(rng)
    names = {"refers_to": "WARC-Refers-To", "refers_to_url": "WARC-Refers-To-Target-URI"}
    names |= {"refers_to_date": "WARC-Refers-To-Date", "digest": "WARC-Payload-Digest", "url": "WARC-Target-URI"}
    referring = [
        make_record("revisit", {names[name]: value for name, value in revisit.items() if value}) for revisit in revisits
    ]
    cut = rng.randrange(len(referring) + 1)  # some are in another file, before their pages
    tmp_path.joinpath("a.warc.gz").write_bytes(
        b"".join(map(gzip.compress, referring[:cut] or [make_record("warcinfo", {})]))
    )
    tmp_path.joinpath("b.warc").write_bytes(b"".join([*map(make_page, pages), *referring[cut:]]))
    corpus = unquilt.ingest(tmp_path)
    rows = corpus.table("revisits").to_pylist()
    wanted = [find_document(revisit, pages) for revisit in revisits]
    assert [row["doc"] for row in rows] == wanted
    assert [row["url"] for row in rows] == [revisit["url"] for revisit in revisits]
    summary = corpus.manifest["summary"]
    known = sum(doc is not None for doc in wanted)
    assert (summary["revisits"], summary["revisited"]) == (len(revisits), known)
    assert summary["skipped"]["revisit record"] == len(revisits)


def test_without_columns_beside_documents_a_revisit_is_found_by_id_and_place(tmp_path: Path) -> None:
    page = {
        "id": "urn:1",
        "url": "http://a.org/",
        "date": "2024-01-01T10:00:00Z",
        "digest": "sha1:A",
        "content": "<p>a",
    }
    revisits = [
        make_record("revisit", {"WARC-Refers-To": "<urn:1>"}),
        make_record("revisit", {"WARC-Payload-Digest": "sha1:A"}),
    ]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join([make_page(page), *revisits]))
    options = unquilt.JobOptions(reading=unquilt.Reading(carry="none"))
    rows = unquilt.ingest(path, options=options).table("revisits").to_pylist()
    assert [row["doc"] for row in rows] == [0, None]


def test_a_corpus_without_revisits_has_no_table_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a b"}\n')
    corpus = unquilt.ingest(path)
    assert "revisits" not in corpus.tables
    assert "revisits" not in corpus.manifest["summary"]


def test_revisits_of_a_piece_that_was_read_before_are_kept(tmp_path: Path) -> None:
    rows = [Revisit("a.warc", 7, None, "http://a.org/", None, "urn:1", None, None, "sha1:A")]
    read = PieceRead(
        tmp_path / "piece-0.texts",
        0,
        0,
        0,
        REJECTS.schema.empty_table(),
        Counter(),
        {},
        [],
        revisits=list_revisits(rows),
    )
    read.path.write_bytes(b"")
    vouch(read, "identity", tmp_path)
    again = recall(read.path, "identity")
    assert again is not None
    assert again.revisits.equals(read.revisits)
    revisits_path(read.path).unlink()
    assert recall(read.path, "identity") is None
