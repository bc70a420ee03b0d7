"""JSON that is no JSON lines: an array of objects, a single object over several lines, or several of them.

Each element of the array, or each object, is a record. A file is read in one go, by a scanner that looks at brackets,
strings and nothing else, so that records are found without being parsed, and a long array is never held in memory.

A record that is broken costs itself. The scanner notices that it is broken where brackets do not match, where a line
ends in a string, or where something stands outside strings that JSON does not have there. Then the next place is looked
for that looks as most records began so far: the same white space, and the same first name. In JSON, this cannot
stand in a string. What was looked at a second time is counted: after too much of it, the search only goes forward, so
that it is linear, whatever the bytes.

Memory: one record of up to `max_bytes`, and a block.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import jsonl
from unquilt.corpus.readers.compression import Stream
from unquilt.corpus.records import Found, Frame, Reject, Warned, too_large
from unquilt.corpus.sources import Glimpse, Slice, Source, whole

SUFFIXES = (".json",)
BLOCK = 1 << 20
DEEPEST = 1024
"""How deep brackets may be nested; JSON libraries do not read deeper ones."""
AGAIN, AGAIN_A_BYTE = 1 << 20, 1
"""How many bytes may be looked at a second time: so many, and so many more for each byte of the file so far."""
LONGEST_LEAD = 256
"""Bytes of white space before a record that are remembered."""
MOST_BEGINNINGS, SURE = 64, 3
"""How many different beginnings are counted, and how often one must be met to be looked for."""
LONGEST_BEGINNING = 1024
"""Bytes that the beginning of a record has at most: white space, a bracket and a name."""

_GAP = re.compile(rb"[\s,]*+")
_BETWEEN = re.compile(rb"[\s,:0-9eE+\-.truefalsnINity]*+")
_STRING = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*')
_TOKEN = re.compile(rb'[^\s,\[\]{}"]++')
_SCALAR = re.compile(rb"-?[0-9]{1,4000}(?:\.[0-9]{1,4000})?(?:[eE][+-]?[0-9]{1,4000})?|true|false|null|NaN|-?Infinity")
_OPENING = re.compile(rb'\{\s*+"(?:[^"\\\n]|\\.){0,200}+"\s*+:')
_IN_ARRAY = re.compile(rb'\{\s*+"')
_FOLLOWED = re.compile(rb"\s*+(?:[,\]]|\Z)")
_ON_A_LINE = re.compile(rb'\n\{\s*+"')
_BEGINS = re.compile(rb'\[|\{\s*+(?:\}|"(?:[^"\\\n]|\\.){0,200}+"\s*+:)')
_BEGINS_ARRAY = re.compile(rb'\[\s*+\{\s*+"')

_OPEN, _CLOSE = b"{[", b"}]"
_QUOTE, _BRACE, _BRACKET, _END_OF_ARRAY, _COLON = b'"{[]:'
TOO_DEEP = "nested too deeply"
UNFINISHED = "the file ends in the middle of it"


def recognise(glimpse: Glimpse) -> bool:
    """An array of objects, by its beginning. If the name is `.json`, or there is none that tells the kind, also an
    object that goes on over several lines; and, by name, whatever else is no JSON lines."""
    if glimpse.name.endswith(jsonl.LINES):
        return False
    start, named = glimpse.head.removeprefix(codecs.BOM_UTF8).lstrip(), glimpse.name.endswith(SUFFIXES)
    if start.startswith(b"[") and (named or _BEGINS_ARRAY.match(start)):
        return True
    if not named and not _OPENING.match(start):
        return False
    lines = start.rstrip().split(b"\n")
    complete = lines if glimpse.complete else lines[:-1]
    if not named and (len(complete) < 2 or (glimpse.complete and not lines[-1].endswith(b"}"))):
        return False
    if start.startswith(b"{") and len(lines) == 1:
        return _begins_list(start) or (glimpse.complete and not _is_object(start))
    return not any(map(_is_object, complete)) or any(line.endswith(b"},") for line in complete)


def _begins_list(text: bytes) -> bool:
    """Whether an object comes first, and then a comma."""
    try:
        _, end = json.JSONDecoder().raw_decode(said := str(text, "utf-8", "replace"))
        return said[end:].lstrip().startswith(",")
    except (ValueError, RecursionError):
        return False


def _is_object(line: bytes) -> bool:
    return line.startswith(b"{") and next(jsonl.as_objects(line), None) is not None


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """A file stays whole."""
    return whole(source)


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The records of a file."""
    with Stream(part.source.path, part.source.compression) as stream:
        part.source.check_size(stream.size_on_disk)
        yield from _Scanner(stream, part.source.name, reading).records()


