"""Domains: on which sites the quilts are, and which sites feed them."""

from __future__ import annotations

from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.tables import QUILTING_DOMAINS, SOURCE_DOMAINS

DOMAIN_LABELS = {"visits": "counting by domain", "domains": "counting by domain"}


def count_domains(verbs: Verbs, corpus: Kept, quilts: Kept, sources: Kept) -> list[Kept]:
    """The domains with quilts, and those that quilts draw on, each under the lowest of its documents.

    Documents without a URL have no domain and are counted together, so that the numbers add up to all quilts and all
    sources. A collapsed document counts for the domain of the one that is kept. Shuffles about 40 bytes a document and
    source, twice.
    """
    (pages,) = verbs.map(corpus, Kernel("select", ("doc", "domain")))
    (quilted,) = verbs.map(quilts, Kernel("select", ("doc",)))
    (drawn_on,) = verbs.map(sources, Kernel("select", ("source", "quilt", "new_grams")))
    (visits,) = verbs.group([pages, quilted, drawn_on], Kernel("visits"))
    quilting, feeding = verbs.group([visits], Kernel("domains"))
    return [
        verbs.keep(quilting, QUILTING_DOMAINS),
        verbs.keep(feeding, SOURCE_DOMAINS),
    ]
