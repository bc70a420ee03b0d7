"""Sets of labels: the SHA-1s of chunks and files that are looked for, and of chunks that are passed over, in one file.

A set is mapped into memory, not loaded (`labels.rs`). It says how its chunks were cut, so that whoever looks for them
cuts in the same way, and may have thresholds. A list of hashes or texts is the form in which people write one:

    # what stands behind a hash sign is a remark
    0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33        the SHA-1 of a chunk
    file 62cdb7020ff920e5aa642c3d4066950dd1f01f4d   that of a file
    All rights reserved.                            anything else: the text of a chunk
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import pyarrow as pa

from unquilt import _native
from unquilt.columns import buffers
from unquilt.errors import InputError, ParameterError
from unquilt.flow.kept import Kept
from unquilt.remote.fetched import fetch
from unquilt.remote.names import is_store, is_url, localise
from unquilt.remote.paths import place
from unquilt.runs.storage import created, shown, storing, write_atomically

BY = ("text", "raw", "words")
"""What makes two chunks equal: their text with white space collapsed, their source (they are all bytes between the
boundaries of paragraphs then), or their words alone."""
RESTORED, PLAIN = "restored", "plain"
"""Whether words are compared as a reader sees them, or as they are written."""
FILLER = "\ufdd0"
"""Stands in seen texts for a character of a word that nobody sees (`unicode.rs`)."""
COMPARED = {"text": "chunk_sha1", "raw": "raw_chunk_sha1", "words": "text"}
"""The column of documents that has it."""
CHUNKS, FILES, STOPS = 0, 1, 2
SHA1 = 20
_PAGES_AT_ONCE = 4096
_HASH = re.compile(r"(?:(file|chunk) +)?([0-9a-f]{40})", re.IGNORECASE)
_MAGIC = b"unquilt labels\n"


def is_set(path: str | Path) -> bool:
    """Whether a path names a file that begins as a set of labels does."""
    try:
        if is_url(path := localise(path)) and not is_store(path):
            return False
        with place(path).open("rb") as file:
            return bool(file.read(len(_MAGIC)) == _MAGIC)
    except OSError:
        return False


def hash_text(text: str, by: str, words: str = RESTORED) -> bytes:
    """The SHA-1 of the text of a chunk, as it is compared; `words` says how its words are.

    >>> hash_text("All  rights reserved.", "text").hex()[:8] == hash_text("all rights reserved", "text").hex()[:8]
    False
    >>> hash_text("All  rights reserved.", "words") == hash_text("all rights reserved", "words")
    True
    """
    if by == "words":
        text = " ".join(word for word, _, _ in _native.words(text, plain=words == PLAIN))
    elif by == "text":
        seen = None if words == PLAIN else _native.see(text.encode(errors="replace"), b"", b"", b"")
        text = " ".join((text if seen is None else seen[0].decode().replace(FILLER, "")).split())
    return hashlib.sha1(text.encode(errors="replace"), usedforsecurity=False).digest()


@dataclass(frozen=True)
class HashList:
    """What a list says: hashes of chunks and of files, and texts of chunks."""

    chunks: tuple[bytes, ...] = ()
    files: tuple[bytes, ...] = ()
    texts: tuple[str, ...] = ()
    spelling: ClassVar[None] = None
    """It goes with any words: its texts are hashed when it is used."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The list in a text file."""
        chunks: list[bytes] = []
        files: list[bytes] = []
        texts: list[str] = []
        for line in _read_lines(place(path)):
            found = _HASH.fullmatch(line)
            if found is None:
                texts.append(line)
            else:
                (files if (found[1] or "").lower() == "file" else chunks).append(bytes.fromhex(found[2]))
        return cls(tuple(chunks), tuple(files), tuple(texts))

    def hash_chunks(self, by: str, words: str = RESTORED) -> bytes:
        """The hashes of its chunks, one after the other."""
        return b"".join([*self.chunks, *(hash_text(text, by, words) for text in self.texts)])


