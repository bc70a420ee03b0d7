"""Where documents stand: on which servers, and which of several copies is kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from unquilt.analyses.components import components
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.tables.neardups import CLUSTERS, KEPT_COPIES


@dataclass(frozen=True)
class Copies:
    """The table of copies (None if all documents are kept and servers do not matter), all tables, and counters."""

    table: Kept | None = None
    tables: tuple[Kept, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)

    def without_copies(self) -> Copies:
        """The same, without the table and the number of copies: for analyses that did not look for copies."""
        counters = {name: number for name, number in self.counters.items() if name != "copies"}
        return Copies(self.table, (), counters)


def find_copies(
    verbs: Verbs, corpus: Kept, *, foreign: str, collapse: str, key: str = "", family: str = "fast"
) -> Copies:
    """The server of each document, by `foreign`, and which document is kept of several copies, by `collapse`.

    Near-duplicates are those of `neardups`, by `family`.

    With `page`, each page is a server of its own: as with none, all are foreign, but domains are known.

    Costs one pass over a few short columns and two groups of some 40 bytes a document; near-duplicates have to be found
    first.
    """
    if foreign == "none" and collapse == "none":
        return Copies()
    counters: dict[str, int] = {}
    near = None
    if collapse == "near":
        from unquilt.analyses.neardups import NeardupParameters, near_edges

        how = NeardupParameters(key=key, family=family)
        near = components(verbs, near_edges(verbs, corpus, how)[0])
    placed, *addresses = verbs.map(corpus, Kernel("places", by=foreign), beside=near)
    if foreign == "ip":
        (shared,) = verbs.group(addresses, Kernel("shared"))
        (placed,) = verbs.group([shared, placed], Kernel("pool"))
        counters |= verbs.fold(placed, "addresses")
    kernel = Kernel("copies", collapse=collapse != "none")
    kept, clusters = verbs.group([placed], kernel)
    counters |= verbs.fold(kept, "copies")
    if foreign in ("none", "page"):
        counters.pop("without_server", None)
    table = verbs.keep(kept, KEPT_COPIES)
    return Copies(table, (verbs.keep(clusters, CLUSTERS),), counters)
