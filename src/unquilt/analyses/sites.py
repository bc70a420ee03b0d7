"""Sites: on which domains or hosts the quilts are, and which ones feed them."""

from __future__ import annotations

from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.site_names import name_sites
from unquilt.tables.quilts import SITE_TABLES


def see_sites(corpus: Kept, by: str) -> tuple[Kept, str]:
    """The corpus as kernels that tell servers apart are shown it, and what sites are to them."""
    return (corpus, by) if by in ("none", "page", "host", "domain", "ip") else (corpus.by_site(by), "domain")


def see_names(corpus: Kept, by: str) -> tuple[Kept, str]:
    """The corpus as kernels that count by site are shown it, and the column that has the names of sites."""
    return (corpus, by) if by in ("host", "domain") else (corpus.by_site(by), "domain")


def count_sites(verbs: Verbs, corpus: Kept, quilts: Kept, sources: Kept, foreign: str) -> list[Kept]:
    """The sites with quilts, and those that quilts draw on, each under the lowest of its documents.

    Documents without a URL are on no site and are counted together, so that the numbers add up to all quilts and all
    sources. A collapsed document counts for the site of the one that is kept. Shuffles about 40 bytes a document and
    source, twice.
    """
    by = name_sites(foreign)
    sited = corpus if foreign == "none" else see_names(corpus, foreign)[0]
    (pages,) = verbs.map(sited, Kernel("select", ("doc", by)))
    (quilted,) = verbs.map(quilts, Kernel("select", ("doc",)))
    (of_quilts,) = verbs.map(quilts, Kernel("select", ("doc",)))
    (looked_at,) = verbs.map(sources, Kernel("select", ("quilt", "source", "new_grams")))
    (drawn_on,) = verbs.group([of_quilts, looked_at], Kernel("drawn"))
    (visits,) = verbs.group([pages, quilted, drawn_on], Kernel("visits"))
    found = verbs.group([visits], Kernel("sites", by=by))
    return [verbs.keep(rows, table) for rows, table in zip(found, SITE_TABLES[by], strict=True)]