def _read_lines(path: Path) -> list[str]:
    """The lines of a text file, without blank ones and remarks."""
    try:
        content = path.read_bytes()
        if content.startswith(_MAGIC):
            raise InputError(f"{shown(path)} is a set of labels, not a list of hashes and texts")
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"no such file: {shown(path)}") from None
    except OSError as error:
        raise InputError(f"{shown(path)}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        where = f"byte {error.start}"
        raise InputError(f"{shown(path)} is not a list of hashes and texts: not UTF-8 at {where}") from error
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True, kw_only=True)
class About:
    """How the chunks of a set were cut, and the thresholds that it stores, if any."""

    by: str = "text"
    min_length: int = 0
    trivial_stop: bool = True
    """Whether chunks with fewer than two letters or digits are passed over."""
    words: str = RESTORED
    page_threshold: float | None = None
    neighbourhood_threshold: float | None = None

    def to_header(self) -> bytes:
        known = {name: getattr(self, name) for name in self.__dataclass_fields__}
        made = {"unquilt": version("unquilt"), "unicode": _native.UNICODE_VERSION}
        return json.dumps(known | made, sort_keys=True).encode()

    @classmethod
    def from_header(cls, header: bytes) -> tuple[Self, str]:
        """What a header says, and the version of Unicode by which words were cut."""
        try:
            found: dict[str, Any] = json.loads(header)
            about = cls(**{name: found[name] for name in cls.__dataclass_fields__})
            numbers = (about.page_threshold, about.neighbourhood_threshold)
            fine = (
                about.by in BY
                and about.words in (RESTORED, PLAIN)
                and type(about.min_length) is int
                and about.min_length >= 0
                and type(about.trivial_stop) is bool
            )
            if fine and all(number is None or 0 <= number <= 1 for number in numbers):
                return about, str(found["unicode"])
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
        raise ValueError("its header is damaged")


