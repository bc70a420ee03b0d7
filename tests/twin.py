"""The twin: what docs/definitions.md 1, 2 and 3.1 define, said in Python as plainly as can be and sharing no code with
the package, save that near-duplicates are told by its super-fingerprints, and that tuned defaults are taken from its
parameters.

It is slow (every document is held against every other) and meant to be read beside them; the tests hold the package
against it. Documents are numbered by their place in the list.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

import twin_seen
from twin_quilt_passages import Span, choose, read_on, spans_of

from unquilt import _native
from unquilt.analyses.quilt_parameters import QuiltParameters

T = TypeVar("T")

WITHOUT_SPACES = {  # where the letters and digits of these scripts stand, first to last
    "Han": [(0x3005, 0x3005), (0x303B, 0x303B), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)],
    "Han, later planes": [(0x16FE3, 0x16FE3), (0x16FF2, 0x16FF3), (0x20000, 0x3FFFD)],
    "Hiragana": [(0x3041, 0x3096), (0x309D, 0x309F), (0x1B001, 0x1B11F), (0x1B132, 0x1B132), (0x1B150, 0x1B152)],
    "Katakana": [(0x30A1, 0x30FA), (0x30FD, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF6F), (0xFF71, 0xFF9D)],
    "Katakana, plane 1": [(0x1AFF0, 0x1B000), (0x1B120, 0x1B122), (0x1B155, 0x1B155), (0x1B164, 0x1B167)],
    "Thai": [(0x0E01, 0x0E5B)],
    "Lao": [(0x0E81, 0x0EDF)],
    "Khmer": [(0x1780, 0x17E9)],
    "Myanmar": [(0x1000, 0x109F), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F), (0x116D0, 0x116E3)],
}


FOREIGN = ("none", "host", "domain", "ip")
"""What a site is, as far as the twin goes; tests/analyses/test_site_names.py has the others."""


class Document(NamedTuple):
    """A page as the corpus knows it; `host`, `domain` and `ip` in the spelling that reading gives them."""

    id: str
    url: str | None
    host: str | None
    domain: str | None
    ip: str | None
    text: str
    links: tuple[str, ...] = ()


class Word(NamedTuple):
    """A word in the form in which it is compared, and where it stands, in code points."""

    folded: str
    begin: int
    end: int


class Found(NamedTuple):
    """The tables:

    quilts (doc, id, url, numbers, verdict)
    sources (quilt, rank, source, new_grams, all_grams, linked, linked_grams, section_grams)
    patches (quilt, begin, end, source, source_begin, source_end, words, similarity)
    clusters (doc, cluster, keep)
    verdicts (doc, numbers, verdict, quilt, why, published)

    numbers: words, grams, patch_grams, patchfrac, covered, spanned, sources, largest, own, sections, sewn, sewn_words,
             sewn_sources, joined_words, joined_sources, reads_on, resumes, borders_on,
             in_order, stitched, from_pool, attributed, evidence, reworded
    """

    quilts: list[tuple[Any, ...]]
    sources: list[tuple[int, int, int, int, int, str | None, int, int]]
    patches: list[tuple[int, int, int, int, int, int, int, float | None]]
    clusters: list[tuple[int, int, bool]]
    verdicts: list[tuple[Any, ...]]


Gram = tuple[str, ...]
TUNED = QuiltParameters()


@cache
def is_letter(c: str) -> bool:
    return unicodedata.category(c)[0] == "L" or unicodedata.category(c) == "Nd"


@cache
def is_mark(c: str) -> bool:
    return unicodedata.category(c)[0] == "M" or c == twin_seen.FILLER


@cache
def stands_alone(c: str) -> bool:
    ranges = (range_ for ranges in WITHOUT_SPACES.values() for range_ in ranges)
    return is_letter(c) and any(first <= ord(c) <= last for first, last in ranges)


def fold(word: str) -> str:
    spelled = word.replace(twin_seen.FILLER, "")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", spelled).casefold())


@lru_cache(maxsize=4096)
def words(text: str) -> list[Word]:
    """Maximal runs of letters and digits with the marks that follow; without spaces, each letter with its marks. Words
    are those that a reader sees."""
    seen = twin_seen.see(text, stands_alone)
    return plain_words(text if seen is None else seen.text)


@lru_cache(maxsize=4096)
def plain_words(text: str) -> list[Word]:
    """Words as they are written."""
    spans: list[tuple[int, int]] = []
    extends = False  # whether a letter here would belong to the last span
    for i, c in enumerate(text):
        inside = bool(spans) and spans[-1][1] == i
        if (is_mark(c) and inside) or (is_letter(c) and not stands_alone(c) and inside and extends):
            spans[-1] = (spans[-1][0], i + 1)
        elif is_letter(c):
            spans.append((i, i + 1))
            extends = not stands_alone(c)
    return [Word(fold(text[begin:end]), begin, end) for begin, end in spans]


@lru_cache(maxsize=4096)
def sequence(text: str) -> tuple[str, ...]:
    """The words alone."""
    return tuple(word.folded for word in words(text))


def linear(sequence: Sequence[str], k: int) -> list[tuple[str, ...]]:
    return [tuple(sequence[i : i + k]) for i in range(len(sequence) - k + 1)]


def circular(sequence: Sequence[str], k: int) -> list[tuple[str, ...]]:
    n = len(sequence)
    return [tuple(sequence[(i + j) % n] for j in range(k)) for i in range(n)]


def distinct(items: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Each once, in order of first appearance."""
    return list(dict.fromkeys(items))


