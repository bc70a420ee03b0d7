"""The limits of quilts, in one table: what each is held against, which way, and how its failure is said.

The core counts the numbers and holds them against these limits at the end of a run; `judging` holds the numbers of a
finished run against other values. Both go by this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limit:
    """A limit: a document fails it if its `column` is less (`<`) or more (`>`) than the parameter of this name.

    `counter` names the documents in the manifest that fail it first; `one` and `many` say so of one document and of
    several, with the parameters of the run filled in.
    """

    name: str
    column: str
    fails: str
    counter: str
    one: str
    many: str


LIMITS = (
    Limit(
        "sigma",
        "spanned",
        "<",
        "below_sigma",
        "has less than {sigma:.0%} from sources",
        "have less than {sigma:.0%} from sources",
    ),
    Limit(
        *("max_largest", "largest", ">", "above_max_largest"),
        one="is explained by one source (more than {max_largest:.0%} of it)",
        many="are explained by one source (more than {max_largest:.0%} of it)",
    ),
    Limit("c", "sources", "<", "below_c", "has fewer than {sources}", "have fewer than {sources}"),
    Limit(
        *("max_own", "own", ">", "above_max_own"),
        one="has text that other pages of its own site have, too (more than {max_own:.0%} of it)",
        many="have text that other pages of their own site have, too (more than {max_own:.0%} of it)",
    ),
    Limit(
        *("max_sections", "sections", ">", "above_max_sections"),
        one="is a print view or the contents of other pages (more than {max_sections:.0%} of it)",
        many="are print views or contents of other pages (more than {max_sections:.0%} of it)",
    ),
    Limit(
        *("min_sewn", "sewn", "<", "below_min_sewn"),
        one="is a text that others have in parts, or a list of headings (less than {min_sewn:.0%} is sewn in)",
        many="are texts that others have in parts, or lists of headings (less than {min_sewn:.0%} is sewn in)",
    ),
    Limit(
        *("max_reads_on", "reads_on", ">", "above_max_reads_on"),
        one="is an original that others took from (it reads on where its sources jump)",
        many="are originals that others took from (they read on where their sources jump)",
    ),
    Limit(
        *("max_in_order", "in_order", ">", "above_max_in_order"),
        one="is a version of a form (more than {max_in_order:.0%} of it is on others in the same order)",
        many="are versions of a form (more than {max_in_order:.0%} of it is on others in the same order)",
    ),
    Limit(
        *("max_attributed", "attributed", ">", "too_attributed"),
        one="links to its sources (more than {max_attributed:.0%} of it)",
        many="link to their sources (more than {max_attributed:.0%} of it)",
    ),
)
"""In the order in which `why` names them; a document is counted under the first that it fails."""
BY_NAME = {limit.name: limit for limit in LIMITS}

DOUBT = 25.0
"""How fast evidence falls as a page reads on: it counts in full where `reads_on` is -0.02, half at 0, not at 0.02."""
MOSTLY_STITCHED, STRICTER = 0.5, 4.0
"""If more than this share of the text of a page is only on pages that are stitched together, `max_reads_on` is so many
times as strict (unless it is 1, which is no limit)."""
HALF, CHANCE, LITTLE_OWN = 0.5, 2.0, 0.3
"""A page of a farm, whose own site draws on a pool and has no more than the last share of it on pages of its own, is an
original only if it reads on at more than the first share of its borders, or so many times as far as the limit."""
PART_OF_SIGMA, MOST_RESUMED = 0.6, 0.33
"""Passages span at least this part of σ in a quilt in part; or they stand side by side; or there are more words in
them, as many more, and the words around do not go on behind them by more than so much."""
MOST_IN_PART, NEARLY_ALL = 0.75, 0.9
"""No source holds more of a quilt in part; if one holds more than `max_largest`, passages with this share of the words
that are sewn in stand side by side."""

WITHOUT_SOURCES = {
    "short": ("too_short", "has fewer than {k} words", "have fewer than {k} words"),
    "nothing shared": (
        "nothing_shared",
        "shares nothing (or only what more than {m} documents have)",
        "share nothing (or only what more than {m} documents have)",
    ),
    "own site": ("own_site_only", "shares text on its own {site} only", "share text on their own {site} only"),
    "min_share": (
        "below_min_share",
        "has no source that covers {min_share:.0%} of what it shares, and {grams}",
        "have no source that covers {min_share:.0%} of what they share, and {grams}",
    ),
}
"""What `why` says of a document without sources; its counter, and the words for one and for several."""


def column_of(limit: Limit, sigma_of: str) -> str:
    """The column that a limit is held against: for σ it is a choice."""
    return sigma_of if limit.name == "sigma" else limit.column


def write_limits(given: Any) -> str:
    """The limits with the values of these parameters, as the core reads them: one a line."""
    lines = (
        f"{limit.name} {column_of(limit, given.sigma_of)} {limit.fails} {getattr(given, limit.name)!r}"
        for limit in LIMITS
    )
    return "\n".join(lines)