class Origin(NamedTuple):
    """A page that a label is from, and where it first stands there, in code points; 0 and 0 for a whole file."""

    id: str
    url: str | None
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class LabelSet:
    """Labels, and what is known of them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ours.labels"
    >>> made = LabelSet.pack(path, About(), chunks=hash_text("All of this is ours", "text"))
    >>> LabelSet.load(path).counts
    {'chunks': 1, 'files': 0, 'stop_chunks': 0}
    """

    path: Path
    about: About
    set: _native.Labels = field(repr=False)
    mapped: mmap.mmap = field(repr=False)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Opens a set; that of ten million labels in milliseconds, unless it is at a store: then it is fetched. What is
        damaged in it is found when it is first looked at; `verify` looks at all of it."""
        path = place(path)
        try:
            with fetch(path).open("rb") as file:
                if not os.fstat(file.fileno()).st_size:
                    raise ValueError("it is empty")
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            opened = _native.Labels(mapped)
            about, unicode = About.from_header(opened.header())
        except _native.SpoiledSetError as error:
            raise spoiled(path, error) from error
        except FileNotFoundError:
            raise InputError(f"no such file: {shown(path)}") from None
        except OSError as error:
            raise InputError(f"{shown(path)}: {(error.strerror or str(error)).lower()}") from error
        except ValueError as error:
            raise InputError(f"{shown(path)} cannot be read as a set of labels: {error}") from error
        depends = about.by == "words" or (about.by == "text" and about.words == RESTORED)
        if depends and unicode != _native.UNICODE_VERSION:
            made = f"was made with Unicode {unicode}, this unquilt has {_native.UNICODE_VERSION}"
            raise InputError(f"{shown(path)} {made}; make it anew")
        return cls(path, about, opened, mapped)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Opens a set, and looks at all of it."""
        found = cls.load(path)
        found.verify()
        return found

    @classmethod
    def pack(
        cls, path: str | Path, about: About, *, chunks: bytes = b"", files: bytes = b"", stops: bytes = b""
    ) -> Self:
        """Makes a set of hashes, each 20 bytes after the other, in any order, and opens it.

        All of it is in memory meanwhile, some 80 bytes a label; `LabelGathering` makes larger ones.
        """
        write_atomically(Path(path), pack_hashes(about, chunks, files, stops))
        return cls.load(path)

    @property
    def spelling(self) -> str | None:
        """How words must be in texts that it is compared with; None if it is compared with the source of pages."""
        return (
            None
            if self.about.by == "raw" or not (self.set.counts[CHUNKS] + self.set.counts[STOPS])
            else self.about.words
        )

    def release(self) -> None:
        """Lets go of what is in memory of the file; it comes back when it is looked at."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED)

    @property
    def counts(self) -> dict[str, int]:
        """How many labels it has of each kind."""
        return dict(zip(("chunks", "files", "stop_chunks"), self.set.counts, strict=True))

    def hashes(self, part: int) -> bytes:
        """All hashes of one kind, in order, 20 bytes after the other."""
        try:
            return self.set.hashes(part)
        except _native.SpoiledSetError as error:
            raise spoiled(self.path, error) from error

    @property
    def pages(self) -> int | None:
        """Of how many pages it knows that labels are from them; None if it does not know where labels are from."""
        return self.set.pages

    def name_pages(self) -> Iterator[tuple[str, str | None]]:
        """Id and URL of the pages that labels are from, in the order in which they were read."""
        for begin in range(0, self.pages or 0, _PAGES_AT_ONCE):
            try:
                named = self.set.name_pages(begin, begin + _PAGES_AT_ONCE)
            except _native.SpoiledSetError as error:
                raise spoiled(self.path, error) from error
            yield from ((id_, url or None) for id_, url in named)

    def find_origins(self, sha1: bytes, *, file: bool = False) -> list[Origin]:
        """The pages that have a labelled chunk, or are a labelled file; none if the set does not know."""
        try:
            return [Origin(id_, url or None, *place) for id_, url, *place in self.set.find_origins(sha1, file)]
        except _native.SpoiledSetError as error:
            raise spoiled(self.path, error) from error

    def verify(self) -> None:
        """Looks at all of the file; raises an InputError if any of it is damaged."""
        try:
            self.set.verify()
        except _native.SpoiledSetError as error:
            raise spoiled(self.path, error) from error


class LabelGathering:
    """Hashes of chunks, files and stop chunks that become a set, and how the chunks among them were cut.

    They are sorted within `memory` bytes, with files in `folder`. Only the filter of the set is made in memory: 33
    bytes for each chunk and stop chunk.
    """

    def __init__(self, memory: int, folder: Path) -> None:
        self.about: About | None = None
        self._memory = memory
        self._folder = folder
        self._hashes = _native.LabelGathering(memory * 2 // 5, str(folder))

    def fit(self, where: str, about: About) -> None:
        """Refuses chunks that were cut in another way than those before."""
        if self.about is None:
            self.about = about
        if self.about.trivial_stop != about.trivial_stop:
            raise InputError(f"chunks of {where} and others were not both cut with --no-trivial-stop: they do not fit")
        for name, what in (("by", "compared by"), ("min_length", "longer than")):
            ours, other = getattr(self.about, name), getattr(about, name)
            if ours != other:
                raise InputError(
                    f"chunks of {where} are {what} {other}, others {what} {ours}: they do not fit together"
                )
        if about.by != "raw" and self.about.words != about.words:
            said = f"chunks of {where} have {about.words} words, others {self.about.words} ones"
            raise InputError(f"{said}: they cannot be compared; read all of them with the same --words")

    def add(self, chunks: bytes = b"", files: bytes = b"", stops: bytes = b"") -> None:
        """Adds hashes, each 20 bytes after the other."""
        with storing(self._folder):
            for part, hashes in ((CHUNKS, chunks), (FILES, files), (STOPS, stops)):
                self._hashes.add(part, hashes)

    def add_set(self, labels: LabelSet, *, files: bool, origins: bool) -> None:
        """Adds all labels of a set, or all but files, and with `origins` where they are from, if the set knows."""
        try:
            with storing(self._folder):
                for part in (CHUNKS, FILES, STOPS) if files else (CHUNKS, STOPS):
                    self._hashes.add_set(labels.set, part)
                if origins:
                    self._hashes.add_origins(labels.set, files)
        except _native.SpoiledSetError as error:
            raise spoiled(labels.path, error) from error

    def add_documents(self, documents: Kept, about: About, min_length: int, *, files: bool, origins: bool) -> None:
        """Adds all chunks of a corpus that are longer, and all files; with `origins`, also where they are from."""
        if not origins:
            for chunks, whole in collect_hashes(documents, about, min_length):
                self.add(chunks, whole if files else b"")
            return
        with storing(self._folder):
            for table in _read_chunks(documents, about, ("id", "url", "raw_sha1")):
                spans, trivial, compared = (buffers(table[name]) for name in _chunk_columns(about))
                named = b"".join(table["raw_sha1"].to_pylist()) if files else None
                names = (buffers(table["id"]), buffers(table["url"]))
                by_words = about.by == "words"
                self._hashes.add_pages(spans, trivial, compared, by_words, min_length, *names, named)

    def write(self, path: Path, about: About, gone: Sequence[LabelSet]) -> LabelSet:
        """Makes the set, without the chunks and files of the sets `gone`, and opens it."""
        with storing(self._folder):
            chunks, _, stops = self._hashes.sort([each.set for each in gone])
        needed = (chunks + stops) * _native.LabelGathering.FILTER_BYTES
        if needed > self._memory:
            least, most = (f"{size / 1e6:,.0f} MB" for size in (needed, self._memory))
            raise ParameterError(f"memory must be at least {least} for a set of {chunks + stops:,} labels, not {most}")
        with created(path) as file:
            self._hashes.write(about.to_header(), file.name)
        return LabelSet.load(path)


def pack_hashes(about: About, chunks: bytes = b"", files: bytes = b"", stops: bytes = b"") -> bytes:
    """The bytes of a set."""
    return _native.pack_labels(about.to_header(), chunks, files, stops)


def spoiled(path: Path, error: _native.SpoiledSetError) -> InputError:
    """The complaint about a set that is not as it was written."""
    return InputError(f"{shown(path)} {error}; make it anew")


def collect_hashes(documents: Kept, about: About, min_length: int) -> Iterator[tuple[bytes, bytes]]:
    """The hashes of all chunks that are longer, and of all files of a corpus, row group by row group, each 20 bytes
    after the other, equal ones again and again."""
    for table in _read_chunks(documents, about, ("raw_sha1",)):
        spans, trivial, compared = (buffers(table[name]) for name in _chunk_columns(about))
        chunks = _native.chunk_hashes(spans, trivial, compared, about.by == "words", min_length)
        yield chunks, b"".join(table["raw_sha1"].to_pylist())


def _chunk_columns(about: About) -> tuple[str, str, str]:
    """Where chunks are, which of them say nothing, and by what they are compared."""
    return "chunks", "trivial_chunks", COMPARED[about.by]


def _read_chunks(documents: Kept, about: About, others: Sequence[str]) -> Iterator[pa.Table]:
    """The columns of chunks of a corpus, and some others, without documents of a crawler that went round in circles."""
    for split in documents.splits():
        table = split.read((*_chunk_columns(about), *others, "recursive"), seen=True)
        table = table.filter(pa.compute.invert(table["recursive"]))
        if not about.trivial_stop:
            none = pa.nulls(table.num_rows, table.schema.field("trivial_chunks").type)
            table = table.set_column(table.schema.get_field_index("trivial_chunks"), "trivial_chunks", none)
        yield table


def cut(hashes: bytes) -> Sequence[bytes]:
    """Hashes one by one."""
    return [hashes[at : at + SHA1] for at in range(0, len(hashes), SHA1)]
