"""A sweep: how many quilts there are for other k, m, c and σ, without a run for each combination.

For every (k, m, c, σ) of a grid: the number of quilts as `quilts` defines them, their share of all documents, and the
mean number of their sources, which is what Table 1 and Figure 3 of the paper (Najork, SIGIR 2012) show. Documents are
counted as the paper does: all of them, those too short to have a gram included; copies that were collapsed are one.

By default everything is as published: any other document can be a source, and copies are documents of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.copies import COPY_LABELS, COPY_TABLES, find_copies
from unquilt.analyses.quilt_parameters import COLLAPSE, QuiltParameters
from unquilt.analyses.quilts import COVER_LABELS
from unquilt.analyses.sites import see_sites
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import FOREIGN
from unquilt.tables.sweep import COUNTS, SWEEP

PIVOT = QuiltParameters().k, QuiltParameters().m, QuiltParameters().c, QuiltParameters().sigma
"""The combination around which the paper varies one parameter at a time."""
DIMENSIONS = ("k", "m", "c", "sigma")
MOST_COMBINATIONS = 100_000


@dataclass(frozen=True)
class SweepParameters(Parameters):
    """The grid: all combinations of these values."""

    k: tuple[int, ...] = parameter((3, 4, 5, 6, 7), "words in a gram", at_least=1, at_most=2**20)
    m: tuple[int, ...] = parameter(
        (5, 10, 20, 50, 100), "maximum number of documents that share a patch gram", at_least=2, at_most=2**32
    )
    c: tuple[int, ...] = parameter((1, 2, 4, 8, 16), "minimum number of sources of a quilt", at_least=1, at_most=2**32)
    sigma: tuple[float, ...] = parameter(
        (0.1, 0.25, 0.5, 0.75, 0.9), "minimum share of the grams that sources cover", at_least=0, at_most=1
    )
    foreign: str = parameter(
        "none",
        "what a site is: only pages of other sites count as sources; none: all pages",
        one_of=FOREIGN,
        word="site",
    )
    collapse: str = parameter(
        "none", "which copies count as one document: exact ones, near-duplicates, or none", one_of=COLLAPSE
    )
    min_share: float = parameter(
        0.0, "minimum share of the patch grams that each further source adds", at_least=0, at_most=1
    )
    max_largest: float = parameter(1.0, "maximum share of the covered text from a single source", at_least=0, at_most=1)
    key: str = parameter("", keys.MEANING)

    def check(self) -> None:
        """Values are a set, stored in ascending order."""
        for name in DIMENSIONS:
            values = getattr(self, name)
            if not values:
                raise ParameterError(f"{name} must have at least one value")
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise ParameterError(f"{name} has the value {twice:g} twice")
            object.__setattr__(self, name, tuple(sorted(values)))
        combinations = math.prod(len(getattr(self, name)) for name in DIMENSIONS)
        if combinations > MOST_COMBINATIONS:
            raise ParameterError(f"a sweep has at most {MOST_COMBINATIONS:,} combinations, not {combinations:,}")
        keys.check_key(self.key)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}


def sweep(verbs: Verbs, corpus: Kept, given: SweepParameters) -> Outcome:
    """Counts the quilts of a corpus for every combination.

    For each k it costs little more than `quilts` with the largest m does: grams, lists and elements are the same, and
    of smaller m, c and σ only the covers are made again, where they can differ. Each k is kept when it is done.
    """
    sited, foreign = see_sites(corpus, given.foreign)
    copies = find_copies(verbs, sited, foreign=foreign, collapse=given.collapse, key=given.key)
    counts = [_count(verbs, corpus, copies.table, given, k) for k in given.k]
    together = replace(counts[0], name=COUNTS.name, paths=tuple(path for table in counts for path in table.paths))
    (rates,) = verbs.map(together, Kernel("rates", sigma=given.sigma))
    return Outcome([*copies.tables, verbs.keep(rates, SWEEP)], copies.counters)


def _count(verbs: Verbs, corpus: Kept, copies: Kept | None, given: SweepParameters, k: int) -> Kept:
    """The quilts of one k, for every (m, c, σ): whole numbers, which add up over partitions."""
    scan = Kernel("scan", k=k, key=keys.read_key(given.key))
    grams, documents = verbs.map(corpus, scan, beside=copies)
    (lists,) = verbs.group([grams], Kernel("lists", m=given.m[-1], patches=False))
    (elements,) = verbs.group([lists], Kernel("elements", own=False, in_domains=False))
    grid = {name: getattr(given, name) for name in ("m", "c", "sigma", "min_share", "max_largest")}
    (counts,) = verbs.group([documents, elements], Kernel("sweep", k=k, **grid))
    (sums,) = verbs.group([counts], Kernel("sums"))
    return verbs.keep(sums, COUNTS.named(f"counts_{k}"))


def weigh(given: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    """What the longer stages cost beside each other: per mille of the processor time on the small Debian corpus. With
    each further word, grams share about a third as many lists, and covers take as much less."""
    if given.get("collapse") == "near":
        yield from (("shingles", 50), ("edges", 10))
    for k in sorted(given.get("k", SweepParameters().k)):
        fewer = 0.36 ** (max(k, 3) - 3)
        yield from (("scan", 60), ("lists", 48), ("elements", 5 + 48 * fewer), ("sweep", 8 + 206 * fewer))


DECLARATION = Analysis(
    name="sweep",
    summary="",
    report="unquilt.page.report.sections.sweep:show_sweep",
    parameters=SweepParameters,
    function=sweep,
    costs=weigh,
    foreign=lambda given: str(given.foreign),
    results=(SWEEP,),
    others=(*COPY_TABLES, COUNTS),
    labels=COPY_LABELS
    | COVER_LABELS
    | {
        "sweep": "counting quilts",
        "sums": "counting quilts",
        "counts": "counting quilts for k = {}",
        "rates": "dividing",
    },
    example="""
    >>> import pyarrow as pa
    >>> pages = pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})
    >>> run = sweep(pages, k=[3], m=[2, 50], c=[1, 2], sigma=[0.5, 0.9])
    >>> run.sweep.to_pylist()[2]
    {'k': 3, 'm': 2, 'c': 2, 'sigma': 0.5, 'quilts': 1, 'share': 0.3333333333333333, 'mean_sources': 2.0}
    """,
)
