"""What is known of `quilts` without the code that finds them: its parameters, and its declaration.

Options and the page in the browser are made from these, so they import neither verbs nor stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis
from unquilt.errors import ParameterError
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import FOREIGN
from unquilt.tables.neardups import COPY_TABLES, WORDS
from unquilt.tables.quilts import (
    ASKED,
    NAMED,
    PATCHES,
    QUILTS,
    SITE_TABLES,
    SLICES,
    SOURCES,
    SPANNED,
    SPANNED_AT_HOME,
    VERDICTS,
)
from unquilt.tables.reworded import BOILERPLATE, OWN_CANDIDATES, REWORDED_CANDIDATES, STEMS

COLLAPSE = ("none", "exact", "near")
EDITS = ("exact", "light", "reworded")
SIGMA_OF = ("patchfrac", "covered", "spanned")
CHANGEABLE = (
    *("c", "sigma", "sigma_of", "min_share", "max_largest", "max_own", "max_sections", "min_sewn", "max_reads_on"),
    *("max_in_order", "max_attributed", "min_part"),
)
"""What a finished run can be judged by again, see `judging`."""
PUBLISHED: dict[str, Any] = {
    "foreign": "none",
    "collapse": "none",
    "min_share": 0.0,
    "min_grams": 1,
    "max_largest": 1.0,
    "max_own": 1.0,
    "max_sections": 1.0,
    "min_sewn": 0.0,
    "max_reads_on": 1.0,
    "max_in_order": 1.0,
    "min_part": 0,
    "homes": False,
    "edits": "exact",
    "sigma_of": "patchfrac",
}
"""What the paper does where our defaults go beyond it."""


@dataclass(frozen=True)
class QuiltParameters(Parameters):
    """What makes a quilt."""

    k: int = parameter(5, "words in a gram", at_least=1, at_most=2**20)
    m: int = parameter(50, "maximum number of documents that share a patch gram", at_least=2, at_most=2**32)
    c: int = parameter(4, "minimum number of sources of a quilt", at_least=1, at_most=2**32)
    sigma: float = parameter(0.5, "minimum share of the page that was copied", at_least=0, at_most=1)
    sigma_of: str = parameter(
        "spanned",
        "which share of the page --sigma limits: patch grams, grams that sources cover, or words that passages span",
        one_of=SIGMA_OF,
    )
    foreign: str = parameter(
        "domain",
        "what a site is: only pages of other sites count as sources; none: all pages",
        one_of=FOREIGN,
        word="site",
    )
    collapse: str = parameter(
        "near", "which copies count as one document: exact ones, near-duplicates, or none", one_of=COLLAPSE
    )
    min_share: float = parameter(
        0.02, "minimum share of the patch grams that each further source adds", at_least=0, at_most=1
    )
    min_grams: int = parameter(
        12, "minimum number of patch grams that each further source adds", at_least=1, at_most=2**32
    )
    max_largest: float = parameter(0.5, "maximum share of the covered text from a single source", at_least=0, at_most=1)
    max_own: float = parameter(
        0.6,
        "maximum share of the covered text that other pages of the page's own site also have",
        at_least=0,
        at_most=1,
    )
    max_sections: float = parameter(
        0.7,
        "maximum share of the covered text from sources that the page contains whole, or nearly so",
        at_least=0,
        at_most=1,
    )
    min_sewn: float = parameter(
        0.5,
        "minimum share of the copied passages that end at a seam, where another source begins",
        at_least=0,
        at_most=1,
    )
    max_reads_on: float = parameter(
        0.02,
        "maximum of reads_on: how much better the page reads on at the borders of passages than its sources do",
        at_least=-1,
        at_most=1,
    )
    max_in_order: float = parameter(
        0.5,
        "maximum of in_order: how much of a page other stitched pages have in the same order, as versions of a form do",
        at_least=0,
        at_most=1,
    )
    min_part: int = parameter(
        150,
        "minimum number of words from at least c sources in a page that is stitched in part; 0: no such verdict",
        at_least=0,
        at_most=2**32,
    )
    edits: str = parameter(
        "light",
        "exact: equal patches only; light: join patches of one source with a few changed words between them; reworded: "
        "the same, and where equal words say little, reworded passages count (about five times the time)",
        one_of=EDITS,
    )
    homes: bool = parameter(
        True, "prefer sources that are not stitched together themselves, and count only such pages of the own site"
    )
    max_attributed: float = parameter(
        1.0, "maximum share of the patch grams that come from sources the page links to", at_least=0, at_most=1
    )
    patches: bool = parameter(True, "write where each copied patch begins and ends, in the page and in its source")
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        keys.check_key(self.key)
        check_limits(self.c, self.min_share, self.max_largest)


def check_limits(c: int, min_share: float, max_largest: float) -> None:
    """Refuses limits by which no page can be a quilt, whatever it is: sources share what they add among them."""
    least = f"each source adds at least {min_share:.4g} of what a page shares (min_share)"
    if max_largest == 0:
        raise ParameterError("max_largest must be above 0: of any page with sources, one of them holds some")
    if max_largest < min_share:
        contradiction = f"min_share {min_share:g} and max_largest {max_largest:g} contradict each other"
        raise ParameterError(f"{contradiction}: {least}, so one holds more than max_largest, and no page is a quilt")
    if c * min_share > 1 + 1e-9:
        contradiction = f"min_share {min_share:g} and c {c} contradict each other"
        raise ParameterError(f"{contradiction}: {least}, so there are never {c} sources, and no page is a quilt")


PASSAGE_COSTS = {
    "stem counts": 70,
    "stem grams": 100,
    "common grams": 40,
    "stem keys": 180,
    "key pairs": 120,
    "candidate texts": 60,
    "spanned passages": 900,
}
"""What finding and aligning reworded passages costs beside it."""


def weigh(given: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    """What the longer stages cost beside each other: about per mille of the time, on real pages and on the demo web."""
    near = {"shingles": 180, "edges": 38} if given.get("collapse", "near") == "near" else {}
    cover = {
        "places": 33,
        "scan": 231,
        "lists": 222,
        "elements": 55,
        "first covers": 40,
        "covers again": 16,
        "names": 45,
    }
    located = {"requests": 8, "document words": 90, "slices": 80, "patches": 100}
    if not given.get("homes", True):
        cover = {name: cost for name, cost in cover.items() if name != "covers again"}
    if not given.get("patches", True) and given.get("edits") == "exact" and not given.get("min_sewn", 1):
        located = {}
    passages = PASSAGE_COSTS if given.get("edits") == "reworded" else {}
    return (near | cover | located | {"linked": 48, "select": 13} | passages).items()


DECLARATION = Analysis(
    name="quilts",
    summary="unquilt.cli.show.quilts:QuiltView",
    report="unquilt.page.report.sections.quilts:show_quilts",
    parameters=QuiltParameters,
    function="unquilt.analyses.quilts:quilts",
    results=(QUILTS, SOURCES),
    others=(
        *(VERDICTS, PATCHES, *SITE_TABLES["domain"], *SITE_TABLES["host"], *COPY_TABLES, NAMED, ASKED, SLICES, WORDS),
        *(STEMS, BOILERPLATE, REWORDED_CANDIDATES, OWN_CANDIDATES, SPANNED, SPANNED_AT_HOME),
    ),
    labels={
        "spanned passages": "aligning texts",
        "spanned": "aligning texts",
        "questioned": "aligning texts of one site",
        "own candidates": "aligning texts of one site",
        "own_candidates": "aligning texts of one site",
        "aligned_at_home": "aligning texts of one site",
        "spanned_at_home": "aligning texts of one site",
        "grams or passages": "telling what was reworded",
        "grams_or_passages": "telling what was reworded",
        "reworded patches": "locating patches",
        "first covers": "finding sources",
        "covers again": "finding sources",
        "suspicions": "finding sources",
        "counts": "judging documents",
        "covers": "finding sources",
        "names": "looking up URLs",
        "named": "looking up URLs",
        "linked": "looking at links",
        "verdicts": "judging documents",
        "judging": "judging documents",
        "requests": "asking sources for passages",
        "asked": "asking sources for passages",
        "slices": "cutting passages out of sources",
        "patches": "locating patches",
        "confirmed": "locating patches",
        "select": "looking up ids",
        "look up": "looking up ids",
    },
    costs=weigh,
    foreign=lambda given: str(given.foreign),
    example="""
    >>> import pyarrow as pa
    >>> pages = pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})
    >>> run = quilts(pages, k=3, c=2, min_grams=1)
    >>> run.quilts.select(["id", "covered", "sources", "largest"]).to_pylist()
    [{'id': 'z', 'covered': 0.8, 'sources': 2, 'largest': 0.5}]
    >>> run.verdicts.select(["doc", "why"]).to_pylist()
    [{'doc': 0, 'why': 'max_largest, c'}, {'doc': 1, 'why': 'max_largest, c'}, {'doc': 2, 'why': None}]
    """,
)
