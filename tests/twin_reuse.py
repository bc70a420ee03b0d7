"""Reuse by its definition (docs/definitions.md 3.4), in plain Python: no kernels, no tricks, everything in memory."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

import twin

BLANK = re.compile(r"(?:[ \t]*\n)(?:[ \t]*\n)+")
SCALE = 1 << 30


WORD = re.compile(r"©|[^\W_]+")
WEAK = {"redistribute", "redistribution"}
NOTICE = {
    *("copyright", "copyrighted", "copyrights", "liability", "licence", "licences", "license", "licensed", "licenses"),
    *("sublicense", "trademark", "trademarks", "warranties", "warranty", "©"),
}


class Page(NamedTuple):
    """A document: URLs are plain ones, `http://host/folder/…`; texts have no line ends but LF."""

    text: str
    url: str | None = None
    recursive: bool = False

    @property
    def host(self) -> str | None:
        return self.url.split("/")[2] if self.url else None

    @property
    def domain(self) -> str | None:
        return ".".join(self.host.split(".")[-2:]) if self.host else None


class Chunk(NamedTuple):
    begin: int
    end: int
    text: str
    sha1: bytes


def sha1(text: str) -> bytes:
    return hashlib.sha1(text.encode()).digest()


def is_trivial(text: str) -> bool:
    return sum(twin.is_letter(c) or twin.stands_alone(c) for c in text) < 2


def hash_chunk(text: str, by: str) -> bytes:
    if by == "raw":
        return sha1(text)
    return sha1(" ".join(twin.sequence(text)) if by == "words" else " ".join(text.split()))


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Where the paragraphs of a text are: what stands between blank lines, without white space around it."""
    found, at = [], 0
    for part in BLANK.split(text):
        begin = text.index(part, at)
        at = begin + len(part)
        begin += len(part) - len(part.lstrip())
        if said := part.strip():
            found.append((begin, begin + len(said)))
    return found


def cut(text: str, by: str, min_length: int, *, trivial_stop: bool = True) -> list[Chunk]:
    """The chunks of a text that are longer than the least length and, unless all count, say something."""
    said = [(begin, end, text[begin:end]) for begin, end in paragraphs(text)]
    return [
        Chunk(*chunk, hash_chunk(chunk[2], by))
        for chunk in said
        if len(chunk[2]) > min_length and not (trivial_stop and is_trivial(chunk[2]))
    ]


def says_something(text: str) -> bool:
    return any(not is_trivial(text[begin:end]) for begin, end in paragraphs(text))


def is_notice(text: str) -> bool:
    """Whether a text is about copyright or a licence: a short one says so once, a long one again and again."""
    said = [word.lower() for word in WORD.findall(text) if word in NOTICE or word.isascii()]
    said = [word for word in said if word in NOTICE | WEAK]
    long = len(text) > 300
    return any(word in NOTICE for word in said) and (not long or (len(set(said)) >= 2 and len(text) <= 500 * len(said)))


def is_notice_file(text: str) -> bool:
    """Whether more than half of a file is paragraphs that are notices."""
    parts = text.split("\n\n")
    return 2 * sum(len(part) for part in parts if is_notice(part)) > sum(map(len, parts))


def log2_256(n: int) -> int:
    """⌊256 log₂ n⌋."""
    return int((n**256).bit_length()) - 1


