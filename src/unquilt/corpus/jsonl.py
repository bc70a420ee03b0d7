"""JSON lines: one object a line, UTF-8.

An uncompressed file is cut at any byte: a slice owns the lines that *begin* in it. A line over the limit is skipped
without being held, and no slice reads further than it must, so a file that is one line of 1 GB costs one pass.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise

from unquilt.corpus.compression import Stream
from unquilt.corpus.options import Fields, Limits
from unquilt.corpus.records import Document, Reject, identify, plain, too_large, undecodable
from unquilt.corpus.sources import Glimpse, Slice, Source, whole

SUFFIXES = (".jsonl", ".ndjson", ".json")
STRIDE = 1 << 20

_BEGINS_OBJECT = re.compile(rb'\{\s*(?:"|\}|\Z)')


def recognise(glimpse: Glimpse) -> bool:
    """By name, or because the first line is a JSON object; of a line longer than the glimpse, the beginning decides."""
    if glimpse.name.endswith(SUFFIXES):
        return True
    start = glimpse.head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not _BEGINS_OBJECT.match(start):
        return False
    line, newline, _ = start.partition(b"\n")
    return not (newline or glimpse.complete) or isinstance(_parse(line), dict)


def _parse(line: bytes) -> object:
    try:
        return json.loads(str(line, "utf-8"))
    except (ValueError, RecursionError):
        return None


def cut(source: Source, fields: Fields, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """Byte ranges of about `size`, all nearly equal; a compressed file stays whole, as one cannot begin in it."""
    if source.compression or source.size <= size:
        return whole(source)
    count = max(1, round(source.size / size))
    edges = [i * source.size // count for i in range(count + 1)]
    return [Slice(source, a, b, b - a) for a, b in pairwise(edges)]


def read(part: Slice, fields: Fields, limits: Limits) -> Iterator[Document | Reject]:
    """The records of the lines that begin in the slice. Memory: one line."""
    name = part.source.name
    with Stream(part.source.path, part.source.compression) as stream:
        part.source.check_size(stream.size_on_disk)
        stop = sys.maxsize if part.end is None else part.end
        offset = _first_line(stream, part.begin, stop)
        while offset < stop:
            line = stream.readline(limits.max_bytes + 1)
            if not line:
                break
            if len(line) > limits.max_bytes and not line.endswith(b"\n"):
                yield too_large("line", limits.max_bytes, name, offset)
                offset = _next_line(stream, offset + len(line), stop)
                continue
            record = _record(line, offset, name, fields)
            if stream.fault and isinstance(record, Reject) and not line.endswith(b"\n"):
                break  # the fault cut this line short: it is rejected below, once
            if record is not None:
                yield record
            offset += len(line)
        if stream.fault:
            yield Reject(name, offset, *stream.fault)


def _first_line(stream: Stream, begin: int, stop: int) -> int:
    """Go to the first line that begins at `begin` or after, but not beyond `stop`."""
    if begin == 0:
        return 0
    stream.seek(begin - 1)
    return _next_line(stream, begin - 1, stop)


def _next_line(stream: Stream, offset: int, stop: int) -> int:
    """Go past the next line end, in strides, but not beyond `stop`: whose line it is there is none of our business."""
    while offset < stop:
        stride = stream.readline(STRIDE)
        offset += len(stride)
        if not stride or stride.endswith(b"\n"):
            break
    return offset


def _record(line: bytes, offset: int, name: str, fields: Fields) -> Document | Reject | None:
    """The document on a line, or why there is none; None for a blank line."""
    if line.isspace():
        return None
    if offset == 0:
        line = line.removeprefix(codecs.BOM_UTF8)
    try:
        value = json.loads(str(line, "utf-8"))
    except UnicodeDecodeError as error:
        return undecodable(error, name, offset)
    except json.JSONDecodeError as error:
        return Reject(name, offset, "bad json", f"{error.msg} at character {error.pos}")
    except RecursionError:
        return Reject(name, offset, "bad json", "nested too deeply")
    except ValueError as error:  # an integer of thousands of digits
        return Reject(name, offset, "bad json", str(error))
    if not isinstance(value, dict):
        return Reject(name, offset, "not an object", "the line is valid JSON, but not {…}")
    return _document(value, offset, name, fields)


def _document(value: dict[str, object], offset: int, name: str, fields: Fields) -> Document | Reject:
    text = value.get(fields.text)
    if not isinstance(text, str):
        found = "null" if text is None and fields.text in value else type(text).__name__
        what = f"is {found}, not a string" if fields.text in value else "is missing"
        return Reject(name, offset, "no text", f"field {fields.text!a} {what}")
    ident, url = identify(value.get(fields.id), name, offset), value.get(fields.url)
    for field, part in ((fields.url, url), (fields.id, ident), (fields.text, text)):
        try:
            utf8 = part.encode() if isinstance(part, str) else b""
        except UnicodeEncodeError as error:
            return Reject(name, offset, "lone surrogate", f"field {field!a}, character {error.start}")
    return plain(name, offset, ident, url, value.get(fields.ip), text=text, utf8=utf8, raw=utf8)
