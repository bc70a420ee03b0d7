"""JSON lines: one object a line, UTF-8.

A file is cut at any byte; one that is compressed, at the checkpoints of its index. A slice owns the lines that *begin*
in it, and the faults that lie in it. A line over the limit is passed over without being held in memory, and no slice
reads beyond its last line, so that a file of one line of 1 GB is read once.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise

import orjson

from unquilt.corpus.given import list_parts
from unquilt.corpus.options import NONE, Fields, Reading
from unquilt.corpus.readers.compression import Stream
from unquilt.corpus.records import Found, Frame, GivenFields, Page, Reject, identify, string, too_large, undecodable
from unquilt.corpus.sources import Glimpse, Slice, Source, whole

LINES = (".jsonl", ".ndjson")
SUFFIXES = (*LINES, ".json")
STRIDE = 1 << 20
_ROUNDED = float(1 << 63)

_BEGINS_OBJECT = re.compile(rb'\{\s*(?:"|\}|\Z)')


def recognise(glimpse: Glimpse) -> bool:
    """By name, or because the first line is a JSON object. Of a line longer than the glimpse, only the beginning is
    looked at."""
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


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """Byte ranges of about `size`, all nearly equal; of a compressed file decoded bytes, if it has an index."""
    if source.index:
        return _cut_indexed(source, size)
    if source.compression or source.size <= size:
        return whole(source)
    count = max(1, round(source.size / size))
    edges = [i * source.size // count for i in range(count + 1)]
    return [Slice(source, a, b, b - a) for a, b in pairwise(edges)]


def _cut_indexed(source: Source, size: int) -> list[Slice]:
    """Slices between checkpoints. Each begins one byte after its checkpoint: this byte tells whether a line begins."""
    first, *others, last = source.index
    points = [first]
    for point in others:
        if point[0] >= points[-1][0] + size:
            points.append(point)
    bare = replace(source, index=())
    slices = [
        Slice(bare, begin and begin + 1, end + 1, end - begin, checkpoint=checkpoint)
        for (begin, checkpoint), (end, _) in pairwise([*points, last])
    ]
    return [*slices[:-1], replace(slices[-1], end=None)]


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The records of the lines that begin in the slice. Memory: one line."""
    name, limits = part.source.name, reading.limits
    begin, stop = part.begin, sys.maxsize if part.end is None else part.end
    offset = max(begin - 1, 0)
    with Stream(part.source.path, part.source.compression, offset, part.checkpoint) as stream:
        part.source.check_size(stream.size_on_disk)
        if begin > 0:
            offset = _next_line(stream, offset, stop)
        while offset < stop:
            line = stream.readline(limits.max_bytes + 1)
            if not line:
                break
            yield from _rejects(stream, name, begin, offset + 1)
            if len(line) > limits.max_bytes and not line.endswith(b"\n"):
                yield too_large("line", limits.max_bytes, name, offset)
                offset = _next_line(stream, offset + len(line), stop)
                continue
            if not line.isspace():
                look = _read_cut_line if _is_cut(stream, line, offset) else read_line
                yield Frame(name, offset, partial(look, line, offset, name, reading))
            offset += len(line)
        yield from _rejects(stream, name, begin, stop)


def objects(part: Slice, reading: Reading) -> Iterator[dict[str, object]]:
    """The lines of a file that are objects, from the slice on, with all their fields; to tell how these are called."""
    with Stream(part.source.path, part.source.compression, max(part.begin - 1, 0)) as stream:
        if part.begin:
            _next_line(stream, part.begin - 1, sys.maxsize)
        while line := stream.readline(reading.limits.max_bytes):
            yield from as_objects(line.removeprefix(codecs.BOM_UTF8))


def as_objects(text: bytes) -> Iterator[dict[str, object]]:
    """The object that a text is, if it is one."""
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(text)
        if isinstance(value, dict):
            yield value


def _rejects(stream: Stream, name: str, begin: int, end: int) -> Iterator[Reject]:
    """The faults so far that lie in [begin, end), each once."""
    while stream.faults and stream.faults[0].offset < end:
        fault = stream.faults.popleft()
        if fault.offset >= begin:
            yield Reject(name, *fault)


def _is_cut(stream: Stream, line: bytes, offset: int) -> bool:
    """Whether a fault cut this line short."""
    end = offset + len(line.removesuffix(b"\n"))
    return bool(stream.faults) and stream.faults[0].offset == end


