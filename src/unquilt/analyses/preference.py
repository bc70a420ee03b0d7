"""Which documents are preferred: of several copies, the preferred one stays.

Rules are `first`, `longest`, `shortest` and `shortest-url`. Anything else names columns of the corpus in order, also
those of its inputs, with a minus for largest first: `source, -quality, date`. Missing values come last, equal documents
stay in their order. The ranks of the latter are made by `jobs.preferences`, before the analysis begins.
"""

from __future__ import annotations

from typing import Any

from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.parameters import parameter
from unquilt.tables.neardups import PREFERENCES

KEEP = ("first", "longest", "shortest", "shortest-url")


def keep_parameter() -> Any:
    """The parameter of analyses that prefer documents."""
    return parameter(
        KEEP[0],
        f"which document of several copies is kept: {', '.join(KEEP)}, or the first by columns of the corpus, such as "
        "'source,-quality' (- is largest first); of equal ones, the first",
    )


def is_order(keep: str) -> bool:
    """Whether documents are ordered by columns, and not by a rule."""
    return keep not in KEEP


def check_keep(keep: str) -> None:
    """Refuse an order without a column."""
    if any(not part.strip(" -") for part in keep.split(",")):
        raise ParameterError(
            f"keep must be {', '.join(KEEP)}, or names of columns with commas between them, not {keep[:80]!a}"
        )


def rank(verbs: Verbs, corpus: Kept, keep: str, ordered: Kept | None = None) -> Kept | None:
    """The ranks of documents, the least of which is preferred; None if the first are. `ordered` are those by columns,
    which a rehearsal does without."""
    if keep == KEEP[0]:
        return None
    if is_order(keep):
        return ordered or Kept.without_rows(PREFERENCES)
    (ranks,) = verbs.map(corpus, Kernel("preferences", by=keep))
    return verbs.keep(ranks, PREFERENCES)