def pool_addresses(documents: Sequence[Document]) -> dict[str | None, set[str]]:
    """All addresses seen for each host, over the whole corpus."""
    pooled: dict[str | None, set[str]] = {document.host: set() for document in documents}
    for document in documents:
        pooled[document.host] |= {document.ip} if document.ip else set()
    return pooled


def same_site(a: Document, b: Document, by: str, pooled: dict[str | None, set[str]]) -> bool:
    if by == "none" or a.host is None or b.host is None:
        return False
    if by == "ip" and pooled[a.host] and pooled[b.host]:
        return not pooled[a.host].isdisjoint(pooled[b.host])
    return a.host == b.host if by == "host" else a.domain == b.domain


def first_places(copies: Sequence[Document], by: str, pooled: dict[str | None, set[str]]) -> list[Document]:
    """The first sixteen copies that are not in the same place as one before: those that count."""

    def place(document: Document) -> tuple[str | None, frozenset[str]]:
        server = None if by == "none" else document.host if by == "host" else document.domain
        return server, frozenset(pooled[document.host] if by == "ip" and document.host else ())

    first: dict[tuple[str | None, frozenset[str]], Document] = {}
    for copy in copies:
        first.setdefault(place(copy), copy)
    return list(first.values())[:16]


def is_foreign(page: list[Document], source: list[Document], by: str, pooled: dict[str | None, set[str]]) -> bool:
    """Whether the source has a copy where neither the page nor any of its copies is."""
    return any(not any(same_site(a, b, by, pooled) for a in page) for b in source)


def close(items: Sequence[T], near: Callable[[T, T], bool]) -> dict[int, list[int]]:
    """The transitive closure of `near`: the lowest of each component, and all that are in it."""
    lowest = list(range(len(items)))
    for a, b in itertools.combinations(range(len(items)), 2):
        if lowest[a] != lowest[b] and near(items[a], items[b]):
            both = {lowest[a], lowest[b]}
            lowest = [min(both) if low in both else low for low in lowest]
    members: dict[int, list[int]] = {}
    for doc, low in enumerate(lowest):
        members.setdefault(low, []).append(doc)
    return members


def two_agree(a: Sequence[int] | None, b: Sequence[int] | None) -> bool:
    """Of six super-fingerprints; documents without words have none."""
    return bool(a and b) and sum(x == y for x, y in zip(a or (), b or (), strict=True)) >= 2


def gather_copies(texts: Sequence[str], collapse: str) -> dict[int, list[int]]:
    """The lowest document of each set of copies, and all that are in it; those without words are copies of nothing.

    The super-fingerprints are those of the package, whose own tests hold them against their definition.
    """
    if collapse == "none":
        return {doc: [doc] for doc in range(len(texts))}
    if collapse == "exact":
        return close([sequence(text) for text in texts], lambda a, b: a == b != ())
    return close([_native.supers(text) for text in texts], two_agree)


def cover(
    candidates: dict[int, set[Gram]], least: float, total: int, fewest: int, tiers: Mapping[int, int], witnesses: bool
) -> list[tuple[int, int, int]]:
    """(source, new, all) of a greedy cover: most new first, then most in all, then the lower number; those of a
    later tier only where none of an earlier one adds enough. With `witnesses`, these come first: for each piece that
    the same documents have, the one of a later tier with the least in all."""
    picks: list[tuple[int, int, int]] = []
    covered: set[tuple[str, ...]] = set()

    def worth(grams: int) -> bool:
        return grams >= max(1, fewest) and grams / total >= least

    def take(source: int) -> None:
        picks.append((source, len(candidates[source] - covered), len(candidates[source])))
        covered.update(candidates[source])

    def pick_greedily(tier: int) -> None:
        while True:
            offers = [
                (len(grams - covered), len(grams), -source)
                for source, grams in candidates.items()
                if tiers.get(source, 0) == tier
            ]
            new, _, minus = max(offers, default=(0, 0, 0))
            if not worth(new):
                return
            take(-minus)

    pick_greedily(0)
    holders: dict[Gram, frozenset[int]] = {
        gram: frozenset(source for source, grams in candidates.items() if gram in grams)
        for gram in set().union(*candidates.values())
    }
    while witnesses:
        pieces = Counter(holders[gram] for gram in holders if gram not in covered)
        offers = [
            (-weight, len(candidates[source]), source)
            for piece, weight in pieces.items()
            for source in piece
            if tiers.get(source, 0) and worth(weight)
        ]
        if not offers:
            break
        take(min(offers)[2])
    pick_greedily(1)
    pick_greedily(2)
    return picks


def runs(ours: Sequence[Gram], theirs: Sequence[Gram], patch: set[Gram]) -> list[tuple[int, int, int]]:
    """(i, j, count): from i on, so many of our grams, all of them in `patch`, are theirs from j on; no more, no fewer
    would do on either side."""
    places = defaultdict(list)
    for j, gram in enumerate(theirs):
        places[gram].append(j)
    pairs = {(i, j) for i, gram in enumerate(ours) if gram in patch for j in places[gram]}
    found = []
    for i, j in pairs:
        if (i - 1, j - 1) not in pairs:
            count = 1
            while (i + count, j + count) in pairs:
                count += 1
            found.append((i, j, count))
    return found