def _next_line(stream: Stream, offset: int, stop: int) -> int:
    """Go past the next line end, in strides; not beyond `stop`, where the next slice begins."""
    while offset < stop:
        stride = stream.readline(STRIDE)
        offset += len(stride)
        if not stride or stride.endswith(b"\n"):
            break
    return offset


def _read_cut_line(line: bytes, offset: int, name: str, reading: Reading) -> Page | None:
    """The page on a line that a fault cut short, if it is complete all the same; else None, as the fault is a
    reject."""
    record = read_line(line, offset, name, reading)
    return None if isinstance(record, Reject) else record


def read_line(line: bytes, offset: int, name: str, reading: Reading) -> Page | Reject:
    """The page on a line, or why there is none."""
    if offset == 0:
        line = line.removeprefix(codecs.BOM_UTF8)
    try:
        value, may_be_broken = _load(line, reading.fields)
        broken = _find_surrogate(value, reading) if may_be_broken and isinstance(value, dict) else None
    except UnicodeDecodeError as error:
        return undecodable(error, name, offset)
    except json.JSONDecodeError as error:
        return Reject(name, offset, "bad json", f"{error.msg} at character {error.pos}")
    except RecursionError:
        return Reject(name, offset, "bad json", "nested too deeply")
    except ValueError:
        return Reject(name, offset, "bad json", "a whole number of too many digits")
    if not isinstance(value, dict):
        return Reject(name, offset, "not an object", "valid JSON, but not {…}")
    if broken is not None:
        return Reject(name, offset, "lone surrogate", f"field {broken!a}")
    return _page(value, offset, name, reading)


def _load(line: bytes, fields: Fields) -> tuple[object, bool]:
    """The value of a line, and whether it may hold half a character: by orjson, which is faster than the standard
    library; but by the latter, if orjson refuses the line, or may have rounded the id or a number of more than 64 bits.
    """
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(line)
        if not (isinstance(value, dict) and _may_be_rounded(value, fields)):
            return value, False
    return json.loads(str(line, "utf-8")), True


def _find_surrogate(value: dict[str, object], reading: Reading) -> str | None:
    """The name of a field, beside those that are parts of documents, that cannot be kept as text."""
    parts = {*list_parts(reading.fields), reading.fields.html}
    for name, each in value.items():
        try:
            json.dumps(
                {name: each} if name not in parts and reading.carries(name) else name, ensure_ascii=False
            ).encode()
        except UnicodeEncodeError:
            return name
    return None


def _may_be_rounded(value: dict[str, object], fields: Fields) -> bool:
    return isinstance(value.get(fields.id), float) or any(
        type(each) is float and abs(each) >= _ROUNDED for each in value.values()
    )


def _page(value: dict[str, object], offset: int, name: str, reading: Reading) -> Page | Reject:
    fields = reading.fields
    ident, url, ip = identify(value.get(fields.id), name, offset), value.get(fields.url), value.get(fields.ip)
    for field, part in ((fields.id, ident), (fields.url, url)):
        try:
            str(part).encode()
        except UnicodeEncodeError as error:
            return Reject(name, offset, "lone surrogate", f"field {field!a}, character {error.start}")
    for media, field in fields.contents:
        content = value.get(field)
        if isinstance(content, str):
            given = None if reading.carry == NONE else _given(value, field, fields)
            return Page(name, offset, ident, string(url), string(ip), media, content, given=given)
    what = f"is {_json_type(value[fields.text])}, not a string" if fields.text in value else "is missing"
    return Reject(name, offset, "no text", f"field {fields.text!a} {what}")


def _given(value: dict[str, object], content: str, fields: Fields) -> GivenFields:
    """All that a record says, in order; its text is where its content was, and is not kept a second time."""
    given: dict[str, object] = {}
    size, parts = 0, (fields.id, fields.url, fields.ip)
    for key, each in value.items():
        if key == content:
            given[fields.text] = None
            continue
        given[key] = each
        if isinstance(each, str):
            size += len(each) if key not in parts else 0
        else:
            size += len(repr(each)) if isinstance(each, list | dict) else 8
    return GivenFields(given, size)


def _json_type(value: object) -> str:
    return "null" if value is None else type(value).__name__
