"""Quilts: pages stitched together from other pages (Najork, SIGIR 2012).

    grams(d)      the set of the k-grams of d;  df(g) = number of documents with g
    pg(d)         the patch grams of d: those with 1 < df(g) <= m;  patchfrac(d) = |pg(d)| / |grams(d)|
    sources(d)    a greedy cover of pg(d) by other, foreign documents
    covered(d)    the share of grams(d) that the sources cover;  largest(d) = the largest share of these that one holds
    d is a quilt  iff covered(d) >= σ and |sources(d)| >= c and largest(d) <= max_largest, and some more limits

The cover: again and again the document that covers the most uncovered patch grams is taken; ties go to the one that
shares more patch grams with d in all, then to the lower number. It ends when no candidate covers anything more or,
beyond the paper, when the next source would newly cover less than a share `min_share` of pg(d), or fewer than
`min_grams` of them: five words in common here and there are no source, however short the page is.

Beyond the paper, too: only documents on another server (`foreign`) are candidates (as published, every patch gram has a
source, so that covered(d) = patchfrac(d)); a page that one source explains, such as another version or an excerpt of
it, is left out (`max_largest`); and copies, documents of equal word sequences or near-duplicates (see `neardups`),
become one first (`collapse`), so that df counts them once. A source is foreign if it or one of its copies is on a
server where neither d nor any copy of d is: a mirror of a whole site makes no page of it foreign to another. (Of very
many copies, those on the first sixteen different servers count.)

    patches(d)    runs of at least k words that d and one of its sources have in common, all grams of which are in pg(d)
                  and which can be extended on neither side; around each gram of d the longest, then that of the
                  best source, then the first in the source, then the first in d

Their grams are exactly those that the sources cover. A patch is verified word by word in both texts: what only
fingerprints promised is no patch, and counted (`collisions`).

    own(d)        the share of the covered grams that another document on d's own server has, too (with `foreign` host
                  or none: or two others on its domain); above `max_own`, d is left out: its site has the text (d
                  lists news, courses, events of it), whoever else has it
    section(d, s) whether at least a third of the grams of s are in pg(d), or d links to the page s on its own domain
    sections(d)   the share of the covered grams that sections add, of domains that have two or more; above
                  `max_sections`, d is left out: it is no quilt, but a long page (a print view, a chapter) whose
                  sections are pages elsewhere, or leads to the pages of its own domain
    sewn(d)       of the grams in patches of d, the share in those of at least `min_grams` words that have no two words
                  in common with the patch of another source; below `min_sewn`, d is left out: where the text of one
                  source runs on into that of another, nothing was cut, and the others took parts of d, or all are
                  versions of one text; and headings are no passages
    joined(d)     passages of c sources that stand side by side; with `min_part` words, d is stitched in part, however
                  little that is, if it jumps
    in_order(d)   how far d has several passages of its sources in their order, if these are stitched together
                  themselves; above `max_in_order`, d is left out: it is one of several versions of a form
    linked(d, s)  "page" if d links to the page s or one of its copies, "domain" if to some page on one of their domains
                  that is not on d's own site
    attributed(d) the share of pg(d) that linked sources cover; above `max_attributed`, d is left out
    evidence(d)   |sources(d)| · covered(d) · (1 - own(d)): quilts with more of it are listed first, as text that
                  the own site has, too, proves little

Every document that stands gets a verdict: all of these numbers, and which limits it fails.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from unquilt.analyses import keys
from unquilt.analyses.analysis import Outcome
from unquilt.analyses.copies import find_copies
from unquilt.analyses.lexicon import count_words
from unquilt.analyses.limits import MOST_IN_PART, write_limits
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.analyses.quilt_passages import choose, locate_reworded
from unquilt.analyses.sites import count_sites, see_sites
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs, look_up
from unquilt.site_names import name_sites
from unquilt.stores.words import pack_above, pack_no_words
from unquilt.tables.quilts import ASKED, NAMED, PATCHES, QUILTS, SLICES, SOURCES, VERDICTS

LOOK = 0.15
"""Documents with less than this share covered are never looked at closely, unless σ is smaller still."""
GLANCE = 3.0
"""With `min_part`, so small a part of that share is enough where many grams are covered."""
NEVER = 2**62
GAPS = {"exact": 0, "light": 10, "reworded": 10}
"""How many words may lie between two patches of one passage, by `edits`."""
COMMON = 10
"""A word in more than one of so many documents is common."""
SAMPLE = 2048
"""Common words are found in about so many documents."""


def quilts(verbs: Verbs, corpus: Kept, given: QuiltParameters) -> Outcome:
    """Judges the documents of a corpus; finds the sources of quilts, which of these they link to, and their patches.

    Shuffles about 9 bytes for each distinct (gram, document), then the distinct posting lists of patch grams, then each
    list once for each of its documents. Time is linear in the grams and in Σ df² over *distinct* lists. What patches
    cost: see `locate`.
    """
    sited, by = see_sites(corpus, name_by(given))
    copies = find_copies(verbs, sited, foreign=by, collapse=given.collapse, key=given.key)
    judged = judge(verbs, corpus, copies.table, given)
    statistics = judged.statistics | verbs.fold(judged.verdicts, "judging")
    kept_verdicts = verbs.keep(judged.verdicts, VERDICTS)
    kept_quilts = verbs.keep(look_up(verbs, judged.quilts, corpus, ("id", "url")), QUILTS)
    kept_sources = verbs.keep(judged.sources, SOURCES)
    tables = [kept_verdicts, kept_quilts, kept_sources]
    tables += count_sites(verbs, corpus, kept_quilts, kept_sources, given.foreign)
    if given.patches:
        tables += [verbs.keep(patches, PATCHES) for patches in judged.patches]
    return Outcome([*copies.tables, *tables], copies.counters | statistics)


def name_by(given: QuiltParameters) -> str:
    """What sites are: single pages, where all documents are foreign, but not all are on one domain."""
    return "page" if given.foreign == "none" and given.max_own < 1 else given.foreign


class JudgedRows(NamedTuple):
    """Rows of all verdicts, of quilts, of sources, and of patches, if these were looked for; and what was counted."""

    verdicts: Rows
    quilts: Rows
    sources: Rows
    patches: list[Rows]
    statistics: dict[str, int]


def judge(verbs: Verbs, corpus: Kept, copies: Kept | None, given: QuiltParameters, of: str = "") -> JudgedRows:
    """Judges the documents that stand. The names of tables on the way end in `of`."""
    words: dict[str, Any] = {"k": given.k, "key": keys.read_key(given.key)}
    grams, documents = verbs.map(corpus, Kernel("scan", **words), beside=copies)
    lists, *gram_names = verbs.group([grams], Kernel("lists", m=given.m, patches=is_located(given)))
    statistics = verbs.fold(lists, f"grams{of}")
    in_domains = name_by(given) in ("host", "page")
    (elements,) = verbs.group([lists], Kernel("elements", own=given.max_own < 1, in_domains=in_domains))
    statistics |= verbs.fold(elements, f"lists{of}")
    passages = None
    if given.edits == "reworded":
        how: dict[str, Any] = {"k": given.k, "m": given.m, "own": given.max_own < 1, "in_domains": in_domains}
        how |= find_ends(given) | {"c": given.c, "sigma": given.sigma, "look": find_look(given)}
        how["max_largest"] = given.max_largest
        documents, elements, passages, aligned = choose(verbs, corpus, copies, documents, elements, how, of)
        statistics |= aligned | verbs.fold(documents, f"grams_or_passages{of}")
    counted, settled, drawn_on, own_site, doubts, sizes, asking = cover(verbs, documents, elements, given)
    statistics |= verbs.fold(counted, f"covers{of}")
    sources, attributed, named = attribute(verbs, corpus, copies, sizes, drawn_on, given, of)
    late, located = [attributed], []
    if is_located(given):
        patches, sewn = locate(verbs, corpus, asking[0], gram_names[0], words, given, of)
        confirmed = verbs.fold(patches, f"confirmed{of}").get("confirmed_grams", 0)
        statistics["collisions"] = statistics.get("covered_grams", 0) - confirmed
        late.append(sewn)
        if passages is not None:
            patches, sewn = locate_reworded(verbs, patches, named, passages, given)
            late.append(sewn)
        located.append(patches)
    limits: dict[str, Any] = {"limits": write_limits(given), "c": given.c, "min_part": given.min_part}
    limits["homes"] = given.homes
    together, stitched = verbs.group([counted, settled, *late], Kernel("counts", **limits))
    (at_fault,) = verbs.group([stitched, doubts], Kernel("suspicions"))
    verdicts, found = verbs.group([together, own_site, at_fault], Kernel("verdicts", **limits))
    return JudgedRows(verdicts, found, sources, located, statistics)


def is_located(given: QuiltParameters) -> bool:
    """Whether patches are looked for: also where they are only needed for the verdict."""
    return given.patches or given.min_sewn > 0 or given.max_reads_on < 1 or given.sigma_of == "spanned"


def find_look(given: QuiltParameters) -> float:
    """The least covered share of documents that are looked at closely. With edits, passages may span far more than
    the patches that are left of them; and a page that is stitched together in part has little of it covered."""
    loose = given.edits != "exact" or given.min_part > 0
    return min(given.sigma, LOOK) if loose else given.sigma


def find_ends(given: QuiltParameters) -> dict[str, Any]:
    """Where covers end, and whether it is told of all documents which are quilts as published."""
    all_told = given.foreign == "none" or given.max_own < 1
    return {"min_share": given.min_share, "min_grams": given.min_grams, "all_told": all_told}


def find_most(given: QuiltParameters) -> float:
    """The largest share from one source of documents that are looked at closely: the rest may be stitched together."""
    return max(given.max_largest, MOST_IN_PART) if given.min_part > 0 else given.max_largest


def cover(
    verbs: Verbs, documents: Rows, elements: Rows, given: QuiltParameters
) -> tuple[Rows, Rows, Rows, Rows, Rows, Rows, list[Rows]]:
    """What is counted of documents that come into question, and of others; sources; what documents of the own site
    have, and whom that asks; the sizes of sources; and lists with the sources picked from them, if patches are wanted.
    """
    ends = find_ends(given) | {"look": find_look(given), "of_patches": given.sigma_of == "patchfrac"}
    ends |= {"glance": find_look(given) / GLANCE, "enough": -(-2 * given.min_part // 3) or NEVER}
    ends |= {"c": given.c, "sigma": given.sigma}
    wanted = ends | {"max_largest": given.max_largest, "at_most": find_most(given), "patches": is_located(given)}
    if not given.homes:
        counted, drawn_on, own_site, doubts, settled, sizes, *asking = verbs.group(
            [documents, elements], Kernel("covers", **wanted)
        )
        return counted, settled, drawn_on, own_site, doubts, sizes, asking
    settled, sizes, left, left_elements, suspects, first_doubts = verbs.group(
        [documents, elements], Kernel("first covers", **ends)
    )
    (suspected,) = verbs.group([suspects, first_doubts], Kernel("suspicions"))
    counted, drawn_on, own_site, doubts, *asking = verbs.group(
        [left, left_elements, suspected], Kernel("covers again", **wanted)
    )
    return counted, settled, drawn_on, own_site, doubts, sizes, asking


def attribute(
    verbs: Verbs, corpus: Kept, copies: Kept | None, sizes: Rows, drawn_on: Rows, given: QuiltParameters, of: str = ""
) -> tuple[Rows, Rows, Kept]:
    """Each source of a document that is looked at closely with what the document links to; of all documents with
    sources the share that sections add, and the share of the patch grams that linked sources cover; and the sources
    of all documents with their names.

    Shuffles about 40 bytes a document and 60 a source; of a source with more than a hundred copies, the URLs of the
    first hundred. Links are read where they are.
    """
    sited, _ = see_sites(corpus, given.foreign)
    (names,) = verbs.map(sited, Kernel("names"), beside=copies)
    (sources,) = verbs.group([names, sizes, drawn_on], Kernel("named"))
    named = verbs.keep(sources, NAMED.named(NAMED.name + of))
    by_rank, attributed = verbs.map(sited, Kernel("linked", own=name_sites(given.foreign)), among=named)
    return by_rank, attributed, named


def find_common(verbs: Verbs, corpus: Kept, given: QuiltParameters) -> Side:
    """The words in more than a tenth of the documents: of so many that a sample of them is enough."""
    if given.max_reads_on >= 1:
        return verbs.side("common_words", pack_no_words)
    every = max(1, corpus.rows // SAMPLE)
    words = count_words(verbs, corpus, all_words=True, every=every)
    read = -(-corpus.rows // every)
    return verbs.side("common_words", lambda: pack_above(words, read // COMMON))


def locate(
    verbs: Verbs,
    corpus: Kept,
    asking: Rows,
    grams: Rows,
    words: dict[str, Any],
    given: QuiltParameters,
    of: str = "",
) -> tuple[Rows, Rows]:
    """Where the patches of quilts are, and of each quilt how much of its passages is sewn in, and how they read on.

    `asking` has, for each list of documents, the quilts that found sources there; `grams` the grams of each list.
    No page is sent anywhere: each source is sent the grams that it shares with a quilt (8 bytes each), and returns the
    passages made of them (about 9 bytes a word). Two more passes over the texts of sources and of quilts, linear in
    the words of these and of passages.
    """
    (requests,) = verbs.group([asking, grams], Kernel("requests"))
    (packed,) = verbs.group([requests], Kernel("asked"))
    asked = verbs.keep(packed, ASKED.named(ASKED.name + of))
    how = words | {"gap": GAPS[given.edits], "borders": given.max_reads_on < 1}
    how["common"] = find_common(verbs, corpus, given)
    (passages,) = verbs.map(corpus, Kernel("slices", **how), among=asked)
    slices = verbs.keep(passages, SLICES.named(SLICES.name + of))
    patches, sewn = verbs.map(corpus, Kernel("patches", **how, min_grams=given.min_grams), among=slices)
    return patches, sewn
