"""What makes a quilt: the parameters of `quilts`, apart from it, so that options can be made of them without Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unquilt.analyses import keys
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import FOREIGN

COLLAPSE = ("none", "exact", "near")
EDITS = ("exact", "light")
SIGMA_OF = ("patchfrac", "covered", "spanned")
CHANGEABLE = (
    *("c", "sigma", "sigma_of", "min_share", "max_largest", "max_own", "max_sections", "min_sewn", "max_reads_on"),
    *("max_attributed", "min_part"),
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
    m: int = parameter(50, "most documents that share a patch gram", at_least=2, at_most=2**32)
    c: int = parameter(4, "fewest sources of a quilt", at_least=1, at_most=2**32)
    sigma: float = parameter(0.5, "least share of the page that was copied", at_least=0, at_most=1)
    sigma_of: str = parameter(
        "spanned", "the share that sigma limits: patchfrac, covered, or what passages span", one_of=SIGMA_OF
    )
    foreign: str = parameter(
        "domain", "what a site is: sources on other sites count; none: all others do", one_of=FOREIGN, word="site"
    )
    collapse: str = parameter("near", "which copies become one document first", one_of=COLLAPSE)
    min_share: float = parameter(0.02, "least share of patch grams that a source newly covers", at_least=0, at_most=1)
    min_grams: int = parameter(12, "fewest patch grams that a source newly covers", at_least=1, at_most=2**32)
    max_largest: float = parameter(0.5, "most of the covered grams that one source holds", at_least=0, at_most=1)
    max_own: float = parameter(
        0.6, "most of the covered grams that other pages of its own site have, too", at_least=0, at_most=1
    )
    max_sections: float = parameter(
        0.7, "most of the covered grams that its sections add: whole pages of other sites", at_least=0, at_most=1
    )
    min_sewn: float = parameter(
        0.5, "least share of its passages that is sewn in, between seams", at_least=0, at_most=1
    )
    max_reads_on: float = parameter(
        0.02,
        "most by which the page reads on better than its sources do at the borders of passages",
        at_least=-1,
        at_most=1,
    )
    min_part: int = parameter(
        250,
        "words sewn in from c sources that make a page stitched in part; 0: none",
        at_least=0,
        at_most=2**32,
    )
    edits: str = parameter("light", "exact patches, or passages with a few changed words", one_of=EDITS)
    homes: bool = parameter(
        True, "prefer sources, and pages of the own site, that are not stitched together themselves"
    )
    max_attributed: float = parameter(1.0, "most of the patch grams that linked sources cover", at_least=0, at_most=1)
    patches: bool = parameter(True, "find where each source's patches begin and end")
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        keys.check_key(self.key)