def discover(
    pages: Sequence[Page],
    *,
    by: str = "text",
    min_length: int = 0,
    chunk_threshold: int = 1,
    file_threshold: int = 1,
    min_sites: int = 1,
    top: int = 0,
    rank: str = "weight",
    site: str = "domain",
    stop: Sequence[str] = (),
    auto_stop: bool = True,
    trivial_stop: bool = True,
    once: bool = True,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[tuple[int, str], int]]:
    """The objects, the chunks stopped by rule, and how many chunks and files occur how often."""
    standings: defaultdict[tuple[str, bytes], list[tuple[int, int, int, Any, str]]] = defaultdict(list)
    stops = {hash_chunk(text, by) for text in stop}
    for doc, page in enumerate(pages):
        if page.recursive:
            continue
        where = getattr(page, site) or doc
        for chunk in cut(page.text, by, min_length, trivial_stop=trivial_stop):
            if chunk.sha1 not in stops:
                standings["chunk", chunk.sha1].append((doc, chunk.begin, chunk.end, where, chunk.text))
        if not trivial_stop or says_something(page.text):
            end = max((end for _, end in paragraphs(page.text)), default=0)
            standings["file", sha1(page.text)].append((doc, 0, end, where, page.text))
    frequencies: defaultdict[tuple[int, str], int] = defaultdict(int)
    objects, stopped = [], []
    for (kind, digest), rows in standings.items():
        frequencies[len(rows), f"{kind}s"] += 1
        documents, sites = len({row[0] for row in rows}), len({row[3] for row in rows})
        if len(rows) <= (file_threshold if kind == "file" else chunk_threshold) or sites < min_sites:
            continue
        first, begin, end, _, said = min(rows)
        length = end - begin
        weight = max(1, length) * (16 * log2_256(sites) + log2_256(documents)) // 4096
        found = {"first": first, "begin": begin, "kind": kind, "end": end, "sha1": digest, "occurrences": len(rows)}
        found |= {"documents": documents, "sites": sites, "length": length, "weight": weight}
        found |= {"notice": (is_notice_file if kind == "file" else is_notice)(said), "page": True, "whole": False}
        found["example"] = " ".join(said.split())[:300].rstrip()
        is_stop = kind == "chunk" and auto_stop and length * 256 < 10 * log2_256(documents)
        (stopped if is_stop else objects).append(found)
    if top:
        objects = sorted(objects, key=lambda row: (-row[rank], row["sha1"], row["kind"]))[:top]
        stopped = []
    files = {row["first"]: row for row in objects if row["kind"] == "file"}
    for row in objects:
        file = files.get(row["first"]) if row["kind"] == "chunk" else None
        if once and file is not None and row["end"] == file["end"] and row["documents"] == file["documents"]:
            row["whole"] = not pages[row["first"]].text[: row["begin"]].strip()
    key = lambda row: (row["first"], row["begin"], len(row["kind"]))  # noqa: E731
    return sorted(objects, key=key), sorted(stopped, key=key), dict(frequencies)


def place(
    pages: Sequence[Page], *, chunks: set[bytes], files: set[bytes], stops: set[bytes], site: str = "domain"
) -> list[dict[str, Any]]:
    """On which sites labelled chunks and files stand; a document without a URL is one of its own."""
    stands: defaultdict[tuple[str, bytes, Any], list[tuple[int, int, int]]] = defaultdict(list)
    for doc, page in enumerate(pages):
        if page.recursive:
            continue
        where = getattr(page, site) or doc
        for chunk in cut(page.text, "text", 0):
            if chunk.sha1 in chunks - stops:
                stands["chunk", chunk.sha1, where].append((doc, chunk.begin, chunk.end))
        if sha1(page.text) in files and says_something(page.text):
            stands["file", sha1(page.text), where].append((doc, 0, paragraphs(page.text)[-1][1]))
    rows = []
    for (kind, digest, where), places in stands.items():
        doc, begin, end = min(places)
        row = {"doc": doc, "begin": begin, "kind": kind, "end": end, "sha1": digest, "named": isinstance(where, str)}
        rows.append(row | {"documents": len({doc for doc, _, _ in places}), "occurrences": len(places)})
    return sorted(rows, key=lambda row: (row["doc"], row["begin"], len(row["kind"])))


