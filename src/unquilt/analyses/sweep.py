"""A sweep: how many quilts there are for other k, m, c and σ, as published without a run for each combination.

For every (k, m, c, σ) of a grid: the number of quilts as `quilts` defines them, their share of all documents, and the
mean number of their sources, which is what Table 1 and Figure 3 of the paper (Najork, SIGIR 2012) show. Documents are
counted as the paper does: all of them, those too short to have a gram included; copies that were collapsed are one.

Unless limits are given, everything is as published: any other document can be a source, and copies are documents of
their own. All combinations of one k then come out of one pass. Other limits need what passages say, and which pages are
stitched together by all limits at once; then each combination is a run of its own, though copies are looked for once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.copies import find_copies
from unquilt.analyses.quilt_parameters import PUBLISHED, QuiltParameters
from unquilt.analyses.quilt_parameters import weigh as weigh_quilts
from unquilt.analyses.quilts import judge, name_by
from unquilt.analyses.sites import see_sites
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.tables.neardups import COPY_TABLES, WORDS
from unquilt.tables.quilts import ASKED, NAMED, SLICES
from unquilt.tables.sweep import COUNTS, SWEEP

PIVOT = QuiltParameters().k, QuiltParameters().m, QuiltParameters().c, QuiltParameters().sigma
"""The combination around which the paper varies one parameter at a time."""
DIMENSIONS = ("k", "m", "c", "sigma")
MOST_COMBINATIONS = 100_000
MOST_RUNS = 200
COUNTED_AT_ONCE = ("foreign", "collapse", "min_share", "max_largest")
"""The limits by which all combinations of one k are counted in one pass."""
BY_DEFAULT: dict[str, Any] = {name: getattr(QuiltParameters(), name) for name in PUBLISHED} | {
    "k": (PIVOT[0],),
    "m": (PIVOT[1],),
    "c": (2, 4, 8),
    "sigma": (0.3, 0.5, 0.7),
}
"""The verdict of `quilts`, and a grid that needs few runs."""


def _as_published(name: str) -> Any:
    """A parameter of `quilts`, as published unless it is given."""
    declared = QuiltParameters.__dataclass_fields__[name]
    return field(default=PUBLISHED.get(name, declared.default), metadata=declared.metadata)


@dataclass(frozen=True)
class SweepParameters(Parameters):
    """The grid: all combinations of these values; and the limits of `quilts`."""

    k: tuple[int, ...] = parameter((3, 4, 5, 6, 7), "words in a gram", at_least=1, at_most=2**20)
    m: tuple[int, ...] = parameter(
        (5, 10, 20, 50, 100), "maximum number of documents that share a patch gram", at_least=2, at_most=2**32
    )
    c: tuple[int, ...] = parameter((1, 2, 4, 8, 16), "minimum number of sources of a quilt", at_least=1, at_most=2**32)
    sigma: tuple[float, ...] = parameter(
        (0.1, 0.25, 0.5, 0.75, 0.9), "minimum share of the grams that sources cover", at_least=0, at_most=1
    )
    foreign: str = _as_published("foreign")
    collapse: str = _as_published("collapse")
    min_share: float = _as_published("min_share")
    min_grams: int = _as_published("min_grams")
    max_largest: float = _as_published("max_largest")
    max_own: float = _as_published("max_own")
    max_sections: float = _as_published("max_sections")
    min_sewn: float = _as_published("min_sewn")
    max_reads_on: float = _as_published("max_reads_on")
    max_in_order: float = _as_published("max_in_order")
    min_part: int = _as_published("min_part")
    edits: str = _as_published("edits")
    homes: bool = _as_published("homes")
    sigma_of: str = field(default="covered", metadata=QuiltParameters.__dataclass_fields__["sigma_of"].metadata)
    max_attributed: float = _as_published("max_attributed")
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
        if needs_verdicts(vars(self)):
            if combinations > MOST_RUNS:
                reason = "with these limits, each combination is a run of its own"
                most = f"a sweep has at most {MOST_RUNS} of these, not {combinations:,}"
                raise ParameterError(f"{reason}: {most}; give fewer values of k, m, c and sigma")
            _read_grid(self)  # refuses limits that contradict each other
        keys.check_key(self.key)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}


def sweep(verbs: Verbs, corpus: Kept, given: SweepParameters) -> Outcome:
    """Counts the quilts of a corpus for every combination.

    As published, for each k it costs little more than `quilts` with the largest m does: grams, lists and elements are
    the same, and of smaller m, c and σ only the covers are made again, where they can differ. By other limits, each
    combination costs as much as `quilts` does. Each k, or each combination, is kept when it is done.
    """
    by_verdict = needs_verdicts(vars(given))
    sited, foreign = see_sites(corpus, name_by(_read_grid(given)[0][1]) if by_verdict else given.foreign)
    copies = find_copies(verbs, sited, foreign=foreign, collapse=given.collapse, key=given.key)
    if by_verdict:
        counts = [_judge(verbs, corpus, copies.table, place, asked) for place, asked in _read_grid(given)]
    else:
        counts = [_count(verbs, corpus, copies.table, given, k) for k in given.k]
    together = replace(counts[0], name=COUNTS.name, paths=tuple(path for table in counts for path in table.paths))
    (rates,) = verbs.map(together, Kernel("rates", sigma=given.sigma))
    return Outcome([*copies.tables, verbs.keep(rates, SWEEP)], copies.counters)


def needs_verdicts(given: Mapping[str, Any]) -> bool:
    """Whether limits are given that are held against more than a cover."""
    others = [each for each in fields(SweepParameters) if each.name not in (*DIMENSIONS, *COUNTED_AT_ONCE, "key")]
    return any(given.get(each.name, each.default) != each.default for each in others)


def _read_grid(given: SweepParameters) -> list[tuple[int, QuiltParameters]]:
    """Of each combination the place of its σ among the values given, and the parameters of a run."""
    limits = {each.name: getattr(given, each.name) for each in fields(given) if each.name not in DIMENSIONS}
    limits["patches"] = False
    grid = itertools.product(given.k, given.m, given.c, enumerate(given.sigma))
    return [(place, QuiltParameters(k=k, m=m, c=c, sigma=sigma, **limits)) for k, m, c, (place, sigma) in grid]


def _judge(verbs: Verbs, corpus: Kept, copies: Kept | None, place: int, asked: QuiltParameters) -> Kept:
    """The quilts of one combination."""
    of = f"_{asked.k}_{asked.m}_{asked.c}_{place}"
    verdicts = judge(verbs, corpus, copies, asked, of).verdicts
    (counts,) = verbs.group([verdicts], Kernel("verdict counts", k=asked.k, m=asked.m, c=asked.c, sigma=place))
    (sums,) = verbs.group([counts], Kernel("sums"))
    return verbs.keep(sums, COUNTS.named(COUNTS.name + of))


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
    if needs_verdicts(given):
        for _ in range(math.prod(len(given.get(name, getattr(SweepParameters(), name))) for name in DIMENSIONS)):
            yield from (each for each in weigh_quilts(given) if each[0] not in ("shingles", "edges"))
        return
    for k in sorted(given.get("k", SweepParameters().k)):
        fewer = 0.36 ** (max(k, 3) - 3)
        yield from (("scan", 60), ("lists", 48), ("elements", 5 + 48 * fewer), ("sweep", 8 + 206 * fewer))


DECLARATION = Analysis(
    name="sweep",
    summary="",
    report="unquilt.page.report.sections.sweep:show_sweep",
    parameters=SweepParameters,
    function="unquilt.analyses.sweep:sweep",
    costs=weigh,
    foreign=lambda given: str(given.foreign),
    results=(SWEEP,),
    others=(*COPY_TABLES, COUNTS, NAMED, ASKED, SLICES, WORDS),
    labels={
        "sweep": "counting quilts",
        "sums": "counting quilts",
        "counts": "counting quilts for k = {}",
        "rates": "dividing",
        "verdict counts": "counting quilts",
    },
    example="""
    >>> import pyarrow as pa
    >>> pages = pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})
    >>> run = sweep(pages, k=[3], m=[2, 50], c=[1, 2], sigma=[0.5, 0.9])
    >>> run.sweep.to_pylist()[2]
    {'k': 3, 'm': 2, 'c': 2, 'sigma': 0.5, 'quilts': 1, 'share': 0.3333333333333333, 'mean_sources': 2.0}
    """,
)
