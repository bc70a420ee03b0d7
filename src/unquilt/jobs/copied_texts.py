"""What the texts of both sides say of copies: how much of each page is copied, whole paragraphs, notices, links.

Texts are read in the order of documents, one row group at a time, and only those that have copied passages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unquilt import _native
from unquilt.analyses.own_copies import OwnCopyParameters
from unquilt.corpus.extract.urls import locate_url
from unquilt.flow.kept import Kept
from unquilt.jobs.own_pages import name_page
from unquilt.site_names import name_site

LEAST_OF_A_PARAGRAPH = 10
"""Words of a paragraph that counts as one."""
_READ = ("doc", "url", "host", "domain", "ip", "fetched", "words", "raw_sha1", "media", "text")
Row = dict[str, Any]
Span = tuple[int, int]


@dataclass(frozen=True)
class CopiedTexts:
    """The documents of a corpus; `plain` if words are compared as they are written."""

    documents: Kept
    plain: bool

    def read_ours(self, passages: Sequence[Row], *, notices: bool) -> tuple[list[Row], dict[tuple[int, int], Row]]:
        """Our side of copies: the passages that are no notices, and the copies that are left, by pair of documents."""
        left: list[Row] = []
        copies: dict[tuple[int, int], Row] = {}
        for page, some in self._read(passages, "a", "chunks"):
            words = _Words.of(page["text"], plain=self.plain)
            chunks = [words.between((each["begin"], each["end"])) for each in page["chunks"] or ()]
            kept = [row for row in some if notices or not _is_notice(page, row)]
            for row in kept:
                first, until = words.between((row["a_begin"], row["a_end"]))
                row["words"] = until - first
            left += kept
            for (ours, theirs), here in _by_pair(kept).items():
                equal = [words.between((row["a_begin"], row["a_end"])) for row in here if row["score"] is None]
                every = [words.between((row["a_begin"], row["a_end"])) for row in here]
                paragraphs = sum(_holds(equal, chunk) for chunk in chunks)
                number, same = measure_union(every), measure_union(equal)
                copies[ours, theirs] = {
                    "ours": ours,
                    "theirs": theirs,
                    "strength": "paragraphs" if paragraphs else "words" if 2 * same >= number else "reworded",
                    "words": number,
                    "equal_words": same,
                    "passages": len(here),
                    "paragraphs": paragraphs,
                    "our_url": page["url"],
                    "our_words": page["words"],
                    "our_date": page["fetched"],
                    "our_sha1": page["raw_sha1"].hex(),
                }
        return left, copies

    def read_theirs(
        self,
        passages: Sequence[Row],
        copies: Mapping[tuple[int, int], Row],
        sites: Iterable[str],
        given: OwnCopyParameters,
    ) -> None:
        """Adds what is known of their side to copies."""
        own = frozenset(sites)
        for page, some in self._read(passages, "b", "links"):
            words = _Words.of(page["text"], plain=self.plain)
            known = page["links"] if page["links"] or page["media"] == "html" else None
            links = None if known is None else {name_page(link) for link in known}
            at_us = any(_is_on(link, own, given.site) for link in known or ())
            for pair, here in _by_pair(some).items():
                copy = copies[pair]
                every = {id(row): words.between((row["b_begin"], row["b_end"])) for row in here}
                shared = measure_union(every.values())
                same = measure_union(every[id(row)] for row in here if row["score"] is None)
                # Of a summary, our side is longer than theirs: they cannot have more of it than they have words.
                copy["words"] = copy["equal_words"] + min(copy["words"] - copy["equal_words"], shared - same)
                copy["share_ours"] = copy["words"] / max(1, copy.pop("our_words"))
                url = copy.pop("our_url")
                to_page = links is not None and url is not None and name_page(url) in links
                copy |= {
                    "site": name_site(given.site, page["url"], page["host"], page["domain"], page["ip"]),
                    "share_theirs": shared / max(1, page["words"]),
                    "linked": None if links is None else "page" if to_page else "site" if at_us else "no",
                    "their_date": page["fetched"],
                    "their_sha1": page["raw_sha1"].hex(),
                }

    def _read(self, passages: Sequence[Row], side: str, more: str) -> Iterator[tuple[Row, list[Row]]]:
        """The documents of one side of passages, each with its passages."""
        of_page: dict[int, list[Row]] = {}
        for row in passages:
            of_page.setdefault(row[side], []).append(row)
        wanted, first = sorted(of_page), 0
        for split in self.documents.splits():
            here = wanted[bisect_left(wanted, first) : bisect_left(wanted, first + split.rows)]
            if here:
                part = split.read((*_READ, more)).take([number - first for number in here])
                for batch in part.to_batches(max_chunksize=64):
                    for page in batch.to_pylist():
                        yield page, of_page[page["doc"]]
            first += split.rows


@dataclass(frozen=True)
class _Words:
    """The words of a text, by where they begin and end."""

    begins: list[int]
    ends: list[int]

    @classmethod
    def of(cls, text: str, *, plain: bool) -> _Words:
        found = _native.words(text, plain=plain)
        return cls([begin for _, begin, _ in found], [end for _, _, end in found])

    def between(self, span: Span) -> Span:
        """The words that lie in a span: the number of the first, and one behind that of the last."""
        first = bisect_left(self.begins, span[0])
        until = bisect_left(self.begins, span[1])
        if until > first and self.ends[until - 1] > span[1]:
            until -= 1
        return first, max(first, until)


def measure_union(spans: Iterable[Span]) -> int:
    """How many places lie in spans, each counted once."""
    total = reached = 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def _holds(spans: Iterable[Span], chunk: Span) -> bool:
    first, until = chunk
    return until - first >= LEAST_OF_A_PARAGRAPH and any(begin <= first and until <= end for begin, end in spans)


def _is_notice(page: Row, passage: Row) -> bool:
    """Whether more than half of a passage is paragraphs, or parts of them, that are notices of copyright or licences.
    So an article that was copied with the footer behind it is none."""
    spans = [
        (max(each["begin"], passage["a_begin"]), min(each["end"], passage["a_end"])) for each in page["chunks"] or ()
    ]
    parts = [page["text"][begin:end] for begin, end in spans if begin < end]
    return 2 * sum(len(part) for part in parts if _native.is_notice(part)) > sum(map(len, parts))


def _by_pair(rows: Iterable[Row]) -> dict[tuple[int, int], list[Row]]:
    pairs: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        pairs.setdefault((row["a"], row["b"]), []).append(row)
    return pairs


def _is_on(link: str, sites: frozenset[str], by: str) -> bool:
    if not sites:
        return False
    place = locate_url(link)
    return name_site(by, link, place.host, place.domain, None) in sites