def objects(part: Slice, reading: Reading) -> Iterator[dict[str, object]]:
    """The intact records of a file that are objects, with all their fields; to tell how the fields are called."""
    with Stream(part.source.path, part.source.compression) as stream:
        scanner = _Scanner(stream, part.source.name, reading)
        for found in scanner.records():
            if isinstance(found, Frame):
                yield from jsonl.as_objects(scanner.last)


class _End(NamedTuple):
    """Where the scan of a value ended: behind it, or where it is broken, and why."""

    at: int
    why: str = ""


class _Beginning(NamedTuple):
    """How a record begins: white space, and all up to its first name."""

    lead: bytes
    opening: bytes


class _Scanner:
    """Finds the values in a stream. `_data` is what is held of it, from the next value on, and `_base` where that
    begins in the stream."""

    def __init__(self, stream: Stream, name: str, reading: Reading) -> None:
        self._stream, self._name, self._reading = stream, name, reading
        self._data, self._base = bytearray(), 0
        self._in_array = False
        self._lead = b""
        self._beginning: _Beginning | None = None
        self._known = Counter[_Beginning | None]()
        self._again = 0
        self._lost = False
        """Whether the search for the next value has come to nothing."""
        self.last = b""
        """The value that was found last."""

    def records(self) -> Iterator[Found]:
        """All values, and why some are missing."""
        if self._more() and self._data.startswith(codecs.BOM_UTF8):
            self._drop(len(codecs.BOM_UTF8))
        self._pass_gap()
        self._in_array = assumed = not _BEGINS.match(self._data)  # most likely, if the first bytes are broken
        while True:
            self._pass_gap()
            if self._stream.faults and self._stream.faults[0].offset <= self._base:
                yield Reject(self._name, *self._stream.faults.popleft())
                self._pass_hole()
            elif not self._data:
                break
            elif self._data[0] == _BRACKET and (assumed or not self._in_array):
                self._in_array, assumed = True, False
                self._drop(1)
            elif self._data[0] == _END_OF_ARRAY and self._in_array:
                self._in_array = False
                self._drop(1)
            elif self._data[0] == _END_OF_ARRAY:
                yield Warned(self._name, "an array of records ends that did not begin; is the file complete?")
                self._drop(1)
            else:
                found = self._value()
                if found is not None:
                    yield found
        if self._in_array and not self._lost:
            yield Warned(self._name, "its array of records does not end; is the file complete?")

    def _more(self) -> bool:
        """Hold more of the stream; False at its end."""
        block = self._stream.read(BLOCK)
        self._data += block
        return bool(block)

    def _drop(self, size: int) -> None:
        del self._data[:size]
        self._base += size

    def _pass_gap(self) -> None:
        """Pass white space and commas; remember the white space that stands before the next value."""
        lead = b""
        while True:
            match = _GAP.match(self._data)
            assert match is not None
            lead = (lead + match.group()).rpartition(b",")[2][-LONGEST_LEAD:]
            self._drop(match.end())
            if self._data or not self._more():
                self._lead = lead
                return

    def _pass_hole(self) -> None:
        """Go on behind a hole in the stream, which is most likely within a record."""
        self._lost = True
        opening = _OPENING.match(self._data)
        if self._beginning is None and self._data.startswith(b"["):
            return
        if opening is None or (self._beginning and opening.group() != self._beginning.opening):
            self._search(0, 0)

    def _value(self) -> Found | None:
        """The record that comes next, or why there is none; None, if a hole in the stream costs it."""
        limit, offset = self._reading.limits.max_bytes, self._base
        end = self._scan(limit) if self._data[0] in _OPEN else self._scan_scalar(limit)
        hole = self._stream.faults[0].offset - self._base if self._stream.faults else end.at + 1
        if hole < end.at or (end.why and hole == end.at):
            self._drop(hole)
            return None
        self._lost = False
        if end.why:
            too_long = end.at > limit
            self._search(end.at if end.why == TOO_DEEP else 1, end.at)
            return too_large("record", limit, self._name, offset) if too_long else self._broken(offset, end.why)
        self.last = value = bytes(self._data[: end.at])
        self._learn(value)
        self._drop(end.at)
        return Frame(self._name, offset, partial(jsonl.read_line, value, offset, self._name, self._reading))

    def _learn(self, value: bytes) -> None:
        """Count how records begin. Of what is broken the most is found by what is most frequent."""
        opening = _OPENING.match(value)
        if opening:
            beginning = _Beginning(self._lead, opening.group())
            if beginning in self._known or len(self._known) < MOST_BEGINNINGS:
                self._known[beginning] += 1
            if self._known[beginning] > self._known.get(self._beginning, 0):
                self._beginning = beginning

    def _broken(self, offset: int, why: str) -> Reject:
        return Reject(self._name, offset, "bad json", why)

    def _search(self, begin: int, end: int) -> None:
        """Pass all up to the next place, from `begin` on, that looks like the beginning of a record; what is before
        `end` was looked at before."""
        at = end if self._again > AGAIN + AGAIN_A_BYTE * self._base else begin
        while True:
            found = self._find_beginning(at)
            if found >= 0:
                self._again += max(0, end - found)
                self._drop(found)
                return
            passed = max(at, len(self._data) - LONGEST_BEGINNING)
            self._drop(passed)
            end, at = end - passed, 0
            if not self._more():
                self._drop(len(self._data))
                self._lost = True
                return

    def _find_beginning(self, at: int) -> int:
        """The next place that looks like the beginning of a record, or -1."""
        if self._beginning is None or self._known[self._beginning] < SURE:
            match = _IN_ARRAY.search(self._data, at) if self._in_array else _ON_A_LINE.search(self._data, at)
            return match.end() - len(match.group().lstrip()) if match else -1
        lead, opening = self._beginning
        while (at := self._data.find(opening, at)) >= 0:
            if _stands_alone(bytes(self._data[max(0, at - LONGEST_LEAD) : at]), lead):
                return at
            at += 1
        return -1

    def _scan(self, limit: int) -> _End:
        """Scan an array or object to its end."""
        stack, at, before = bytearray(), 0, 0
        while True:
            match = _BETWEEN.match(self._data, at)
            assert match is not None
            text = match.group().rstrip()
            before, at = text[-1] if text else before, match.end()
            if at > limit:
                return _End(at, "too large")
            if at == len(self._data):
                if not self._more():
                    return _End(at, UNFINISHED)
                continue
            char = self._data[at]
            if char == _QUOTE:
                end = self._scan_string(at + 1, limit)
                if end.why:
                    return end
                at, before = end.at, char
            elif char in _OPEN:
                if stack and stack[-1] == _BRACE and before != _COLON:
                    return _End(at, f"{chr(char)} where a name is due, at byte {at}")
                if len(stack) == DEEPEST:
                    return _End(at, TOO_DEEP)
                stack.append(char)
                at, before = at + 1, char
            elif char in _CLOSE and stack and _OPEN.index(stack.pop()) == _CLOSE.index(char):
                at, before = at + 1, char
                if not stack:
                    return _End(at)
            else:
                return _End(at, f"not JSON at byte {at}")

    def _scan_string(self, at: int, limit: int) -> _End:
        """Scan a string, from behind its first quote to behind its last."""
        while True:
            match = _STRING.match(self._data, at)
            assert match is not None
            at = match.end()
            if at > limit:
                return _End(at, "too large")
            if self._data[at : at + 1] == b'"':
                return _End(at + 1)
            if at + 1 < len(self._data) or self._data[at : at + 1] == b"\n":
                return _End(at, f"a line ends in a string, at byte {at}")
            if not self._more():
                return _End(len(self._data), UNFINISHED)

    def _is_followed(self, at: int) -> bool:
        """Whether a value is followed by another one, or by the end."""
        if at == len(self._data):
            self._more()
        match = _FOLLOWED.match(self._data, at)
        return match is not None

    def _scan_scalar(self, limit: int) -> _End:
        """Scan a string, a number or a word."""
        if self._data[0] == _QUOTE:
            end = self._scan_string(1, limit)
            return end if end.why or self._is_followed(end.at) else _End(end.at, f"not JSON at byte {end.at}")
        while True:
            match = _TOKEN.match(self._data)
            if match is None:
                return _End(1, "not JSON at byte 0")
            size = match.end()
            if size < len(self._data) or size > BLOCK or not self._more():
                known = size < BLOCK and _SCALAR.fullmatch(match.group())
                return _End(size, "" if known else "not JSON at byte 0")


def _stands_alone(before: bytes, lead: bytes) -> bool:
    """Whether what follows these bytes is most likely a record, and not an object within one: such objects follow on
    other white space than records do (`lead`), or on the punctuation of JSON."""
    rest = before.rstrip()
    if not lead:
        return not rest.endswith((b":", b"["))
    if before.endswith(lead) and (b"\n" in lead or not before.removesuffix(lead)[-1:].isspace()):
        return True
    return b"\n" not in before[len(rest) :] and not rest.endswith((b":", b"[", b","))
