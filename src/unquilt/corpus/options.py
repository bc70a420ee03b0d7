"""What the user may say about reading: how fields are called, what of a page counts, and what a document may cost."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from unquilt.corpus.records import Media
from unquilt.errors import Advice, ParameterError
from unquilt.guard import Bounds
from unquilt.parameters import Parameters, parameter, part

MIB = 1 << 20
MOST = (1 << 63) - 1
MOST_NAMES = 20
DROP, KEEP = "drop", "keep"
RESTORED, PLAIN = "restored", "plain"
AUTO, NO_URLS = "auto", "none"
ALL, NONE = "all", "none"
SCHEMES = ("http://", "https://")


@dataclass(frozen=True)
class Fields(Parameters):
    """The names of the fields (JSONL) or columns (Parquet) that hold a document's parts.

    Of `text` and `html` one is enough; a record with both is read from its text.

    >>> Fields(text="content").text
    'content'
    """

    id: str = parameter("id", "field with the id of a document")
    url: str = parameter("url", "field with its URL")
    text: str = parameter("text", "field with its text")
    html: str = parameter("html", "field with its HTML, if it has no text")
    ip: str = parameter("ip", "field with the IP address of its server")

    def check(self) -> None:
        for each in fields(self):
            if not getattr(self, each.name):
                raise ParameterError(f"field {each.name} must be the name of a field, not empty")

    @property
    def contents(self) -> tuple[tuple[Media, str], ...]:
        """The fields that may hold the content, in the order in which they are tried, and what is in them."""
        return (("text", self.text), ("html", self.html))


def advise_field(name: str, part: str = "text") -> Advice:
    """How to say which field holds the text, or the HTML."""
    return Advice(f"pass fields={{{part!r}: {name!r}}}", f"say --field {shlex.quote(f'{part}={name}')}")


def list_names(names: Sequence[str]) -> str:
    """Names of fields on one line."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return " ".join(", ".join(names[:MOST_NAMES]).split())[:400] + more


@dataclass(frozen=True)
class Limits(Parameters):
    """What one document may cost. One that costs more is rejected, and says so.

    `max_bytes` bounds a line of JSONL, a text, a page after decompression, a mail; its own upper bound keeps positions
    in a text, and the offsets of a batch of URLs, within 32 bits. `max_nodes` and `max_depth` bound what a parser that
    builds a tree is given (`main_content`); reading all of a page's text builds none. `deadline` is in seconds of
    processor time, so that a busy machine rejects no more than an idle one; it is the last resort.

    >>> Limits().max_bytes
    67108864
    """

    max_bytes: int = parameter(
        64 * MIB, "maximum size of a document; larger ones are rejected", at_least=1, at_most=1024 * MIB, unit="bytes"
    )
    max_nodes: int = parameter(
        200_000, "maximum number of tags and texts of a page, with --main-content", at_least=1, at_most=MOST
    )
    max_depth: int = parameter(
        1_000, "maximum depth of nested elements of a page, with --main-content", at_least=1, at_most=MOST
    )
    deadline: float = parameter(
        30.0,
        "maximum processor time for one document; a slower one is rejected",
        at_least=0.1,
        at_most=86_400,
        unit="seconds",
    )

    @property
    def bounds(self) -> Bounds:
        """What reading a document may cost its process."""
        return Bounds(self.deadline, 2048 * MIB + 16 * self.max_bytes)


@dataclass(frozen=True)
class Reading(Parameters):
    """All that decides what is read of an input, and so is part of what a corpus is.

    `source` makes the source of a page its text, and `other_files` a document of each file without text, beside those
    that are read else (see `readers.files`). `main_content` keeps of HTML only the article, without navigation and the
    like. A URL is flagged as a recursion error of the crawler if one component occurs more than `max_repeats` times in
    its path. `base_url` gives URLs to files that are one page each (see `find.addresses`). `carry` says which columns
    come along (see `corpus.given`).
    """

    fields: Fields = part(Fields)
    limits: Limits = part(Limits)
    base_url: str = parameter(
        AUTO,
        "URL of the input folder, to which the paths of its files are added; http:// if its subfolders are named after "
        "hosts, as wget -m makes them; auto: http:// where all subfolders look like hosts; none: no URLs",
    )
    source: bool = parameter(
        False,
        "read the source of pages in place of their text, cut at the tags of paragraphs, for unquilt reuse --raw alone",
    )
    other_files: bool = parameter(
        False,
        "also note the SHA-1, size and type of files without text, such as images, which only unquilt reuse looks at",
    )
    main_content: bool = parameter(False, "keep only the article of an HTML page, not all visible text")
    words: str = parameter(
        RESTORED,
        "restored: compare words as a reader sees them, without invisible characters, look-alikes of other scripts and "
        "forms such as fullwidth letters; plain: as they are written",
        one_of=(RESTORED, PLAIN),
    )
    hidden: str = parameter(
        DROP,
        "drop: leave out text that the style of a page hides from its readers; keep: read it like all other text",
        one_of=(DROP, KEEP),
    )
    include: str = parameter(
        "", "files of folders to read, by name or path, such as '*.html,blog/*' (no names: all of them)"
    )
    exclude: str = parameter("", "files of folders to leave out, by name or path, such as 'README*,*.js'")
    carry: str = parameter(
        ALL,
        "columns of JSON lines and Parquet, and facts of archives on pages, that are kept beside documents: all, none, "
        "or names with commas between them",
    )
    max_repeats: int = parameter(
        4,
        "flag a URL whose path repeats one component more often than this (a crawler trap)",
        at_least=1,
        at_most=MOST,
    )

    def wants(self, path: str) -> bool:
        """Whether a file of a folder, by its path from there, is read.

        >>> reading = Reading(include="*.html,blog/*", exclude="draft*")
        >>> reading.wants("a/b.html"), reading.wants("blog/draft.txt")
        (True, False)
        """
        included = [pattern.strip() for pattern in self.include.split(",") if pattern.strip()]
        excluded = [pattern.strip() for pattern in self.exclude.split(",") if pattern.strip()]
        return (not included or _matches(path, included)) and not _matches(path, excluded)

    @property
    def named(self) -> frozenset[str]:
        """The columns that are kept, if they are named."""
        names = () if self.carry in (ALL, NONE) else self.carry.split(",")
        return frozenset(name.strip() for name in names) - {""}

    def carries(self, name: str) -> bool:
        """Whether a column that is no part of a document is kept beside it."""
        return self.carry == ALL or name in self.named

    def check(self) -> None:
        if self.source and self.main_content:
            raise ParameterError("source and main_content exclude each other; leave one out")
        if not self.carry.strip(" ,"):
            raise ParameterError("carry must be all, none, or names of columns, not empty")
        if self.base_url not in (AUTO, NO_URLS, *SCHEMES) and not _is_base(self.base_url):
            known = f"{AUTO}, {NO_URLS}, {' or '.join(SCHEMES)} for folders of hosts, or a URL such as"
            raise ParameterError(f"base_url must be {known} http://www.example.org/, not {self.base_url[:80]!a}")


def _matches(path: str, patterns: Sequence[str]) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatchcase(path, pattern) or fnmatchcase(name, pattern) for pattern in patterns)


def _is_base(text: str) -> bool:
    """Whether a text is a URL that paths can be added to: with a host, without query and fragment."""
    try:
        parts = urlsplit(text)
        allowed = parts.port is None or parts.port > 0
    except ValueError:
        return False
    strange = any(char in "?#\\" or char.isspace() or not char.isprintable() for char in text)
    return text.lower().startswith(SCHEMES) and bool(parts.hostname) and allowed and not strange
