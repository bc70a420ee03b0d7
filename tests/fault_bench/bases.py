"""Files of every kind that are as they should be: what is in them, and which bytes each record needs.

A record says its number and some words that no other has, so that what comes out of a broken file can be told: the
record as it was, a changed one, or something that never was one.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from random import Random
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from faulty import begins, gz, record, response, zst

RECORDS = 24
ROW_GROUP = 6
LINES = 4
"""How many lines share a member or frame."""
BLOCK = 900
"""Bytes of a gzip member that knows nothing of records."""
ENVELOPE = "From a@a.example Mon Jan  1 00:00:00 2024\n"

_unchecked = zstandard.ZstdCompressor().compress
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "ai", "ou")]


class Record(NamedTuple):
    """A record: its text, white space collapsed, and the stored bytes without which it cannot be read."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Rules:
    """What can be asked of a format.

    `told_by` is how it is judged (see `verdicts`). `checked` formats have checksums over all content. Of others, only
    what stands `before` a record, and `after` it, tells that it begins and ends there; `framed` finds what says itself
    how long it is. `hides_end`: if what follows a record is broken, nobody knows where that record ends. `joins`: one
    whose line end is broken goes on with the next one. Any number of `blank` bytes may stand between records.
    """

    told_by: Literal["stretches", "lines", "rows", "file"]
    checked: bool = False
    before: bytes = b""
    after: re.Pattern[bytes] | None = None
    framed: Callable[[bytes], Iterator[range]] | None = None
    hides_end: bool = False
    joins: bool = False
    blank: bytes = b""


@dataclass(frozen=True)
class Sample:
    """One file and its records, in order. What decodes on its own (a member, a frame, a record, a line) begins and ends
    at `borders`; `footer` is where the part begins without which there is no file.
    """

    data: bytes
    records: tuple[Record, ...]
    rules: Rules
    borders: frozenset[int]
    footer: int | None = None

    @property
    def aligned(self) -> bool:
        """Whether no record crosses a border."""
        return not any(record.begin < border < record.end for record in self.records for border in self.borders)


class Base(NamedTuple):
    """What a fault is done to: files by name. One alone is given by name, several as the folder they are in."""

    samples: dict[str, Sample]


def collapse(text: str) -> str:
    return " ".join(text.split())


def words(rng: Random, count: int) -> list[str]:
    return ["".join(rng.choices(_SYLLABLES, k=4)) for _ in range(count)]


def is_rubbish(text: str) -> bool:
    """Whether a text is, for a good part, of characters that no record has."""
    return len(re.sub(r"[a-z0-9 ]+", "", text)) * 4 > len(text)


def _texts(rng: Random, count: int = RECORDS) -> list[str]:
    """Texts of a few paragraphs: short ones, or such that one is more than a reader takes a first look at."""
    longest = rng.choice((30, 30, 30, 300))
    return [
        f"record {number}\n\n" + "\n\n".join(" ".join(words(rng, rng.randrange(5, longest))) for _ in range(3))
        for number in range(count)
    ]


# How records become the bytes of a file: the file, and where each one is stored.

Extents = list[tuple[int, int]]
Pack = Callable[[bytes], bytes]
Packing = Callable[[Sequence[bytes]], tuple[list[bytes], Extents]]


