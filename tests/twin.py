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
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from unquilt import _native
from unquilt.analyses.quilts import QuiltParameters

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

    quilts (doc, id, url, words, grams, patch_grams, patchfrac, covered, sources, largest, own, sections, sewn,
            attributed, evidence)
    sources (quilt, rank, source, new_grams, all_grams, linked, linked_grams, section_grams)
    patches (quilt, begin, end, source, source_begin, source_end, words)
    clusters (doc, cluster, keep)
    verdicts (doc, words, grams, patch_grams, patchfrac, covered, sources, largest, own, sections, sewn,
              attributed, evidence, quilt, why)
    """

    quilts: list[
        tuple[int, str, str | None, int, int, int, float, float, int, float, float, float, float | None, float, float]
    ]
    sources: list[tuple[int, int, int, int, int, str | None, int, int]]
    patches: list[tuple[int, int, int, int, int, int, int]]
    clusters: list[tuple[int, int, bool]]
    verdicts: list[
        tuple[int, int, int, int, float, float, int, float, float, float, float | None, float, float, bool, str | None]
    ]


Gram = tuple[str, ...]
TUNED = QuiltParameters()


@cache
def is_letter(c: str) -> bool:
    return unicodedata.category(c)[0] == "L" or unicodedata.category(c) == "Nd"


@cache
def is_mark(c: str) -> bool:
    return unicodedata.category(c)[0] == "M"


@cache
def stands_alone(c: str) -> bool:
    ranges = (range_ for ranges in WITHOUT_SPACES.values() for range_ in ranges)
    return is_letter(c) and any(first <= ord(c) <= last for first, last in ranges)


def fold(word: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())


@lru_cache(maxsize=4096)
def words(text: str) -> list[Word]:
    """Maximal runs of letters and digits with the marks that follow; without spaces, each letter with its marks."""
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


def cover(candidates: dict[int, set[tuple[str, ...]]], least: float, total: int) -> list[tuple[int, int, int]]:
    """(source, new, all) of a greedy cover: most new first, then most in all, then the lower number."""
    picks: list[tuple[int, int, int]] = []
    covered: set[tuple[str, ...]] = set()
    while candidates:
        new, all_, minus = max((len(grams - covered), len(grams), -source) for source, grams in candidates.items())
        if new == 0 or new / total < least:
            break
        covered |= candidates[-minus]
        picks.append((-minus, new, all_))
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


def sewn_in(patches: Iterable[tuple[int, int, int, int]], k: int, least: int) -> float:
    """Of the grams in patches, the share in those of at least so many words that no patch of another source has two
    words in common with."""

    def is_sewn(rank: int, i: int, count: int) -> bool:
        shared = (min(i + count, a + n) - max(i, a) for other, a, _, n in patches if other != rank)
        return count >= least and all(words < 2 for words in shared)

    patches = list(patches)
    grams = sum(count - k + 1 for *_, count in patches)
    sewn = sum(count - k + 1 for rank, i, _, count in patches if is_sewn(rank, i, count))
    return sewn / grams if grams else 0.0


def quilts(
    documents: Sequence[Document],
    *,
    k: int = 5,
    m: int = 50,
    c: int = 4,
    sigma: float = 0.5,
    foreign: str = "domain",
    collapse: str = "near",
    min_share: float = TUNED.min_share,
    min_grams: int = TUNED.min_grams,
    max_largest: float = TUNED.max_largest,
    max_own: float = TUNED.max_own,
    max_sections: float = TUNED.max_sections,
    min_sewn: float = TUNED.min_sewn,
    max_attributed: float = 1.0,
) -> Found:
    """docs/definitions.md 3.1."""
    sequences = [sequence(document.text) for document in documents]
    pooled = pool_addresses(documents)
    members = gather_copies([document.text for document in documents], collapse)
    sites = {kept: first_places([documents[copy] for copy in members[kept]], foreign, pooled) for kept in members}
    grams = {doc: set(linear(sequences[doc], k)) for doc in members}
    df = Counter(gram for doc in grams for gram in grams[doc])
    domains = {doc: known_domains([documents[copy] for copy in members[doc]], foreign, pooled) for doc in members}
    found = Found([], [], [], [], [])
    for d, document in enumerate(documents):
        if d not in members:
            continue
        patch = {gram for gram in grams[d] if 1 < df[gram] <= m}
        share = len(patch) / len(grams[d]) if grams[d] else 0.0
        candidates = {
            e: patch & grams[e] for e in members if e != d and is_foreign(sites[d], sites[e], foreign, pooled)
        }
        picks = [pick for pick in cover(candidates, min_share, len(patch)) if pick[1] >= min_grams]
        held: list[set[Gram]] = [candidates[pick[0]] for pick in picks]
        covered = len(set().union(*held)) / max(1, len(grams[d]))
        largest = max(map(len, held), default=0) / max(1, len(set().union(*held)))
        siblings = [e for e in members if e != d and not is_foreign(sites[d], sites[e], foreign, pooled)]
        kin = [e for e in members if e != d and domains[d] & domains[e]]
        counts_kin = foreign == "host" or (foreign == "none" and max_own < 1)
        own = [
            gram
            for gram in set().union(*held)
            if any(gram in grams[e] for e in siblings) or (counts_kin and sum(gram in grams[e] for e in kin) > 1)
        ]
        own_share = len(own) / max(1, len(set().union(*held)))
        links = [linked(document, [documents[copy] for copy in members[e]], foreign) for e, *_ in picks]
        named = [grams_ if link else set() for grams_, link in zip(held, links, strict=True)]
        attributed = len(set().union(*named)) / max(1, len(patch))
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
        sections = (added[-1] if added else 0) / max(1, len(set().union(*held)))
        failed = {
            "sigma": covered < sigma,
            "max_largest": largest > max_largest,
            "c": len(picks) < c,
            "max_own": own_share > max_own,
        }
        patches: set[tuple[int, int, int, int]] = set()
        sewn = None
        if picks and not any(failed.values()):
            patches = locate(document.text, [documents[e].text for e, *_ in picks], patch, k)
            sewn = sewn_in(patches, k, min_grams)
        failed |= {
            "max_sections": sections > max_sections,
            "min_sewn": sewn is not None and sewn < min_sewn,
            "max_attributed": attributed > max_attributed,
        }
        why = ", ".join(limit for limit, fails in failed.items() if fails) or None
        if not picks:
            found_elsewhere = "min_share" if any(candidates.values()) else "own site"
            why = "short" if not grams[d] else "nothing shared" if not patch else found_elsewhere
        numbers = (
            len(sequences[d]),
            len(grams[d]),
            len(patch),
            share,
            covered,
            len(picks),
            largest,
            own_share,
            sections,
            sewn,
            attributed,
            len(picks) * covered * (1 - own_share),
        )
        found.verdicts.append((d, *numbers, why is None, why))
        if why is None:
            found.quilts.append((d, document.id, document.url, *numbers))
            for rank, (pick, link) in enumerate(zip(picks, links, strict=True), 1):
                found.sources.append((d, rank, *pick, link, len(set().union(*named[:rank])), added[rank - 1]))
            here = words(document.text)
            for rank, i, j, count in patches:
                source = picks[rank][0]
                there = words(documents[source].text)
                begins, ends = (here[i].begin, there[j].begin), (here[i + count - 1].end, there[j + count - 1].end)
                found.patches.append((d, begins[0], ends[0], source, begins[1], ends[1], count))
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
    sites = [document.host if foreign == "host" else document.domain for document in documents]
    quilting, feeding = [], []
    for site in dict.fromkeys(sites):
        docs = [doc for doc, other in enumerate(sites) if other == site]
        on_it = [row for row in found.quilts if sites[row[0]] == site]
        drawn = [(quilt, new) for quilt, _, source, new, *_ in found.sources if sites[source] == site]
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
        published |= {"max_own": 1.0, "max_sections": 1.0, "min_sewn": 0.0}
        found = quilts(documents, collapse=collapse, **limits, **published | others)
        rows.append((*one, len(found.quilts), len(found.sources), kept))
    return rows
