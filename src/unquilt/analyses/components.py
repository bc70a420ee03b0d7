"""Connected components: which documents hang together through any chain of edges."""

from __future__ import annotations

from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.tables.neardups import COMPONENTS
from unquilt.tables.table import Table


def components(verbs: Verbs, edges: Kept, table: Table = COMPONENTS) -> Kept:
    """For each document with an edge, except the least of its component, an edge (doc, other) to that least one.

    `edges` has the columns doc and other; each round is kept as a `table` of its own. The rounds, a logarithmic number,
    each shuffle about 20 bytes an edge, twice.
    """

    def step(before: Kept, round_: int) -> tuple[Kept, int]:
        (ends,) = verbs.map(before, Kernel("ends"))
        (large,) = verbs.group([ends], Kernel("large star"))
        changes = verbs.fold(large, f"{table.name}_{round_}_large").get("changed", 0)
        (small,) = verbs.group([large], Kernel("small star"))
        changes += verbs.fold(small, f"{table.name}_{round_}_small").get("changed", 0)
        return verbs.keep(small, table.named(f"{table.name}_{round_}")), changes

    return verbs.repeat(edges, step)