def _each(chunks: Sequence[bytes], pack: Pack = bytes, together: int = 1) -> tuple[list[bytes], Extents]:
    """Each of them packed alone, or a few of them together."""
    members = [pack(b"".join(chunks[i : i + together])) for i in range(0, len(chunks), together)]
    edges = begins(members)
    return members, [(edges[i // together], edges[i // together + 1]) for i in range(len(chunks))]


def _whole(chunks: Sequence[bytes], pack: Pack) -> tuple[list[bytes], Extents]:
    return _each(chunks, pack, together=len(chunks))


def _blocks(chunks: Sequence[bytes], pack: Pack) -> tuple[list[bytes], Extents]:
    """All of them in equal blocks, each packed alone."""
    joined, edges = b"".join(chunks), begins(chunks)
    blocks = [pack(joined[at : at + BLOCK]) for at in range(0, len(joined), BLOCK)]
    stored = begins(blocks)
    return blocks, [(stored[a // BLOCK], stored[(b - 1) // BLOCK + 1]) for a, b in pairwise(edges)]


def _sample(packing: Packing, rules: Rules, texts: Sequence[str], chunks: Sequence[bytes]) -> Sample:
    """A file of chunks, of which the last ones are the records with these texts."""
    members, extents = packing(chunks)
    stored = extents[len(chunks) - len(texts) :]
    records = tuple(Record(collapse(text), *place) for text, place in zip(texts, stored, strict=True))
    return Sample(b"".join(members), records, rules, frozenset(begins(members)))


# Archives.


def _html(text: str) -> bytes:
    paragraphs = "".join(f"<p>{paragraph}</p>\n" for paragraph in text.split("\n\n"))
    return f"<!doctype html><title>t</title><body>{paragraphs}</body>".encode()


def _warcs(texts: Sequence[str]) -> list[bytes]:
    first = record("warcinfo", 999, b"software: none\r\n")
    return [first, *(response(number, _html(text)) for number, text in enumerate(texts))]


def _wets(texts: Sequence[str]) -> list[bytes]:
    fields = {"Content_Type": "text/plain"}
    first = record("warcinfo", 999, b"software: none\r\n")
    return [first, *(record("conversion", number, text.encode(), **fields) for number, text in enumerate(texts))]


def _arcs(texts: Sequence[str]) -> list[bytes]:
    header = "http://a.example/{} 192.0.2.1 20240101000000 text/html {}\n"
    bodies = [b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + _html(text) for text in texts]
    first = b"filedesc://x 0.0.0.0 20240101000000 text/plain 2\nx\n\n"
    return [first, *(header.format(n, len(body)).encode() + body + b"\n" for n, body in enumerate(bodies))]


_WARC_HEADER = re.compile(rb"WARC/\d{1,3}\.\d{1,3}[ \t]*\r?\n")
_WARC_LENGTH = re.compile(rb"\ncontent-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_WARC_END = re.compile(rb"\r\n\r\n|[\r\n]*(?=WARC/|\Z)")
_ARC_HEADER = re.compile(rb"[a-z]+:[^\n]* (\d+)[ \t]*\r?\n")
_ARC_END = re.compile(rb"\r?\n|\Z")


def _framed_warc(data: bytes) -> Iterator[range]:
    """Where a record stands that is as long as it says, whatever is in it."""
    for header in _WARC_HEADER.finditer(data):
        end = re.compile(rb"\n\r?\n").search(data, header.end() - 1)
        length = end and _WARC_LENGTH.search(data, header.end() - 1, end.end())
        if end and length and _WARC_END.match(data, end.end() + int(length[1])):
            yield range(header.start(), end.end() + int(length[1]))


def _framed_arc(data: bytes) -> Iterator[range]:
    for header in _ARC_HEADER.finditer(data):
        if _ARC_END.match(data, header.end() + int(header[1])):
            yield range(header.start(), header.end() + int(header[1]))


PLAIN_WARC = Rules("stretches", framed=_framed_warc, blank=b"\r\n")
PLAIN_ARC = Rules(
    "stretches", before=b"\n", after=re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:"), framed=_framed_arc, blank=b"\r\n"
)
CHECKED = Rules("stretches", checked=True)
UNCHECKED = Rules("stretches")
UNCHECKED_LINES = Rules("stretches", joins=True)
UNCHECKED_VALUES = Rules("stretches", blank=b"\r\n ,")


def _archive(make: Callable[[Sequence[str]], list[bytes]], packing: Packing, rules: Rules, rng: Random) -> Sample:
    texts = _texts(rng)
    return _sample(packing, rules, texts, make(texts))


# Lines, tables, mail, and files that are one document.


def _lines(packing: Packing, rules: Rules, rng: Random) -> Sample:
    texts = _texts(rng)
    lines = [json.dumps({"id": f"urn:{number}", "text": text}).encode() + b"\n" for number, text in enumerate(texts)]
    return _sample(packing, rules, texts, lines)


def _values(packing: Packing, rules: Rules, rng: Random) -> Sample:
    """An array of objects: on lines, indented, or without any white space."""
    texts = _texts(rng)
    indent, between = rng.choice(((None, "\n"), (2, "\n"), (None, "")))
    separators = (",", ":") if not between else None
    made = [
        json.dumps({"id": f"urn:{number}", "text": text}, indent=indent, separators=separators)
        for number, text in enumerate(texts)
    ]
    commas = [f",{between}"] * (len(made) - 1) + [f"{between}]\n"]
    values = [f"{value}{comma}".encode() for value, comma in zip(made, commas, strict=True)]
    return _sample(packing, rules, texts, [f"[{between}".encode(), *values])


def _mailbox(packing: Packing, rules: Rules, rng: Random) -> Sample:
    texts = _texts(rng)
    mails = [(ENVELOPE + _mail(number, text) + "\n").encode() for number, text in enumerate(texts)]
    return _sample(packing, rules, [_shown(number, text) for number, text in enumerate(texts)], mails)


def _mail(number: int, text: str) -> str:
    header = f"Message-ID: <urn:{number}>\nFrom: a@a.example\nTo: b@a.example\nSubject: mail {number}\n\n"
    return header + text + "\n"


def _shown(number: int, text: str) -> str:
    return f"mail {number}\n\n{text}"


def _rows(compression: str, rules: Rules, rng: Random) -> Sample:
    texts = _texts(rng)
    table = pa.table({"id": [f"urn:{number}" for number in range(len(texts))], "text": texts})
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        row_group_size=ROW_GROUP,
        compression=compression,
        use_dictionary=rng.random() < 0.5,
        data_page_size=rng.choice((400, 1 << 20)),
        data_page_version=rng.choice(("1.0", "2.0")),
        write_page_checksum=rules.checked,
    )
    groups = _row_groups(pq.ParquetFile(file).metadata)
    records = [Record(collapse(text), *groups[row // ROW_GROUP]) for row, text in enumerate(texts)]
    borders = frozenset(edge for group in groups for edge in group)
    return Sample(file.getvalue(), tuple(records), rules, borders, footer=groups[-1][1])


def _row_groups(metadata: pq.FileMetaData) -> Extents:
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(i) for i in range(group.num_columns)]
        begin = min(column.dictionary_page_offset or column.data_page_offset for column in columns)
        found.append((begin, begin + sum(column.total_compressed_size for column in columns)))
    return found


def _file(form: str, pack: Pack, rules: Rules, number: int, rng: Random) -> Sample:
    (text,) = _texts(rng, 1)
    text = text.replace("record 0", f"record {number}")
    match form:
        case "html":
            content, shown = _html(text), text
        case "eml":
            content, shown = _mail(number, text).encode(), _shown(number, text)
        case _:
            content, shown = text.encode(), text
    return _sample(partial(_each, pack=pack), rules, [shown], [content])


LINE = Rules("lines")
MAILBOX = Rules("stretches", before=b"\n\n", after=re.compile(ENVELOPE.encode()), hides_end=True, blank=b"\r\n")
PACKED_MAILBOX = Rules("stretches", checked=True, hides_end=True)
FILE, PACKED_FILE = Rules("file"), Rules("file", checked=True)
ROWS, CHECKED_ROWS = Rules("rows"), Rules("rows", checked=True)

ALONE: dict[str, tuple[str, Callable[[Random], Sample]]] = {
    "warc": ("a.warc", partial(_archive, _warcs, _each, PLAIN_WARC)),
    "warc.gz": ("a.warc.gz", partial(_archive, _warcs, partial(_each, pack=gz), CHECKED)),
    "warc.gz-whole": ("a.warc.gz", partial(_archive, _warcs, partial(_whole, pack=gz), CHECKED)),
    "warc.gz-blocks": ("a.warc.gz", partial(_archive, _warcs, partial(_blocks, pack=gz), CHECKED)),
    "warc.zst": ("a.warc.zst", partial(_archive, _warcs, partial(_each, pack=zst), CHECKED)),
    "warc.zst-unchecked": ("a.warc.zst", partial(_archive, _warcs, partial(_each, pack=_unchecked), UNCHECKED)),
    "warc.zst-whole": ("a.warc.zst", partial(_archive, _warcs, partial(_whole, pack=zst), CHECKED)),
    "wet": ("a.warc.wet", partial(_archive, _wets, _each, PLAIN_WARC)),
    "wet.gz": ("a.warc.wet.gz", partial(_archive, _wets, partial(_each, pack=gz), CHECKED)),
    "arc": ("a.arc", partial(_archive, _arcs, _each, PLAIN_ARC)),
    "arc.gz": ("a.arc.gz", partial(_archive, _arcs, partial(_each, pack=gz), CHECKED)),
    "jsonl": ("a.jsonl", partial(_lines, _each, LINE)),
    "jsonl.gz": ("a.jsonl.gz", partial(_lines, partial(_each, pack=gz, together=LINES), CHECKED)),
    "jsonl.gz-whole": ("a.jsonl.gz", partial(_lines, partial(_whole, pack=gz), CHECKED)),
    "jsonl.gz-blocks": ("a.jsonl.gz", partial(_lines, partial(_blocks, pack=gz), CHECKED)),
    "jsonl.zst": ("a.jsonl.zst", partial(_lines, partial(_each, pack=zst, together=LINES), CHECKED)),
    "jsonl.zst-unchecked": (
        "a.jsonl.zst",
        partial(_lines, partial(_each, pack=_unchecked, together=LINES), UNCHECKED_LINES),
    ),
    "json": ("a.json", partial(_values, _each, UNCHECKED_VALUES)),
    "json.gz": ("a.json.gz", partial(_values, partial(_each, pack=gz, together=LINES), CHECKED)),
    "json.gz-whole": ("a.json.gz", partial(_values, partial(_whole, pack=gz), CHECKED)),
    "json.zst": ("a.json.zst", partial(_values, partial(_each, pack=zst, together=LINES), CHECKED)),
    "jsonl.zst-whole": ("a.jsonl.zst", partial(_lines, partial(_whole, pack=zst), CHECKED)),
    **{f"parquet-{name}": ("a.parquet", partial(_rows, name, ROWS)) for name in ("none", "snappy", "zstd")},
    **{
        f"parquet-{name}-checked": ("a.parquet", partial(_rows, name, CHECKED_ROWS))
        for name in ("none", "snappy", "zstd")
    },
    "mbox": ("a.mbox", partial(_mailbox, _each, MAILBOX)),
    "mbox.gz": ("a.mbox.gz", partial(_mailbox, partial(_each, pack=gz), PACKED_MAILBOX)),
    "mbox.gz-whole": ("a.mbox.gz", partial(_mailbox, partial(_whole, pack=gz), PACKED_MAILBOX)),
}
"""Kinds of files that hold many records: how one is called, and how it is made."""

FOLDERS: dict[str, tuple[Pack, Rules]] = {
    f"{form}{suffix}": (pack, rules)
    for form in ("txt", "html", "eml")
    for suffix, (pack, rules) in {
        "": (bytes, FILE),
        ".gz": (gz, PACKED_FILE),
        ".zst": (zst, PACKED_FILE),
    }.items()
}
"""Files that are one document each: a folder of them is what a fault is done to."""

MIXED = "mixed"
KINDS = (*ALONE, *FOLDERS, MIXED)


def make(kind: str, seed: int) -> Base:
    """The base of a kind; the same for the same seed."""
    rng = Random(f"{kind} {seed}")
    if kind in ALONE:
        name, sample = ALONE[kind]
        return Base({name: sample(rng)})
    if kind in FOLDERS:
        pack, rules = FOLDERS[kind]
        return Base({f"{n}.{kind}": _file(kind.split(".")[0], pack, rules, n, rng) for n in range(4)})
    mixed = {f"{number:02}-{name}": sample(rng) for number, (name, sample) in enumerate(ALONE.values())}
    for number, (each, (pack, rules)) in enumerate(FOLDERS.items(), len(mixed)):
        mixed[f"{number:02}.{each}"] = _file(each.split(".")[0], pack, rules, number, rng)
    return Base(mixed)
