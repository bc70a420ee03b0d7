"""What happens to files on disks: ways to damage one, the same ones every time."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random


def damage(random: Random, content: bytes, number: int, block: int) -> Iterator[bytes]:
    """So many damaged versions of a file, most of them by one flipped bit; none is equal to it."""
    found = 0
    while found < number:
        kind = random.choices(
            (_flip, _flip_near_the_ends, _flip_some, _zero, _swap, _cut, _repeat), (9, 3, 1, 1, 1, 1, 1)
        )
        damaged = kind[0](random, content, block)
        if damaged != content:
            found += 1
            yield damaged


def _flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def _flip(random: Random, content: bytes, _: int) -> bytes:
    return _flipped(content, random.randrange(len(content)), random.randrange(8))


def _flip_near_the_ends(random: Random, content: bytes, _: int) -> bytes:
    """Where formats say what they are."""
    place = random.randrange(min(600, len(content)))
    return _flipped(content, random.choice((place, len(content) - 1 - place)), random.randrange(8))


def _flip_some(random: Random, content: bytes, block: int) -> bytes:
    begin = random.randrange(len(content))
    for _ in range(random.randrange(2, 20)):
        content = _flipped(content, random.randrange(begin, min(begin + block, len(content))), random.randrange(8))
    return content


def _zero(random: Random, content: bytes, block: int) -> bytes:
    begin = random.choice((random.randrange(len(content)), random.randrange(len(content)) // block * block))
    length = min(random.choice((1, 8, 512, block, 3 * block)), len(content) - begin)
    return content[:begin] + bytes(length) + content[begin + length :]


def _swap(random: Random, content: bytes, block: int) -> bytes:
    size = random.choice((8, 512, block))
    one, other = sorted(random.randrange(max(1, len(content) // size)) * size for _ in range(2))
    if other < one + size:
        return content
    a, b = content[one : one + size], content[other : other + size]
    return content[:one] + b + content[one + size : other] + a + content[other + size :]


def _cut(random: Random, content: bytes, block: int) -> bytes:
    return content[: random.choice((random.randrange(len(content)), random.randrange(len(content)) // block * block))]


def _repeat(random: Random, content: bytes, block: int) -> bytes:
    """What was written twice, or not where it should."""
    begin, to = random.randrange(len(content)), random.randrange(len(content))
    piece = content[begin : begin + random.choice((8, 512, block))]
    return content[:to] + piece + content[to + random.choice((0, len(piece))) :]
