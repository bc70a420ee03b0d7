"""Where documents stand: on which servers, and which of several copies is kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from unquilt.analyses.components import components
from unquilt.analyses.neardups import NeardupParameters, near_edges
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import DOC, HASH, Kernel, Verbs
from unquilt.tables import CLUSTERS, STANDING

FOREIGN = ("none", "host", "domain", "ip")
COLLAPSE = ("none", "exact", "near")


@dataclass(frozen=True)
class Standings:
    """The standing of every document, none where there is nothing to say; the tables made; what was counted."""

    table: Kept | None = None
    tables: tuple[Kept, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)


def stand(verbs: Verbs, corpus: Kept, *, foreign: str, collapse: str, key: str = "") -> Standings:
    """The server of each document by `foreign`, copies made one by `collapse`.

    Costs one pass over a few short columns and two groups of some 40 bytes a document; near-duplicates have to be found
    first.
    """
    if foreign == "none" and collapse == "none":
        return Standings()
    counters: dict[str, int] = {}
    near = components(verbs, near_edges(verbs, corpus, NeardupParameters(key=key))[0]) if collapse == "near" else None
    columns = ("doc", "sequence", "words", "host" if foreign == "host" else "domain")
    if foreign == "ip":
        places = Kernel("places", (HASH, HASH), (*columns, "host", "ip"), {"by": foreign})
        hosts, addresses = verbs.map(corpus, places, beside=near)
        (shared,) = verbs.group([addresses], Kernel("shared", (HASH,)))
        (standing_at,) = verbs.group([shared, hosts], Kernel("pool", (HASH,)))
        counters |= verbs.fold(standing_at, "addresses")
    else:
        (standing_at,) = verbs.map(corpus, Kernel("places", (HASH,), columns, {"by": foreign}), beside=near)
    widest = counters.get("widest_host", 0)
    kernel = Kernel("copies", (DOC, DOC), (), {"collapse": collapse != "none", "widest": widest})
    standing, clusters = verbs.group([standing_at], kernel)
    counters |= verbs.fold(standing, "copies")
    if foreign == "none":
        counters.pop("without_server", None)
    table = verbs.keep(standing, STANDING)
    return Standings(table, (verbs.keep(clusters, CLUSTERS),), counters)