def locate(page: str, sources: Sequence[str], patch: set[Gram], k: int) -> set[tuple[int, int, int, int]]:
    """The patches of a page, as (place of the source in the list, i, j, number of words): around each gram the longest,
    then that of the first source, then the first there, then the first here."""
    ours = linear(sequence(page), k)
    best: dict[int, tuple[int, int, int, int]] = {}
    for rank, source in enumerate(sources):
        for i, j, count in runs(ours, linear(sequence(source), k), patch):
            for gram in range(i, i + count):
                best[gram] = min(best.get(gram, (0, 0, 0, 0)), (-count, rank, j, i))
    return {(rank, i, j, -count + k - 1) for count, rank, j, i in best.values()}


def same_page(url: str) -> str:
    """A URL without scheme, fragment and the slash at its end: what it has in common with others of the same page."""
    return url.split("#")[0].split("://")[1].removesuffix("/")


def linked(page: Document, source: Sequence[Document], foreign: str) -> str | None:
    """Whether a page links to one of the copies of a source, or to one of their domains; a link to the own site (the
    host if these are told apart, else the domain) leads to a page only."""
    copies = [copy for copy in source[:100] if copy.url is not None and copy.domain is not None]
    if {same_page(link) for link in page.links} & {same_page(copy.url) for copy in copies if copy.url}:
        return "page"
    hosts = [link.split("/")[2] for link in page.links]
    if foreign == "host":
        hosts = [host for host in hosts if host != page.host]
    else:
        hosts = [host for host in hosts if page.domain is None or not f".{host}".endswith(f".{page.domain}")]
    return "domain" if any(f".{host}".endswith(f".{copy.domain}") for host in hosts for copy in copies) else None


def name_domains(source: Sequence[Document]) -> set[int | str]:
    """The domains that the copies of a source are on."""
    return {copy.domain for copy in source[:100] if copy.url is not None and copy.domain is not None}


def add_sections(sources: Sequence[tuple[tuple[int, int, int], set[int | str], bool]]) -> int:
    """The grams that sections add, of domains that have two or more."""
    parts = [(new, domains) for (_, new, _), domains, part in sources if part]
    count = Counter(domain for _, domains in parts for domain in domains)
    return sum(new for new, domains in parts if any(count[domain] > 1 for domain in domains))


def known_domains(copies: Sequence[Document], by: str, pooled: dict[str | None, set[str]]) -> set[str | None]:
    """The domains of the copies that count: of the first sixteen on different hosts, or pages if these are told
    apart; of those without a URL, one counts and has none."""
    if by == "host":
        return {copy.domain for copy in first_places(copies, by, pooled) if copy.host is not None}
    nowhere = next((copy for copy in copies if copy.host is None), None)
    return {copy.domain for copy in [c for c in copies if c.host is not None or c is nowhere][:16] if copy.host}


class Passage(NamedTuple):
    """Patches of one source in a row: the source, and where the passage begins and ends in the page and in the source,
    in words."""

    rank: int
    begin: int
    end: int
    source_begin: int
    source_end: int


def chain(patches: Iterable[tuple[int, int, int, int]], k: int, gap: int) -> list[Passage]:
    """Patches of one source in the same order, with at most `gap` words between, are one passage."""
    passages: list[Passage] = []
    for rank, i, j, count in sorted(patches, key=lambda patch: patch[1]):
        last = next((at for at in reversed(range(len(passages))) if passages[at].rank == rank), None)
        if last is not None and gap > 0:
            _, begin, end, source_begin, source_end = passages[last]
            near = end - k <= i <= end + gap and source_end - k <= j <= source_end + gap
            if near and j > source_begin and j + count > source_end:
                passages[last] = Passage(rank, begin, i + count, source_begin, j + count)
                continue
        passages.append(Passage(rank, i, i + count, j, j + count))
    return passages


def sewn_in(passages: Sequence[Passage], least: int, blurred: int = 1) -> list[Passage]:
    """The passages of at least so many words that no such passage of another source runs into: neither does one that
    begins before end more than a word (or so many) behind the beginning, nor one that begins behind begin before the
    last word."""
    long = [passage for passage in passages if passage.end - passage.begin >= least]

    def runs_into(passage: Passage, other: Passage) -> bool:
        first, second = sorted((passage, other), key=lambda each: each.begin)
        return other.rank != passage.rank and first.end - second.begin > blurred

    return [passage for passage in long if not any(runs_into(passage, other) for other in long)]


def join(sewn: Sequence[Passage]) -> list[Passage]:
    """Those before or behind which one of another source stands, with at most twenty words between."""

    def near(first: Passage, second: Passage) -> bool:
        return first.rank != second.rank and second.begin - first.end <= 20

    pairs = [pair for pair in itertools.pairwise(sewn) if near(*pair)]
    return [passage for passage in sewn if any(passage in pair for pair in pairs)]


def resume(text: Sequence[str], passage: Passage, own: set[int], common: set[str]) -> tuple[int, int]:
    """Of the page's own words before a passage and behind it: twice the uncommon ones on both sides, and all."""
    before = [text[at] for at in range(max(0, passage.begin - 80), passage.begin) if at in own]
    behind = [text[at] for at in range(passage.end, min(len(text), passage.end + 80)) if at in own]
    if min(len(before), len(behind)) < 8:
        return 0, 0
    here, there = set(before) - common, set(behind) - common
    return 2 * len(here & there), len(here) + len(there)


