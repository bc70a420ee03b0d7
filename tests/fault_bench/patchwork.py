"""Bytes that know where they come from, and the faults that are done to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple, Self

OPERATIONS = ("flip", "cut", "zero", "delete", "insert", "append", "prepend", "duplicate", "swap")


class Part(NamedTuple):
    """Some bytes, and where in the base file they begin; None if they come from elsewhere."""

    data: bytes
    origin: int | None


class Patchwork(NamedTuple):
    """A file made of parts of another one, and of bytes that were never there."""

    parts: tuple[Part, ...]

    @classmethod
    def of(cls, data: bytes) -> Self:
        return cls((Part(data, 0),))

    @property
    def data(self) -> bytes:
        return b"".join(part.data for part in self.parts)

    def __len__(self) -> int:
        return sum(len(part.data) for part in self.parts)

    def cut(self, begin: int, end: int) -> tuple[Part, ...]:
        """The parts of a range."""
        found, at = [], 0
        for data, origin in self.parts:
            a, b = max(begin - at, 0), min(end - at, len(data))
            if a < b:
                found.append(Part(data[a:b], None if origin is None else origin + a))
            at += len(data)
        return tuple(found)

    def placed(self) -> Iterator[tuple[int, Part]]:
        """Each part with the place where it begins now; those that follow each other in the base are one."""
        at, begin = 0, 0
        held = Part(b"", None)
        for part in self.parts:
            if held.origin is not None and part.origin == held.origin + len(held.data):
                held = Part(held.data + part.data, held.origin)
            else:
                if held.data:
                    yield begin, held
                begin, held = at, part
            at += len(part.data)
        if held.data:
            yield begin, held

    def copies(self, begin: int, end: int) -> list[int]:
        """Where a range of the base stands as it was, byte for byte."""
        return [
            at + begin - part.origin
            for at, part in self.placed()
            if part.origin is not None and part.origin <= begin and end <= part.origin + len(part.data)
        ]

    def traces(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Where pieces of a range of the base stand now, however small; if there are none, where they would stand."""
        return self._remains(begin, end) or self._seams(begin, end)

    def _seams(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Where what was before a range of the base is followed by what was behind it, or by anything else."""
        edges = [(0, 0, 0)]  # where a part of the base begins in it, ends in it, and ends now
        found = []
        for at, part in (*self.placed(), (len(self), Part(b"", 1 << 62))):
            if part.origin is not None:
                _, before, now = edges[-1]
                if before <= begin and end <= part.origin:
                    found.append((now, at))
                edges.append((part.origin, part.origin + len(part.data), at + len(part.data)))
        return found

    def _remains(self, begin: int, end: int) -> list[tuple[int, int]]:
        found = []
        for at, part in self.placed():
            if part.origin is not None:
                a, b = max(begin, part.origin), min(end, part.origin + len(part.data))
                if a < b:
                    found.append((at + a - part.origin, at + b - part.origin))
        return found


class Fault(NamedTuple):
    """What is done to a file: to bytes [a, b), at or with [c, d), with some junk. Its text can be parsed again."""

    operation: str
    a: int = 0
    b: int = 0
    c: int = 0
    d: int = 0
    junk: bytes = b""

    def __str__(self) -> str:
        return f"{self.operation} {self.a} {self.b} {self.c} {self.d} {self.junk.hex() or '-'}"

    @classmethod
    def parse(cls, said: str) -> Fault:
        operation, *numbers, junk = said.split()
        return cls(operation, *map(int, numbers), bytes.fromhex(junk.removeprefix("-")))

    def apply(self, file: Patchwork) -> Patchwork:
        size = len(file)
        a, b, c, d = (min(at, size) for at in self[1:5])
        before, range_, after = file.cut(0, a), file.cut(a, b), file.cut(b, size)
        junk = (Part(self.junk, None),)
        match self.operation:
            case "flip":  # the bit c of the byte a
                flipped = bytes(byte ^ 1 << self.c for part in file.cut(a, a + 1) for byte in part.data)
                return Patchwork((*before, Part(flipped, None), *file.cut(a + 1, size)))
            case "cut":
                return Patchwork(before)
            case "zero":
                return Patchwork((*before, Part(bytes(b - a), None), *after))
            case "delete":
                return Patchwork((*before, *after))
            case "insert":
                return Patchwork((*before, *junk, *file.cut(a, size)))
            case "append":
                return Patchwork((*file.parts, *junk))
            case "prepend":
                return Patchwork((*junk, *file.parts))
            case "duplicate":  # at c
                return Patchwork((*file.cut(0, c), *range_, *file.cut(c, size)))
            case "swap":
                return Patchwork((*before, *file.cut(c, d), *file.cut(b, c), *range_, *file.cut(d, size)))
        raise ValueError(self.operation)

    def smaller(self) -> Iterator[Fault]:
        """Faults of the same sort that do less."""
        if len(self.junk) > 1:
            yield self._replace(junk=self.junk[: len(self.junk) // 2])
            yield self._replace(junk=self.junk[:-1])
        for step in ((self.b - self.a) // 2, 1):
            if self.b - self.a > step > 0:
                yield self._replace(b=self.b - step)
                yield self._replace(a=self.a + step)
        for step in ((self.d - self.c) // 2, 1):
            if self.d - self.c > step > 0:
                yield self._replace(d=self.d - step)


def draw(rng: Random, size: int, extents: Sequence[tuple[int, int]], operation: str | None = None) -> Fault:
    """A fault in a file of some size whose records have these extents."""
    operation = operation or rng.choice(OPERATIONS if size else ("append", "prepend"))
    a = _place(rng, size, extents)
    b = _end(rng, a, size, extents)
    match operation:
        case "flip":
            return Fault(operation, min(a, size - 1), c=rng.randrange(8))
        case "cut":
            return Fault(operation, a)
        case "insert":
            return Fault(operation, a, junk=_junk(rng))
        case "append" | "prepend":
            return Fault(operation, junk=_junk(rng))
        case "duplicate":
            return Fault(operation, a, b, _place(rng, size, extents))
        case "swap":
            c = _place(rng, size, extents)
            (a, b), (c, d) = sorted([(a, b), (c, _end(rng, c, size, extents))])
            return Fault(operation, a, min(b, c), c, max(b, d))
    return Fault(operation, a, b)


def _place(rng: Random, size: int, extents: Sequence[tuple[int, int]]) -> int:
    """Where a fault may begin: in magic bytes, headers, contents, checksums, at borders, or anywhere."""
    begin, end = rng.choice(extents)
    at = rng.choice(
        (
            rng.randrange(8),
            begin,
            begin + rng.randrange(24),
            begin + rng.randrange(200),
            (begin + end) // 2,
            rng.randrange(begin, end + 1),
            end - rng.randrange(12),
            size - rng.randrange(16),
            rng.randrange(size + 1),
            rng.randrange(size + 1),
        )
    )
    return max(0, min(at, size))


def _end(rng: Random, begin: int, size: int, extents: Sequence[tuple[int, int]]) -> int:
    """Where a range ends that begins there."""
    length = rng.choice((1, 2, 4, rng.randrange(1, 64), rng.randrange(1, 1024), rng.randint(1, max(size, 1))))
    borders = [end for _, end in extents if begin < end <= size]
    if borders and rng.random() < 0.2:
        return rng.choice(borders[:6])
    return min(begin + length, size)


def _junk(rng: Random) -> bytes:
    length = rng.choice((1, 2, 3, rng.randrange(1, 40), rng.randrange(1, 3000)))
    some = rng.randrange(5)
    if some == 0:
        return bytes(length)
    if some == 1:
        return rng.choice((b"\n", b"\r\n", b"\n\n", b" ")) * rng.randrange(1, 4)
    if some == 2:
        return bytes(rng.choice(b"abcdefghij klmnop\n") for _ in range(length))
    return rng.randbytes(length)
