"""What makes a quilt: the parameters of `quilts`, apart from it, so that options can be made of them without Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unquilt.analyses import keys
from unquilt.parameters import Parameters, parameter

FOREIGN = ("none", "host", "domain", "ip")
COLLAPSE = ("none", "exact", "near")
LIMITS = ("c", "sigma", "min_share", "max_largest", "max_own", "max_sections", "min_sewn", "max_attributed")
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
}
"""What the paper does where our defaults go beyond it."""


@dataclass(frozen=True)
class QuiltParameters(Parameters):
    """What makes a quilt."""

    k: int = parameter(5, "words in a gram", at_least=1, at_most=2**20)
    m: int = parameter(50, "most documents that share a patch gram", at_least=2, at_most=2**32)
    c: int = parameter(4, "fewest sources of a quilt", at_least=1, at_most=2**32)
    sigma: float = parameter(0.5, "least share of the grams that sources cover", at_least=0, at_most=1)
    foreign: str = parameter("domain", "which sources count: those on another host, domain, ip; or all", one_of=FOREIGN)
    collapse: str = parameter("near", "which copies become one document first", one_of=COLLAPSE)
    min_share: float = parameter(0.02, "least share of patch grams that a source newly covers", at_least=0, at_most=1)
    min_grams: int = parameter(16, "fewest patch grams that a source newly covers", at_least=1, at_most=2**32)
    max_largest: float = parameter(0.5, "most of the covered grams that one source holds", at_least=0, at_most=1)
    max_own: float = parameter(
        0.9, "most of the covered grams that other pages of its own site have, too", at_least=0, at_most=1
    )
    max_sections: float = parameter(
        0.6, "most of the covered grams that its sections add: whole pages of other sites", at_least=0, at_most=1
    )
    min_sewn: float = parameter(
        0.7, "least of what patches cover that is sewn in: in passages with seams", at_least=0, at_most=1
    )
    max_attributed: float = parameter(1.0, "most of the patch grams that linked sources cover", at_least=0, at_most=1)
    patches: bool = parameter(True, "find where each source's patches begin and end")
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        keys.check_key(self.key)