def follow_each_other(passages: Sequence[Passage]) -> float:
    """How much more often two passages of one source, with one of another between, follow each other there, too, than
    not; of three pairs at least."""
    pairs = []
    for at, passage in enumerate(passages):
        before = [other for other in passages[:at] if other.rank == passage.rank]
        if before and passages[at - 1].rank != passage.rank:
            pairs.append(passage.source_begin > before[-1].source_begin)
    return max(0, 2 * sum(pairs) - len(pairs)) / len(pairs) if len(pairs) >= 3 else 0.0


def bond(text: Sequence[str], begin: int, end: int, exact: set[int], common: set[str], k: int) -> list[tuple[int, int]]:
    """Before and behind a passage: twice the uncommon words on both sides of the border, and those on either side.
    Words beyond it that repeat some of it do not count."""
    passage = {tuple(text[at : at + k]) for at in range(begin, end - k + 1)}
    beyond = [*range(begin - k + 1), *range(end, len(text) - k + 1)]
    repeated = {word for at in beyond if tuple(text[at : at + k]) in passage for word in range(at, at + k)}
    before = (range(max(0, begin - 80), begin), range(begin, min(end, begin + 80)))
    behind = (range(end, min(len(text), end + 80)), range(max(begin, end - 80), end))
    found = []
    for outside, inside in (before, behind):
        outside = [at for at in outside if at not in repeated]
        there = {text[at] for at in outside} - common
        here = {text[at] for at in inside if at in exact} - common
        found.append((2 * len(here & there), len(here) + len(there)) if len(outside) >= 8 else (0, 0))
    return found


