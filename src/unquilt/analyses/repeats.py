"""Repeats: text that stands elsewhere in the corpus, too, and can be taken out of documents.

    units(d)       the words of d, its lines or its paragraphs; two are equal if their folded words are
    repeated(d)    the units of d that are in a run of n units that stands in a preferred place, too: in a preferred
                   document, or earlier in d; without `keep_one`, anywhere else
    menus(d)       paragraphs that are too short for the number of documents that have them, as in `discover`

A unit that goes has a copy that stays: the copy is followed from place to place until it is in text that is not cut.
Every cut is held against its copy word by word. Menus go wherever they stand, except for headings of text that stays:
of a run of such paragraphs before a paragraph that stays, both if they are two, else the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.discover import AUTO_STOP
from unquilt.analyses.preference import KEEP, check_keep, keep_parameter, rank
from unquilt.analyses.sites import see_names
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import SITES
from unquilt.tables.neardups import PREFERENCES
from unquilt.tables.repeats import CUT_REQUESTS, CUTS, EMPTIED, MENU_UNITS, REMOVED

UNITS = ("word", "line", "paragraph")
CROWD = 1 << 14
"""Places of an anchor whose runs are compared in memory; those of more places are sorted."""
USUAL = {"word": 50, "line": 1, "paragraph": 1}
"""How many units a run has, if nobody says."""


@dataclass(frozen=True)
class RepeatParameters(Parameters):
    """What is repeated, and which copy stays."""

    unit: str = parameter("word", "unit of a run", one_of=UNITS)
    n: int | None = parameter(
        None, "minimum length of a run, in units", at_least=1, at_most=2**20, usual="50 words, 1 line or 1 paragraph"
    )
    min_words: int = parameter(0, "keep lines and paragraphs with fewer words", at_least=0, at_most=2**31)
    min_times: int = parameter(2, "minimum number of places where a run stands", at_least=2, at_most=2**40)
    min_sites: int = parameter(1, "minimum number of sites where a run stands", at_least=1, at_most=2**40)
    site: str = parameter("domain", "what a site is", one_of=SITES)
    keep_one: bool = parameter(True, "keep the copy in the preferred document; else remove all copies")
    keep: str = keep_parameter()
    menus: bool = parameter(True, "also remove menus, with --unit paragraph")
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, object]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        """Refuse parameters that would have no effect."""
        keys.check_key(self.key)
        check_keep(self.keep)
        if self.unit == "word" and self.min_words:
            raise ParameterError("min_words is for lines and paragraphs; for words, set n in its place")
        if not self.keep_one and self.keep != KEEP[0]:
            raise ParameterError("keep has no effect without keep_one: no copy is kept; leave it out")

    @property
    def run(self) -> int:
        """How many units a run has."""
        return self.n or USUAL[self.unit]


def repeats(verbs: Verbs, corpus: Kept, given: RepeatParameters, ordered: Kept | None = None) -> Outcome:
    """Finds what can be taken out.

    Shuffles some 11 bytes for each word, by anchors (see the kernel `repeat anchors`; 1 more if sites count, or with an
    order of preference), or 22 for each line or paragraph (12 more if sites or menus count, 16 more with an order of
    preference), then 20 for each run of units that stand elsewhere in a row.
    Documents with repeats, and those with their copies, are read a second time.
    """
    preferred = rank(verbs, corpus, given.keep, ordered)
    key = keys.read_key(given.key)
    sited, site = see_names(corpus, given.site)
    menus = AUTO_STOP if given.menus and given.unit == "paragraph" and given.run == 1 else 0
    wanted: dict[str, Any] = {name: getattr(given, name) for name in ("keep_one", "min_sites", "min_times")}
    taken: dict[str, Any] = {"n": given.run, "site": site, "details": given.min_sites > 1 or menus > 0, "key": key}
    found_before: list[Rows] = []
    if given.unit == "word":
        (anchors,) = verbs.map(sited, Kernel("repeat anchors", **taken), beside=preferred)
        copies, runs = verbs.group([anchors], Kernel("anchored copies", most=CROWD, **wanted))
        found_before.append(copies)
    else:
        windows = Kernel("repeat windows", unit=given.unit, min_words=given.min_words, **taken)
        (runs,) = verbs.map(sited, windows, beside=preferred)
    copies, menu_units = verbs.group([runs], Kernel("repeat copies", menus=menus, **wanted))
    (found,) = verbs.group([*found_before, copies], Kernel("repeat cuts", n=given.run))
    cuts = verbs.keep(found, CUTS.named(f"{CUTS.name}_first"))
    shown = verbs.keep(menu_units, MENU_UNITS)
    if given.keep_one:
        cuts = _settle(verbs, cuts)
    (asked,) = verbs.map(cuts, Kernel("repeat requests"))
    (asked_menus,) = verbs.map(shown, Kernel("menu requests"))
    (all_asked,) = verbs.group([asked, asked_menus], Kernel("distinct"))
    requests = verbs.keep(all_asked, CUT_REQUESTS)
    sides, gone = verbs.map(corpus, Kernel("repeat removals", unit=given.unit), among=requests)
    (removed,) = verbs.group([sides], Kernel("repeats verified"))
    emptied = verbs.keep(gone, EMPTIED)
    counters = {"copied_words": 0, "menu_words": 0, "gone": emptied.rows} | verbs.fold(removed, "removed_words")
    return Outcome([verbs.keep(removed, REMOVED), emptied], counters)


def _settle(verbs: Verbs, cuts: Kept) -> Kept:
    """Cuts whose copies stay; each round follows copies twice as far."""

    def step(before: Kept, round_: int) -> tuple[Kept, int]:
        own, pointers = verbs.map(before, Kernel("repeat pointers"))
        (settled,) = verbs.group([own, pointers], Kernel("repeat settled"))
        changes = verbs.fold(settled, f"{CUTS.name}_{round_}_changed").get("changed", 0)
        return verbs.keep(settled, CUTS.named(f"{CUTS.name}_{round_}")), changes

    return verbs.repeat(cuts, step)


def weigh(given: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """What the longer stages cost, per mille of the processor time on the medium Debian corpus."""
    if given.get("unit", "word") == "word":
        return ("repeat anchors", 365), ("anchored copies", 130), ("repeat removals", 365)
    return ("repeat windows", 150), ("repeat copies", 30), ("repeat removals", 400)


_FOLLOWING = "following copies to those that stay"

DECLARATION = Analysis(
    name="repeats",
    summary="",
    report="",
    parameters=RepeatParameters,
    function="unquilt.analyses.repeats:repeats",
    costs=weigh,
    results=(REMOVED, EMPTIED),
    others=(CUTS, MENU_UNITS, CUT_REQUESTS, PREFERENCES),
    labels={
        "preferences": "choosing what to keep",
        "repeat anchors": "taking runs",
        "repeat windows": "taking runs",
        "anchored copies": "finding repeats",
        "repeat copies": "finding repeats",
        "repeat cuts": "finding repeats",
        "cuts_first": "finding repeats",
        "menu_units": "finding repeats",
        "repeat pointers": _FOLLOWING,
        "repeat settled": _FOLLOWING,
        "cuts": _FOLLOWING,
        "cuts_{}": _FOLLOWING,
        "cuts_{}_changed": _FOLLOWING,
        "cuts_changed": _FOLLOWING,
        "repeat requests": "looking up texts",
        "menu requests": "looking up texts",
        "distinct": "looking up texts",
        "cut_requests": "looking up texts",
        "repeat removals": "looking up texts",
        "repeats verified": "comparing words",
        "removed_words": "comparing words",
    },
    example="""
    >>> import pyarrow as pa
    >>> run = repeats(pa.table({"id": ["a", "b"], "text": ["one two three four", "Zero. One, two, three! Five"]}), n=3)
    >>> run.removed.select(["doc", "begin", "end", "copy", "copy_begin", "copy_end"]).to_pylist()
    [{'doc': 1, 'begin': 6, 'end': 23, 'copy': 0, 'copy_begin': 0, 'copy_end': 13}]
    """,
)
