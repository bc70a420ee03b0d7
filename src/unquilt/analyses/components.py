"""Connected components: which documents hang together through any chain of edges."""

from __future__ import annotations

from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.tables import EDGES


def components(verbs: Verbs, edges: Kept, name: str = "components") -> Kept:
    """For each document with an edge, save the least of its component: an edge (doc, other) to that least one.

    `edges` has the columns doc and other. The rounds, a logarithmic number, each shuffle about 20 bytes an edge, twice.
    """

    def step(table: Kept, round_: int) -> tuple[Kept, int]:
        (ends,) = verbs.map(table, Kernel("ends"))
        (large,) = verbs.group([ends], Kernel("large star"))
        changes = verbs.fold(large, f"{name}_{round_}_large").get("changed", 0)
        (small,) = verbs.group([large], Kernel("small star"))
        changes += verbs.fold(small, f"{name}_{round_}_small").get("changed", 0)
        return verbs.keep(small, EDGES.named(f"{name}_{round_}")), changes

    return verbs.repeat(edges, step)