def source_bonds(
    text: Sequence[str], asked: set[Gram], k: int, gap: int, common: set[str]
) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Of each stretch of a source that is made of grams of the page: first and last gram, and how the source reads on
    before and behind the passage that it is part of."""
    places = [at for at, gram in enumerate(linear(text, k)) if gram in asked]
    stretches: list[list[int]] = []
    for at in places:
        if stretches and at == stretches[-1][1] + 1:
            stretches[-1][1] = at
        else:
            stretches.append([at, at])
    chains: list[list[list[int]]] = []
    for stretch in stretches:
        if chains and gap > 0 and stretch[0] <= chains[-1][-1][1] + k + gap:
            chains[-1].append(stretch)
        else:
            chains.append([stretch])
    found = []
    for each in chains:
        exact = {at for first, last in each for at in range(first, last + k)}
        begin, end = each[0][0], each[-1][1] + k
        tells = 2 * (end - begin) <= len(text)
        bonds = bond(text, begin, end, exact, common, k) if tells else [(0, 0), (0, 0)]
        found += [(first, last, bonds) for first, last in each]
    return found


def common_words(texts: Sequence[str]) -> set[str]:
    """The words in more than a tenth of the documents (of about 2,048, if there are more)."""
    every = max(1, len(texts) // 2048)
    read = texts[::every]
    df = Counter(word for text in read for word in set(sequence(text)))
    return {word for word, count in df.items() if count > len(read) // 10}


LIMITS = {
    "sigma": (None, False),
    "max_largest": ("largest", True),
    "c": ("sources", False),
    "max_own": ("own", True),
    "max_sections": ("sections", True),
    "min_sewn": ("sewn", False),
    "max_reads_on": ("reads_on", True),
    "max_in_order": ("in_order", True),
    "max_attributed": ("attributed", True),
}
NUMBERS = (
    *("words", "grams", "patch_grams", "patchfrac", "covered", "spanned", "sources", "largest", "own", "sections"),
    *("sewn", "sewn_words", "sewn_sources", "joined_words", "joined_sources", "reads_on", "resumes"),
    *("borders_on", "in_order", "stitched", "from_pool", "attributed", "evidence"),
    "reworded",
)


def decide(numbers: dict[str, Any], limits: dict[str, Any], strict: bool = True) -> tuple[str, str | None]:
    """What a document is, and why it is no quilt: the limits that it fails. What is not known fails none."""
    failed = []
    for name, (column, most) in LIMITS.items():
        value = numbers[column or limits["sigma_of"]]
        if column is None and value is None:
            value = numbers["covered"]
        limit = limits[name]
        if strict and column == "reads_on" and limit < 1 and numbers["stitched"] > 0.5:
            limit = min(limit, limit / 4)
        fails = value is not None and (value > limit if most else value < limit)
        farmed = strict and numbers["from_pool"] and (numbers["own"] or 0.0) <= 0.3
        if (
            strict
            and name == "min_sewn"
            and limit > 0
            and not jumps(numbers, limits)
            and not farmed
            and limits["c"] > 1
        ):
            fails = fails or (numbers["sewn_sources"] or 0) < limits["c"]
        if name == "max_reads_on" and farmed and fails and numbers["reads_on"] <= 2 * limits["max_reads_on"]:
            fails = numbers["borders_on"] is None or numbers["borders_on"] > 0.5
        if fails:
            failed.append(name)
    if not failed or in_part(numbers, limits, failed):
        return ("in part" if failed else "quilt"), None
    return ("original" if "max_reads_on" in failed else "none"), ", ".join(failed)


def jumps(numbers: dict[str, Any], limits: dict[str, Any], times: int = 1) -> bool:
    """Whether a document jumps where its sources read on, or nobody knows."""
    return numbers["reads_on"] is None or numbers["reads_on"] <= -times * limits["max_reads_on"]


def in_part(numbers: dict[str, Any], limits: dict[str, Any], failed: list[str]) -> bool:
    """Whether a document that has too little of others, or too much of one, has evidence enough nevertheless."""
    least = limits["min_part"]
    if failed not in (["sigma"], ["max_largest"]) or not least:
        return False
    if numbers["largest"] > 0.75 or not jumps(numbers, limits):
        return False

    def words(passages: str) -> float:
        """Of those of enough sources: less what the own site has, and of one large source only as much as of others."""
        enough = (numbers[f"{passages}_sources"] or 0) >= limits["c"]
        weight = (numbers[f"{passages}_words"] or 0) * (1 - (numbers["own"] or 0.0))
        return weight * min(1.0, 2 * (1 - numbers["largest"])) if enough else -1.0

    spans = (numbers["spanned"] or 0) >= limits["sigma"] * 0.6 and jumps(numbers, limits, 2)
    leaves_off = numbers["resumes"] is not None and numbers["resumes"] <= 0.33
    sewn_in = (spans and words("sewn") >= least) or (leaves_off and words("sewn") >= least / 0.6)
    nearly_all = (numbers["joined_words"] or 0) >= 0.9 * (numbers["sewn_words"] or 0)
    side_by_side = words("joined") >= least and (failed == ["sigma"] or nearly_all)
    return side_by_side or (failed == ["sigma"] and sewn_in)


def quilts(
    documents: Sequence[Document],
    *,
    k: int = 5,
    m: int = 50,
    c: int = 4,
    sigma: float = 0.5,
    sigma_of: str = TUNED.sigma_of,
    foreign: str = "domain",
    collapse: str = "near",
    min_share: float = TUNED.min_share,
    min_grams: int = TUNED.min_grams,
    max_largest: float = TUNED.max_largest,
    max_own: float = TUNED.max_own,
    max_sections: float = TUNED.max_sections,
    min_sewn: float = TUNED.min_sewn,
    max_reads_on: float = TUNED.max_reads_on,
    max_in_order: float = TUNED.max_in_order,
    min_part: int = TUNED.min_part,
    edits: str = TUNED.edits,
    homes: bool = TUNED.homes,
    max_attributed: float = 1.0,
    common: set[str] | None = None,
) -> Found:
    """docs/definitions.md 3.1; `common` are the common words if the documents are part of a larger corpus."""
    limits: dict[str, Any] = {"c": c, "sigma": sigma, "sigma_of": sigma_of, "max_largest": max_largest}
    limits |= {"max_own": max_own, "max_sections": max_sections, "min_sewn": min_sewn, "max_reads_on": max_reads_on}
    limits |= {"max_in_order": max_in_order, "max_attributed": max_attributed, "min_part": min_part}
    sequences = [sequence(document.text) for document in documents]
    pooled = pool_addresses(documents)
    members = gather_copies([document.text for document in documents], collapse)
    sites = {kept: first_places([documents[copy] for copy in members[kept]], foreign, pooled) for kept in members}
    grams = {doc: set(linear(sequences[doc], k)) for doc in members}
    df = Counter(gram for doc in grams for gram in grams[doc])
    domains = {doc: known_domains([documents[copy] for copy in members[doc]], foreign, pooled) for doc in members}
    patch = {d: {gram for gram in grams[d] if 1 < df[gram] <= m} for d in members}
    strangers = {d: {e for e in members if e != d and is_foreign(sites[d], sites[e], foreign, pooled)} for d in members}
    held_by = {d: {e: patch[d] & grams[e] for e in strangers[d]} for d in members}
    gap = {"exact": 0, "light": 10, "reworded": 10}[edits]
    loose = edits != "exact" or min_part > 0
    look = min(sigma, 0.15) if loose else sigma
    exact_grams, exact_patch = dict(grams), dict(patch)
    spans: dict[int, list[Span]] = {}
    spanning: dict[int, dict[Any, set[int]]] = {}
    if edits == "reworded":

        def compared(a: int, b: int) -> bool:
            return b in strangers[a] or a in strangers[b] or max_own < 1

        spans = spans_of({d: documents[d].text for d in members}, compared)
        for d in members:
            places = range(len(sequences[d]) - k + 1)
            holders = {at: {span.other for span in spans.get(d, ()) if span.holds(at, k)} for at in places}
            holders = {at: held for at, held in holders.items() if 0 < len(held) < m}
            taken = [at for at, held in holders.items() if held & strangers[d]]
            share = len(taken) / max(1, len(places))
            in_grams = len(set().union(*held_by[d].values())) / max(1, len(grams[d]))
            if not taken or share < look or share <= 1.5 * in_grams:
                continue
            picks = cover(held_by[d], min_share, len(patch[d]), min_grams, {}, False)
            held = set().union(*(held_by[d][source] for source, *_ in picks))
            if share <= 3 * in_grams and len(picks) >= c and max(all_ for *_, all_ in picks) / len(held) <= max_largest:
                continue
            spanning[d] = holders
            grams[d], patch[d] = {(at,) for at in places}, {(at,) for at in holders}
            held_by[d] = {e: {(at,) for at, held in holders.items() if e in held} for e in strangers[d]}

    def has(d: int, e: int, gram: Gram) -> bool:
        """Whether another document has a gram of d."""
        return e in spanning[d].get(gram[0], ()) if d in spanning else gram in exact_grams[e]

    most = max(max_largest, 0.75) if min_part > 0 else max_largest

    def is_little(d: int, covered: int) -> bool:
        """Whether too little is covered to look closely: as a share of the page, and in grams."""
        enough = min_part > 0 and 3 * covered >= 2 * min_part and shown(d, covered) >= look / 3
        return shown(d, covered) < look and not enough

    def shown(d: int, covered: int) -> float:
        return (len(patch[d]) if sigma_of == "patchfrac" else covered) / max(1, len(grams[d]))

    if common is None:
        common = common_words([document.text for document in documents])

    def own_site(d: int, gram: Gram) -> list[int]:
        """The documents that make a gram the own site's."""
        if max_own == 1:
            return []
        kin = [e for e in strangers[d] if foreign in ("host", "none") and domains[d] & domains[e] and has(d, e, gram)]
        siblings = [e for e in members if e != d and e not in strangers[d] and has(d, e, gram)]
        return siblings + (kin if len(kin) > 1 else [])

    def covers(
        d: int, tiers: Mapping[int, int], held: dict[int, set[Gram]]
    ) -> tuple[list[tuple[int, int, int]], int, int]:
        total = len(patch[d])
        picks = cover(held, min_share, total, min_grams, tiers, bool(tiers) and draws_on_pool(d, tiers))
        holds = [new if source in tiers else all_ for source, new, all_ in picks]
        return picks, len(set().union(*(held[pick[0]] for pick in picks))), max(holds, default=0)

    def versions(d: int) -> set[int]:
        """The foreign documents that have more than three quarters of what all of them have of it."""
        shared = len(set().union(*held_by[d].values()))
        return {e for e, held in held_by[d].items() if shared and len(held) / shared > 0.75}

    def draws_on_pool(d: int, counts: Collection[int]) -> bool:
        """Whether two others of its own site have some of the text that it shares with foreign documents."""
        taken = set().union(*held_by[d].values())
        siblings = [e for e in members if e != d and e not in strangers[d] and e in counts and max_own < 1]
        shared = Counter(e for gram in taken for e in siblings if has(d, e, gram))
        return sum(n >= max(1, min_grams) and n / len(patch[d]) >= min_share for n in shared.values()) > 1

    def is_made_of(d: int, held: dict[int, set[Gram]]) -> bool:
        picks, covered, largest = covers(d, {}, held)
        return len(picks) > 1 and largest / covered <= 0.75 and covered / len(grams[d]) >= sigma

    def is_published(d: int) -> bool | None:
        """Whether it is a quilt by k, m, c and sigma alone; known only where what the own site has is looked for."""
        if max_own == 1 and foreign != "none":
            return None
        shared = exact_patch[d]
        others = {e: shared & exact_grams[e] for e in members if e != d}
        enough = len(shared) / max(1, len(exact_grams[d])) >= sigma
        return enough and len(cover(others, 0.0, max(1, len(shared)), 1, {}, witnesses=False)) >= c

    first = {d: covers(d, {}, held_by[d]) for d in members}
    again, tiers, doubled, doubles = dict(first), dict[int, int](), dict[int, int](), set[int]()
    settled = set()
    if homes:
        for d, (picks, covered, _) in first.items():
            covers_enough = covered / max(1, len(grams[d])) >= sigma
            but_first = {e: held for e, held in held_by[d].items() if not picks or e != picks[0][0]}
            but_versions = {e: held for e, held in held_by[d].items() if e not in versions(d)}
            at_home: dict[int, set[Gram]] = defaultdict(set)
            for gram in patch[d]:
                for e in own_site(d, gram):
                    at_home[e].add(gram)
            suspect = is_made_of(d, held_by[d])
            suspect |= covers_enough and draws_on_pool(d, members) and is_made_of(d, but_first)
            is_double = not suspect and covers_enough and is_made_of(d, but_versions)
            is_list = is_made_of(d, at_home)
            if suspect or is_list:
                tiers[d] = 2 if is_list else 1
            elif is_double:
                doubles.add(d)
            may_settle = len(picks) < min(max(c, 1), 2) and not (suspect or is_double)
            if may_settle or is_little(d, covered):
                settled.add(d)
        for d in set(members) - settled:
            alike = {e for e in (*versions(d), d) if tiers.get(e) == 1 or e in doubles}
            stitched_alike = alike - {d} if d in alike else set()
            others = {e: tier for e, tier in tiers.items() if e not in stitched_alike}
            again[d] = covers(d, others, {e: held for e, held in held_by[d].items() if e not in stitched_alike})
            doubled[d] = max((len(held_by[d][e]) for e in stitched_alike), default=0)

    counted: dict[int, dict[str, Any]] = {}
    looked: set[int] = set()
    patches_of: dict[int, set[tuple[int, int, int, int]]] = {}
    spans_chosen: dict[int, list[Span]] = {}
    links_of: dict[int, list[tuple[str | None, int, int]]] = {}
    for d in members:
        document, (picks, covered, largest) = documents[d], again[d]
        all_grams = len(grams[d])
        numbers: dict[str, Any] = dict.fromkeys(NUMBERS)
        numbers |= {"words": len(sequences[d]), "grams": all_grams, "patch_grams": len(patch[d])}
        numbers |= {"patchfrac": len(patch[d]) / max(1, all_grams), "covered": covered / max(1, all_grams)}
        numbers |= {"sources": len(picks), "largest": largest / max(1, covered)}
        numbers["reworded"] = d in spanning if edits == "reworded" else None
        by_suspects = sum(new for source, new, _ in picks if source in tiers and d not in settled) / max(1, covered)
        numbers["from_pool"] = bool(tiers) and d not in settled and draws_on_pool(d, tiers)
        numbers["stitched"] = 0.0 if draws_on_pool(d, tiers) else by_suspects
        counted[d] = numbers
        if not picks or d in settled:
            continue
        held = [held_by[d][pick[0]] for pick in picks]
        links = [linked(document, [documents[copy] for copy in members[e]], foreign) for e, *_ in picks]
        named = [grams_ if link else set() for grams_, link in zip(held, links, strict=True)]
        numbers["attributed"] = len(set().union(*named)) / max(1, len(patch[d]))
        sites_of = [name_domains([documents[copy] for copy in members[e]]) or {e} for e, *_ in picks]
        parts = [
            len(grams_) * 3 >= len(grams[e])
            or (
                link == "page"
                and document.domain in [documents[copy].domain for copy in members[e] if documents[copy].url]
            )
            for grams_, (e, *_), link in zip(held, picks, links, strict=True)
        ]
        added = [add_sections([*zip(picks, sites_of, parts, strict=True)][:rank]) for rank in range(1, len(picks) + 1)]
        numbers["sections"] = added[-1] / max(1, covered)
        at_most = max_largest if shown(d, covered) < look else most
        if is_little(d, covered) or len(picks) < c or largest / covered > at_most:
            continue
        looked.add(d)
        links_of[d] = [(link, len(set().union(*named[:rank])), added[rank - 1]) for rank, link in enumerate(links, 1)]
        if d in spanning:
            ranks = {pick[0]: rank for rank, pick in enumerate(picks)}
            chosen = spans_chosen[d] = choose(spans[d], ranks, all_grams, k)
            passages = [Passage(ranks[s.other], s.begin, s.end, s.other_begin, s.other_end) for s in chosen]
        else:
            patches = patches_of[d] = locate(document.text, [documents[e].text for e, *_ in picks], patch[d], k)
            passages = chain(patches, k, gap)
        sewn = sewn_in(passages, min_grams, 10 if d in spanning else 1)
        numbers["spanned"] = len({at for p in passages for at in range(p.begin, p.end - k + 1)}) / max(
            1, len(sequences[d]) - k + 1
        )
        lengths = sum(p.end - p.begin - k + 1 for p in passages)
        numbers["sewn"] = sum(p.end - p.begin - k + 1 for p in sewn) / lengths if lengths else 0.0
        numbers["sewn_words"] = sum(p.end - p.begin for p in sewn)
        numbers["sewn_sources"] = len({p.rank for p in sewn})
        joined = join(sewn)
        numbers["joined_words"] = sum(p.end - p.begin for p in joined)
        numbers["joined_sources"] = len({p.rank for p in joined})
        numbers["in_order"] = follow_each_other([p for p in passages if p.end - p.begin >= min_grams]) * by_suspects
        if max_reads_on < 1 and d in spanning:
            numbers["reads_on"] = read_on(spans_chosen[d], min_grams)
        elif max_reads_on < 1:
            exact = {at for _, i, _, count in patches for at in range(i, i + count)}
            theirs = [source_bonds(sequences[e], held_by[d][e], k, gap, common) for e, *_ in picks]
            here, there, across = [(0, 0)], [(0, 0)], [(0, 0)]
            own = set(range(len(sequences[d]))) - {at for p in passages for at in range(p.begin, p.end)}
            for p in passages:
                if p.end - p.begin >= min_grams:
                    across.append(resume(sequences[d], p, own, common))
                    ours = bond(sequences[d], p.begin, p.end, exact, common, k)
                    begins = next(b for low, high, b in theirs[p.rank] if low <= p.source_begin <= high)
                    ends = next(b for low, high, b in theirs[p.rank] if low <= p.source_end - k <= high)
                    for in_page, in_source in zip(ours, (begins[0], ends[1]), strict=True):
                        if in_page[1] and in_source[1]:
                            here.append(in_page)
                            there.append(in_source)
            sides = (here, there, across)
            shares = [sum(twice for twice, _ in side) / max(1, sum(all_ for _, all_ in side)) for side in sides]
            numbers["reads_on"] = shares[0] - shares[1]
            better = [o / all_o > t / all_t for (o, all_o), (t, all_t) in zip(here[1:], there[1:], strict=True)]
            if better:
                numbers["borders_on"] = sum(better) / len(better)
            if any(all_ for _, all_ in across) and shares[1]:
                numbers["resumes"] = shares[2] / shares[1]

    def count_doubles(d: int) -> None:
        numbers = counted[d]
        jumps = numbers["reads_on"] is not None and numbers["reads_on"] <= -max_reads_on
        if not jumps or (numbers["own"] is not None and numbers["own"] > max_own / 4):
            numbers["largest"] = max(numbers["largest"], min(1.0, doubled.get(d, 0) / max(1, again[d][1])))

    for d in counted:
        count_doubles(d)

    def is_stitched(d: int) -> bool:
        why = decide(counted[d], limits, strict=False)[1]
        return counted[d]["sources"] and (why is None or (why == "max_largest" and counted[d]["largest"] <= 0.75))

    stitched = {d for d in members if homes and is_stitched(d)}
    found = Found([], [], [], [], [])
    for d in members:
        numbers, (picks, covered, _) = counted[d], again[d]
        if d in looked:
            covered_grams = set().union(*(held_by[d][pick[0]] for pick in picks))
            at_home = [gram for gram in covered_grams if any(e not in stitched for e in own_site(d, gram))]
            numbers["own"] = len(at_home) / max(1, covered)
        believed = 1.0 if numbers["reads_on"] is None else min(1.0, max(0.0, 0.5 - 25 * numbers["reads_on"]))
        elsewhere = (1 - (numbers["own"] or 0.0)) * (1 - (numbers["sections"] or 0.0))
        by_suspects = sum(new for source, new, _ in picks if source in tiers and d not in settled) / max(1, covered)
        by_suspects = max(by_suspects, min(1.0, doubled.get(d, 0) / max(1, covered)))
        numbers["evidence"] = len(picks) * numbers["covered"] * elsewhere * believed * (1 - 0.75 * by_suspects)
        count_doubles(d)
        verdict, why = decide(numbers, limits)
        if not picks:
            found_elsewhere = "min_share" if any(held_by[d].values()) else "own site"
            why = "short" if not grams[d] else "nothing shared" if not patch[d] else found_elsewhere
            verdict = "none"
        row = tuple(numbers[name] for name in NUMBERS)
        found.verdicts.append((d, *row, verdict, why is None, why, is_published(d)))
        if why is None:
            found.quilts.append((d, documents[d].id, documents[d].url, *row, verdict))
        if d in looked:
            for rank, (pick, link) in enumerate(zip(picks, links_of[d], strict=True), 1):
                found.sources.append((d, rank, *pick, *link))
            for span in spans_chosen.get(d, ()):
                ours, theirs = span.points[:2], span.points[2:]
                found.patches.append((d, *ours, span.other, *theirs, span.end - span.begin, span.similarity))
            here_words = words(documents[d].text)
            for rank, i, j, count in patches_of.get(d, ()):
                source = picks[rank][0]
                there_words = words(documents[source].text)
                begins_ = (here_words[i].begin, there_words[j].begin)
                ends_ = (here_words[i + count - 1].end, there_words[j + count - 1].end)
                found.patches.append((d, begins_[0], ends_[0], source, begins_[1], ends_[1], count, None))
    for kept, docs in members.items():
        if len(docs) > 1:
            found.clusters.extend((doc, kept, doc == kept) for doc in docs)
    found.patches.sort()
    found.clusters.sort()
    return found