def choose_ours(
    page: Page, references: Sequence[Page], *, chunks: set[bytes], files: set[bytes], stops: set[bytes], most: int = 64
) -> tuple[int | None, int]:
    """The reference page that a page has most labelled text of, and how many of its labelled chunks."""
    having = [{chunk.sha1 for chunk in cut(each.text, "text", 0)} for each in references]
    sizes = [sum(chunk.end - chunk.begin for chunk in cut(each.text, "text", 0)) for each in references]
    there = [chunk for chunk in cut(page.text, "text", 0) if chunk.sha1 in chunks - stops]
    if sha1(page.text) in files and says_something(page.text):
        return next(n for n, each in enumerate(references) if each.text == page.text), len(there)
    pages = {chunk.sha1: [n for n, own in enumerate(having) if chunk.sha1 in own] for chunk in there}
    telling = [chunk for chunk in there if len(pages[chunk.sha1]) <= most]
    if not telling:
        return (pages[there[0].sha1][0], len(there)) if there else (None, 0)
    held = {n: [chunk for chunk in telling if n in pages[chunk.sha1]] for n in range(len(references))}
    lengths = {n: sum(chunk.end - chunk.begin for chunk in some) for n, some in held.items()}
    best = min(lengths, key=lambda n: (-lengths[n], sizes[n], n))
    return best, len(held[best])


def prefixes(url: str) -> list[str]:
    """The neighbourhoods of a plain URL: the site and each folder."""
    host, *folders = url.removeprefix("http://").split("/")[:-1]
    return ["/".join([host, *folders[:level], ""]) for level in range(len(folders) + 1)]


def threshold(shares: Sequence[int]) -> int:
    """Mean + one standard deviation of whole numbers, rounded down."""
    n, total, squares = len(shares), sum(shares), sum(share * share for share in shares)
    return (total + isqrt(n * squares - total * total)) // n if n else SCALE


def detect(
    pages: Sequence[Page],
    *,
    chunks: set[bytes],
    files: set[bytes] = frozenset(),  # type: ignore[assignment]
    stops: set[bytes] = frozenset(),  # type: ignore[assignment]
    by: str = "text",
    min_length: int = 0,
    page_threshold: float | None = None,
    neighbourhood_threshold: float | None = None,
    trivial_stop: bool = True,
    stop_of: str = "all",
    bad_by: str = "badness",
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Targets, and all neighbourhoods."""
    found, places = {}, defaultdict(list)
    for doc, page in enumerate(pages):
        if page.recursive:
            continue
        there = cut(page.text, by, min_length, trivial_stop=trivial_stop)
        left = [chunk.sha1 in chunks for chunk in there if chunk.sha1 not in stops]
        cleaned = int(Fraction(sum(left), max(1, len(left))) * SCALE)
        all_ = len(left) if stop_of == "all" else len(paragraphs(page.text))
        share = int(Fraction(sum(left), max(1, all_)) * SCALE)
        file = sha1(page.text) in files and (not trivial_stop or says_something(page.text))
        found[doc] = {"chunks": len(left), "matched": sum(left), "share": share, "cleaned": cleaned, "file": file}
        for level, prefix in enumerate(prefixes(page.url) if page.url else [], 1):
            places[level, prefix].append(doc)
    most = threshold([row["share"] for row in found.values()])
    if page_threshold is not None:
        most = int(page_threshold * SCALE)
    targets = [{"doc": doc, **row} for doc, row in found.items() if row["file"] or row["share"] > most]
    for row in found.values():
        row["share"] = row.pop("cleaned")
    for row in targets:
        del row["cleaned"]
    rows = []
    for (level, prefix), docs in places.items():
        sums = {name: sum(found[doc][name] for doc in docs) for name in ("chunks", "matched", "share")}
        row = {"first": docs[0], "level": level, "prefix": prefix, "documents": len(docs)}
        rows.append(row | sums | {"mean": sums["share"] // len(docs)})
    ratios = [row["matched"] * SCALE // max(1, row["chunks"]) for row in rows]
    measured = ratios if bad_by == "ratio" else [row["mean"] for row in rows]
    most = threshold(measured)
    if neighbourhood_threshold is not None:
        most = int(neighbourhood_threshold * SCALE)
    judged = [{**row, "bad": share > most} for row, share in zip(rows, measured, strict=True)]
    return targets, sorted(judged, key=lambda r: (r["first"], r["level"]))
