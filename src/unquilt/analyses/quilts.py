"""Quilts: pages stitched together from other pages (Najork, SIGIR 2012).

    grams(d)      the set of the k-grams of d;  df(g) = number of documents with g
    pg(d)         the patch grams of d: those with 1 < df(g) <= m;  patchfrac(d) = |pg(d)| / |grams(d)|
    sources(d)    a greedy cover of pg(d) by other, foreign documents
    d is a quilt  iff patchfrac(d) >= σ and |sources(d)| >= c

The cover: again and again the document that covers the most uncovered patch grams is taken; ties go to the one that
shares more patch grams with d in all, then to the lower number. It ends when no candidate covers anything more or,
beyond the paper, when the next source would newly cover less than a share `min_share` of pg(d).

Beyond the paper, too: only documents on another server (`foreign`) are candidates, while patchfrac stays as defined;
and copies, documents of equal word sequences, become one first (`collapse`), so that df counts them once. A collapsed
source is foreign if any of its copies is; the server of a collapsed quilt is that of the document kept, the lowest.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from unquilt.analyses.domains import count_domains
from unquilt.analyses.outcome import Outcome
from unquilt.analyses.standing import COLLAPSE, FOREIGN, stand
from unquilt.engines.kept import Kept
from unquilt.engines.verbs import DOC, HASH, Kernel, Verbs, look_up
from unquilt.errors import ParameterError
from unquilt.parameters import Parameters, parameter
from unquilt.schemas import QUILTS, SOURCES


@dataclass(frozen=True)
class QuiltParameters(Parameters):
    """What makes a quilt."""

    k: int = parameter(5, "words in a gram", at_least=1, at_most=2**20)
    m: int = parameter(50, "most documents that share a patch gram", at_least=2, at_most=2**32)
    c: int = parameter(4, "fewest sources of a quilt", at_least=1, at_most=2**32)
    sigma: float = parameter(0.5, "least patch fraction of a quilt", at_least=0, at_most=1)
    foreign: str = parameter("domain", "which sources count: those on another host, domain, ip; or all", one_of=FOREIGN)
    collapse: str = parameter("exact", "which copies become one document first", one_of=COLLAPSE)
    min_share: float = parameter(0.0, "least share of patch grams that a source newly covers", at_least=0, at_most=1)
    key: str = parameter("", "32 hexadecimal digits: keyed fingerprints, safe against crafted collisions")

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: the key is a secret, so only its digest is written down."""
        values = super().to_dict()
        if self.key:
            values["key"] = f"sha256:{hashlib.sha256(bytes.fromhex(self.key)).hexdigest()[:16]}"
        return values

    def check(self) -> None:
        if self.key and not (len(self.key) == 32 and all(digit in "0123456789abcdefABCDEF" for digit in self.key)):
            raise ParameterError("key must be 32 hexadecimal digits or empty")


def quilts(verbs: Verbs, corpus: Kept, given: QuiltParameters) -> Outcome:
    """Finds the quilts of a corpus and their sources.

    Shuffles about 9 bytes for each distinct (gram, document), then the distinct posting lists of patch grams, then each
    list once for each of its documents. Time is linear in the grams and in Σ df² over *distinct* lists.
    """
    standing = stand(verbs, corpus, foreign=given.foreign, collapse=given.collapse)
    key = bytes.fromhex(given.key) if given.key else None
    scan = Kernel("scan", (HASH, DOC), ("doc", "text"), {"k": given.k, "key": key})
    grams, documents = verbs.map(corpus, scan, beside=standing.table)
    (lists,) = verbs.group([grams], Kernel("lists", (HASH,), (), {"m": given.m}))
    statistics = verbs.fold(lists, "grams")
    (elements,) = verbs.group([lists], Kernel("elements", (DOC,)))
    statistics |= verbs.fold(elements, "lists")
    limits = {"c": given.c, "sigma": given.sigma, "min_share": given.min_share}
    found, sources = verbs.group([documents, elements], Kernel("covers", (DOC, DOC), (), limits))
    tables = [
        verbs.keep(look_up(verbs, found, corpus, ("id", "url")), "quilts", QUILTS),
        verbs.keep(sources, "sources", SOURCES),
    ]
    tables += count_domains(verbs, corpus, *tables)
    return Outcome([*standing.tables, *tables], standing.counters | statistics)