def count_sites(
    documents: Sequence[Document], found: Found, foreign: str = "domain"
) -> tuple[list[tuple[int, str | None, int, int, float]], list[tuple[int, str | None, int, int, int]]]:
    """quilting_domains (first, domain, documents, quilts, share), source_domains (first, domain, quilts, sources,
    new_grams), in the order of the domains' lowest documents; those without a domain are one. Or of hosts."""
    names = {"host": lambda page: page.host, "ip": lambda page: page.host and (page.ip or page.domain)}
    sites = [names.get(foreign, lambda page: page.domain)(document) for document in documents]
    quilting, feeding = [], []
    for site in dict.fromkeys(sites):
        docs = [doc for doc, other in enumerate(sites) if other == site]
        on_it = [row for row in found.quilts if sites[row[0]] == site]
        known = {row[0] for row in found.quilts}
        drawn = [
            (quilt, new) for quilt, _, source, new, *_ in found.sources if sites[source] == site and quilt in known
        ]
        if on_it:
            quilting.append((docs[0], site, len(docs), len(on_it), len(on_it) / len(docs)))
        if drawn:
            quilts = {quilt for quilt, _ in drawn}
            feeding.append((docs[0], site, len(quilts), len(drawn), sum(new for _, new in drawn)))
    return quilting, feeding


def sweep(
    documents: Sequence[Document],
    *,
    k: Sequence[int],
    m: Sequence[int],
    c: Sequence[int],
    sigma: Sequence[float],
    collapse: str = "none",
    **others: Any,
) -> list[tuple[int, int, int, float, int, int, int]]:
    """docs/definitions.md 3.1.1: (k, m, c, σ, quilts, sources of all quilts, documents), collapsed copies being one."""
    kept = len(gather_copies([document.text for document in documents], collapse))
    rows = []
    for one in itertools.product(sorted(k), sorted(m), sorted(c), sorted(sigma)):
        limits: dict[str, Any] = dict(zip(("k", "m", "c", "sigma"), one, strict=True))
        published: dict[str, Any] = {"foreign": "none", "min_share": 0.0, "min_grams": 1, "max_largest": 1.0}
        published |= {"max_own": 1.0, "max_sections": 1.0, "min_sewn": 0.0, "max_reads_on": 1.0, "min_part": 0}
        published |= {"edits": "exact", "homes": False, "sigma_of": "covered"}
        found = quilts(documents, collapse=collapse, **limits, **published | others)
        rows.append((*one, len(found.quilts), sum(row[9] for row in found.quilts), kept))
    return rows
